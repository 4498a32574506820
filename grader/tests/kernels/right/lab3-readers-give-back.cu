// SPDX-License-Identifier: Apache-2.0
// Each warp reads and gives the slot back by an mbarrier of its own: no barrier
// of the block is in the loop. The thread that asks works as the others do.
#include "lab.h"

namespace ptx = cuda::ptx;

struct Mail {
    uint4 answer;
    uint64_t full, empty;
};

__device__ static void wait(uint64_t *bar, int parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ Mail mail;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&mail.full, 1);
        ptx::mbarrier_init(&mail.empty, blockDim.x / 32);
    }
    __syncthreads();
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (int parity = 0; bx >= 0; parity ^= 1) {
        if (threadIdx.x == 0) {
            wait(&mail.empty, parity ^ 1);
            ptx::clusterlaunchcontrol_try_cancel(&mail.answer, &mail.full);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &mail.full, 16);
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        wait(&mail.full, parity);
        uint4 seen = mail.answer;
        bx =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(seen)
                ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      seen)
                : -1;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&mail.empty);
    }
}
