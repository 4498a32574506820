// SPDX-License-Identifier: Apache-2.0
// Lab 7: stealing by the batch. Four threads ask for a block each, in slots of
// their own, and one mbarrier counts the four answers.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { BATCH = 4 }; // requests a round, by the first thread of each warp

// The work of up to BATCH block indices, by all threads; -1 means none.
__device__ static void scale(float *data, int n, float alpha,
                             const int (&bx)[BATCH]) {
    for (int s = 0; s < BATCH; s++) {
        int i = bx[s] * blockDim.x + threadIdx.x;
        if (bx[s] >= 0 && i < n)
            data[i] *= alpha;
    }
}

extern "C" __global__ void batch_clc(float *data, int n) {
    // BEGIN TODO(1): declare a slot for each request, one mbarrier, the phase.
    __shared__ uint4 result[BATCH]; // an answer each: they come at any time
    __shared__ uint64_t bar;        // one, as we wait for all of them at once
    int phase = 0;
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarrier, in one thread.
    // Each of the four threads that ask arrives once a phase.
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, BATCH);
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx[BATCH] = {(int)blockIdx.x, -1, -1, -1}; // what is being processed
    while (true) {
        // BEGIN TODO(3): ask for a block, in the first thread of each warp.
        // When this barrier opens, all threads have read all slots, and none
        // has seen a refusal.
        __syncthreads();
        int warp = threadIdx.x / 32;
        if (threadIdx.x % 32 == 0 && warp < BATCH) {
            // Each of them, as each makes a request of its own: the fence is
            // good for the thread that executes it.
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result[warp], &bar);
            });
            // 4 arrivals with 16 bytes each. The phase cannot complete before
            // the last of them, so nobody looks at an answer before the last
            // request is sent: one mbarrier keeps constraint 1 by itself.
            // release: whoever sees the phase complete comes after it.
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }
        // END TODO(3)

        // The work of the last batch, while the requests are on their way.
        scale(data, n, alpha, bx);

        // BEGIN TODO(4): wait for all the answers.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1; // one phase a round, however many answers
        // END TODO(4)

        // BEGIN TODO(5): decode them all; leave if any of them is a refusal.
        // Each answer on its own: a refusal says nothing of the others, and
        // each grant names a block that no other request was granted.
        bool go_on = true;
        for (int s = 0; s < BATCH; s++) {
            bx[s] = -1;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[s]))
                bx[s] =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(result[s]);
            else
                go_on = false;
        }
        // One refusal ends the asking, but not the duty: what the others were
        // granted is ours alone.
        if (!go_on) {
            scale(data, n, alpha, bx);
            break;
        }
        // END TODO(5)

        // BEGIN TODO(6): give the slots back, so that they can be written.
        // Releases the reads of all slots to the async proxy's next writes.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        // END TODO(6)
    }
}
