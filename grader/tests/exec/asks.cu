// SPDX-License-Identifier: Apache-2.0
// Asks the driver and the runtime about kernels, modules, pointers, managed
// memory and pools, lets streams write values and wait for them, uses what it
// has destroyed, and calls what lacks an argument. Each answer that is wrong is
// printed. An H100 was asked for many of them; it ends at a stream or an event
// that was destroyed.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "is.h"

static const char *const PTX =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter;\n"
    ".visible .entry first(.param .u32 a, .param .u64 b) { ret; }\n"
    ".visible .entry second() { ret; }\n";

static void modules() {
    CUmodule module, of;
    CUfunction functions[3] = {}, first;
    const char *name = "";
    unsigned count;
    size_t at, size;
    int value;
    IS(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
    IS(cuModuleLoadData(&module, PTX), 0);
    IS(cuModuleGetFunctionCount(&count, module), 0);
    IS(count, 2);
    IS(cuModuleEnumerateFunctions(functions, 3, module), 0);
    IS(functions[0] && functions[1] && !functions[2], 1);
    IS(cuModuleGetFunction(&first, module, "first"), 0);
    IS(cuFuncGetModule(&of, first), 0);
    IS(of == module, 1);
    IS(cuFuncGetName(&name, first), 0);
    IS(strcmp(name, "first"), 0);
    IS(cuFuncGetParamInfo(first, 1, &at, &size), 0);
    IS(at, 8);
    IS(size, 8);
    IS(cuFuncGetParamInfo(first, 2, &at, &size), CUDA_ERROR_INVALID_VALUE);
    IS(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
                          first),
       0);
    IS(value, 0);
    struct {
        int a;
        void *b;
    } packed = {};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    IS(cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, nullptr),
       CUDA_ERROR_INVALID_VALUE);
    IS(cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, 0, nullptr, extra), 0);
}

static void log_of_errors() {
    CUmodule module;
    char errors[256] = "";
    CUjit_option options[2] = {CU_JIT_ERROR_LOG_BUFFER,
                               CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[2] = {errors, (void *)sizeof errors};
    const char *mistaken =
        ".version 8.0\n.target sm_90\n.visible .entry k() { bogus.u32; }\n";
    IS(cuModuleLoadDataEx(&module, mistaken, 2, options, values),
       CUDA_ERROR_INVALID_PTX);
    IS(strstr(errors, "line 3; error: 'bogus'") != nullptr, 1);
    IS(values[1] == (void *)strlen(errors), 1);
}

static void libraries() {
    cudaLibrary_t library;
    cudaKernel_t kernel, all[2];
    void *counter;
    size_t size;
    unsigned count;
    IS(cudaLibraryLoadData(&library, PTX, nullptr, nullptr, 0, nullptr, nullptr,
                           0),
       0);
    IS(cudaLibraryGetKernel(&kernel, library, "second"), 0);
    IS(cudaLibraryGetKernelCount(&count, library), 0);
    IS(count, 2);
    IS(cudaLibraryEnumerateKernels(all, 2, library), 0);
    IS(cudaLibraryGetGlobal(&counter, &size, library, "counter"), 0);
    IS(size, 4);
    IS(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), nullptr, 0, 0),
       0);
    IS(cudaLibraryUnload(library), 0);
}

static void pointers() {
    int *device, *both, local;
    unsigned flags = 9, type = 9;
    size_t pitch, size;
    CUdeviceptr padded, start;
    void *host, *answers[2] = {&type, &size};
    CUpointer_attribute attributes[2] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                         CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    cudaMalloc(&device, 4000);
    cudaMallocManaged(&both, 4000);
    cudaMallocHost(&host, 64);
    IS(cudaHostGetFlags(&flags, host), 0);
    IS(flags, cudaHostAllocMapped);
    IS(cudaHostGetFlags(&flags, device), cudaErrorInvalidValue);
    IS(cuMemAllocPitch(&padded, &pitch, 100, 3, 4), 0);
    IS(pitch, 512);
    IS(cuMemGetAddressRange(&start, &size, (CUdeviceptr)(device + 7)), 0);
    IS(start, (CUdeviceptr)device);
    IS(size, 4000);
    IS(cuMemGetAddressRange(&start, &size, (CUdeviceptr)&local),
       CUDA_ERROR_NOT_FOUND);
    IS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                             (CUdeviceptr)both),
       0);
    IS(type, CU_MEMORYTYPE_DEVICE);
    IS(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                             (CUdeviceptr)&local),
       CUDA_ERROR_INVALID_VALUE);
    IS(cuPointerGetAttributes(2, attributes, answers, (CUdeviceptr)device), 0);
    IS(type, CU_MEMORYTYPE_DEVICE);
    IS(size, 4000);
}

static int range(const void *memory, cudaMemRangeAttribute attribute) {
    int value = -9;
    IS(cudaMemRangeGetAttribute(&value, sizeof value, attribute, memory, 4000),
       0);
    return value;
}

static void managed_memory() {
    int *both, *device, by[2];
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMallocManaged(&both, 4000);
    cudaMalloc(&device, 4000);
    IS(range(both, cudaMemRangeAttributePreferredLocation), -2);
    IS(cudaMemAdvise(both, 4000, cudaMemAdviseSetPreferredLocation, here), 0);
    IS(range(both, cudaMemRangeAttributePreferredLocation), 0);
    IS(range(both, cudaMemRangeAttributeLastPrefetchLocation), -2);
    IS(cudaMemPrefetchAsync(both, 4000, here, 0, 0), 0);
    IS(range(both, cudaMemRangeAttributeLastPrefetchLocation), 0);
    IS(range(both, cudaMemRangeAttributeReadMostly), 0);
    IS(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy,
                                both, 4000),
       0);
    IS(by[0], -2);
    IS(cudaMemPrefetchAsync(device, 4000, here, 0, 0), cudaErrorInvalidValue);
}

static void pools() {
    cudaMemPool_t pool;
    cudaMemPoolProps wanted = {};
    unsigned long long threshold = ~0ull;
    int reuses = 9;
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location = {cudaMemLocationTypeDevice, 0};
    IS(cudaMemPoolCreate(&pool, &wanted), 0);
    IS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                               &threshold),
       0);
    IS(threshold, 0);
    threshold = 1ull << 40;
    IS(cuMemPoolSetAttribute((CUmemoryPool)pool,
                             CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
       0);
    threshold = 0;
    IS(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
                               &threshold),
       0);
    IS(threshold, 1ull << 40);
    IS(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic,
                               &reuses),
       0);
    IS(reuses, 1);
    IS(cudaMemPoolDestroy(pool), 0);
}

static void values() {
    CUstream stream;
    CUdeviceptr at;
    CUstreamBatchMemOpParams both[2] = {};
    unsigned long long value = 0;
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    cuMemAlloc(&at, 16);
    IS(cuStreamWriteValue64(stream, at, 0x123456789aull, 0), 0);
    IS(cuStreamWaitValue64(stream, at, 0x123456789aull,
                           CU_STREAM_WAIT_VALUE_EQ),
       0);
    IS(cuMemcpyDtoH(&value, at, sizeof value), 0);
    IS(value, 0x123456789all);
    both[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    both[0].writeValue.address = both[1].waitValue.address = at;
    both[0].writeValue.value = 7;
    both[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    both[1].waitValue.value = 5;
    both[1].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    IS(cuStreamBatchMemOp(stream, 2, both, 0), 0);
    IS(cuStreamWaitValue32(stream, at, 9, CU_STREAM_WAIT_VALUE_EQ),
       0); // that is told
}

static int destroyed;

static void count(void *) {
    destroyed++;
}

static void objects() {
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaUserObject_t object;
    IS(cudaGraphCreate(&graph, 0), 0);
    IS(cudaUserObjectCreate(&object, nullptr, count, 1,
                            cudaUserObjectNoDestructorSync),
       0);
    IS(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), 0);
    IS(cudaGraphInstantiate(&instance, graph, 0), 0);
    IS(cudaGraphDestroy(graph), 0);
    IS(destroyed, 0);
    IS(cudaGraphExecDestroy(instance), 0);
    IS(destroyed, 1);
}

static void what_was_destroyed() {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&instance, graph, 0);
    IS(cudaStreamDestroy(stream), 0);
    IS(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    IS(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    IS(cudaEventDestroy(event), 0);
    IS(cudaEventRecord(event), cudaErrorInvalidResourceHandle);
    IS(cudaGraphExecDestroy(instance), 0);
    IS(cudaGraphLaunch(instance, 0), cudaErrorInvalidValue);
    IS(cudaGraphDestroy(graph), 0);
    IS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
}

static void what_is_not_given() {
    CUfunction function;
    size_t pitch, unused;
    IS(cudaMemGetInfo(&unused, nullptr), 0);
    IS(cudaGetDevice(nullptr), cudaErrorInvalidValue);
    IS(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
    IS(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
    IS(cudaEventCreate((cudaEvent_t *)nullptr), cudaErrorInvalidValue);
    IS(cudaMallocPitch((void **)nullptr, &pitch, 4, 4), cudaErrorInvalidValue);
    IS(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
    IS(cuModuleLoad(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
    IS(cuModuleGetFunction(&function, nullptr, "k"), CUDA_ERROR_INVALID_VALUE);
}

int main() {
    cudaFree(nullptr);
    modules();
    log_of_errors();
    libraries();
    pointers();
    managed_memory();
    pools();
    values();
    objects();
    what_was_destroyed();
    what_is_not_given();
    printf("%d wrong\n", wrong);
    return 0;
}
