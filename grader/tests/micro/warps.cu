// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp: what they write for each other needs __syncwarp, and
// exchanging registers (shfl, vote) orders no memory. README.md explains the
// lines above each kernel.
#include "micro.cuh"

// label: RACE001
// also: MEM003
// run: 1 32
MICRO lanes_no_syncwarp(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];       // <- here
    out[threadIdx.x] = s[31 - threadIdx.x]; // <- here
}

// label: clean
// run: 1 32
MICRO lanes_syncwarp(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

// The end of a reduction as it was written before Volta.
// label: RACE001
// also: OUTPUT
// run: 1 32
MICRO warp_reduction_no_syncwarp(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2)
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // <- here
    if (threadIdx.x == 0)
        out[0] = s[0];
}

// label: clean
// run: 1 32
MICRO warp_reduction_syncwarp(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (int half = 16; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncwarp();
    }
    if (threadIdx.x == 0)
        out[0] = s[0];
}

// A barrier between the read and the write of a round is missing.
// label: RACE001
// also: OUTPUT
// run: 1 32
MICRO warp_scan_one_syncwarp(int *out, int *in, int n) {
    __shared__ int s[32];
    int lane = threadIdx.x;
    s[lane] = in[lane];
    __syncwarp();
    for (int step = 1; step < 32; step *= 2) {
        int left = lane >= step ? s[lane - step] : 0; // <- here
        s[lane] += left;                              // <- here
        __syncwarp();
    }
    out[lane] = s[lane];
}

// label: clean
// run: 1 32
MICRO warp_scan_two_syncwarps(int *out, int *in, int n) {
    __shared__ int s[32];
    int lane = threadIdx.x;
    s[lane] = in[lane];
    __syncwarp();
    for (int step = 1; step < 32; step *= 2) {
        int left = lane >= step ? s[lane - step] : 0;
        __syncwarp();
        s[lane] += left;
        __syncwarp();
    }
    out[lane] = s[lane];
}

// label: RACE001
// also: MEM003
// run: 1 32
MICRO shuffle_as_a_barrier(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    int first = __shfl_sync(0xffffffff, in[threadIdx.x], 0);
    out[threadIdx.x] = first + s[31 - threadIdx.x]; // <- here
}

// label: clean
// run: 1 32
MICRO shuffle_alone(int *out, int *in, int n) {
    int mine = in[threadIdx.x];
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, mine, 31);
}

// label: RACE001
// also: MEM003
// run: 1 32
MICRO ballot_as_a_barrier(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    unsigned odd = __ballot_sync(0xffffffff, in[threadIdx.x] & 1);
    out[threadIdx.x] = (int)odd + s[31 - threadIdx.x]; // <- here
}

// Each half of the warp waits for itself and reads from the other.
// label: RACE001
// also: MEM003
// run: 1 32
MICRO syncwarp_of_half(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    if (threadIdx.x < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    out[threadIdx.x] = s[31 - threadIdx.x]; // <- here
}

// label: clean
// run: 1 32
MICRO syncwarp_within_half(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    out[threadIdx.x] = s[threadIdx.x ^ 15];
}

// label: RACE001
// also: MEM003 OUTPUT
// run: 1 32
MICRO leader_writes_no_syncwarp(int *out, int *in, int n) {
    __shared__ int chosen;
    if (threadIdx.x == 0)
        chosen = in[5];        // <- here
    out[threadIdx.x] = chosen; // <- here
}

// label: clean
// run: 1 32
MICRO leader_writes_syncwarp(int *out, int *in, int n) {
    __shared__ int chosen;
    if (threadIdx.x == 0)
        chosen = in[5];
    __syncwarp();
    out[threadIdx.x] = chosen;
}

// label: RACE001
// also: MEM003 OUTPUT
// run: 1 64
MICRO syncwarp_across_warps(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    __syncwarp();
    out[threadIdx.x] = s[63 - threadIdx.x]; // <- here
}

// label: RACE001
// also: OUTPUT
// run: 1 32
MICRO lanes_through_global(int *out, int *in, int n) {
    out[threadIdx.x] = in[threadIdx.x] + 1;       // <- here
    out[threadIdx.x + 32] = out[31 - threadIdx.x]; // <- here
}

// label: clean
// run: 1 32
MICRO lanes_through_global_syncwarp(int *out, int *in, int n) {
    out[threadIdx.x] = in[threadIdx.x] + 1;
    __syncwarp();
    out[threadIdx.x + 32] = out[31 - threadIdx.x];
}
