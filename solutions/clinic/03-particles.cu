// SPDX-License-Identifier: Apache-2.0
// Case 3: Works harder than the others
//
// "Our blocks used to give up at the first no. On a busy machine they gave up
// early, and the hardware had to start new blocks, each of which builds its
// tables again. So we let a block ask once more before it leaves. The tables are
// built less often now, the numbers are right on both of our cards. The new
// driver hangs, about once a week."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32
// output: cb8b5326c3c18f67
// DIAGNOSIS: CLC001
// Line 29. The loop goes on after the first refusal. To ask again is
// undefined; blocks that are pending will be started without us.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void particles(unsigned *position) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int bx = blockIdx.x;
    bool has_work = true;
    for (int refusals = 0; refusals < 1;) {
        __syncwarp();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        if (has_work)
            position[bx * 32 + threadIdx.x] += 1000 + bx;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        has_work = ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        if (has_work)
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                answer);
        else
            refusals++;
    }
}
