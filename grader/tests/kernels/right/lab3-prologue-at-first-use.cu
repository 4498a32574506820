// SPDX-License-Identifier: Apache-2.0
// A thread calls the prologue when it has its first element. Thread 0 has
// decoded the next index by then: it waits for the answer before it works.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ int next;
    int phase = 0;
    float alpha = 0;
    bool called = false;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (int bx = blockIdx.x; bx >= 0;) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
            ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            while (!ptx::mbarrier_try_wait_parity(&bar, phase)) {
            }
            phase ^= 1;
            next =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(result)
                    ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                          int>(result)
                    : -1;
            ptx::fence_proxy_async(ptx::space_shared);
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n) {
            if (!called)
                alpha = compute_scalar();
            called = true;
            data[i] *= alpha;
        }
        __syncthreads();
        bx = next;
        __syncthreads();
    }
}
