// SPDX-License-Identifier: Apache-2.0
// Case 19: One speaks for both
//
// "The request of a pair is made once, by the first block, and so everything
// that belongs to it is done once, by the first block: the request, and the
// bytes that it brings. In clusters of one block all our tests are green. In
// pairs it hangs, at once and always, and the debugger shows that only odd
// blocks wait. The even ones have long gone."
//
// clclab run: --grid 40 --block 32 --arg buf:5120:iota32
// output: 2a9e12b7daee541f
// DIAGNOSIS: ?
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    one_for_both(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    int bx = blockIdx.x;
    while (true) {
        if (cluster.thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
        }
        if (cluster.thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
        data[bx * 32 + threadIdx.x] += 17;
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
