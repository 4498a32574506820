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
    // __shared__ variables have the same address in both blocks: that is how
    // one request can name the slots and mbarriers of both.
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    int phase = 0;
    if (cg::thread_block::thread_rank() == 0) {
        ptx::mbarrier_init(&bar, 1);
        // The answer to the other block's request arrives here as well, so
        // the whole cluster has to see this mbarrier initialised.
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    // END TODO(1)

    float alpha = compute_scalar();

    int bx = blockIdx.x; // the block index that is being processed
    while (true) {
        // BEGIN TODO(2): when all of the cluster is ready, let one thread ask.
        // First time: both blocks are running and their mbarriers are
        // initialised. Later: both blocks have read the last answer. A
        // __syncthreads() knows nothing of the other block.
        cg::cluster_group::sync();
        // Rank 0 of the cluster, not of the block: one request for both.
        if (cg::cluster_group::thread_rank() == 0) {
            // The acquiring half of the fence in TODO(6): it carries the order
            // made by the cluster barrier on to the async proxy.
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel_multicast(&result, &bar);
            });
        }
        // END TODO(2)

        // BEGIN TODO(3): announce the bytes that this block will receive.
        // Each block waits at its own mbarrier, so each needs an arrival and
        // the number of bytes. They may well come after the answer: until
        // then the count of bytes is below zero, and the phase stays open.
        if (cg::thread_block::thread_rank() == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar,
                                           sizeof(uint4));
        // END TODO(3)

        // The work of block bx, while the request is on its way.
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;

        // BEGIN TODO(4): wait for the answer, each block at its own mbarrier.
        // acquire: the slot is read only after the phase is seen complete.
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
        }
        phase ^= 1;
        // END TODO(4)

        // BEGIN TODO(5): leave on a refusal; else find this block's new index.
        // Both blocks hold the same 16 bytes, so both leave in the same round:
        // nobody asks when the other block has exited.
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(result))
            break;
        // The answer names the first block of the stolen cluster; each block
        // takes the one at its own place in it.
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            result);
        bx += cg::cluster_group::block_index().x;
        // END TODO(5)

        // BEGIN TODO(6): give the slot back, so that it can be written again.
        // Every thread of both blocks has read its copy; this releases the
        // reads to the async proxy's next write.
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        // END TODO(6)
    }
}
