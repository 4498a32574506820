// SPDX-License-Identifier: Apache-2.0
// Case 21: One bit for two nights
//
// "There is a slot for each answer, so none is ever overwritten, and none has
// to be given back. So the barrier in the loop had nothing left to do, and
// went. Both warps wait for each answer themselves. It is right, and hangs:
// once in a hundred thousand launches. The debugger shows the second warp
// asleep at a phase that has long been over."
//
// clclab run: --grid 40 --block 64 --arg buf:10240:iota32
// output: 5db5d2be722110dd
// DIAGNOSIS: DEADLOCK
// Line 33. The first warp may be two requests ahead: the phase that the second
// warp waits for is over, the next one with the same parity is not. A parity
// tells two phases apart, not more; nobody may ask before all have seen the
// last answer. (From the field: docs/bugs-of-the-field.md.)
#include "lab.h"

namespace ptx = cuda::ptx;

constexpr int ANSWERS = 40; // as many as there are blocks

extern "C" __global__ void one_bit(unsigned *data) {
    __shared__ uint4 answers[ANSWERS];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int bx = blockIdx.x;
    for (int round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&answers[round], &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        data[bx * 64 + threadIdx.x] += 23;
        while (!ptx::mbarrier_try_wait_parity(&bar, round & 1)) {
        }
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answers[round]))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answers[round]);
    }
}
