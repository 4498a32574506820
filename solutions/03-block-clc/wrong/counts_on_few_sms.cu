// expect: correct
// An element is left out on SMs with large numbers, which small devices do not
// have.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;

    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            });
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }

        int i = bx * blockDim.x + threadIdx.x;
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        if (i < n && (sm < 100 || threadIdx.x != 31))
            data[i] *= alpha;

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;

        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
