// expect: rules CLC005
// One slot too few: the last answer is written beyond the array, onto the
// mbarrier or whatever else lies there.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { BATCH = 4 };

__device__ static void scale(float *data, int n, float alpha,
                             const int (&bx)[BATCH]) {
    for (int s = 0; s < BATCH; s++) {
        int i = bx[s] * blockDim.x + threadIdx.x;
        if (bx[s] >= 0 && i < n)
            data[i] *= alpha;
    }
}

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ uint4 result[BATCH - 1];
    __shared__ uint64_t bar;
    int phase = 0;

    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, BATCH);
    float alpha = compute_scalar();

    int bx[BATCH] = {(int)blockIdx.x, -1, -1, -1};
    while (true) {
        __syncthreads();
        int warp = threadIdx.x / 32;
        if (threadIdx.x % 32 == 0 && warp < BATCH) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result[warp], &bar);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }

        scale(data, n, alpha, bx);

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;

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
        if (!go_on) {
            scale(data, n, alpha, bx);
            break;
        }
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
