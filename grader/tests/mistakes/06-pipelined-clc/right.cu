// SPDX-License-Identifier: Apache-2.0
// Two requests a round, in slots and mbarriers with names of their own.
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
    __shared__ uint4 slot_a, slot_b;
    __shared__ uint64_t bar_a, bar_b;
    unsigned parity = 0;
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarriers, in one thread.
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar_a, 1);
        ptx::mbarrier_init(&bar_b, 1);
    }
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(3): ask twice, in one thread, before anybody looks.
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(&slot_a, &bar_a);
            ptx::clusterlaunchcontrol_try_cancel(&slot_b, &bar_b);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar_a, 16);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar_b, 16);
        }
        // END TODO(3)

        // The work of block bx, while both requests are on their way.
        scale(data, n, alpha, bx);

        // BEGIN TODO(4): wait for the first answer, and work on its block.
        bool more = true;
        while (!ptx::mbarrier_try_wait_parity(&bar_a, parity))
            ;
        uint4 answer = slot_a;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
            int stolen =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    answer);
            scale(data, n, alpha, stolen);
        } else {
            more = false;
        }
        // END TODO(4)

        // BEGIN TODO(5): wait for the second answer; leave if one is refused.
        while (!ptx::mbarrier_try_wait_parity(&bar_b, parity))
            ;
        parity ^= 1;
        answer = slot_b;
        int next = -1;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            next = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                int>(answer);
        if (next < 0)
            break;
        if (!more) {
            scale(data, n, alpha, next);
            break;
        }
        bx = next;
        // END TODO(5)

        // BEGIN TODO(6): give both slots back, so that they can be written.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        // END TODO(6)
    }
}
