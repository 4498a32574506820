// SPDX-License-Identifier: Apache-2.0
// Case 1: One tile twice, the next one never
//
// "We scale an array, each block steals the next tile when it is done. It ran
// for four months. Then a checksum was off, once: one tile had been scaled
// twice, and the tile behind it not at all. We put a memory fence into the loop
// and have not seen it since. But we have not seen it often before, either."
//
// clclab run: --grid 40 --block 64 --arg buf:10240:iota32 --arg i32:2550
// output: 2607e8231b4e62ac
// DIAGNOSIS: ?
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void scale(unsigned *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof answer);
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] = data[i] * 3 + 1;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
        __threadfence();
    }
}
