// SPDX-License-Identifier: Apache-2.0
// Asks only when its work is done, and waits for the answer with nothing to do;
// one thread computes, asks and decodes for all.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ float alpha;
    __shared__ int next;
    int parity = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        alpha = compute_scalar();
    }
    __syncthreads();
    for (int bx = blockIdx.x; bx >= 0; bx = next) {
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            while (!ptx::mbarrier_test_wait_parity(
                ptx::sem_acquire, ptx::scope_cta, &bar, parity))
                __nanosleep(32);
            bool granted =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
            next = -1;
            if (granted)
                next = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                    int>(answer);
            ptx::fence_proxy_async(ptx::space_shared);
        }
        parity ^= 1;
        __syncthreads();
    }
}
