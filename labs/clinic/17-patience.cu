// SPDX-License-Identifier: Apache-2.0
// Case 17: Did you hear me?
//
// "Years ago a request never came back, and the kernel hung for a weekend. Since
// then, when the wait for an answer runs into its time limit, we ask once more:
// an answer too many does no harm. In the lab the limit is never reached. In the
// cloud, where another customer has a part of the card, the kernel does not hang
// either, but now and then a tile is missing."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32
// output: 6b505637dab48b02
// DIAGNOSIS: ?
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void patience(unsigned *tiles) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int bx = blockIdx.x;
    while (true) {
        __syncwarp();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        int i = bx * 32 + threadIdx.x;
        tiles[i] = tiles[i] * 5 + bx;
        if (threadIdx.x == 0)
            while (!ptx::mbarrier_try_wait_parity(&bar, parity))
                ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
        __syncwarp();
        parity ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
    }
}
