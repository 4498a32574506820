// SPDX-License-Identifier: Apache-2.0
// Warp operations whose mask names lanes that do not take part.
#include "short.h"

// A reduction by half of the warp with the full mask; the others are waiting
// for it behind the branch.
// expect: SYNC004
// run: --kernel half_of_the_warp --grid 4 --block 32 --arg buf:256:iota32
extern "C" __global__ void half_of_the_warp(unsigned *data) {
    unsigned v = data[threadIdx.x];
    if (threadIdx.x < 16) {
        v += __shfl_down_sync(0xffffffff, v, 8); // <- here
        data[threadIdx.x] = v;
    }
    __syncwarp(); // <- here
    data[threadIdx.x + 32] = data[0];
}

// The odd lanes vote with the mask of the even ones.
// expect: SYNC004
// run: --kernel mask_without_itself --grid 4 --block 32 --arg buf:16
extern "C" __global__ void mask_without_itself(unsigned *out) {
    unsigned even = 0x55555555u;
    if (threadIdx.x % 2 == 1)
        out[0] = __ballot_sync(even, 1); // <- here
}

// The lanes vote in pairs, with the neighbour's mask.
// expect: SYNC004
// run: --kernel neighbours_mask --grid 4 --block 32 --arg buf:128
extern "C" __global__ void neighbours_mask(unsigned *out) {
    unsigned pair = 3u << ((threadIdx.x / 2 * 2 + 2) % 32);
    int ok;
    // here:
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0;\n\t"
                 "vote.sync.all.pred q, p, %2; selp.b32 %0, 1, 0, q; }"
                 : "=r"(ok)
                 : "r"(out[threadIdx.x]), "r"(pair));
    out[threadIdx.x] = ok;
}

// One thread elects with the full mask, inside its own `if`; the others are
// A warp of a tile: cooperative groups would have made the right mask.
// expect: SYNC004
// run: --kernel tile_by_hand --grid 4 --block 32 --arg buf:128:iota32
extern "C" __global__ void tile_by_hand(unsigned *data) {
    unsigned v = data[threadIdx.x];
    if (v < 8)
        v = __reduce_add_sync(0x000000ff, v);
    else if (v < 16)
        v = __reduce_add_sync(0x000000ff, v); // <- here
    data[threadIdx.x] = v;
}
