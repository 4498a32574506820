// SPDX-License-Identifier: Apache-2.0
// An .aligned barrier (__syncthreads() is one) by a part of a warp's threads.
#include "short.h"

// __syncthreads() in a branch, and one more in the other: the counts match.
// expect: SYNC002
// run: --kernel one_in_each_branch --grid 2 --block 32 --arg buf:256:iota32
extern "C" __global__ void one_in_each_branch(volatile unsigned *data) {
    if (threadIdx.x < 16) {
        data[blockIdx.x * 32 + threadIdx.x] = 1;
        __syncthreads(); // <- here
    } else {
        __syncthreads(); // <- here
        data[blockIdx.x * 32 + threadIdx.x] = 2;
    }
}

// In a loop whose number of rounds differs from lane to lane.
// expect: SYNC002
// run: --kernel rounds_differ --grid 2 --block 32 --arg buf:128:iota32
extern "C" __global__ void rounds_differ(volatile unsigned *data) {
    for (unsigned i = 0; i <= data[threadIdx.x] % 3; i++)
        __syncthreads(); // <- here
    __syncwarp();
    data[threadIdx.x] = 0;
}

// Half of a warp, of the halves of the block, by inline PTX.
// expect: SYNC002
// run: --kernel producers_of_sixteen --grid 2 --block 64
extern "C" __global__ void producers_of_sixteen() {
    if (threadIdx.x < 48)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // <- here
    else
        asm volatile("bar.arrive 1, 64;" ::: "memory"); // <- here
}

// The leader comes later than its warp, through a barrier of its own.
// expect: SYNC002
// run: --kernel leader_comes_later --grid 20 --block 64 --arg buf:80
extern "C" __global__ void leader_comes_later(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    if (threadIdx.x == 0) {
        ask(&answer, &bar);
        announce(&bar);
        out[block] += 1;
        wait_for(&bar, 0);
        if (granted(answer))
            out[first_x(answer)] += 1;
        __syncthreads(); // <- here
        out[block] += 0;
    } else {
        __syncthreads(); // <- here
    }
}

// The cluster barrier, aligned, by the leader of each warp.
// expect: SYNC002
// run: --kernel leaders_of_the_cluster --grid 4 --block 64
extern "C" __global__ void __cluster_dims__(2, 1, 1) leaders_of_the_cluster() {
    if (threadIdx.x % 32 == 0)
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); // <- here
    else
        asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

// Who has nothing to do stores a zero and leaves, perhaps later than the others
// are at the barrier.
// expect: SYNC002 advisory
// says: which left the kernel without coming to it
// run: --kernel leaves_late --grid 1 --block 64 --arg buf:512 --arg i32:40
extern "C" __global__ void leaves_late(unsigned *out, int n) {
    __shared__ unsigned tile[64];
    if (threadIdx.x >= n) {
        out[threadIdx.x] = 0;
        return;
    }
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads(); // <- here
    out[64 + threadIdx.x] = tile[threadIdx.x ^ 1];
}
