// SPDX-License-Identifier: Apache-2.0
// One request is under way while one index is worked on; one loop, and a flag
// that says whether there is still something to ask for.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (int parity = 0; bx >= 0; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        bool granted =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        int next =
            granted
                ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      answer)
                : 0;
        bx = granted ? next : -1;
    }
}
