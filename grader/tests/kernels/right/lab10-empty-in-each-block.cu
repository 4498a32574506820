// SPDX-License-Identifier: Apache-2.0
// An empty barrier in each block, for its own five warps; rank 1's scheduler
// passes the news on to rank 0 by one arrival from afar. One consumer lane
// reads, and shuffles.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

enum Role { SCHEDULER, CONSUMER };
constexpr int DEPTH = 3;

struct Stage {
    uint4 answer;
    uint64_t full;    // 1 arrival, 16 bytes
    uint64_t empty;   // 4 arrivals: this block's consumer warps
    uint64_t cleared; // 2 arrivals, in rank 0: one from each scheduler
};

struct Cursor {
    unsigned k = 0;
    __device__ unsigned slot() const {
        return k % DEPTH;
    }
    __device__ unsigned parity() const {
        return k / DEPTH % 2;
    }
};

__device__ static void await(uint64_t &bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          &bar, parity)) {
    }
}

__device__ static int decode(const uint4 &answer) {
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
        return -1;
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
               answer) +
           cg::this_cluster().block_rank();
}

__device__ static void run_scheduler(Stage *ring) {
    auto cluster = cg::this_cluster();
    int row = 0;
    for (Cursor c; row >= 0; c.k++) {
        Stage &s = ring[c.slot()];
        if (c.k >= DEPTH) {
            await(s.empty, c.parity() ^ 1);
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                                 ptx::space_cluster,
                                 cluster.map_shared_rank(&s.cleared, 0));
        }
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                       ptx::space_shared, &s.full, 16);
        if (cluster.block_rank() == 0) {
            if (c.k >= DEPTH)
                await(s.cleared, c.parity() ^ 1);
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&s.answer, &s.full);
        }
        await(s.full, c.parity());
        row = decode(s.answer);
    }
}

__device__ static void run_consumer(Stage *ring, float *data, const int *starts,
                                    int rows) {
    const int lane = threadIdx.x % 32;
    const float alpha = compute_scalar();
    int row = blockIdx.x;
    for (Cursor c; row >= 0; c.k++) {
        if (row < rows) {
            float *p = data + starts[row] + threadIdx.x - 32;
            for (float *end = data + starts[row + 1]; p < end; p += 128)
                *p *= alpha;
        }
        Stage &s = ring[c.slot()];
        if (lane == 0) {
            await(s.full, c.parity());
            row = decode(s.answer);
            ptx::mbarrier_arrive(&s.empty);
        }
        row = __shfl_sync(~0u, row, 0);
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    scheduler(float *data, const int *starts, int rows) {
    __shared__ Stage ring[DEPTH];
    const Role role = threadIdx.x < 32 ? SCHEDULER : CONSUMER;
    if (threadIdx.x < DEPTH) {
        ptx::mbarrier_init(&ring[threadIdx.x].full, 1);
        ptx::mbarrier_init(&ring[threadIdx.x].empty, 4);
        ptx::mbarrier_init(&ring[threadIdx.x].cleared, 2);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cg::this_cluster().sync();
    if (role == CONSUMER)
        run_consumer(ring, data, starts, rows);
    else if (threadIdx.x == 0)
        run_scheduler(ring);
    __syncwarp();
    cg::this_cluster().sync();
}
