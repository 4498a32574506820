// SPDX-License-Identifier: Apache-2.0
// Each warp's first lane asks; grants are counted.
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
    __shared__ uint4 answers[BATCH];
    __shared__ uint64_t all_there;
    unsigned parity = 0;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    // END TODO(1)

    // BEGIN TODO(2): initialise the mbarrier, in one thread.
    if (warp == 0 && lane == 0)
        ptx::mbarrier_init(&all_there, BATCH);
    // END TODO(2)

    // The prologue: once a block, however many block indices it processes.
    float alpha = compute_scalar();

    int bx[BATCH] = {(int)blockIdx.x, -1, -1, -1}; // what is being processed
    while (true) {
        // BEGIN TODO(3): ask for a block, in the first thread of each warp.
        __syncthreads();
        if (lane == 0 && warp < BATCH) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel(&answers[warp], &all_there);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &all_there,
                                           sizeof(answers[warp]));
        }
        // END TODO(3)

        // The work of the last batch, while the requests are on their way.
        scale(data, n, alpha, bx);

        // BEGIN TODO(4): wait for all the answers.
        while (!ptx::mbarrier_try_wait_parity(&all_there, parity))
            ;
        parity ^= 1;
        // END TODO(4)

        // BEGIN TODO(5): decode them all; leave if any of them is a refusal.
        int grants = 0;
        for (int s = 0; s < BATCH; s++) {
            bool granted = ptx::clusterlaunchcontrol_query_cancel_is_canceled(
                answers[s]);
            bx[s] = -1;
            if (!granted)
                continue;
            grants++;
            bx[s] =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    answers[s]);
        }
        if (grants < BATCH) {
            scale(data, n, alpha, bx);
            break;
        }
        // END TODO(5)

        // BEGIN TODO(6): give the slots back, so that they can be written.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        // END TODO(6)
    }
}
