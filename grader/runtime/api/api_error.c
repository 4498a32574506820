// SPDX-License-Identifier: Apache-2.0
// The functions that tell of errors: what they are called, and the last one.
#include "runtime/core/error.h"
#include "runtime/core/runtime.h"

API const char *cudaGetErrorName(CudaError error) {
    return runtime_error_name(error);
}

API const char *cudaGetErrorString(CudaError error) {
    const ErrorText *text = runtime_error_text(error);
    return text ? text->says : "unrecognized error code";
}

// What the driver knows; NULL: not this.
static const ErrorText *find_drivers(CudaError error) {
    const ErrorText *text = runtime_error_text(error);
    return text && text->driver ? text : NULL;
}

API CudaError cuGetErrorName(CudaError error, const char **name) {
    const ErrorText *text = find_drivers(error);
    *name = text ? text->driver : NULL;
    return text ? CUDA_OK : CUDA_VALUE;
}

API CudaError cuGetErrorString(CudaError error, const char **says) {
    const ErrorText *text = find_drivers(error);
    *says = text ? text->says : NULL;
    return text ? CUDA_OK : CUDA_VALUE;
}

API CudaError cudaGetLastError(void) {
    return runtime_last_error(true);
}

API CudaError cudaPeekAtLastError(void) {
    return runtime_last_error(false);
}
