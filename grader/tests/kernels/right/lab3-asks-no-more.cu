// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// After the first refusal, which says that somebody wants the device or that
// nothing is left, blocks that start later do their own work without asking.
// The block that does the last index sets both variables back for the next launch.
__device__ int was_refused;
__device__ int done;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0, mine = 1;
    __shared__ int asks;

    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        asks = atomicAdd(&was_refused, 0) == 0;
    }

    float alpha = compute_scalar();

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (asks && cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }

        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        if (!asks)
            break;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;

        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result)) {
            if (cg::thread_block::thread_rank() == 0)
                atomicExch(&was_refused, 1);
            break;
        }
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);
        mine++;

        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }

    if (cg::thread_block::thread_rank() == 0 &&
        atomicAdd(&done, mine) + mine == gridDim.x) {
        atomicExch(&done, 0);
        atomicExch(&was_refused, 0);
    }
}
