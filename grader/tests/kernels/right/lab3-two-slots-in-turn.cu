// SPDX-License-Identifier: Apache-2.0
// Two slots, each with its mbarrier, take answers in turn: one request is in
// flight at a time, and a parity lasts for two rounds.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 slots[2];
    __shared__ uint64_t bars[2];
    if (threadIdx.x < 2)
        ptx::mbarrier_init(&bars[threadIdx.x], 1);
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (unsigned round = 0; bx >= 0; round++) {
        uint4 *slot = &slots[round & 1];
        uint64_t *bar = &bars[round & 1];
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(slot, bar);
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(bar, round >> 1 & 1)) {
        }
        bx =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(*slot)
                ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      *slot)
                : -1;
    }
}
