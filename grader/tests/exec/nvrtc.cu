// SPDX-License-Identifier: Apache-2.0
// A kernel that NVRTC compiles while the program runs; it writes past its buffer.
#include <cstdio>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

static const char source[] =
    "extern \"C\" __global__ void fill(int *to) {\n"
    "    to[threadIdx.x] = 1;\n"
    "}\n";

int main() {
    const char *options[] = {"--gpu-architecture=compute_100a", "-lineinfo"};
    nvrtcProgram program;
    nvrtcCreateProgram(&program, source, "made.cu", 0, nullptr, nullptr);
    printf("compile %d\n", nvrtcCompileProgram(program, 2, options));
    size_t size;
    nvrtcGetPTXSize(program, &size);
    std::vector<char> ptx(size);
    nvrtcGetPTX(program, ptx.data());
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction fill;
    CUdeviceptr to;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    printf("load %d\n", cuModuleLoadDataEx(&module, ptx.data(), 0, nullptr, nullptr));
    cuModuleGetFunction(&fill, module, "fill");
    cuMemAlloc(&to, 31 * sizeof(int));
    void *args[] = {&to};
    cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr);
    printf("sync %d\n", cuCtxSynchronize());
    return 0;
}
