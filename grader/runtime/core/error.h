// SPDX-License-Identifier: Apache-2.0
// What the errors of the API are called, and what they say.
#ifndef CLCLAB_RUNTIME_ERROR_H
#define CLCLAB_RUNTIME_ERROR_H

#include "runtime/core/cuda.h"

typedef struct ErrorText {
    uint32_t value;
    const char *name, *driver; // the driver's name; NULL: it has no such error
    const char *says;
} ErrorText;

// NULL: there is no such error.
const ErrorText *runtime_error_text(CudaError error);
const char *runtime_error_name(CudaError error);
// What the driver calls this error of the runtime's.
CudaError runtime_driver_error(CudaError error);

#endif
