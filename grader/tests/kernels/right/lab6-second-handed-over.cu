// SPDX-License-Identifier: Apache-2.0
// Lane 0 of each warp takes both answers by test_wait; ballots and shuffles
// tell the warp. The loop is a while over what is in hand, 64-bit indices, a
// struct for a pair.
#include "lab.h"

namespace ptx = cuda::ptx;

typedef long long i64;
typedef struct {
    i64 index[2];
} pair_t;

static __device__ __noinline__ void multiply(float *data, i64 n, i64 bx,
                                             float alpha) {
    i64 i = bx * (i64)blockDim.x + (i64)threadIdx.x;
    if (bx >= 0 && i < n)
        data[i] = data[i] * alpha;
}

static __device__ i64 take(uint4 *slot, uint64_t *bar, uint32_t parity) {
    i64 index = -1;
    if (threadIdx.x % warpSize == 0) {
        for (unsigned ns = 1; !ptx::mbarrier_test_wait_parity(
                 ptx::sem_acquire, ptx::scope_cta, bar, parity);
             ns = ns < 256 ? ns << 1 : ns)
            __nanosleep(ns);
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(*slot))
            index =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    *slot);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    return __shfl_sync(0xffffffffu, index, 0);
}

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ __align__(128) uint4 slots[2];
    __shared__ uint64_t bars[2];
    pair_t now = {{(i64)blockIdx.x, -1}};
    uint32_t parity = 1;
    int asking = 1;
    if (threadIdx.x < 2)
        ptx::mbarrier_init(&bars[threadIdx.x], 1);
    __syncthreads();
    const float alpha = compute_scalar();
    while (now.index[0] >= 0 || now.index[1] >= 0) {
        if (asking) {
            __syncthreads();
            if (threadIdx.x == 0) {
                ptx::clusterlaunchcontrol_try_cancel(&slots[0], &bars[0]);
                ptx::clusterlaunchcontrol_try_cancel(&slots[1], &bars[1]);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                               ptx::space_shared, &bars[1], 16);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                               ptx::space_shared, &bars[0], 16);
            }
        }
        multiply(data, n, now.index[0], alpha);
        multiply(data, n, now.index[1], alpha);
        now.index[0] = now.index[1] = -1;
        if (!asking)
            continue;
        parity ^= 1;
        now.index[1] = take(&slots[1], &bars[1], parity);
        now.index[0] = take(&slots[0], &bars[0], parity);
        asking = now.index[0] >= 0 && now.index[1] >= 0;
    }
}
