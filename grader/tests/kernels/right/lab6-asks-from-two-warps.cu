// SPDX-License-Identifier: Apache-2.0
// The first threads of two warps ask, each for its slot; its own warp
// announces.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ uint4 answers[2];
    __shared__ uint64_t bars[2];
    const int warp = threadIdx.x / 32;
    const bool asks = warp < 2 && threadIdx.x % 32 == 0;
    if (asks)
        ptx::mbarrier_init(&bars[warp], 1);
    float alpha = compute_scalar();
    int now = blockIdx.x;
    for (int parity = 0; now >= 0; parity ^= 1) {
        __syncthreads();
        if (asks) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bars[warp], 16);
            ptx::clusterlaunchcontrol_try_cancel(&answers[warp], &bars[warp]);
        }
        __syncthreads(); // all is asked for before a refusal is seen
        int i = now * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        int next[2];
        for (int s = 0; s < 2; s++) {
            while (!ptx::mbarrier_try_wait_parity(&bars[s], parity)) {
            }
            next[s] =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(answers[s])
                    ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                          int>(answers[s])
                    : -1;
        }
        bool both = next[0] >= 0 && next[1] >= 0;
        int first = max(next[0], next[1]), second = min(next[0], next[1]);
        i = first * blockDim.x + threadIdx.x;
        if (first >= 0 && i < n)
            data[i] *= alpha;
        now = both ? second : -1;
    }
}
