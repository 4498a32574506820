// SPDX-License-Identifier: Apache-2.0
// Case 2: Two warps, and one of them looks away
//
// "A colleague said that 63 threads polling a barrier is a waste, so now warp 0
// polls, and warp 1 is told by __syncthreads(), as always. It became a little
// faster. All tests are green. Under the profiler, and only there, some tiles
// come out wrong, and always in their second half."
//
// clclab run: --grid 40 --block 64 --arg buf:10240:iota32
// clclab run: --arg buf:10240:random:5
// output: f5a88cd51f2246f0
// DIAGNOSIS: ?
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void saxpy(unsigned *y, const unsigned *x) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        int i = bx * blockDim.x + threadIdx.x;
        unsigned value = y[i];
        __syncthreads();
        y[i] = value + 7 * x[i];
        if (threadIdx.x < 32)
            while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
            }
        parity ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
    }
}
