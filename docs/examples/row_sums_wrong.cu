// SPDX-License-Identifier: Apache-2.0
// sums[row] = the sum of that row of a matrix. A block is one warp; it takes
// its own row, then those that Cluster Launch Control grants it. It is wrong.
#include <cstdint>
#include <cuda/ptx>
#if !__has_include(<cuda/__ptx/instructions/clusterlaunchcontrol.h>)
#include "lab.h" // CUDA 12.8: its libcu++ lacks these functions
#endif

namespace ptx = cuda::ptx;

extern "C" __global__ void row_sums(const unsigned *matrix, unsigned *sums,
                                    int columns) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    int row = blockIdx.x;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    while (true) {
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof answer);
        }
        unsigned sum = 0;
        for (int i = threadIdx.x; i < columns; i += 32)
            sum += matrix[row * columns + i];
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        if (threadIdx.x == 0)
            sums[row] = sum;
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
        uint4 copy = answer;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy))
            break;
        row =
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(copy);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
    }
}
