// expect: correct
// Thread 0 waits for the answer and decodes it; a shuffle hands the index to
// the lanes of its warp. The other warps get what their own lane 0 has: none,
// and leave with their block done.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    const float alpha = compute_scalar();
    int block = blockIdx.x;
    for (unsigned round = 0; block >= 0; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof answer);
        }
        const int i = block * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        int next = -1;
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(&bar, round & 1)) {
            }
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
                next =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(answer);
        }
        block = __shfl_sync(0xFFFFFFFF, next, 0);
    }
}
