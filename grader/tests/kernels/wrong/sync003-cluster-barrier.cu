// SPDX-License-Identifier: Apache-2.0
// The cluster's barrier: each thread arrives, then waits, then arrives again.
#include "short.h"

// Arrives at the end of each round, and waits only after the loop.
// expect: SYNC003
// run: --kernel waits_at_the_end --grid 4 --block 32
extern "C" __global__ void __cluster_dims__(2, 1, 1) waits_at_the_end() {
    auto cluster = cg::this_cluster();
    for (int round = 0; round < 3; round++)
        cluster.barrier_arrive(); // <- here
    cluster.barrier_wait();
}

// A wait that an early path has skipped the arrival of.
// expect: SYNC003
// run: --kernel arrival_skipped --grid 4 --block 64
extern "C" __global__ void __cluster_dims__(2, 1, 1) arrival_skipped() {
    if (threadIdx.x < 32)
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); // <- here
}

// The arrival is split off for overlap, and sync(), which arrives too, follows.
// expect: SYNC003
// run: --kernel arrives_and_syncs --grid 8 --block 32
extern "C" __global__ void __cluster_dims__(4, 1, 1) arrives_and_syncs() {
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    __nanosleep(20);
    cg::this_cluster().sync(); // <- here
}

// Waits twice: the second wait has no arrival of its own.
// expect: SYNC003
// run: --kernel waits_twice --grid 4 --block 32
extern "C" __global__ void __cluster_dims__(2, 1, 1) waits_twice() {
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    ptx::barrier_cluster_wait(ptx::sem_acquire); // <- here
}
