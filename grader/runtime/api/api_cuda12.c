// SPDX-License-Identifier: Apache-2.0
// What a program of CUDA 12 has otherwise than one of CUDA 13: the properties
// of a device, in which fields that are gone stand between the others. The
// library that it loads is the same code under another name.
#include "runtime/core/runtime.h"

#include <string.h>

// cudaDeviceProp of CUDA 12. Fields that are not named are 0.
typedef struct CudaProperties12 {
    char name[256];
    char uuid[16], luid[8];
    uint32_t luid_mask;
    size_t global_bytes, shared_per_block;
    int registers_per_block, warp_size;
    size_t most_pitch;
    int threads_per_block, block_size[3], grid_size[3];
    int clock_khz;
    size_t constant_bytes;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int overlap, sm_count, timeout, integrated, can_map_host_memory;
    int compute_mode, textures[40];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci[3], tcc, async_engines;
    int unified_addressing, memory_khz, bus_width, l2_bytes;
    int persisting_l2_bytes, threads_per_sm, stream_priorities;
    int global_l1, local_l1;
    size_t shared_per_sm;
    int registers_per_sm, managed, multi_gpu, multi_gpu_group;
    int host_atomics, double_ratio, pageable_access, concurrent_managed;
    int preemption, registered_pointers, cooperative, cooperative_multi;
    size_t shared_per_block_optin;
    int host_page_tables, direct_managed, blocks_per_sm, window_bytes;
    size_t reserved_shared;
    int host_register, sparse_arrays, host_register_read_only;
    int timeline_semaphores, memory_pools, rdma;
    uint32_t rdma_flush;
    int rdma_order;
    uint32_t pool_handles;
    int deferred_arrays, ipc_events, cluster_launch, function_pointers;
    int reserved[63];
} CudaProperties12;

_Static_assert(sizeof(CudaProperties12) == 1032, "as in driver_types.h");

static void convert(const CudaProperties *p, CudaProperties12 *out) {
    *out = (CudaProperties12){
        .global_bytes = p->global_bytes,
        .shared_per_block = p->shared_per_block,
        .registers_per_block = p->registers_per_block,
        .warp_size = p->warp_size,
        .most_pitch = p->most_pitch,
        .threads_per_block = p->threads_per_block,
        .clock_khz = CUDA_CLOCK_KHZ,
        .memory_khz = 2 * CUDA_CLOCK_KHZ,
        .constant_bytes = p->constant_bytes,
        .major = p->major,
        .minor = p->minor,
        .texture_alignment = p->texture_alignment,
        .texture_pitch_alignment = p->texture_pitch_alignment,
        .overlap = 1,
        .sm_count = p->sm_count,
        .can_map_host_memory = p->can_map_host_memory,
        .surface_alignment = p->surface_alignment,
        .concurrent_kernels = p->concurrent_kernels,
        .async_engines = p->async_engines,
        .unified_addressing = p->unified_addressing,
        .bus_width = p->bus_width,
        .l2_bytes = p->l2_bytes,
        .persisting_l2_bytes = p->persisting_l2_bytes,
        .threads_per_sm = p->threads_per_sm,
        .stream_priorities = p->stream_priorities,
        .global_l1 = p->global_l1,
        .local_l1 = p->local_l1,
        .shared_per_sm = p->shared_per_sm,
        .registers_per_sm = p->registers_per_sm,
        .managed = p->managed,
        .double_ratio = 2,
        .concurrent_managed = p->concurrent_managed,
        .cooperative = p->cooperative,
        .shared_per_block_optin = p->shared_per_block_optin,
        .blocks_per_sm = p->blocks_per_sm,
        .window_bytes = p->window_bytes,
        .reserved_shared = p->reserved_shared,
        .host_register = p->host_register,
        .memory_pools = p->memory_pools,
        .cluster_launch = p->cluster_launch,
        .function_pointers = p->function_pointers,
    };
    memcpy(out->name, p->name, sizeof out->name);
    memcpy(out->uuid, p->uuid, sizeof out->uuid);
    memcpy(out->block_size, p->block_size, sizeof out->block_size);
    memcpy(out->grid_size, p->grid_size, sizeof out->grid_size);
}

CudaError cudaGetDeviceProperties(CudaProperties *properties, int device);

API CudaError cudaGetDeviceProperties_v2(CudaProperties12 *properties,
                                         int device) {
    CudaProperties newer;
    CudaError error = cudaGetDeviceProperties(&newer, device);
    if (!error)
        convert(&newer, properties);
    return error;
}
