// SPDX-License-Identifier: Apache-2.0
// The driver's functions that ask about kernels, modules and libraries. A
// library is a module that is not a context's own: the two are the same here,
// and so are a CUkernel and a CUfunction. Where the runtime has the like
// (cudaLibraryGetKernel), it is another name of these (cudart.functions).
#include "device/limits.h"
#include "runtime/core/launch.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"

// ---- libraries -----------------------------------------------------------

API CudaError cuLibraryLoadFromFile(Module **module, const char *path,
                                    int *options, void **values, uint32_t count,
                                    int *library_options, void **library_values,
                                    uint32_t library_count) {
    (void)options, (void)values, (void)count, (void)library_options;
    (void)library_values, (void)library_count;
    DRIVER_RETURN("cuLibraryLoadFromFile", module_read(r, module, path));
}

API CudaError cuLibraryGetModule(Module **module, Module *library) {
    *module = library;
    return library ? CUDA_OK : CUDA_HANDLE;
}

API CudaError cuModuleGetLoadingMode(int *mode) {
    enum { LAZY = 2 };
    *mode = LAZY;
    return CUDA_OK;
}

static bool is_kernel(const PtxFunc *func) {
    return func->is_entry && func->has_body;
}

// The first `most` kernels; `count` is how many there are. Each may be NULL.
static CudaError list_kernels(Runtime *r, Module *module, CudaKernel **kernels,
                              uint32_t most, uint32_t *count) {
    uint32_t found = 0;
    CudaError error = module ? module_load(r, module) : CUDA_HANDLE;
    if (error)
        return error;
    for (size_t i = 0; i < module->ptx->func_count; i++) {
        const PtxFunc *func = module->ptx->funcs[i];
        if (!is_kernel(func))
            continue;
        if (kernels && found < most)
            kernels[found] = module_kernel_named(r, module, func->name);
        found++;
    }
    if (count)
        *count = found;
    return CUDA_OK;
}

API CudaError cuModuleGetFunctionCount(uint32_t *count, Module *module) {
    DRIVER_RETURN("cuModuleGetFunctionCount",
                  list_kernels(r, module, NULL, 0, count));
}

API CudaError cuModuleEnumerateFunctions(CudaKernel **kernels, uint32_t most,
                                         Module *module) {
    DRIVER_RETURN("cuModuleEnumerateFunctions",
                  list_kernels(r, module, kernels, most, NULL));
}

// ---- kernels -------------------------------------------------------------

static CudaError module_of(Runtime *r, Module **module, const void *host) {
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    if (!error)
        *module = kernel->module;
    return error;
}

API CudaError cuFuncGetModule(Module **module, const void *kernel) {
    DRIVER_RETURN("cuFuncGetModule", module_of(r, module, kernel));
}

static CudaError parameter(Runtime *r, const void *host, size_t index,
                           size_t *offset, size_t *size) {
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    if (error || index >= kernel->func->param_count)
        return error ? error : CUDA_VALUE;
    if (offset)
        *offset = ptx_param_offset(kernel->func, index);
    if (size)
        *size = kernel->func->params[index]->size;
    return CUDA_OK;
}

API CudaError cuFuncGetParamInfo(const void *kernel, size_t index,
                                 size_t *offset, size_t *size) {
    DRIVER_RETURN("cuFuncGetParamInfo",
                  parameter(r, kernel, index, offset, size));
}

API CudaError cuFuncIsLoaded(int *state, const void *kernel) {
    enum { LOADED = 1 };
    (void)kernel;
    *state = LOADED;
    return CUDA_OK;
}

API CudaError cuFuncLoad(const void *kernel) {
    Module *module;
    DRIVER_RETURN("cuFuncLoad", module_of(r, &module, kernel));
}

CudaError cudaFuncGetAttributes(CudaFuncAttributes *out, const void *host);

API CudaError cuFuncGetAttribute(int *value, int attribute,
                                 CudaKernel *kernel) {
    CudaFuncAttributes a;
    CudaError error = cudaFuncGetAttributes(&a, kernel);
    if (error)
        return runtime_driver_error(error);
    const int values[] = {
        a.max_threads,      (int)a.shared_bytes, (int)a.const_bytes,
        (int)a.local_bytes, a.registers,         a.ptx_version,
        a.binary_version,   a.cache_ca,          a.max_dynamic_shared,
        a.carveout,         a.needs_cluster,     a.cluster[0],
        a.cluster[1],       a.cluster[2],        a.large_cluster,
        a.cluster_policy};
    if (attribute < 0 || (size_t)attribute >= COUNT_OF(values))
        return CUDA_VALUE;
    *value = values[attribute];
    return CUDA_OK;
}

CudaError cudaFuncSetAttribute(const void *host, int attribute, int value);

API CudaError cuKernelSetAttribute(int attribute, int value, CudaKernel *kernel,
                                   int device) {
    (void)device;
    return runtime_driver_error(cudaFuncSetAttribute(kernel, attribute, value));
}

// ---- what fits -----------------------------------------------------------

typedef size_t DriverSharedOfBlock(int threads);

// The block with which most threads fit on an SM; the largest such.
static CudaError best_block(Runtime *r, int *grid, int *block,
                            CudaKernel *kernel, DriverSharedOfBlock *shared_of,
                            size_t dynamic_smem, int limit) {
    enum { STEP = 32, MOST = DEVICE_MOST_THREADS };
    uint32_t most = 0;
    CudaError error = module_find_kernel(r, kernel, &kernel);
    *grid = *block = 0;
    for (int threads = limit > 0 && limit < MOST ? limit : MOST;
         threads > 0 && !error; threads -= STEP) {
        size_t smem = shared_of ? shared_of(threads) : dynamic_smem;
        uint32_t fit = launch_fit(kernel, (uint32_t)threads, smem);
        if (fit * (uint32_t)threads <= most)
            continue;
        most = fit * (uint32_t)threads;
        *block = threads;
        *grid = (int)(fit * r->model->sm_count);
    }
    return error;
}

API CudaError cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                               CudaKernel *kernel,
                                               DriverSharedOfBlock *shared_of,
                                               size_t dynamic_smem, int limit) {
    DRIVER_RETURN(
        "cuOccupancyMaxPotentialBlockSize",
        best_block(r, grid, block, kernel, shared_of, dynamic_smem, limit));
}

// What the runtime takes.
static CudaLaunchConfig runtimes(const DriverConfig *config) {
    return (CudaLaunchConfig){.grid = config->grid,
                              .block = config->block,
                              .dynamic_smem = config->dynamic_smem,
                              .stream = config->stream,
                              .attributes = config->attributes,
                              .attribute_count = config->attribute_count};
}

CudaError cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                         const CudaLaunchConfig *config);

API CudaError cuOccupancyMaxActiveClusters(int *clusters, CudaKernel *kernel,
                                           const DriverConfig *config) {
    CudaLaunchConfig given = runtimes(config);
    return runtime_driver_error(
        cudaOccupancyMaxActiveClusters(clusters, kernel, &given));
}
