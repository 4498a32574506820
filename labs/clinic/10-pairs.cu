// SPDX-License-Identifier: Apache-2.0
// Case 10: Only one of us was awake
//
// "We went from blocks to clusters of two, and changed what the guide says: the
// multicast request, the offset, the scopes. It works at once. On the large
// machine, where a kernel is loaded for the first time and the second block of a
// pair takes a while to come, the first launch is sometimes wrong. Never the
// second one."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32
// output: fb5db2e3af9a0357
// DIAGNOSIS: ?
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    int bx = blockIdx.x;
    while (true) {
        if (cluster.thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
        }
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
        data[bx * 32 + threadIdx.x] += 11;
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &bar, parity)) {
        }
        parity ^= 1;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
        bx += cluster.block_rank();
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        cluster.sync();
    }
}
