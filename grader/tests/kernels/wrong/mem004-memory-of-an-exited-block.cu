// SPDX-License-Identifier: Apache-2.0
// The shared memory of a block ends with it: a neighbour in the cluster must
// not use it any more.
#include "short.h"

// No cluster barrier at the end: the neighbour may be gone before it is read.
// expect: MEM004
// run: --kernel no_barrier_at_the_end --grid 8 --block 32 --arg buf:32
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    no_barrier_at_the_end(unsigned *out) {
    __shared__ unsigned mine;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        mine = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        // here:
        out[blockIdx.x] = *(volatile unsigned *)cluster.map_shared_rank(
            &mine, cluster.block_rank() ^ 1);
}

// The last words are handed to rank 0, which adds up what it has and leaves.
// expect: MEM004
// run: --kernel rank_zero_is_fast --grid 8 --block 32 --arg buf:8
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    rank_zero_is_fast(unsigned *out) {
    __shared__ unsigned sum;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    cluster.sync();
    if (cluster.block_rank() == 0)
        return;
    __nanosleep(100);
    atomicAdd(cluster.map_shared_rank(&sum, 0), threadIdx.x); // <- here
}

// The neighbour's mbarrier is told that a slot is free when the neighbour has
// left its loop and ended.
// expect: MEM004
// run: --kernel tells_the_dead --grid 8 --block 1
extern "C" __global__ void __cluster_dims__(2, 1, 1) tells_the_dead() {
    __shared__ uint64_t empty;
    auto cluster = cg::this_cluster();
    init_for_cluster(&empty);
    cluster.sync();
    if (cluster.block_rank() == 0)
        return;
    // here:
    asm volatile("{ .reg .b32 far;\n\t"
                 "mapa.shared::cluster.u32 far, %0, 0;\n\t"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                 "[far]; }" ::"r"(shared_address(&empty))
                 : "memory");
}

// The first cluster barrier is missing: the neighbour may not have started when
// its memory is written.
// expect: MEM004
// run: --kernel writes_before_the_start --grid 8 --block 32 --arg buf:8
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    writes_before_the_start(unsigned *out) {
    __shared__ unsigned from;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        // here:
        *cluster.map_shared_rank(&from, cluster.block_rank() ^ 1) = blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = from;
}
