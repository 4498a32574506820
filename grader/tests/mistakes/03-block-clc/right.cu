// SPDX-License-Identifier: Apache-2.0
// Lab 3: the same product; a block that has finished steals the work of a
// block that has not started yet, by Cluster Launch Control.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    // BEGIN TODO(1): declare the answer's slot, its mbarrier and the phase.
    __shared__ uint4 slot;
    __shared__ uint64_t done;
    unsigned parity = 0;
    const bool leader = threadIdx.x == 0;
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarrier, in one thread.
    if (leader) {
        ptx::mbarrier_init(&done, 1);
    }
    __syncthreads();
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(3): ask for a pending block, in one thread.
        if (leader) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &done, 16);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&slot, &done);
            });
        }
        // END TODO(3)

        // The work of block bx, while the request is on its way.
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // BEGIN TODO(4): wait for the answer.
        bool complete = false;
        while (!complete) {
            complete = ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cta, &done, parity);
        }
        parity = parity ^ 1;
        // END TODO(4)

        // BEGIN TODO(5): leave on a refusal; else go on with the new block.
        uint4 answer = slot;
        bool granted =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        if (!granted) {
            break;
        }
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
        // END TODO(5)

        // BEGIN TODO(6): give the slot back, so that it can be written again.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        __syncthreads();
        // END TODO(6)
    }
}
