// SPDX-License-Identifier: Apache-2.0
// A scheduler warp feeds consumer warps through three slots, with full and
// empty barriers.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    constexpr int S = 3;
    __shared__ uint4 slot[S];
    __shared__ uint64_t full[S], empty[S];
    int warps = blockDim.x / 32 - 1;
    if (threadIdx.x == 0) {
        for (int s = 0; s < S; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], warps);
        }
    }
    __syncthreads();
    float alpha = compute_scalar();
    if (threadIdx.x / 32 == warps) { // scheduler warp
        if (cg::coalesced_threads().thread_rank() == 0) {
            for (int it = 0;; it++) {
                int s = it % S;
                uint32_t ph = (it / S) & 1;
                if (it >= S)
                    while (!ptx::mbarrier_try_wait_parity(&empty[s], ph ^ 1)) {
                    }
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                               ptx::space_shared, &full[s], 16);
                ptx::clusterlaunchcontrol_try_cancel(&slot[s], &full[s]);
                while (!ptx::mbarrier_try_wait_parity(&full[s], ph)) {
                }
                if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(
                        slot[s]))
                    break;
                ptx::fence_proxy_async(ptx::space_shared);
            }
        }
    } else {
        int bx = blockIdx.x;
        for (int it = 0;; it++) {
            int s = it % S;
            uint32_t ph = (it / S) & 1;
            for (int t = threadIdx.x; t < blockDim.x; t += warps * 32) {
                int i = bx * blockDim.x + t;
                if (i < n)
                    data[i] *= alpha;
            }
            while (!ptx::mbarrier_try_wait_parity(&full[s], ph)) {
            }
            uint4 r = slot[s];
            bool ok = ptx::clusterlaunchcontrol_query_cancel_is_canceled(r);
            if (!ok)
                break;
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                r);
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                (void)ptx::mbarrier_arrive(&empty[s]);
        }
    }
}
