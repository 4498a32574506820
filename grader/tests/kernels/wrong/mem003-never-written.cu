// SPDX-License-Identifier: Apache-2.0
// Memory is read that nobody has written.
#include "short.h"

// Shared memory is not zero at the start.
// expect: MEM003
// run: --kernel not_zero --grid 2 --block 32 --arg buf:8
extern "C" __global__ void not_zero(unsigned *out) {
    __shared__ unsigned count;
    atomicAdd(&count, 1); // <- here
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

// The last tile is loaded with a guard, and read without one.
// expect: MEM003
// run: --kernel rest_of_the_tile --grid 2 --block 64 --arg buf:400:iota32
// run: --arg i32:100 --arg buf:8
extern "C" __global__ void rest_of_the_tile(const unsigned *data, int n,
                                            unsigned *sums) {
    __shared__ unsigned tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n)
        tile[threadIdx.x] = data[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (int k = 0; k < 64; k++)
            sum += tile[k]; // <- here
        sums[blockIdx.x] = sum;
    }
}

// Three of four bytes are written, and the word is read.
// expect: MEM003
// run: --kernel one_byte_missing --grid 2 --block 32 --arg buf:256
extern "C" __global__ void one_byte_missing(unsigned *out) {
    __shared__ alignas(4) unsigned char bytes[128];
    for (int k = 0; k < 3; k++)
        bytes[threadIdx.x * 4 + k] = k;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] =
        ((volatile unsigned *)bytes)[threadIdx.x]; // <- here
}

// The neighbour's share in distributed shared memory: rank 1 has none.
// expect: MEM003
// run: --kernel neighbours_share --grid 4 --block 32 --arg buf:16
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    neighbours_share(unsigned *out) {
    __shared__ unsigned share;
    auto cluster = cg::this_cluster();
    if (cluster.thread_rank() == 0)
        share = 5;
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *cluster.map_shared_rank(&share, 1); // <- here
    cluster.sync();
}

// The slot is looked at before the first request, to see whether it is "empty".
// expect: MEM003
// run: --kernel looks_before_asking --grid 8 --block 32 --arg buf:32
extern "C" __global__ void looks_before_asking(unsigned *out) {
    __shared__ uint4 answer;
    if (threadIdx.x == 0 && ((volatile uint4 *)&answer)->w == 0) // <- here
        out[blockIdx.x] = 1;
}

// malloc() gives memory with anything in it.
// expect: MEM003
// run: --kernel from_malloc --grid 2 --block 1 --arg buf:8
extern "C" __global__ void from_malloc(unsigned *out) {
    volatile unsigned *mine = (volatile unsigned *)malloc(16);
    mine[0] = 1;
    out[blockIdx.x] = mine[0] + mine[1]; // <- here
    free((void *)mine);
}

// A local array is filled up to n and read beyond.
// expect: MEM003
// run: --kernel local_beyond_n --grid 1 --block 32 --arg buf:128 --arg i32:3
extern "C" __global__ void local_beyond_n(unsigned *out, int n) {
    volatile unsigned values[8];
    for (int k = 0; k < n; k++)
        values[k] = k;
    unsigned sum = 0;
    for (int k = 0; k <= n; k++)
        sum += values[k]; // <- here
    out[threadIdx.x] = sum;
}

// A bit is set in a word that has none: the word is read. (Of a bit-field that
// is set, the other bits are only copied.)
// expect: MEM003
// run: --kernel sets_a_bit --grid 1 --block 32 --arg buf:128 --arg i32:2
extern "C" __global__ void sets_a_bit(unsigned *out, int i) {
    unsigned words[4];
    words[i & 3] |= 1;                     // <- here
    out[threadIdx.x] = words[(i + 1) & 3]; // <- here
}

struct Fields {
    unsigned low : 3, middle : 7;
};

// Another field than the one that was set, of another element.
// expect: MEM003
// run: --kernel reads_a_field --grid 1 --block 32 --arg buf:128 --arg i32:2
extern "C" __global__ void reads_a_field(unsigned *out, int i) {
    Fields f[4];
    f[i & 3].low = 5;
    out[threadIdx.x] = f[(i + 1) & 3].middle; // <- here
}
