// SPDX-License-Identifier: Apache-2.0
// Lab 4: stealing by whole clusters. Two blocks share one request, and both
// receive the answer. "Block" means one of the two, "cluster" the pair.
// Write between the BEGIN and END lines, and leave the rest as it is.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    // BEGIN TODO(1): set up a slot and an mbarrier in each block.
    __shared__ uint4 answer_slot;
    __shared__ uint64_t answer_bar;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    uint32_t phase = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&answer_bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    // END TODO(1)

    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(2): when all of the cluster is ready, let one thread ask.
        if (rank == 0 && threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel_multicast(&answer_slot,
                                                               &answer_bar);
            });
        }
        // END TODO(2)

        // BEGIN TODO(3): announce the bytes that this block will receive.
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &answer_bar,
                                           sizeof(answer_slot));
        }
        // END TODO(3)

        // The work of block bx, while the request is on its way.
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // BEGIN TODO(4): wait for the answer, each block at its own mbarrier.
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &answer_bar, phase)) {
        }
        phase = 1 - phase;
        // END TODO(4)

        // BEGIN TODO(5): leave on a refusal; else find this block's new index.
        uint4 answer = answer_slot;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
            int first =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    answer);
            bx = first + rank;
        } else {
            break;
        }
        // END TODO(5)

        // BEGIN TODO(6): give the slot back, so that it can be written again.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        cluster.sync();
        // END TODO(6)
    }
}
