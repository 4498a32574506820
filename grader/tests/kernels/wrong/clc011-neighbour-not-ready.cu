// SPDX-License-Identifier: Apache-2.0
// A multicast request before each block of the cluster has started and has
// initialised its mbarrier.
#include "short.h"

// __syncthreads(), as in a kernel without clusters.
// expect: CLC011
// run: --kernel block_barrier_only --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    block_barrier_only(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    __syncthreads();
    if (cluster.thread_rank() == 0)
        ask_for_all(&answer, &bar); // <- here
    if (threadIdx.x == 0) {
        announce(&bar);
        out[blockIdx.x] += 1;
    }
    wait_in_cluster(&bar, 0);
    if (granted(answer) && threadIdx.x == 0)
        out[first_x(answer) + cluster.block_rank()] += 1;
    cluster.sync();
}

// The cluster barrier stands before the initialisation, not behind it.
// expect: CLC011
// run: --kernel barrier_too_soon --grid 32 --block 64 --arg buf:128
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    barrier_too_soon(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    uint32_t slot_at = shared_address(&answer), bar_at = shared_address(&bar);
    if (threadIdx.x == 32) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                     "fence.mbarrier_init.release.cluster;" ::"r"(bar_at)
                     : "memory");
        if (blockIdx.x % 4 == 2)
            // here:
            asm volatile(
                "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier"
                "::complete_tx::bytes.multicast::cluster::all.b128 [%0], "
                "[%1];" ::"r"(slot_at),
                "r"(bar_at)
                : "memory");
        announce(&bar);
        wait_in_cluster(&bar, 0);
        out[blockIdx.x] += 1;
        if (granted(answer))
            out[first_x(answer) + blockIdx.x % 4] += 1;
    }
    cg::this_cluster().sync();
}

// Arrives at the cluster barrier, asks, and only then waits at it.
// expect: CLC011
// run: --kernel asks_before_the_wait --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    asks_before_the_wait(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    __syncwarp();
    cluster.barrier_arrive();
    if (cluster.thread_rank() == 0)
        ask_for_all(&answer, &bar); // <- here
    __syncwarp();
    cluster.barrier_wait();
    if (threadIdx.x == 0) {
        announce(&bar);
        out[blockIdx.x] += 1;
    }
    wait_in_cluster(&bar, 0);
    if (granted(answer) && threadIdx.x == 0)
        out[first_x(answer) + cluster.block_rank()] += 1;
    cluster.sync();
}

// The neighbour's mbarrier was initialised, but the initialisation is relaxed:

// no fence.mbarrier_init before a relaxed arrival at the cluster barrier.
// expect: CLC011
// run: --kernel relaxed_arrival --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    relaxed_arrival(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    if (cluster.thread_rank() == 0)
        ask_for_all(&answer, &bar); // <- here
    if (threadIdx.x == 0) {
        announce(&bar);
        out[blockIdx.x] += 1;
    }
    wait_in_cluster(&bar, 0);
    if (granted(answer) && threadIdx.x == 0)
        out[first_x(answer) + cluster.block_rank()] += 1;
    cluster.sync();
}
