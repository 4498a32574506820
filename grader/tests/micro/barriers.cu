// SPDX-License-Identifier: Apache-2.0
// Barriers of a block and of a warp that not all threads reach. README.md
// explains the lines above each kernel.
#include "micro.cuh"

// label: SYNC001
// also: DEADLOCK
// run: 1 64
MICRO named_barrier_of_too_many(int *out, int *in, int n) {
    out[threadIdx.x] = in[threadIdx.x];
    named_sync(1, 96); // <- here
}

// label: SYNC001
// also: DEADLOCK
// run: 1 64
MICRO two_barriers_crosswise(int *out, int *in, int n) {
    out[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 32)
        named_sync(1, 64); // <- here
    else
        named_sync(2, 64); // <- here
}

// label: clean
// run: 1 64
MICRO two_barriers_in_turn(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    named_sync(1, 64);
    int other = s[threadIdx.x ^ 32];
    named_sync(2, 64);
    s[threadIdx.x] = other;
    out[threadIdx.x] = s[threadIdx.x];
}

// The barrier of the PTX ISA has a number, not a place: two warps may wait at
// two places for the same one.
// label: clean
// run: 1 64
MICRO one_barrier_two_places(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 32)
        named_sync(1, 64);
    else
        named_sync(1, 64);
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// label: SYNC002
// also: SYNC001 DEADLOCK
// run: 1 32
MICRO barrier_in_half_a_warp(int *out, int *in, int n) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = in[threadIdx.x];
        __syncthreads(); // <- here
    }
    out[32 + threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[64 + threadIdx.x] = in[threadIdx.x];
}

// label: clean
// run: 1 32
MICRO barrier_behind_the_branch(int *out, int *in, int n) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[32 + threadIdx.x] = in[threadIdx.x];
}

// label: SYNC002
// also: SYNC001 DEADLOCK
// run: 1 64
MICRO barrier_in_a_data_branch(int *out, int *in, int n) {
    if (in[threadIdx.x] % 2) {
        out[threadIdx.x] = 1;
        __syncthreads(); // <- here
        out[threadIdx.x] = 3;
    }
    __syncthreads();
    out[64 + threadIdx.x] = 4;
}

// Lanes of one warp go round the loop a different number of times.
// label: SYNC002
// also: SYNC001 DEADLOCK
// run: 1 64
MICRO barrier_in_an_uneven_loop(int *out, int *in, int n) {
    for (int i = 0; i < in[threadIdx.x] % 4; i++) {
        out[threadIdx.x] = i;
        __syncthreads(); // <- here
    }
    __syncthreads();
    out[64 + threadIdx.x] = in[threadIdx.x];
}

// label: clean
// run: 1 64
MICRO barrier_in_an_even_loop(int *out, int *in, int n) {
    for (int i = 0; i < in[4]; i++) {
        out[threadIdx.x] = i;
        __syncthreads();
    }
    out[64 + threadIdx.x] = in[threadIdx.x];
}

// One warp leaves early; those that have exited hold no barrier up.
// label: clean
// run: 1 64
MICRO barrier_after_a_warp_left(int *out, int *in, int n) {
    if (threadIdx.x >= 32)
        return;
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[32 + threadIdx.x] = in[threadIdx.x];
}

// Lanes leave in the middle of a warp: the others are all that is left of it.
// label: clean
// run: 1 64
MICRO barrier_after_lanes_left(int *out, int *in, int n) {
    if (threadIdx.x >= 40)
        return;
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[64 + threadIdx.x] = in[threadIdx.x];
}

// ---- the warp -------------------------------------------------------------------

// The mask names lanes that wait elsewhere.
// label: SYNC004
// also: SYNC001 SYNC002 DEADLOCK
// run: 1 32
MICRO syncwarp_of_absent_lanes(int *out, int *in, int n) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = in[threadIdx.x];
        __syncwarp(0xffffffff); // <- here
        out[threadIdx.x] = 1;
    } else
        named_sync(1, 32); // <- here
}

// label: clean
// run: 1 32
MICRO syncwarp_of_present_lanes(int *out, int *in, int n) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = in[threadIdx.x];
        __syncwarp(0x0000ffff);
        out[threadIdx.x] = 1;
    }
}

// label: SYNC004
// also: SYNC001 SYNC002 DEADLOCK
// run: 1 32
MICRO shuffle_of_absent_lanes(int *out, int *in, int n) {
    int mine = in[threadIdx.x];
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_xor_sync(0xffffffff, mine, 1); // <- here
    else
        named_sync(1, 32); // <- here
}

// The caller is not in its own mask.
// label: SYNC004
// run: 1 32
MICRO shuffle_not_in_its_mask(int *out, int *in, int n) {
    int mine = in[threadIdx.x];
    out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, mine, 1); // <- here
}

// label: clean
// run: 1 32
MICRO shuffle_in_its_mask(int *out, int *in, int n) {
    int mine = in[threadIdx.x];
    unsigned half = threadIdx.x < 16 ? 0x0000ffff : 0xffff0000;
    out[threadIdx.x] = __shfl_xor_sync(half, mine, 1);
}
