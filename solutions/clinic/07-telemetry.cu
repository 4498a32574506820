// SPDX-License-Identifier: Apache-2.0
// Case 7: Reads between the lines
//
// "Somebody on a forum had printed the answers: a refusal is all ones. So we look
// at one word, which is cheaper than the query, and only when there may be
// something we ask properly. It has been right for every answer we have ever
// seen, and that is a lot of answers."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32
// output: 3ac5d3df9b1174f9
// DIAGNOSIS: CLC008
// Line 36. The bytes of an answer are opaque: what a refusal looks like on one
// driver is no promise. The query below says all there is to say.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void telemetry(unsigned *samples) {
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
        samples[bx * 32 + threadIdx.x] ^= 0x5a5a + bx;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        uint4 copy = answer;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            copy);
    }
}
