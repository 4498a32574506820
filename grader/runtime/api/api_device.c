// SPDX-License-Identifier: Apache-2.0
// The functions for the device and its kernels. There is one device.
#include "device/limits.h"
#include "runtime/core/launch.h"
#include "runtime/core/memory.h"
#include "runtime/core/modules.h"
#include "runtime/core/runtime.h"
#include "runtime/core/stream.h"

#include <string.h>

enum {
    L2_BYTES = 126 << 20,
    REGISTERS = 65536,
    GLOBAL_GIBS = 64,
};

static const size_t MOST_HEAP = (size_t)4 << 30; // bytes, of malloc

// ---- the device ----------------------------------------------------------

API CudaError cudaGetDeviceCount(int *count) {
    if (!count)
        return runtime_refuse("cudaGetDeviceCount");
    *count = 1;
    return CUDA_OK;
}

API CudaError cudaGetDevice(int *device) {
    if (!device)
        return runtime_refuse("cudaGetDevice");
    *device = 0;
    return CUDA_OK;
}

static CudaError check_device(int device) {
    return device == 0 ? CUDA_OK : CUDA_DEVICE;
}

API CudaError cudaSetDevice(int device) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaSetDevice", check_device(device));
}

API CudaError cudaInitDevice(int device, uint32_t flags,
                             uint32_t device_flags) {
    (void)flags, (void)device_flags;
    return cudaSetDevice(device);
}

API CudaError cudaChooseDevice(int *device, const CudaProperties *wanted) {
    (void)wanted;
    *device = 0;
    return CUDA_OK;
}

API CudaError cudaGetDeviceFlags(uint32_t *flags) {
    *flags = 0;
    return CUDA_OK;
}

static void fill_limits(CudaProperties *p, const VmModel *model) {
    p->global_bytes = (size_t)GLOBAL_GIBS << 30;
    p->shared_per_block = DEVICE_SHARED_AT_ONCE;
    p->registers_per_block = p->registers_per_sm = REGISTERS;
    p->warp_size = 32;
    p->most_pitch = INT32_MAX;
    p->threads_per_block = DEVICE_MOST_THREADS;
    memcpy(p->block_size, (int[])DEVICE_MOST_BLOCK, sizeof p->block_size);
    memcpy(p->grid_size, (int[])DEVICE_MOST_GRID, sizeof p->grid_size);
    p->constant_bytes = DEVICE_MOST_CONSTANT;
    p->texture_alignment = p->surface_alignment = 512;
    p->texture_pitch_alignment = 32;
    p->sm_count = (int)model->sm_count;
    p->l2_bytes = L2_BYTES;
    p->persisting_l2_bytes = p->window_bytes = L2_BYTES / 2;
    p->bus_width = 8192;
    p->threads_per_sm = (int)model->threads_per_sm;
    p->shared_per_sm = model->smem_per_sm;
    p->shared_per_block_optin = model->smem_per_cta;
    p->reserved_shared = model->smem_reserved;
    p->blocks_per_sm = (int)model->ctas_per_sm;
}

static void fill_abilities(CudaProperties *p) {
    p->can_map_host_memory = p->concurrent_kernels = p->async_engines = 1;
    p->unified_addressing = p->stream_priorities = 1;
    p->global_l1 = p->local_l1 = p->managed = p->concurrent_managed = 1;
    p->cooperative = p->host_register = p->memory_pools = 1;
    p->cluster_launch = p->function_pointers = 1;
    p->numa_id = p->host_numa_id = -1;
}

static CudaError fill_properties(Runtime *r, CudaProperties *p, int device) {
    if (check_device(device))
        return CUDA_DEVICE;
    *p = (CudaProperties){.major = (int)module_arch(r) / 10,
                          .minor = (int)module_arch(r) % 10};
    Arena scratch = {0};
    str_fill(
        p->name, sizeof p->name,
        str_format(&scratch, "CLC Labs virtual machine (%s)", r->model->name));
    arena_free(&scratch);
    str_fill(p->uuid, sizeof p->uuid, STR("clclab"));
    fill_limits(p, r->model);
    fill_abilities(p);
    return CUDA_OK;
}

API CudaError cudaGetDeviceProperties(CudaProperties *properties, int device) {
    if (!properties)
        return runtime_refuse("cudaGetDeviceProperties");
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaGetDeviceProperties",
                         fill_properties(r, properties, device));
}

// X(number of the attribute, its value in the properties)
// clang-format off
#define ATTRIBUTES(X) \
    X(1, p.threads_per_block) X(2, p.block_size[0]) X(3, p.block_size[1]) \
    X(4, p.block_size[2]) X(5, p.grid_size[0]) X(6, p.grid_size[1]) \
    X(7, p.grid_size[2]) X(8, p.shared_per_block) X(9, p.constant_bytes) \
    X(10, p.warp_size) X(11, p.most_pitch) X(12, p.registers_per_block) \
    X(13, CUDA_CLOCK_KHZ) X(14, p.texture_alignment) X(15, 1) X(16, p.sm_count) \
    X(19, p.can_map_host_memory) X(30, p.surface_alignment) \
    X(31, p.concurrent_kernels) X(36, CUDA_CLOCK_KHZ * 2) X(37, p.bus_width) \
    X(38, p.l2_bytes) X(39, p.threads_per_sm) X(40, p.async_engines) \
    X(41, p.unified_addressing) X(51, p.texture_pitch_alignment) \
    X(75, p.major) X(76, p.minor) X(78, p.stream_priorities) \
    X(79, p.global_l1) X(80, p.local_l1) X(81, p.shared_per_sm) \
    X(82, p.registers_per_sm) X(83, p.managed) X(87, 2) \
    X(89, p.concurrent_managed) X(95, p.cooperative) \
    X(97, p.shared_per_block_optin) X(102, 1) X(99, p.host_register) \
    X(106, p.blocks_per_sm) X(108, p.persisting_l2_bytes) X(109, p.window_bytes) X(111, p.reserved_shared) X(115, p.memory_pools) \
    X(120, p.cluster_launch) X(122, 1) X(123, 1) X(126, 1) X(131, -1) X(134, -1)
// clang-format on

static CudaError find_attribute(Runtime *r, int *value, int attribute,
                                int device) {
    CudaProperties p;
    CudaError error = fill_properties(r, &p, device);
    *value = 0;
    if (error || attribute <= 0 || attribute > 255)
        return error ? error : CUDA_VALUE;
    switch (attribute) {
#define ATTRIBUTE_CASE(number, is) \
    case number:                   \
        *value = (int)(is);        \
        break;
        ATTRIBUTES(ATTRIBUTE_CASE)
#undef ATTRIBUTE_CASE
    default: // something that the device has not
        break;
    }
    return CUDA_OK;
}

API CudaError cudaDeviceGetAttribute(int *value, int attribute, int device) {
    if (!value)
        return runtime_refuse("cudaDeviceGetAttribute");
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaDeviceGetAttribute",
                         find_attribute(r, value, attribute, device));
}

API CudaError cudaDeviceGetPCIBusId(char *text, int length, int device) {
    (void)device;
    str_fill(text, (size_t)length, STR("0000:00:00.0"));
    return CUDA_OK;
}

API CudaError cudaDriverGetVersion(int *version) {
    if (!version)
        return runtime_refuse("cudaDriverGetVersion");
    *version = CUDA_VERSION;
    return CUDA_OK;
}

API CudaError cudaRuntimeGetVersion(int *version) {
    if (!version)
        return runtime_refuse("cudaRuntimeGetVersion");
    Runtime *r = runtime_enter();
    *version = r->is_cuda12 ? CUDA_12_VERSION : CUDA_VERSION;
    return runtime_leave(r, "cudaRuntimeGetVersion", CUDA_OK);
}

API CudaError cudaDeviceSynchronize(void) {
    Runtime *r = runtime_enter();
    CudaError error = stream_forbid_all(r);
    runtime_flush(r);
    return runtime_leave(r, "cudaDeviceSynchronize", error);
}

// Streams, events and graphs stay, though a card destroys them too.
API CudaError cudaDeviceReset(void) {
    Runtime *r = runtime_enter();
    CudaError error = stream_forbid_all(r);
    runtime_flush(r);
    if (!error)
        memory_reset(r);
    return runtime_leave(r, "cudaDeviceReset", error);
}

// There is one device, which is no peer of its own.
API CudaError cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    Runtime *r = runtime_enter();
    *can = 0;
    return runtime_leave(r, "cudaDeviceCanAccessPeer",
                         check_device(device) ? CUDA_DEVICE
                                              : check_device(peer));
}

API CudaError cudaDeviceEnablePeerAccess(int peer, uint32_t flags) {
    (void)flags;
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaDeviceEnablePeerAccess",
                         check_device(peer) ? CUDA_DEVICE : CUDA_NO_PEERS);
}

API CudaError cudaDeviceDisablePeerAccess(int peer) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaDeviceDisablePeerAccess",
                         check_device(peer) ? CUDA_DEVICE
                                            : CUDA_PEER_NOT_ENABLED);
}

API CudaError cudaDeviceGetP2PAttribute(int *value, int attribute, int from,
                                        int to) {
    (void)attribute;
    Runtime *r = runtime_enter();
    *value = 0;
    bool are_two = !check_device(from) && !check_device(to) && from != to;
    return runtime_leave(r, "cudaDeviceGetP2PAttribute",
                         are_two ? CUDA_OK : CUDA_DEVICE);
}

API CudaError cudaDeviceGetByPCIBusId(int *device, const char *text) {
    *device = 0;
    Runtime *r = runtime_enter();
    return runtime_leave(
        r, "cudaDeviceGetByPCIBusId",
        str_equal(str_from(text), STR("0000:00:00.0")) ? CUDA_OK : CUDA_DEVICE);
}

static CudaError set_limit(Runtime *r, uint32_t limit, size_t value) {
    if (limit >= LIMIT_COUNT)
        return CUDA_NO_LIMIT;
    if (limit == LIMIT_HEAP && value > MOST_HEAP)
        return CUDA_MEMORY;
    r->limits[limit] = value;
    return CUDA_OK;
}

// The heap's is kept to, and a larger stack holds more calls. A card allocates
// for the others what they ask for; here there is as much as it takes.
API CudaError cudaDeviceSetLimit(uint32_t limit, size_t value) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaDeviceSetLimit", set_limit(r, limit, value));
}

static CudaError get_limit(const Runtime *r, uint32_t limit, size_t *value) {
    static const size_t defaults[LIMIT_COUNT] = {1024, 1 << 20, 8 << 20, 2,
                                                 2048, 128,     0};
    if (limit >= LIMIT_COUNT)
        return CUDA_NO_LIMIT;
    *value = r->limits[limit] ? r->limits[limit] : defaults[limit];
    return CUDA_OK;
}

API CudaError cudaDeviceGetLimit(size_t *value, uint32_t limit) {
    if (!value)
        return runtime_refuse("cudaDeviceGetLimit");
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaDeviceGetLimit", get_limit(r, limit, value));
}

API CudaError cudaDeviceGetCacheConfig(int *config) {
    *config = 0;
    return CUDA_OK;
}

API CudaError cudaDeviceGetSharedMemConfig(int *config) {
    *config = 1;
    return CUDA_OK;
}

API CudaError cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return CUDA_OK;
}

// ---- kernels -------------------------------------------------------------

static CudaError function_attributes(Runtime *r, CudaFuncAttributes *out,
                                     const void *host) {
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    if (error)
        return error;
    const PtxFunc *func = kernel->func;
    uint32_t taken = launch_static_shared(kernel);
    uint32_t more =
        DEVICE_SHARED_AT_ONCE > taken ? DEVICE_SHARED_AT_ONCE - taken : 0;
    *out = (CudaFuncAttributes){
        .shared_bytes = taken,
        .max_threads = (int)launch_most_threads(kernel),
        .registers = func->max_regs ? (int)func->max_regs : 32,
        .ptx_version = (int)kernel->module->ptx->arch,
        .binary_version = (int)module_arch(r),
        .max_dynamic_shared =
            (int)(kernel->most_dynamic ? kernel->most_dynamic : more),
        .carveout = -1,
        .needs_cluster = func->req_cluster.x != 0,
        .cluster = {(int)func->req_cluster.x, (int)func->req_cluster.y,
                    (int)func->req_cluster.z},
        .large_cluster = kernel->large_cluster,
    };
    for (size_t i = 0; i < func->var_count; i++)
        if (func->vars[i]->space == PTX_SPACE_LOCAL)
            out->local_bytes += func->vars[i]->size;
    return CUDA_OK;
}

API CudaError cudaFuncGetAttributes(CudaFuncAttributes *out, const void *host) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaFuncGetAttributes",
                         function_attributes(r, out, host));
}

static CudaError set_attribute(Runtime *r, const void *host, int attribute,
                               int value) {
    enum { MOST_DYNAMIC = 8, LARGE_CLUSTER = 14 };
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    if (error)
        return error;
    if (attribute == MOST_DYNAMIC) {
        uint64_t all = (uint64_t)launch_static_shared(kernel) + (uint32_t)value;
        if (value < 0 || all > r->model->smem_per_cta)
            return CUDA_VALUE;
        kernel->most_dynamic = (uint32_t)value;
    } else if (attribute == LARGE_CLUSTER) {
        kernel->large_cluster = value != 0;
    }
    return CUDA_OK;
}

API CudaError cudaFuncSetAttribute(const void *host, int attribute, int value) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaFuncSetAttribute",
                         set_attribute(r, host, attribute, value));
}

static CudaError function_name(Runtime *r, const char **name,
                               const void *host) {
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    if (!error)
        *name = str_cstring(&r->arena, kernel->name);
    return error;
}

API CudaError cudaFuncGetName(const char **name, const void *host) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaFuncGetName", function_name(r, name, host));
}

static CudaError occupancy(Runtime *r, int *blocks, const void *host,
                           int threads, size_t dynamic_smem) {
    CudaKernel *kernel;
    CudaError error = module_find_kernel(r, host, &kernel);
    *blocks = 0;
    if (!error && threads <= 0)
        error = CUDA_VALUE;
    if (!error)
        *blocks = (int)launch_fit(kernel, (uint32_t)threads, dynamic_smem);
    return error;
}

API CudaError cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *host, int threads, size_t dynamic_smem) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                         occupancy(r, blocks, host, threads, dynamic_smem));
}

API CudaError cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host, int threads, size_t dynamic_smem,
    uint32_t flags) {
    (void)flags;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, threads,
                                                         dynamic_smem);
}

API CudaError cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                        const void *host,
                                                        int blocks,
                                                        int threads) {
    (void)host, (void)threads;
    Runtime *r = runtime_enter();
    uint32_t each = r->model->smem_per_sm / (uint32_t)(blocks > 0 ? blocks : 1);
    *bytes =
        each > r->model->smem_reserved ? each - r->model->smem_reserved : 0;
    return runtime_leave(r, "cudaOccupancyAvailableDynamicSMemPerBlock",
                         blocks > 0 ? CUDA_OK : CUDA_VALUE);
}

static CudaError active_clusters(Runtime *r, int *clusters, const void *host,
                                 const CudaLaunchConfig *config) {
    int blocks = 0;
    uint32_t size = 1;
    for (uint32_t i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == ATTRIBUTE_CLUSTER) {
            CudaDim3 cluster = config->attributes[i].value.cluster;
            size = cluster.x * cluster.y * cluster.z;
        }
    uint32_t threads = config->block.x * config->block.y * config->block.z;
    CudaError error =
        occupancy(r, &blocks, host, (int)threads, config->dynamic_smem);
    *clusters = size ? blocks * (int)r->model->sm_count / (int)size : 0;
    return error;
}

API CudaError cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                             const CudaLaunchConfig *config) {
    Runtime *r = runtime_enter();
    return runtime_leave(r, "cudaOccupancyMaxActiveClusters",
                         active_clusters(r, clusters, host, config));
}

API CudaError cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *host, const CudaLaunchConfig *config) {
    (void)host, (void)config;
    *size = 8;
    return CUDA_OK;
}
