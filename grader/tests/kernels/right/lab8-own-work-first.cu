// SPDX-License-Identifier: Apache-2.0
// The plain loop of lab 3: ask, work, take the answer; nothing is held.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    int parity = 0, bx = blockIdx.x;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, parity)) {
        }
        parity ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
    }
}
