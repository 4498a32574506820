// SPDX-License-Identifier: Apache-2.0
// Barriers that wait for threads which never come.
#include "short.h"

// The two halves of the block wait for each other at barriers of different
// numbers.
// expect: SYNC001
// run: --kernel two_barriers --grid 4 --block 64
extern "C" __global__ void two_barriers() {
    if (threadIdx.x < 32)
        asm volatile("barrier.sync 1, 64;" ::: "memory"); // <- here
    else
        asm volatile("barrier.sync 2, 64;" ::: "memory"); // <- here
}

// A named barrier for the consumers, with the count of the whole block.
// expect: SYNC001
// run: --kernel count_of_the_block --grid 4 --block 128
extern "C" __global__ void count_of_the_block() {
    if (threadIdx.x >= 32)
        // here:
        asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x) : "memory");
}

// Producers wait once a tile; the consumers have one tile fewer.
// expect: SYNC001
// run: --kernel one_tile_fewer --grid 4 --block 64 --arg i32:4
extern "C" __global__ void one_tile_fewer(int tiles) {
    if (threadIdx.x < 32)
        for (int i = 0; i < tiles; i++)
            asm volatile("bar.sync 3, 64;" ::: "memory"); // <- here
    else
        for (int i = 1; i < tiles; i++)
            asm volatile("bar.sync 3, 64;" ::: "memory");
}

// The number of threads is rounded to no multiple of a warp.
// expect: SYNC001
// run: --kernel not_whole_warps --grid 4 --block 64 --arg i32:40
extern "C" __global__ void not_whole_warps(int n) {
    if (threadIdx.x < n)
        // here:
        asm volatile("barrier.sync 1, %0;" ::"r"(n) : "memory");
}
