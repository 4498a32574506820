// SPDX-License-Identifier: Apache-2.0
// test_wait in a loop of its own, with sleeps that grow; all threads poll.
#include "lab.h"

namespace ptx = cuda::ptx;

__device__ static void wait(uint64_t *bar, uint32_t parity) {
    for (unsigned pause = 8; !ptx::mbarrier_test_wait_parity(bar, parity);)
        __nanosleep(pause = min(2 * pause, 256u));
}

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    uint32_t parity = 0;
    if (threadIdx.x == 127)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    do {
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 127) {
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        wait(&bar, parity);
        parity = 1 - parity;
        bx = -1;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                answer);
    } while (bx != -1);
}
