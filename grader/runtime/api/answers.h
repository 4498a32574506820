// SPDX-License-Identifier: Apache-2.0
// The functions of the API that no room has, made from the rows of
// cudart.functions and driver.functions: nothing is to be done, or they are
// missing, which clclab exec reports.
#ifndef CLCLAB_RUNTIME_ANSWERS_H
#define CLCLAB_RUNTIME_ANSWERS_H

#include "runtime/core/runtime.h"

#define NOTHING(name)   \
    API int name(void); \
    int name(void) {    \
        return CUDA_OK; \
    }
#define MISSING(name, error)                       \
    API int name(void);                            \
    int name(void) {                               \
        return (int)runtime_missing(#name, error); \
    }

#endif
