// SPDX-License-Identifier: Apache-2.0
// Lab 3: the same product; a block that has finished steals the work of a
// block that has not started yet, by Cluster Launch Control.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    // BEGIN TODO(1): declare the answer's slot, its mbarrier and the phase.
    __shared__ uint4 result; // 16 bytes, and aligned to 16: uint4 is both
    __shared__ uint64_t bar; // the mbarrier object
    int phase = 0;           // parity of the phase that we wait for next
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarrier, in one thread.
    // A phase completes after one arrival (thread 0's, in step 3) and after as
    // many bytes as that arrival announces. The __syncthreads() in step 3 lets
    // no thread touch the mbarrier before it is initialised.
    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(3): ask for a pending block, in one thread.
        // All threads have read the last answer when this barrier opens, so
        // the next one may overwrite it. (First time: all threads know that
        // the mbarrier is initialised.)
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            // The barrier orders the threads' reads before this thread; this
            // fence carries the order on to the async proxy, which is going to
            // write the slot. It is the other half of the fence in step 6.
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            // invoke_one tells the compiler that one thread issues this; else
            // it makes a loop over the threads that might.
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            });
            // Our one arrival, and the 16 bytes that the phase has to wait
            // for. relaxed is enough: it publishes nothing.
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }
        // END TODO(3)

        // The work of block bx, while the request is on its way.
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // BEGIN TODO(4): wait for the answer.
        // acquire: no thread may read the slot before it has seen the phase
        // complete. Every thread waits, because every thread reads.
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1; // the next request completes the phase of other parity
        // END TODO(4)

        // BEGIN TODO(5): leave on a refusal; else go on with the new block.
        // A refusal ends it: to ask again is undefined, and so is the index.
        // All threads read the same answer, so all leave together.
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);
        // END TODO(5)

        // BEGIN TODO(6): give the slot back, so that it can be written again.
        // Each thread read the slot through the generic proxy. This releases
        // its reads to the async proxy's next write; the acquiring half is in
        // step 3, behind the barrier.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        // END TODO(6)
    }
}
