// SPDX-License-Identifier: Apache-2.0
// Accesses of whole warps of which all lanes but one are in order: cells one
// after the other, strides, places that lanes share, vectors, page borders.
#include "short.h"

// Lane 8 of the second warp reads what the first warp writes.
// expect: RACE001
// run: --kernel one_lane_reads --grid 1 --block 64 --arg buf:256:iota32
extern "C" __global__ void one_lane_reads(unsigned *data) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t] = data[t];                 // <- here
    data[t] += s[t == 40 ? 17 : t]; // <- here
}

// The last lane of each warp reads the first cell of the next one.
// expect: RACE001
// run: --kernel last_lane_reads --grid 1 --block 64 --arg buf:256:iota32
extern "C" __global__ void last_lane_reads(unsigned *data) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    unsigned x = s[(t + 1) % 64]; // <- here
    __syncwarp();
    s[t] = x; // <- here
}

// Lanes 2k and 2k + 1 read one cell; the first of them then writes it.
// expect: RACE001
// run: --kernel first_of_two_writes --grid 1 --block 32 --arg buf:128:iota32
extern "C" __global__ void first_of_two_writes(unsigned *data) {
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    unsigned x = s[t & ~1u]; // <- here
    if (t % 2 == 0)
        s[t] = x + 1; // <- here
    __syncthreads();
    data[t] = s[t] + x;
}

// The same, but the second writes.
// expect: RACE001
// run: --kernel second_of_two_writes --grid 1 --block 32 --arg buf:128:iota32
extern "C" __global__ void second_of_two_writes(unsigned *data) {
    __shared__ unsigned s[32];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    unsigned x = s[t | 1]; // <- here
    if (t % 2 == 1)
        s[t] = x + 1; // <- here
    __syncthreads();
    data[t] = s[t] + x;
}

// Two warps read a cell; the one that reads it first writes it.
// expect: RACE001
// run: --kernel two_warps_read --grid 1 --block 64 --arg buf:256:iota32
extern "C" __global__ void two_warps_read(unsigned *data) {
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x;
    s[t * 3] = data[t];
    __syncthreads();
    unsigned x = s[t % 32 * 3]; // <- here
    if (t == 13)
        s[39] = x + 1; // <- here
    __syncthreads();
    data[t] = s[t % 32 * 3] + x;
}

// Each lane reads 16 bytes; one lane writes 4 of those of its neighbour.
// expect: RACE001
// run: --kernel word_of_a_vector --grid 1 --block 32 --arg buf:512:iota32
extern "C" __global__ void word_of_a_vector(uint4 *data) {
    __shared__ uint4 s[32];
    unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    uint4 v = s[t]; // <- here
    if (t == 21)
        reinterpret_cast<unsigned *>(s)[4 * 20 + 3] = v.x; // <- here
    data[t] = make_uint4(v.y, v.z, v.w, v.x);
}

// 32 words from byte 4,032 on; another block writes one behind byte 4,096.
// expect: RACE001
// run: --kernel behind_a_border --grid 2 --block 32 --arg buf:8192
extern "C" __global__ void behind_a_border(unsigned *data) {
    if (blockIdx.x == 0)
        data[1008 + threadIdx.x] = 1; // <- here
    else if (threadIdx.x == 5)
        data[1030] = 2; // <- here
}

// Threads of a block exchange words of global memory; the second time without
// a barrier.
// expect: RACE001
// run: --kernel exchanged_too_late --grid 2 --block 64 --arg buf:512
extern "C" __global__ void exchanged_too_late(unsigned *data) {
    unsigned t = threadIdx.x, *mine = data + blockIdx.x * 64;
    mine[t] = t;
    __syncthreads();
    unsigned x = mine[t ^ 32]; // <- here
    mine[t] = x + 1;           // <- here
}
