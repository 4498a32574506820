// SPDX-License-Identifier: Apache-2.0
// The functions that code which nvcc makes calls: a program registers its fat
// binaries before main, and each kernel<<<...>>>(...) is a push, a pop and a
// launch.
#include "runtime/core/launch.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"

// What the program hands over for a fat binary.
typedef struct FatbinWrapper {
    int magic, version;
    const void *image;
    const void *const *parts; // version 2: what the image was linked from
} FatbinWrapper;

API void **__cudaRegisterFatBinary(const FatbinWrapper *wrapper) {
    Runtime *r = runtime_enter();
    enum { LINKED = 2 };
    Module *module = module_add(r, wrapper->image);
    if (wrapper->version == LINKED)
        module->parts = wrapper->parts;
    runtime_exit(r);
    return (void **)module;
}

API void __cudaUnregisterFatBinary(void **handle) {
    Runtime *r = runtime_enter();
    ((Module *)handle)->is_dead = true;
    runtime_exit(r);
}

API void __cudaRegisterFunction(void **handle, const void *host, char *device,
                                const char *name, int limit, void *tid,
                                void *bid, void *block, void *grid, int *warp) {
    (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid;
    (void)warp;
    Runtime *r = runtime_enter();
    module_add_kernel(r, (Module *)handle, host, str_from(name));
    runtime_exit(r);
}

API void __cudaRegisterVar(void **handle, const void *host, char *device,
                           const char *name, int ext, size_t size, int constant,
                           int global) {
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    Runtime *r = runtime_enter();
    module_add_variable(r, (Module *)handle, host, str_from(name));
    runtime_exit(r);
}

API void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                  const char *name, int ext, size_t size,
                                  int constant, int global) {
    (void)device, (void)ext, (void)size, (void)constant, (void)global;
    Runtime *r = runtime_enter();
    Variable *variable =
        module_add_variable(r, (Module *)handle, host, str_from(name));
    variable->managed = host;
    runtime_exit(r);
}

// Called before the program's first use of a managed variable.
API char __cudaInitModule(void **handle) {
    Runtime *r = runtime_enter();
    CudaError error = module_load(r, (Module *)handle);
    runtime_exit(r);
    return error == CUDA_OK;
}

API uint32_t __cudaPushCallConfiguration(CudaDim3 grid, CudaDim3 block,
                                         size_t dynamic_smem,
                                         CudaStream *stream) {
    RuntimeShape shape = {grid, block, dynamic_smem, stream};
    return !runtime_push(&shape);
}

API CudaError __cudaPopCallConfiguration(CudaDim3 *grid, CudaDim3 *block,
                                         size_t *dynamic_smem, void *stream) {
    RuntimeShape shape;
    if (!runtime_pop(&shape))
        return CUDA_MISSING_CONFIGURATION;
    *grid = shape.grid;
    *block = shape.block;
    *dynamic_smem = shape.dynamic_smem;
    *(CudaStream **)stream = shape.stream;
    return CUDA_OK;
}

// ---- launches ------------------------------------------------------------

API CudaError __cudaGetKernel(CudaKernel **kernel, const void *host) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaGetKernel",
                         module_find_kernel(r, host, kernel));
}

API CudaError cudaGetKernel(CudaKernel **kernel, const void *host) {
    return __cudaGetKernel(kernel, host);
}

API CudaError cudaGetFuncBySymbol(CudaKernel **kernel, const void *host) {
    return __cudaGetKernel(kernel, host);
}

static CudaError launch(const char *name, CudaStream *stream, const void *host,
                        const LaunchShape *shape, void **args) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, name, stream_launch(r, stream, host, shape, args));
}

API CudaError cudaLaunchKernel(const void *host, CudaDim3 grid, CudaDim3 block,
                               void **args, size_t dynamic_smem,
                               CudaStream *stream) {
    LaunchShape shape = {
        .grid = grid, .block = block, .dynamic_smem = dynamic_smem};
    return launch("cudaLaunchKernel", stream, host, &shape, args);
}

API CudaError __cudaLaunchKernel(const void *kernel, CudaDim3 grid,
                                 CudaDim3 block, void **args,
                                 size_t dynamic_smem, CudaStream *stream) {
    return cudaLaunchKernel(kernel, grid, block, args, dynamic_smem, stream);
}

API CudaError cudaLaunchCooperativeKernel(const void *host, CudaDim3 grid,
                                          CudaDim3 block, void **args,
                                          size_t dynamic_smem,
                                          CudaStream *stream) {
    LaunchShape shape = {.grid = grid,
                         .block = block,
                         .dynamic_smem = dynamic_smem,
                         .is_cooperative = true};
    return launch("cudaLaunchCooperativeKernel", stream, host, &shape, args);
}

API CudaError cudaLaunchKernelExC(const CudaLaunchConfig *config,
                                  const void *host, void **args) {
    if (!config)
        return runtime_refuse("cudaLaunchKernelExC");
    LaunchShape shape = {.grid = config->grid,
                         .block = config->block,
                         .dynamic_smem = config->dynamic_smem};
    for (uint32_t i = 0; i < config->attribute_count; i++)
        launch_take_attribute(&config->attributes[i], &shape);
    return launch("cudaLaunchKernelExC", config->stream, host, &shape, args);
}

API CudaError cudaLaunchHostFunc(CudaStream *stream, CudaHostFunction *function,
                                 void *data) {
    Op op = {.kind = OP_HOST, .host = {function, data}};
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaLaunchHostFunc",
                         function ? stream_do(r, stream, &op) : CUDA_VALUE);
}

// It is told of a kernel's error, and cannot be captured.
API CudaError cudaStreamAddCallback(CudaStream *stream,
                                    CudaStreamCallback *function, void *data,
                                    uint32_t flags) {
    Runtime *r = runtime_enter();
    CudaError error = flags ? CUDA_VALUE : stream_forbid_wait(r, stream);
    CudaError status = r->fault;
    if (error)
        return runtime_leave(r, "cudaStreamAddCallback", error);
    runtime_exit(r);
    function(stream, status, data);
    return CUDA_OK;
}
