// expect: schedules
// says: their elements of the blocks that their block took later are left out
// says: had left the kernel, the last from here, before it took block
// Who has no element in the last block leaves there, and is missed in the
// blocks that this block takes afterwards. SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 result; // 16 bytes, and aligned to 16: uint4 is both
    __shared__ uint64_t bar; // the mbarrier object
    int phase = 0;           // parity of the phase that we wait for next

    if (cg::thread_block::thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);

    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        __syncthreads();
        if (cg::thread_block::thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            });
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
        phase ^= 1; // the next request completes the phase of other parity

        if (i >= n ||
            !ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);

        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
