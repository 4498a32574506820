// SPDX-License-Identifier: Apache-2.0
// Case 4: Looks before it is told
//
// "The kernel brightens the rows of an image. Reviewers liked that everything
// is checked: the answer, and that the row lies within the picture. It has
// never failed. On the simulator of next year's chip it stops at the second
// check, and the row in it is a number that no row ever had."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32 --arg i32:40
// output: 47426816bb513517
// DIAGNOSIS: CLC002
// Line 38. The index of a refused answer is compared with a number of rows
// before anybody has looked whether there is an index at all.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void brighten(unsigned *image, int rows) {
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
        image[row * 32 + threadIdx.x] += 64;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        parity ^= 1;
        uint4 copy = answer;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy))
            break;
        row = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            copy);
        if (row < 0 || row >= rows)
            break;
    }
}
