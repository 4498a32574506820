// SPDX-License-Identifier: Apache-2.0
// Memory that is mapped at reserved addresses, and PTX that is linked while the
// program runs: by the driver's functions.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

static const char *const KERNEL = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                  ".extern .func (.param .b32 r) twice(.param .b32 v);\n"
                                  ".visible .entry k(.param .u64 p) {\n"
                                  ".reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                                  "ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1];\n"
                                  "{ .param .b32 v; .param .b32 r; st.param.b32 [v], %r1;\n"
                                  "call (r), twice, (v); ld.param.b32 %r1, [r]; }\n"
                                  "st.global.u32 [%rd1], %r1; ret;\n}\n";
static const char *const FUNCTION = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                    ".visible .func (.param .b32 r) twice(.param .b32 v) {\n"
                                    ".reg .b32 %r<2>; ld.param.b32 %r1, [v];\n"
                                    "add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret;\n}\n";

static CUfunction linked() {
    CUlinkState state;
    CUmodule module;
    CUfunction function = nullptr;
    void *image;
    size_t size;
    cuLinkCreate(0, nullptr, nullptr, &state);
    cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)KERNEL, strlen(KERNEL) + 1, "k", 0, 0, 0);
    cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)FUNCTION, strlen(FUNCTION), "f", 0, 0, 0);
    printf("link %d\n", cuLinkComplete(state, &image, &size));
    printf("load %d\n", cuModuleLoadData(&module, image));
    cuLinkDestroy(state);
    cuModuleGetFunction(&function, module, "k");
    return function;
}

int main() {
    CUcontext context;
    CUdeviceptr at, later;
    CUmemGenericAllocationHandle memory;
    CUmemAllocationProp prop = {};
    CUmemAccessDesc access = {};
    size_t granule;
    cuInit(0);
    cuCtxCreate(&context, nullptr, 0, 0);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    printf("reserve %d\n", cuMemAddressReserve(&at, 2 * granule, 0, 0, 0));
    printf("odd %d\n", cuMemCreate(&memory, granule + 1, &prop, 0));
    printf("create %d\n", cuMemCreate(&memory, granule, &prop, 0));
    printf("map %d\n", cuMemMap(at, granule, 0, memory, 0));
    printf("again %d\n", cuMemMap(at + granule, granule, 0, memory, 0));
    printf("beyond %d\n", cuMemMap(at + 2 * granule, granule, 0, memory, 0));
    printf("access %d\n", cuMemSetAccess(at, 2 * granule, &access, 1));
    int value = 21;
    cuMemcpyHtoD(at, &value, sizeof value);
    void *args[] = {&at};
    printf("launch %d\n", cuLaunchKernel(linked(), 1, 1, 1, 1, 1, 1, 0, 0, args, nullptr));
    cuMemcpyDtoH(&value, at + granule, sizeof value);
    printf("other address %d\n", value);
    printf("too early %d\n", cuMemAddressFree(at, 2 * granule));
    cuMemUnmap(at, 2 * granule);
    cuMemAddressFree(at, 2 * granule);
    cuMemAddressReserve(&later, granule, 0, 0, 0);
    cuMemMap(later, granule, 0, memory, 0);
    printf("closed %d\n", cuMemcpyDtoH(&value, later, sizeof value));
    cuMemSetAccess(later, granule, &access, 1);
    cuMemRelease(memory);
    cuMemcpyDtoH(&value, later, sizeof value);
    printf("elsewhere %d\n", value);
    int can = 1;
    cuDeviceCanAccessPeer(&can, 0, 0);
    printf("peer %d %s\n", can, cudaGetErrorName(cudaDeviceEnablePeerAccess(0, 0)));
    cuMemUnmap(later, granule);
    args[0] = &later;
    cuLaunchKernel(linked(), 1, 1, 1, 1, 1, 1, 0, 0, args, nullptr);
    printf("unmapped %d\n", cuCtxSynchronize());
    return 0;
}
