// SPDX-License-Identifier: Apache-2.0
// Slow, and right: the block's first warp works, and waits in between, for
// milliseconds in all, as for another device. The others watch the barriers.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ static void work(float *data, int n, int block, float alpha) {
    const int first = block * (int)blockDim.x + (int)threadIdx.x;
    for (int k = 0; k < 4; k++) {
        __nanosleep(400000);
        const int i = first + 32 * k;
        if (i < n)
            data[i] *= alpha;
    }
}

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    const auto block = cg::this_thread_block();
    const bool is_worker = threadIdx.x < 32, is_asker = threadIdx.x == 127;
    float alpha = 0.f;
    if (is_worker)
        alpha = compute_scalar();
    if (is_asker)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x, phase = 0;
    bool more = true;
    while (more) {
        block.sync();
        if (is_asker) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof slot);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        }
        if (is_worker)
            work(data, n, mine, alpha);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;
        const uint4 answer = slot;
        more = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        if (more)
            mine =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    answer);
    }
}
