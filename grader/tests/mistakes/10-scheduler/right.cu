// SPDX-License-Identifier: Apache-2.0
// Pointers to the mbarriers of a stage; the rank decides who asks.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int WARPS = 5;                    // the first is the scheduler
constexpr int CONSUMERS = (WARPS - 1) * 32; // threads
constexpr int STAGES = 3;

struct Ring { // in the shared memory of each block
    uint4 answer[STAGES];
    uint64_t full[STAGES];  // the answer has arrived in this block
    uint64_t empty[STAGES]; // both blocks have read it; used in rank 0 alone
};

// Where a warp is in the ring. Everybody goes round it in step: answer number
// k is in stage k % STAGES, in the (k / STAGES)th phase of its mbarriers.
struct Place {
    int stage, parity;
    __device__ void advance() {
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

// A whole warp takes the answer at its place: the row that this block is to do,
// or -1 if the request was refused.
__device__ static int take(Ring *ring, Place at) {
    int row = -1;
    // BEGIN TODO(4): wait for the answer, and decode it.
    const int lane = threadIdx.x % 32;
    uint64_t *full = &ring->full[at.stage], *empty = &ring->empty[at.stage];
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          full, at.parity))
        ;
    const uint4 got = ring->answer[at.stage];
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(got)) {
        row = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            got);
        row += cg::cluster_group::block_rank();
    }
    // END TODO(4)

    // BEGIN TODO(5): give the slot back to the one who asks.
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    __syncwarp();
    if (lane == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                             ptx::space_cluster,
                             cg::cluster_group::map_shared_rank(empty, 0));
    // END TODO(5)
    return row;
}

// The scheduler warp, in each block.
__device__ static void schedule(Ring *ring) {
    Place at = {0, 0};
    while (true) {
        // BEGIN TODO(2): in rank 0: when the slot is empty, ask.
        const unsigned rank = cg::cluster_group::block_rank();
        const int s = at.stage;
        if (rank == 0 && threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cluster, &ring->empty[s],
                at.parity ^ 1))
                ;
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&ring->answer[s],
                                                           &ring->full[s]);
        }
        // END TODO(2)

        // BEGIN TODO(3): in each block: announce the bytes.
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(
                ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                &ring->full[s], 16);
        // END TODO(3)

        // The scheduler looks at each answer itself before it asks again.
        if (take(ring, at) < 0)
            break;
        at.advance();
    }
}

// The consumer warps. They share a row, but do not wait for each other: each
// goes from row to row by itself.
__device__ static void consume(Ring *ring, float *data, const int *starts,
                               int rows) {
    int thread = threadIdx.x - 32;
    float alpha = compute_scalar();
    int row = blockIdx.x;
    Place at = {0, 0};
    while (row >= 0) {
        if (row < rows)
            for (int i = starts[row] + thread; i < starts[row + 1];
                 i += CONSUMERS)
                data[i] *= alpha;
        row = take(ring, at);
        at.advance();
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    scheduler(float *data, const int *starts, int rows) {
    __shared__ Ring ring;
    // BEGIN TODO(1): initialise the mbarriers.
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&ring.full[s], 1);
            ptx::mbarrier_init(&ring.empty[s], WARPS * 2);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    // END TODO(1)

    cg::cluster_group::sync(); // both blocks are there, and initialised
    if (threadIdx.x < 32)
        schedule(&ring);
    else
        consume(&ring, data, starts, rows);

    // BEGIN TODO(6): leave together.
    cg::cluster_group::sync();
    // END TODO(6)
}
