// SPDX-License-Identifier: Apache-2.0
// Lab 3: the same product; a block that has finished steals the work of a
// block that has not started yet, by Cluster Launch Control.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    // BEGIN TODO(1): declare the answer's slot, its mbarrier and the phase.
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar[2];
    __shared__ int next;
    int round = 0;
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarrier, in one thread.
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++)
            ptx::mbarrier_init(&bar[s], 1);
    }
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(3): ask for a pending block, in one thread.
        const int stage = round % 2;
        if (threadIdx.x == 0) {
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&slot[stage], &bar[stage]);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar[stage],
                                           sizeof(slot[stage]));
        }
        // END TODO(3)

        // The work of block bx, while the request is on its way.
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // BEGIN TODO(4): wait for the answer.
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cta, &bar[stage], round / 2 % 2)) {
            }
            next = -1;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(slot[stage]))
                next =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(slot[stage]);
        }
        round++;
        __syncthreads();
        // END TODO(4)

        // BEGIN TODO(5): leave on a refusal; else go on with the new block.
        bx = next;
        if (bx < 0)
            break;
        // END TODO(5)

        // BEGIN TODO(6): give the slot back, so that it can be written again.
        __syncthreads();
        // END TODO(6)
    }
}
