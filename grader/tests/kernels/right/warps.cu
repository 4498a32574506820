// SPDX-License-Identifier: Apache-2.0
// Accesses of whole warps, all in order: what the lanes share, what only looks
// as if they did, vectors, and global memory that a block exchanges.
#include "right.h"

// Each thread reads a cell of its own, lanes 5 words apart, and writes it.
// run: --kernel own_cells_apart --grid 2 --block 64 --arg buf:512:iota32
// gives: 0 i+1
extern "C" __global__ void own_cells_apart(unsigned *data) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, own = t * 5 % 64, *mine = data + blockIdx.x * 64;
    s[t] = mine[t];
    __syncthreads();
    s[own] += 1;
    s[own] ^= 0x100;
    s[own] ^= 0x100;
    __syncthreads();
    mine[t] = s[t];
}

// Lanes 2k and 2k + 1 read one cell, then all one; barriers are between.
// run: --kernel lanes_share_cells --grid 2 --block 64 --arg buf:512
// gives: 0 int(i%64/2)+7
extern "C" __global__ void lanes_share_cells(unsigned *data) {
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    unsigned x = s[t / 2];
    __syncthreads();
    s[t] = x;
    __syncthreads();
    unsigned y = s[14];
    __syncthreads();
    if (t == 14)
        s[14] = 0;
    data[blockIdx.x * 64 + t] = x + y;
}

// Vectors of 8 and 16 bytes, read as such and word by word.
// run: --kernel vectors --grid 2 --block 64 --arg buf:2048:iota32
// gives: 0 i
extern "C" __global__ void vectors(uint4 *data) {
    __shared__ uint4 s[64];
    unsigned t = threadIdx.x;
    uint4 *mine = data + blockIdx.x * 64;
    s[t ^ 33] = mine[t];
    __syncthreads();
    uint2 *pairs = reinterpret_cast<uint2 *>(s);
    uint2 low = pairs[(t ^ 33) * 2], high = pairs[(t ^ 33) * 2 + 1];
    __syncthreads();
    unsigned *words = reinterpret_cast<unsigned *>(s);
    words[t] = low.x;
    words[64 + t] = low.y;
    words[128 + t] = high.x;
    words[192 + t] = high.y;
    __syncthreads();
    mine[t] =
        make_uint4(words[t], words[64 + t], words[128 + t], words[192 + t]);
}

// Words of global memory go from warp to warp and back; the places of a warp
// lie across a page.
// run: --kernel exchanged_in_global --grid 2 --block 64 --arg buf:8192
// gives: 0 i>=992&&i<1120?(i-992)%64+2:0
extern "C" __global__ void exchanged_in_global(unsigned *data) {
    unsigned t = threadIdx.x, *mine = data + 992 + blockIdx.x * 64;
    mine[t] = t;
    __syncthreads();
    unsigned x = mine[t ^ 32];
    __syncthreads();
    mine[t] = x + 1;
    __syncthreads();
    x = mine[63 - t];
    __syncthreads();
    mine[(63 - t) ^ 32] = x + 1;
}
