// SPDX-License-Identifier: Apache-2.0
// The next index is decoded in any case, and a select drops it after a refusal;
// the loop ends by a flag.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ alignas(16) unsigned char room[16];
    __shared__ uint64_t bar;
    uint4 *answer = reinterpret_cast<uint4 *>(room);
    int phase = 0, bx = blockIdx.x;
    bool go_on = true;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    const float alpha = compute_scalar();
    while (go_on) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        if (bx * (int)blockDim.x + (int)threadIdx.x < n)
            data[bx * blockDim.x + threadIdx.x] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(&bar, phase))
            ;
        phase = !phase;
        const uint4 copy = *answer;
        go_on = ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy);
        if (go_on)
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                copy);
    }
}
