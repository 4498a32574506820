// SPDX-License-Identifier: Apache-2.0
// Case 20: The last word
//
// "A cluster barrier in every round was too dear. Now the first block of a pair
// asks when both have reported, at an mbarrier of its own, that they have read
// the answer. It is a third faster. At the end of a launch, in one of some
// thousand, the card says that the block somebody wanted to reach is not
// there."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32
// output: a8dfd333f5aee2fe
// DIAGNOSIS: MEM004
// Line 55. Behind a refusal there is no next request, so nobody waits for this
// arrival: the first block may have exited. Leave before it. (From the field:
// docs/bugs-of-the-field.md.)
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1) last_word(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t full, empty;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 2);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    int bx = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (cluster.thread_rank() == 0) {
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cluster, &empty, parity ^ 1)) {
            }
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &full);
        }
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &full, 16);
        data[bx * 32 + threadIdx.x] += 19;
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &full, parity)) {
        }
        bool granted =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
        if (granted)
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                     answer) +
                 cluster.block_rank();
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        if (!granted)
            break;
        __syncwarp();
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                                 ptx::space_cluster,
                                 cluster.map_shared_rank(&empty, 0));
    }
}
