// expect: technique
// Puts each answer, unread, into a box in global memory, and reads the one that
// lay there: each index is done once, but not by the block that asked for it.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ uint4 box;
__device__ int box_is_full, box_is_locked;

// Exchanges an answer, or nothing, for what is in the box.
__device__ static bool exchange(uint4 *answer, bool is_answer) {
    while (atomicExch(&box_is_locked, 1))
        __nanosleep(100);
    __threadfence();
    uint4 other = box;
    bool was_full = box_is_full;
    if (is_answer)
        box = *answer;
    box_is_full = is_answer;
    *answer = other;
    __threadfence();
    atomicExch(&box_is_locked, 0);
    return was_full;
}

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    __shared__ int next; // the index in the other answer; -1: there was none

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

        int i = bx * blockDim.x + threadIdx.x;
        if (bx >= 0 && i < n)
            data[i] *= alpha;

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;

        bool granted =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            uint4 answer = result;
            next = -1;
            if (exchange(&answer, granted))
                next = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                    int>(answer);
        }
        __syncthreads();
        bx = next;
        if (!granted) {
            int i = bx * blockDim.x + threadIdx.x;
            if (bx >= 0 && i < n)
                data[i] *= alpha;
            break;
        }

        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
