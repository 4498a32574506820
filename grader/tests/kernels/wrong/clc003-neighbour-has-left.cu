// SPDX-License-Identifier: Apache-2.0
// A multicast request writes to each block of the cluster: none may have left.
#include "short.h"

// Rank 1 has no elements in the last cluster and returns, as one does in a
// plain kernel.
// expect: CLC003
// run: --kernel nothing_to_do --grid 20 --block 32 --arg buf:80 --arg i32:1
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    nothing_to_do(unsigned *out, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    if (block >= n)
        return;
    cluster.sync();
    while (true) {
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar); // <- here
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy) + cluster.block_rank();
        release_reads();
        cluster.sync();
    }
}

// Inline PTX; the last rank of four serves only the first round.
// expect: CLC003
// run: --kernel last_rank_leaves --grid 32 --block 1 --arg buf:128
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    last_rank_leaves(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    uint32_t slot_at = shared_address(&answer), bar_at = shared_address(&bar);
    unsigned rank = blockIdx.x % 4, block = blockIdx.x;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                 "fence.mbarrier_init.release.cluster;" ::"r"(bar_at)
                 : "memory");
    for (unsigned round = 0;; round++) {
        asm volatile("fence.proxy.async::generic.release.sync_restrict"
                     "::shared::cta.cluster;\n\t"
                     "barrier.cluster.arrive.release.aligned;\n\t"
                     "barrier.cluster.wait.acquire.aligned;\n\t"
                     "fence.proxy.async::generic.acquire.sync_restrict"
                     "::shared::cluster.cluster;" ::
                         : "memory");
        if (rank == 0)
            // here:
            asm volatile(
                "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier"
                "::complete_tx::bytes.multicast::cluster::all.b128 [%0], "
                "[%1];" ::"r"(slot_at),
                "r"(bar_at)
                : "memory");
        announce(&bar);
        out[block] += 1;
        wait_in_cluster(&bar, round & 1);
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy) + rank;
        if (rank == 3 && round == 1)
            return;
    }
}

// Each block counts the work that it was given and leaves when it has had its
// share; rank 1 counts its own first block as well.
// expect: CLC003
// run: --kernel counts_its_share --grid 40 --block 32 --arg buf:160
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    counts_its_share(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    int share = cluster.block_rank() == 0 ? 3 : 2;
    for (int served = 0; served < share; served++) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar); // <- here
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy) + cluster.block_rank();
        release_reads();
    }
}
