// SPDX-License-Identifier: Apache-2.0
// Two lanes of each of two warps ask, for slots of their own; one thread
// announces the bytes of all four.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ uint4 answers[4];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int held[4] = {-1, -1, -1, (int)blockIdx.x};
    for (int parity = 0;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 64);
        if (warp < 2 && lane < 2) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answers[2 * warp + lane],
                                                 &bar);
        }
        for (int bx : held)
            if (bx >= 0 && bx * (int)blockDim.x + (int)threadIdx.x < n)
                data[bx * blockDim.x + threadIdx.x] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        unsigned granted = 0;
        for (int s = 0; s < 4; s++) {
            held[s] = -1;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(
                    answers[s])) {
                granted |= 1u << s;
                held[s] =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(answers[s]);
            }
        }
        if (granted != 15)
            break;
    }
    for (int bx : held)
        if (bx >= 0 && bx * (int)blockDim.x + (int)threadIdx.x < n)
            data[bx * blockDim.x + threadIdx.x] *= alpha;
}
