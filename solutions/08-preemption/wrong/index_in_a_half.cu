// expect: rules MEM001
// The index that is held for later is kept in half precision.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"
#include <cuda_fp16.h>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ static void ask(uint4 *result, uint64_t *bar) {
    __syncthreads();
    if (cg::thread_block::thread_rank() == 0) {
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
        cg::invoke_one(cg::coalesced_threads(), [&]() {
            ptx::clusterlaunchcontrol_try_cancel(result, bar);
        });
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                       ptx::space_shared, bar, sizeof(uint4));
    }
}

__device__ static bool answer(uint4 *result, uint64_t *bar, int *phase,
                              int *bx) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar,
                                          *phase)) {
    }
    *phase ^= 1;
    bool granted = ptx::clusterlaunchcontrol_query_cancel_is_canceled(*result);
    if (granted)
        *bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            *result);
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    return granted;
}

extern "C" __global__ void preemption(float *data, int n) {
    enum { AHEAD = 1 };
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    __half held[AHEAD];
    int count = 0;
    bool asking = true;

    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    float alpha = compute_scalar();

    ask(&result, &bar);
    int bx = blockIdx.x;
    while (true) {
        while (asking && count < AHEAD) {
            int next = 0;
            bool granted = answer(&result, &bar, &phase, &next);
            if (granted) {
                held[count++] = __int2half_rn(next);
                ask(&result, &bar);
                continue;
            }
            asking = false;
        }

        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        if (count == 0)
            break;
        bx = __half2int_rn(held[--count]);
    }
}
