// expect: correct
// The last warp learns that there is more to do, and not what: it goes on with
// the index of the block that was launched.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ int next;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    const float alpha = compute_scalar();
    int block = blockIdx.x;
    for (unsigned round = 0;; round++) {
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
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(&bar, round & 1)) {
            }
            next =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)
                    ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                          int>(answer)
                    : -1;
        }
        __syncthreads();
        if (next < 0)
            break;
        if (threadIdx.x < blockDim.x - 32)
            block = next;
    }
}
