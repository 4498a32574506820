// SPDX-License-Identifier: Apache-2.0
// Two answers a round, on one mbarrier; their indices go through an array, and
// the block's own index is the first of the first round.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ uint4 answers[2];
    __shared__ uint64_t bar;
    int parity = 0;
    if (threadIdx.x == 32)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();
    int row[2] = {(int)blockIdx.x, -1};
    bool refused = false;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 32 && !refused) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 32);
            for (int s = 0; s < 2; s++)
                ptx::clusterlaunchcontrol_try_cancel(&answers[s], &bar);
        }
        for (int bx : row) {
            int i = bx * blockDim.x + threadIdx.x;
            if (bx >= 0 && i < n)
                data[i] *= alpha;
        }
        if (refused)
            break;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        for (int s = 0; s < 2; s++) {
            bool granted =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(answers[s]);
            row[s] =
                granted
                    ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                          int>(answers[s])
                    : -1;
            refused |= !granted;
        }
    }
}
