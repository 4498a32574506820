// expect: exactly_once
// After a refusal that leaves many indices, it goes on with those that nobody
// has claimed in global memory; a block that starts later finds its work done, and so
// does a second launch.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ int claimed[1024];
__device__ int claims;

// Whether it was claimed before.
__device__ static int claim(int bx) {
    atomicAdd(&claims, 1);
    return atomicExch(&claimed[bx], 1);
}

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    __shared__ int taken; // whether thread 0 found bx claimed

    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    float alpha = compute_scalar();

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }

        if (cg::thread_block::thread_rank() == 0)
            taken = claim(bx);
        __syncthreads();
        int i = bx * blockDim.x + threadIdx.x;
        if (!taken && i < n)
            data[i] *= alpha;

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;

        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);

        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }

    __syncthreads();
    if (cg::thread_block::thread_rank() == 0)
        taken = atomicAdd(&claims, 0);
    __syncthreads();
    bool many_left = taken + 16 < gridDim.x;
    for (bx = gridDim.x - 1; many_left && bx >= 0; bx--) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0)
            taken = claim(bx);
        __syncthreads();
        int i = bx * blockDim.x + threadIdx.x;
        if (!taken && i < n)
            data[i] *= alpha;
    }
}
