// SPDX-License-Identifier: Apache-2.0
// Case 13: The table is laid, mostly
//
// "The prologue fills a table of coefficients, then the block filters its tiles.
// It was always right. Last month somebody made the tiles smaller, so that a
// block has two warps and not one, and since then one output in some millions is
// off. Only in the first tile of a block, never in a stolen one."
//
// clclab run: --grid 40 --block 64 --arg buf:10240:iota32
// output: 4b6314de96f56e41
// DIAGNOSIS: RACE001
// Line 25. __syncwarp() orders one warp. The table is filled by two warps, and
// each of them reads entries of the other.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void filter(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ unsigned table[64];
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    table[threadIdx.x] = 1; // what the filter is without a table
    __syncthreads();
    table[threadIdx.x] += 3 * threadIdx.x; // the prologue
    __syncthreads();
    int bx = blockIdx.x;
    while (true) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        int i = bx * blockDim.x + threadIdx.x;
        data[i] = data[i] * table[(threadIdx.x + 16) % 64];
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
        __syncthreads();
    }
}
