// SPDX-License-Identifier: Apache-2.0
// The driver's API, and the runtime's beside it: a module from PTX as text.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

static const char ptx[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n"
    ".visible .global .align 4 .u32 step = 3;\n"
    ".visible .entry add(.param .u64 to, .param .u32 n) {\n"
    ".reg .u64 %l<3>; .reg .u32 %r<4>;\n"
    "ld.param.u64 %l0, [to]; ld.param.u32 %r0, [n];\n"
    "ld.global.u32 %r1, [step]; ld.global.u32 %r2, [%l0];\n"
    "mad.lo.u32 %r2, %r0, %r1, %r2; st.global.u32 [%l0], %r2; ret; }\n";

int main() {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add;
    CUdeviceptr data, step;
    size_t size;
    unsigned n = 4, value = 0, five = 5;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, nullptr, 0, device);
    printf("load %d\n", cuModuleLoadData(&module, ptx));
    printf("function %d\n", cuModuleGetFunction(&add, module, "add"));
    cuMemAlloc(&data, 4);
    cuMemsetD32(data, 100, 1);
    void *args[] = {&data, &n};
    printf("launch %d\n", cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
    cuModuleGetGlobal(&step, &size, module, "step");
    cuMemcpyHtoD(step, &five, size);
    struct {
        CUdeviceptr data;
        unsigned n;
    } packed = {data, n};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    printf("packed %d\n", cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    cuCtxSynchronize();
    cudaMemcpy(&value, (void *)data, 4, cudaMemcpyDeviceToHost);
    printf("value %u\n", value);
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    cudaGetDriverEntryPointByVersion("cuMemAlloc", &found, 13000, cudaEnableDefault, &status);
    CUdeviceptr more = 0;
    printf("entry %d\n", ((CUresult(*)(CUdeviceptr *, size_t))found)(&more, 4));
    CUdeviceptr from[] = {data}, to[] = {more};
    size_t sizes[] = {4}, first = 0;
    CUmemcpyAttributes how = {};
    how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    value = 0;
    printf("batch %d", cuMemcpyBatchAsync(to, from, sizes, 1, &how, &first, 1, nullptr));
    cuMemcpyDtoH(&value, more, 4);
    printf(" %u", value);
    unsigned rows[3][4] = {};
    CUdeviceptr plane;
    cuMemAlloc(&plane, sizeof rows);
    cuMemsetD32(plane, 0, 12);
    cuMemsetD2D32(plane + 4, 16, 7, 2, 3);
    cuMemsetD2D8Async(plane, 16, 1, 4, 2, nullptr);
    cuMemcpyDtoH(rows, plane, sizeof rows);
    printf(" rows %x %u %u %u %u", rows[1][0], rows[1][1], rows[2][2], rows[2][3], rows[2][0]);
    CUcontext of_stream = nullptr, current = nullptr;
    CUgreenCtx green;
    cuCtxGetCurrent(&current);
    cuStreamGetCtx_v2(nullptr, &of_stream, &green);
    printf(" %d\n", of_stream == current && green == nullptr);
    const char *name = "";
    cuGetErrorName(cuModuleGetFunction(&add, module, "none"), &name);
    printf("missing %s\n", name);
    printf("no error %d", cuGetErrorName((CUresult)12345, &name));
    printf(" %d\n", name == nullptr);
    return 0;
}
