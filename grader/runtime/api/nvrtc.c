// SPDX-License-Identifier: Apache-2.0
// A library of its own, loaded before a program that uses NVRTC: where the
// program asks for the machine code that NVRTC has made, it gets the PTX, which
// NVRTC has too, and which our cuModuleLoadData takes as well.
#include "runtime/core/cuda.h"

#include <dlfcn.h>

typedef int NvrtcSize(void *program, size_t *size);
typedef int NvrtcText(void *program, char *text);

// NVRTC's own number for what it cannot do.
enum { NVRTC_INTERNAL_ERROR = 11 };

static int size_with(const char *name, void *program, size_t *size) {
    NvrtcSize *function = (NvrtcSize *)dlsym(RTLD_NEXT, name);
    return function ? function(program, size) : NVRTC_INTERNAL_ERROR;
}

int nvrtcGetCUBINSize(void *program, size_t *size);
int nvrtcGetCUBIN(void *program, char *text);

// 0, where a program was compiled for a virtual architecture, stays 0.
API int nvrtcGetCUBINSize(void *program, size_t *size) {
    int error = size_with("nvrtcGetCUBINSize", program, size);
    return error || *size == 0 ? error
                               : size_with("nvrtcGetPTXSize", program, size);
}

API int nvrtcGetCUBIN(void *program, char *text) {
    size_t size = 0;
    int error = size_with("nvrtcGetCUBINSize", program, &size);
    NvrtcText *function =
        (NvrtcText *)dlsym(RTLD_NEXT, size ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
    if (!function)
        return NVRTC_INTERNAL_ERROR;
    return error ? error : function(program, text);
}
