// SPDX-License-Identifier: Apache-2.0
// Compares numbers, and says where they differ.
#include <cstdio>

static int wrong;

#define IS(expression, wanted)                                                 \
    do {                                                                       \
        long long is = (long long)(expression), should = (long long)(wanted);  \
        wrong += is != should;                                                 \
        if (is != should)                                                      \
            printf("line %d: %s: %lld, not %lld\n", __LINE__, #expression, is, \
                   should);                                                    \
    } while (0)
