// SPDX-License-Identifier: Apache-2.0
// Case 25: On credit
//
// "A warp asks, two warps read the answer themselves and give credit for the
// next request by arriving at an mbarrier. An arrival with nothing to publish
// can be relaxed, can it not: the readers have written nothing. It has never
// failed. Another team's kernel, with the same lines, was changed by its
// authors last month, and they write that only luck had kept it right."
//
// clclab run: --grid 40 --block 96 --arg buf:10240:iota32
// output: 2f89104a9ec36dbc
// DIAGNOSIS: CLC006
// Line 43. A relaxed arrival does not order the read before it. The credit has
// to release, so that the next request comes behind what was read. (From the
// field: docs/bugs-of-the-field.md.)
#include "lab.h"

namespace ptx = cuda::ptx;

__device__ static void wait(uint64_t *bar, int parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

// The index that was granted, or -1. Each thread decodes for itself.
__device__ static int next_tile(const uint4 *answer) {
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(*answer))
        return -1;
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
        *answer);
}

extern "C" __global__ void credit(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 2);
    }
    __syncthreads();
    int tile = blockIdx.x;
    if (threadIdx.x == 0)
        for (int parity = 0; tile >= 0; parity ^= 1) {
            wait(&empty, parity ^ 1);
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &full);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &full, 16);
            wait(&full, parity);
            tile = next_tile(&answer);
        }
    else if (threadIdx.x >= 32)
        for (int parity = 0; tile >= 0; parity ^= 1) {
            data[tile * 64 + threadIdx.x - 32] += 37;
            wait(&full, parity);
            tile = next_tile(&answer);
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                ptx::mbarrier_arrive(&empty);
        }
}
