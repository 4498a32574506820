// expect: correct
// says: by a relaxed or volatile access
// Tells the others through a volatile word, with one barrier a round.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
extern "C" __global__ void preemption(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ volatile int next;
    int phase = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    __syncthreads();
    while (bx >= 0) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cta, &bar, phase)) {
            }
            phase ^= 1;
            int found = -1;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
                found =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(result);
            next = found;
        }
        __syncthreads();
        bx = next;
    }
}
