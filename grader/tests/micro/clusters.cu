// SPDX-License-Identifier: Apache-2.0
// Distributed shared memory: order between the blocks of a cluster, their
// lifetimes, cluster barriers. README.md explains the lines above each kernel.
#include "micro.cuh"

// label: clean
// run: 2 32
MICRO_CLUSTER(2) neighbour_block(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    cluster_arrive();
    cluster_wait();
    out[32 * blockIdx.x + threadIdx.x] =
        in_block(s, cluster_rank() ^ 1)[threadIdx.x];
    cluster_arrive();
    cluster_wait();
}

// label: RACE001
// also: OUTPUT MEM003
// run: 2 32
MICRO_CLUSTER(2) neighbour_block_no_barrier(int *out, int *in, int n) {
    __shared__ int s[32];
    cluster_arrive();
    cluster_wait();
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    int *theirs = in_block(s, cluster_rank() ^ 1);
    out[32 * blockIdx.x + threadIdx.x] = theirs[threadIdx.x]; // <- here
    cluster_arrive();
    cluster_wait();
}

// __syncthreads waits for the own block alone.
// label: RACE001
// also: OUTPUT MEM003
// run: 2 32
MICRO_CLUSTER(2) neighbour_block_cta_barrier(int *out, int *in, int n) {
    __shared__ int s[32];
    cluster_arrive();
    cluster_wait();
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    __syncthreads();
    int *theirs = in_block(s, cluster_rank() ^ 1);
    out[32 * blockIdx.x + threadIdx.x] = theirs[threadIdx.x]; // <- here
    cluster_arrive();
    cluster_wait();
}

// label: RACE001
// run: 2 32
MICRO_CLUSTER(2) neighbour_block_relaxed(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    cluster_arrive_relaxed();
    cluster_wait();
    int *theirs = in_block(s, cluster_rank() ^ 1);
    out[32 * blockIdx.x + threadIdx.x] = theirs[threadIdx.x]; // <- here
    cluster_arrive();
    cluster_wait();
}

// label: clean
// run: 2 32
MICRO_CLUSTER(2) neighbour_block_relaxed_fence(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    cluster_fence();
    cluster_arrive_relaxed();
    cluster_wait();
    int *theirs = in_block(s, cluster_rank() ^ 1);
    out[32 * blockIdx.x + threadIdx.x] = theirs[threadIdx.x];
    cluster_arrive();
    cluster_wait();
}

// Written by the neighbour, read at home.
// label: RACE001
// also: OUTPUT MEM003
// run: 2 32
MICRO_CLUSTER(2) written_by_neighbour_no_barrier(int *out, int *in, int n) {
    __shared__ int s[32];
    cluster_arrive();
    cluster_wait();
    in_block(s, cluster_rank() ^ 1)[threadIdx.x] = in[threadIdx.x]; // <- here
    out[32 * blockIdx.x + threadIdx.x] = s[threadIdx.x];            // <- here
    cluster_arrive();
    cluster_wait();
}

// label: clean
// run: 2 32
MICRO_CLUSTER(2) written_by_neighbour_barrier(int *out, int *in, int n) {
    __shared__ int s[32];
    cluster_arrive();
    cluster_wait();
    in_block(s, cluster_rank() ^ 1)[threadIdx.x] = in[threadIdx.x];
    cluster_arrive();
    cluster_wait();
    out[32 * blockIdx.x + threadIdx.x] = s[threadIdx.x];
}

// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO_CLUSTER(2) sum_of_the_cluster_block_scope(int *out, int *in, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    cluster_arrive();
    cluster_wait();
    atomicAdd_block(in_block(&sum, 0), in[threadIdx.x]); // <- here
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// label: clean
// run: 2 32
MICRO_CLUSTER(2) sum_of_the_cluster(int *out, int *in, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    cluster_arrive();
    cluster_wait();
    atomicAdd(in_block(&sum, 0), in[threadIdx.x]);
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// The neighbour may have left when its memory is read.
// label: MEM004
// also: OUTPUT
// run: 2 32
MICRO_CLUSTER(2) neighbour_has_left(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    cluster_arrive();
    cluster_wait();
    int *theirs = in_block(s, cluster_rank() ^ 1);
    out[32 * blockIdx.x + threadIdx.x] = theirs[threadIdx.x]; // <- here
}

// The last exchange is a write, and nobody waits for it.
// label: MEM004
// also: OUTPUT
// run: 2 32
MICRO_CLUSTER(2) neighbour_has_left_write(int *out, int *in, int n) {
    __shared__ int s[32];
    out[32 * blockIdx.x + threadIdx.x] = in[threadIdx.x];
    cluster_arrive();
    cluster_wait();
    volatile int *theirs = in_block(s, cluster_rank() ^ 1);
    theirs[threadIdx.x] = in[threadIdx.x]; // <- here
}

// label: MEM001
// run: 2 32
MICRO_CLUSTER(2) neighbour_past_the_end(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    cluster_arrive();
    cluster_wait();
    int *theirs = in_block(s, cluster_rank() ^ 1);
    out[32 * blockIdx.x + threadIdx.x] = theirs[threadIdx.x + 1]; // <- here
    cluster_arrive();
    cluster_wait();
}

// label: SYNC003
// also: DEADLOCK
// run: 2 32
MICRO_CLUSTER(2) wait_without_arrive(int *out, int *in, int n) {
    out[32 * blockIdx.x + threadIdx.x] = in[threadIdx.x];
    cluster_wait(); // <- here
}

// label: SYNC003
// also: DEADLOCK
// run: 2 32
MICRO_CLUSTER(2) arrive_twice(int *out, int *in, int n) {
    out[32 * blockIdx.x + threadIdx.x] = in[threadIdx.x];
    cluster_arrive();
    cluster_arrive(); // <- here
    cluster_wait();
}

// Rank 1 leaves: a block that has exited does not hold the barrier up.
// label: clean
// run: 2 32
MICRO_CLUSTER(2) one_block_leaves(int *out, int *in, int n) {
    if (cluster_rank() == 1)
        return;
    out[threadIdx.x] = in[threadIdx.x];
    cluster_arrive();
    cluster_wait();
}
