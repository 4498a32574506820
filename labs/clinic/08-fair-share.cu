// SPDX-License-Identifier: Apache-2.0
// Case 8: Enough is enough
//
// "No block should work for ever, so after twelve tiles it stops: the others can
// go on. On our cards no block ever gets to twelve. A customer has a card on
// which something else runs as well. He says that some of his tiles are missing:
// never the same ones, and always few."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32
// output: 2a9e12b7daee541f
// DIAGNOSIS: ?
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void fair_share(unsigned *tiles) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int bx = blockIdx.x;
    for (int served = 0;;) {
        __syncwarp();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        tiles[bx * 32 + threadIdx.x] += 17;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        if (++served == 12)
            break;
        uint4 copy = answer;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            copy);
    }
}
