// SPDX-License-Identifier: Apache-2.0
// Case 22: A refusal has no number
//
// "The grid is as large as the largest batch could need, and the tiles behind
// the last row are padding. A block that is given a padding tile knows that all
// real ones are taken, and leaves. It is right on our own card. On the shared
// one, and only while the other tenant is busy, whole groups of rows are
// missing: there, a no comes early sometimes, and it is as if a number came
// with it."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32 --arg i32:33
// output: f6bf21152a30c4e5
// DIAGNOSIS: CLC002
// Line 40. The index is looked at before anybody knows that there is one. Ask
// first whether the answer is a grant. (From the field:
// docs/bugs-of-the-field.md.)
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void padding(unsigned *rows, int used) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int row = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        __syncwarp();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        if (row < used)
            rows[row * 32 + threadIdx.x] += 29;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        bool granted =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        if (!granted) {
            __nanosleep(200); // somebody needs the place
            break;
        }
        row = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
        if (row >= used)
            break;
    }
}
