// expect: rules MEM003
// A flag says that nobody asks any more, and nothing clears it at first: shared
// memory holds what the block before has left there.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"
#include <cuda/atomic>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ int over;
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(over);
    int phase = 0;

    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    float alpha = compute_scalar();

    int bx = blockIdx.x;
    while (true) {
        __syncthreads();
        if (flag.load(cuda::memory_order_relaxed))
            break;
        if (cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        }

        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &bar, phase)) {
        }
        phase ^= 1;

        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                result);
        else
            flag.store(1, cuda::memory_order_relaxed);
    }
}
