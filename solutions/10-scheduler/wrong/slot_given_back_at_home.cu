// expect: rules DEADLOCK
// Each block gives its slot back to itself, and rank 0 waits for both.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr int WARPS = 5;
constexpr int CONSUMERS = (WARPS - 1) * 32;
constexpr int STAGES = 3;

struct Ring {
    uint4 answer[STAGES];
    uint64_t full[STAGES];
    uint64_t empty[STAGES];
};

struct Place {
    int stage, parity;
    __device__ void advance() {
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

__device__ static int take(Ring *ring, Place at) {
    int row = -1;
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          &ring->full[at.stage], at.parity)) {
    }
    uint4 answer = ring->answer[at.stage];
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
        row = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                  answer) +
              cg::cluster_group::block_index().x;

    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                             ptx::space_cluster, &ring->empty[at.stage]);
    return row;
}

__device__ static void schedule(Ring *ring) {
    Place at = {0, 0};
    while (true) {
        if (cg::cluster_group::thread_rank() == 0) {
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cluster, &ring->empty[at.stage],
                at.parity ^ 1)) {
            }
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            cg::invoke_one(cg::coalesced_threads(), [&]() {
                ptx::clusterlaunchcontrol_try_cancel_multicast(
                    &ring->answer[at.stage], &ring->full[at.stage]);
            });
        }

        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive_expect_tx(
                ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                &ring->full[at.stage], sizeof(uint4));

        if (take(ring, at) < 0)
            break;
        at.advance();
    }
}

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
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            ptx::mbarrier_init(&ring.full[i], 1);
            ptx::mbarrier_init(&ring.empty[i], 2 * WARPS);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }

    cg::cluster_group::sync();
    if (threadIdx.x < 32)
        schedule(&ring);
    else
        consume(&ring, data, starts, rows);

    cg::cluster_group::sync();
}
