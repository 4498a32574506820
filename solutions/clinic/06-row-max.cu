// SPDX-License-Identifier: Apache-2.0
// Case 6: Leaves the door open
//
// "To hide the latency, a block asks for its next row before it begins with the
// one it has. Rows are counted, and the block that finishes the last one knows
// that nothing is left: it does not wait for an answer that can only be no. It
// saves a microsecond. Since the last update, another team's kernel, which runs
// right after ours, sometimes finds 16 strange bytes in its shared memory. They
// say it is us."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:random:3 --arg buf:160
// clclab run: --arg buf:4
// output: cb2dcc15ab63c8e8
// DIAGNOSIS: CLC004
// Line 31. The block exits while its last request is on the way, and the answer
// is written to shared memory that is no longer its own. Wait for it, then leave.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void row_max(const unsigned *matrix, unsigned *result,
                                   unsigned *rows_done) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int row = blockIdx.x;
    while (true) {
        __syncwarp();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        unsigned value =
            __reduce_max_sync(0xffffffff, matrix[row * 32 + threadIdx.x]);
        unsigned done = 0;
        if (threadIdx.x == 0) {
            result[row] = value;
            done = atomicAdd(rows_done, 1) + 1;
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        if (__shfl_sync(0xffffffff, done, 0) == gridDim.x)
            break;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        row = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
    }
}
