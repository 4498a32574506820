// SPDX-License-Identifier: Apache-2.0
// Lab 6: stealing with two requests in flight. A round of the loop asks twice,
// works on up to two blocks, and needs one barrier of the block.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// The work of one block index, by all threads of the block that runs.
__device__ static void scale(float *data, int n, float alpha, int bx) {
    int i = bx * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

extern "C" __global__ void pipelined_clc(float *data, int n) {
    // BEGIN TODO(1): declare two slots, an mbarrier for each, and the phase.
    // Each request has a slot and an mbarrier of its own: so the first answer
    // can be looked at while the second is still on its way. Both mbarriers
    // complete one phase a round, so one parity serves for both.
    __shared__ uint4 result[2];
    __shared__ uint64_t bar[2];
    int phase = 0;
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarriers, in one thread.
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
    }
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(3): ask twice, in one thread, before anybody looks.
        // The only barrier of the round, and the round is good for two block
        // indices. When it opens, all threads have read both slots, and none
        // has seen a refusal: who sees one leaves.
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            // One fence for both slots: it names no address.
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result[0], &bar[0]);
                ptx::clusterlaunchcontrol_try_cancel(&result[1], &bar[1]);
            });
            // Only now may a phase complete. Had the first arrival come before
            // the second request, another thread could see a refusal between
            // the two, and the second request would be undefined. release:
            // whoever sees a phase complete comes after both requests.
            for (int s = 0; s < 2; s++)
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                               ptx::space_shared, &bar[s],
                                               sizeof(uint4));
        }
        // END TODO(3)

        // The work of block bx, while both requests are on their way.
        scale(data, n, alpha, bx);

        // BEGIN TODO(4): wait for the first answer, and work on its block.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar[0], phase)) {
        }
        bool first =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[0]);
        if (first)
            scale(data, n, alpha,
                  ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      result[0]));
        // END TODO(4)

        // BEGIN TODO(5): wait for the second answer; leave if one is refused.
        // Even if the first was refused: the second request is in flight, and
        // a block must not exit before the answer is there. Nor is the answer
        // known: after a refusal of the first it may well be a grant.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar[1], phase)) {
        }
        phase ^= 1; // both mbarriers have completed one phase
        bool second =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[1]);
        if (second)
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                result[1]);
        if (!first || !second) {
            // One refusal ends the asking, but not the duty: what the other
            // request was granted is ours alone.
            if (second)
                scale(data, n, alpha, bx);
            break;
        }
        // END TODO(5)

        // BEGIN TODO(6): give both slots back, so that they can be written.
        // Releases the reads of both slots to the async proxy's next writes.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        // END TODO(6)
    }
}
