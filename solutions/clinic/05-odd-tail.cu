// SPDX-License-Identifier: Apache-2.0
// Case 5: Goes home early
//
// "Pairs of blocks, and an odd number of tiles, so in the last pair one block
// has nothing to do. It goes home at once: why should it wait? The results are
// right. When the batch is so small that everything fits on the card at once,
// the driver reports a sticky error at the next launch. We made the batch
// larger."
//
// clclab run: --grid 24 --block 32 --arg buf:3072:iota32 --arg i32:736
// output: 4ab305e3fe5d908a
// DIAGNOSIS: CLC003
// Line 36. The idle block has exited when its neighbour makes a multicast
// request. It has to stay in the loop; the guard at the elements is enough.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    pairs_of_tiles(unsigned *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0;
    int bx = blockIdx.x;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    while (true) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
        }
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
        int i = bx * 32 + threadIdx.x;
        if (i < n)
            data[i] = data[i] * 5 + 2;
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
    }
}
