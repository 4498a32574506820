// SPDX-License-Identifier: Apache-2.0
// Another block of the cluster uses an mbarrier whose init is not ordered
// before that.
#include "short.h"

// A block barrier stands between init and the neighbour's arrival.
// expect: BAR004|BAR002
// run: --kernel block_barrier --grid 8 --block 32
extern "C" __global__ void __cluster_dims__(2, 1, 1) block_barrier() {
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_at(&bar, cluster.block_rank() ^ 1); // <- here
        wait_in_cluster(&bar, 0);
    }
    cluster.sync();
}

// A relaxed arrival at the cluster barrier, and no fence.mbarrier_init.
// expect: BAR004
// run: --kernel relaxed_without_fence --grid 8 --block 32
extern "C" __global__ void __cluster_dims__(2, 1, 1) relaxed_without_fence() {
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init(&bar);
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
    if (threadIdx.x == 0) {
        arrive_at(&bar, cluster.block_rank() ^ 1); // <- here
        wait_in_cluster(&bar, 0);
    }
    cluster.sync();
}

// Thread 32 initialises after it has arrived at the cluster barrier.
// expect: BAR004|BAR002
// run: --kernel init_behind_the_arrival --grid 8 --block 64
extern "C" __global__ void __cluster_dims__(2, 1, 1) init_behind_the_arrival() {
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    cluster.barrier_arrive();
    if (threadIdx.x == 32)
        init_for_cluster(&bar);
    cluster.barrier_wait();
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_at(&bar, cluster.block_rank() ^ 1); // <- here
        wait_in_cluster(&bar, 0);
    }
    cluster.sync();
}

// A flag in the neighbour's memory tells that the mbarrier is ready; the flag
// is read and written without release and acquire.
// expect: BAR004|BAR002
// run: --kernel told_by_a_flag --grid 8 --block 1
extern "C" __global__ void __cluster_dims__(2, 1, 1) told_by_a_flag() {
    __shared__ uint64_t bar;
    __shared__ volatile unsigned ready;
    auto cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1;
    ready = 0;
    cluster.sync();
    init(&bar);
    *(volatile unsigned *)cluster.map_shared_rank((unsigned *)&ready, other) =
        1;
    while (ready == 0) {
    }
    arrive_at(&bar, other); // <- here
    wait_in_cluster(&bar, 0);
    cluster.sync();
}

// A copy to the neighbour completes on its mbarrier, as soon as one's own is
// ready.
// expect: BAR004|BAR002
// run: --kernel copies_at_once --grid 8 --block 32 --arg buf:1024
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    copies_at_once(const unsigned *in) {
    __shared__ alignas(16) unsigned tile[32];
    __shared__ alignas(16) unsigned mine[32];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    cluster.sync(); // both blocks run; neither mbarrier is initialised
    mine[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    if (threadIdx.x == 0) {
        init_for_cluster(&bar);
        announce(&bar, 128);
    }
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned other = cluster.block_rank() ^ 1;
        // here:
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared,
                           cluster.map_shared_rank(tile, other), mine, 128,
                           cluster.map_shared_rank(&bar, other));
        wait_in_cluster(&bar, 0);
    }
    cluster.sync();
}
