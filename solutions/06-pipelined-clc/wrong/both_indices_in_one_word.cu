// expect: exactly_once
// says: not processed
// The two indices share a word, 16 bits each.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ static void scale(float *data, int n, float alpha, int bx) {
    int i = bx * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ uint4 result[2];
    __shared__ uint64_t bar[2];
    int phase = 0;

    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
    }

    float alpha = compute_scalar();

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result[0], &bar[0]);
                ptx::clusterlaunchcontrol_try_cancel(&result[1], &bar[1]);
            });
            for (int s = 0; s < 2; s++)
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                               ptx::space_shared, &bar[s],
                                               sizeof(uint4));
        }

        scale(data, n, alpha, bx);

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar[0], phase)) {
        }
        bool first =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[0]);
        if (first)
            scale(data, n, alpha,
                  ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      result[0]));

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar[1], phase)) {
        }
        phase ^= 1;
        bool second =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(result[1]);
        if (second)
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                result[1]);
        unsigned both = bx << 16 | 0xffff;
        bx = both >> 16;
        if (!first || !second) {
            if (second)
                scale(data, n, alpha, bx);
            break;
        }

        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
