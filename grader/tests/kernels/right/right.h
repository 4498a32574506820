// SPDX-License-Identifier: Apache-2.0
// What the kernels of this folder share: short names for the queries of an
// answer, and a work whose result tells whether each block was done once.
#ifndef CLC_RIGHT_H
#define CLC_RIGHT_H

#include "lab.h"
#include <assert.h>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ static inline bool granted(uint4 answer) {
    return ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
}

__device__ static inline int first_x(uint4 answer) {
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
        answer);
}

__device__ static inline int first_y(uint4 answer) {
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(
        answer);
}

__device__ static inline int first_z(uint4 answer) {
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z<int>(
        answer);
}

__device__ static inline uint32_t shared_address(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

// data starts as 0, 1, 2, ...: what was done once is 2i + 1.
__device__ static inline void work(unsigned *data, unsigned i) {
    data[i] = 2 * data[i] + 1;
}

__device__ static inline void work_on_block(unsigned *data, int block) {
    work(data, block * blockDim.x + threadIdx.x);
}

__device__ static inline void wait_for(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

__device__ static inline void announce(uint64_t *bar, unsigned bytes) {
    (void)ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                         ptx::space_shared, bar, bytes);
}

// The directional pair of proxy fences, for the reuse of a slot.
__device__ static inline void release_slot() {
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
}

__device__ static inline void acquire_slot() {
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
}

#endif
