// SPDX-License-Identifier: Apache-2.0
// Case 9: One sets the table, another sits down
//
// "We split the roles: a warp that looks after the barrier and does the work,
// and one more thread that asks. It is a clean design, and it was right at the
// first attempt. With another compiler, a few launches in a million never come
// back. We looked at the loop for days. The loop is fine."
//
// clclab run: --grid 40 --block 33 --arg buf:5120:iota32
// output: 2f96d48443954579
// DIAGNOSIS: CLC005
// Line 27. Nothing orders the initialisation in thread 0 before the request in
// thread 32: __syncwarp() reaches only the 32 threads of the first warp.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void two_roles(unsigned *tiles) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int bx = blockIdx.x;
    while (true) {
        if (threadIdx.x == 32) { // the one that asks
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        if (threadIdx.x < 32) // those that work
            tiles[bx * 32 + threadIdx.x] += 3;
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
