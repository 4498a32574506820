// SPDX-License-Identifier: Apache-2.0
// One mbarrier of two arrivals for both answers: warps 1 and 2 ask for one
// each, by elect.sync, and each announces its own 16 bytes. Decoded into a
// list.
#include "lab.h"

namespace ptx = cuda::ptx;

struct alignas(16) Exchange {
    uint4 slot[2];
    uint64_t bar;
};

// One lane of the converged warp.
__device__ static bool elected() {
    int yes;
    asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.b32 %0, 1, 0, p; }"
                 : "=r"(yes)
                 :
                 : "memory");
    return yes;
}

__device__ static void ask(Exchange &e, int which) {
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(&e.slot[which], &e.bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                   ptx::space_shared, &e.bar, 16);
}

// The indices granted, in front; how many there are.
__device__ static int collect(const Exchange &e, int (&list)[2]) {
    int count = 0;
#pragma unroll
    for (int s = 0; s < 2; s++) {
        const uint4 a = e.slot[s];
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(a))
            list[count++] =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    a);
    }
    return count;
}

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ Exchange e;
    const int warp = threadIdx.x / 32;
    if (warp == 0 && elected())
        ptx::mbarrier_init(&e.bar, 2);
    __syncthreads();
    const float alpha = compute_scalar();
    int list[2] = {(int)blockIdx.x, 0}, count = 1;
    uint32_t parity = 0;
    bool more = true;
    while (count > 0) {
        if (more) {
            __syncthreads();
            if ((warp == 1 || warp == 2) && elected())
                ask(e, warp - 1);
        }
        for (int k = 0; k < count; k++) {
            const int i = list[k] * blockDim.x + threadIdx.x;
            if (i < n)
                data[i] *= alpha;
        }
        count = 0;
        if (more) {
            while (!ptx::mbarrier_try_wait_parity(&e.bar, parity))
                ;
            parity ^= 1;
            count = collect(e, list);
            more = count == 2;
        }
    }
}
