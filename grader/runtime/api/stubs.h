// SPDX-License-Identifier: Apache-2.0
// What stands in for a function of CUDA that is not supported: it returns an
// error, and clclab exec names it. The list is made from cudart.names.
#ifndef CLCLAB_RUNTIME_STUBS_H
#define CLCLAB_RUNTIME_STUBS_H

#include "runtime/core/runtime.h"

#define STUB(name)                            \
    API __attribute__((weak)) int name(void); \
    int name(void) {                          \
        return (int)runtime_missing(#name);   \
    }

#endif
