// SPDX-License-Identifier: Apache-2.0
// Case 23: The elected
//
// "At first all threads asked, which was wrong, of course. Now one is elected,
// by the instruction that is made for it, and the barrier counts one arrival
// for each warp. Blocks of one warp are perfect. In blocks of two, tiles are
// missing: about half of those that were to be stolen."
//
// clclab run: --grid 40 --block 64 --arg buf:10240:iota32
// output: cd12f50c76147890
// DIAGNOSIS: ?
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int ASKING = 64; // threads, and one of each warp asks

extern "C" __global__ void elected(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, ASKING / 32);
    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x < ASKING)
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::fence_proxy_async(ptx::space_shared);
                ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
                ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                               ptx::space_shared, &bar, 16);
            });
        data[bx * 64 + threadIdx.x] += 31;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
    }
}
