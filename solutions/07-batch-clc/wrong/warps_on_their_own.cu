// expect: rules CLC001
// Each warp has its slot and its mbarrier and goes round by itself: it asks
// when another warp has seen a refusal.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum { WARPS = 4 };

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ uint4 result[WARPS];
    __shared__ uint64_t bar[WARPS];
    int phase = 0;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (lane == 0)
        ptx::mbarrier_init(&bar[warp], 1);
    float alpha = compute_scalar();

    int bx = warp == 0 ? (int)blockIdx.x : -1;
    while (true) {
        __syncwarp();
        if (lane == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result[warp], &bar[warp]);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar[warp],
                                           sizeof(uint4));
        }

        int end = (bx + 1) * blockDim.x;
        for (int i = bx * blockDim.x + lane; bx >= 0 && i < end; i += 32)
            if (i < n)
                data[i] *= alpha;

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar[warp], phase)) {
        }
        phase ^= 1;

        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[warp]))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result[warp]);
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
