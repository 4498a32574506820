// SPDX-License-Identifier: Apache-2.0
// Runs a golden kernel on a real GPU and writes its output (README.md here).
//   nvcc -o run-on-gpu run-on-gpu.cu -lcuda
//   ./run-on-gpu FILE.ptx KERNEL WORDS > FILE.out      (WORDS of 64 bits)
#include "golden.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(CUresult result, const char *what) {
    const char *text = "";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        exit(1);
    char *text = (char *)calloc(1, 16 << 20);
    size_t count = fread(text, 1, (16 << 20) - 1, file);
    fclose(file);
    return count ? text : NULL;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    size_t words = strtoul(argv[3], NULL, 10);
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr in, out;
    uint64_t inputs[GOLDEN_INPUTS];
    uint64_t *outputs = (uint64_t *)calloc(words, 8);
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuModuleLoadData(&module, read_file(argv[1])), "cuModuleLoadData");
    check(cuModuleGetFunction(&kernel, module, argv[2]), "kernel");
    check(cuMemAlloc(&in, sizeof inputs), "cuMemAlloc");
    check(cuMemAlloc(&out, words * 8), "cuMemAlloc");
    for (uint32_t i = 0; i < GOLDEN_INPUTS; i++)
        inputs[i] = golden_input(i);
    check(cuMemcpyHtoD(in, inputs, sizeof inputs), "cuMemcpyHtoD");
    check(cuMemsetD8(out, 0, words * 8), "cuMemsetD8");
    void *args[] = {&in, &out};
    check(cuLaunchKernel(kernel, 1, 1, 1, GOLDEN_THREADS, 1, 1, 0, NULL, args,
                         NULL),
          "cuLaunchKernel");
    check(cuCtxSynchronize(), "kernel run");
    check(cuMemcpyDtoH(outputs, out, words * 8), "cuMemcpyDtoH");
    return fwrite(outputs, 8, words, stdout) == words ? 0 : 1;
}
