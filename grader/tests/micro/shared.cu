// SPDX-License-Identifier: Apache-2.0
// Races in the shared memory of a block, between warps. README.md explains the
// lines above each kernel.
#include "micro.cuh"

// label: RACE001
// also: MEM003 OUTPUT
// run: 1 64
MICRO neighbour_no_barrier(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];       // <- here
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
}

// label: clean
// run: 1 64
MICRO neighbour_barrier(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// A fence orders the writer's accesses; it waits for nobody.
// label: RACE001
// also: MEM003 OUTPUT
// run: 1 64
MICRO neighbour_fence_only(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    __threadfence_block();
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
}

// label: RACE001
// also: OUTPUT
// run: 1 64
MICRO rotate_in_place_no_barrier(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int other = s[threadIdx.x ^ 32]; // <- here
    s[threadIdx.x] = other + 1;      // <- here
    out[threadIdx.x] = s[threadIdx.x];
}

// label: clean
// run: 1 64
MICRO rotate_in_place_barrier(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int other = s[threadIdx.x ^ 32];
    __syncthreads();
    s[threadIdx.x] = other + 1;
    out[threadIdx.x] = s[threadIdx.x];
}

// label: RACE001
// also: OUTPUT
// run: 1 64
MICRO two_writers(int *out, int *in, int n) {
    __shared__ int s[32];
    s[threadIdx.x % 32] = in[threadIdx.x]; // <- here
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % 32];
}

// label: RACE001
// also: OUTPUT
// run: 1 32
MICRO two_writers_in_a_warp(int *out, int *in, int n) {
    __shared__ int s[16];
    s[threadIdx.x / 2] = in[threadIdx.x]; // <- here
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 2];
}

// label: clean
// run: 1 64
MICRO one_writer_each(int *out, int *in, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32)
        s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % 32];
}

// All write the same: unordered all the same, but the outcome is one.
// label: advisory RACE001
// run: 1 64
MICRO all_write_the_same(int *out, int *in, int n) {
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (in[threadIdx.x] >= 0)
        found = 1; // <- here
    __syncthreads();
    out[threadIdx.x] = found;
}

// label: RACE001
// also: OUTPUT MEM003
// run: 1 64
MICRO broadcast_no_barrier(int *out, int *in, int n) {
    __shared__ int chosen;
    if (threadIdx.x == 63)
        chosen = in[7];         // <- here
    out[threadIdx.x] = chosen;  // <- here
}

// label: clean
// run: 1 64
MICRO broadcast_barrier(int *out, int *in, int n) {
    __shared__ int chosen;
    if (threadIdx.x == 63)
        chosen = in[7];
    __syncthreads();
    out[threadIdx.x] = chosen;
}

// label: RACE001
// also: OUTPUT
// run: 1 128
MICRO reduction_no_barrier_in_loop(int *out, int *in, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2)
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // <- here
    if (threadIdx.x == 0)
        out[0] = s[0];
}

// The barrier stands after the loop instead of in it.
// label: RACE001
// also: OUTPUT
// run: 1 128
MICRO reduction_barrier_too_late(int *out, int *in, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2)
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half]; // <- here
    __syncthreads();
    if (threadIdx.x == 1)
        out[0] = s[0];
}

// label: clean
// run: 1 128
MICRO reduction_barrier(int *out, int *in, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 1)
        out[0] = s[0];
}

// The next tile is written while others still read the last one.
// label: RACE001
// also: OUTPUT
// run: 1 64
MICRO tile_reused_too_early(int *out, int *in, int n) {
    __shared__ int tile[64];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[threadIdx.x] = in[64 * k + threadIdx.x]; // <- here
        __syncthreads();
        sum += tile[63 - threadIdx.x]; // <- here
    }
    out[threadIdx.x] = sum;
}

// label: clean
// run: 1 64
MICRO tile_reused_after_barrier(int *out, int *in, int n) {
    __shared__ int tile[64];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[threadIdx.x] = in[64 * k + threadIdx.x];
        __syncthreads();
        sum += tile[63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// Two tiles in turn need one barrier a round.
// label: clean
// run: 1 64
MICRO two_tiles_in_turn(int *out, int *in, int n) {
    __shared__ int tile[2][64];
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[k % 2][threadIdx.x] = in[64 * k + threadIdx.x];
        __syncthreads();
        sum += tile[k % 2][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// Each thread writes a byte and reads the word that it lies in.
// label: RACE001
// also: OUTPUT
// run: 1 128
MICRO bytes_under_a_word(int *out, int *in, int n) {
    __shared__ alignas(4) unsigned char s[128];
    ((volatile unsigned char *)s)[threadIdx.x] = 0;
    __syncthreads();
    s[127 - threadIdx.x] = (unsigned char)in[threadIdx.x];    // <- here
    out[threadIdx.x] = ((volatile int *)s)[threadIdx.x / 4];  // <- here
}

// Neighbours write the bytes of one word: no two of them the same byte.
// label: clean
// run: 1 128
MICRO bytes_side_by_side(int *out, int *in, int n) {
    __shared__ alignas(4) unsigned char s[128];
    s[threadIdx.x] = (unsigned char)in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = ((int *)s)[threadIdx.x / 4];
}

// A vector of four words over two that another warp writes.
// label: RACE001
// also: OUTPUT
// run: 1 64
MICRO vector_overlap(int *out, int *in, int n) {
    __shared__ alignas(16) int s[132];
    int t = threadIdx.x;
    *(int2 *)&s[2 * t] = make_int2(in[t], in[t]);
    __syncthreads();
    if (t < 32)
        *(int2 *)&s[2 * t] = make_int2(t, t); // <- here
    else if (t < 48) {
        int4 all = *(int4 *)&s[4 * (t - 32)]; // <- here
        out[t] = all.x + all.y + all.z + all.w;
    }
}

// label: clean
// run: 1 64
MICRO vector_side_by_side(int *out, int *in, int n) {
    __shared__ alignas(16) int s[128];
    int t = threadIdx.x;
    *(int2 *)&s[2 * t] = make_int2(in[t], in[t]);
    __syncthreads();
    if (t < 32)
        *(int2 *)&s[2 * t] = make_int2(t, t);
    else if (t < 48) {
        int4 all = *(int4 *)&s[4 * (t - 32) + 64];
        out[t] = all.x + all.y + all.z + all.w;
    }
}

// Two arrays are cut from one block of memory, and overlap by one element.
// label: RACE001
// also: OUTPUT
// run: 1 64 1024
MICRO carved_arrays_overlap(int *out, int *in, int n) {
    extern __shared__ int memory[];
    int *a = memory, *b = memory + 63;
    a[threadIdx.x] = in[threadIdx.x];      // <- here
    b[threadIdx.x] = in[threadIdx.x] + 64; // <- here
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[63 - threadIdx.x];
}

// label: clean
// run: 1 64 1024
MICRO carved_arrays_apart(int *out, int *in, int n) {
    extern __shared__ int memory[];
    int *a = memory, *b = memory + 64;
    a[threadIdx.x] = in[threadIdx.x];
    b[threadIdx.x] = in[threadIdx.x] + 64;
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[63 - threadIdx.x];
}

// label: RACE001
// also: OUTPUT
// run: 1 64
MICRO histogram_plain(int *out, int *in, int n) {
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] % 16]++; // <- here
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bins[threadIdx.x];
}

// label: clean
// run: 1 64
MICRO histogram_atomic(int *out, int *in, int n) {
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bins[threadIdx.x];
}

// The bins are set to zero and used in one breath.
// label: RACE001
// also: OUTPUT MEM003
// run: 1 64
MICRO histogram_zeroed_late(int *out, int *in, int n) {
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;                 // <- here
    atomicAdd(&bins[in[threadIdx.x] % 16], 1); // <- here
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bins[threadIdx.x];
}

// Threads without work leave before the barrier: it does not wait for them.
// label: clean
// run: 1 64
MICRO idle_threads_leave(int *out, int *in, int n) {
    __shared__ int s[32];
    if (threadIdx.x >= 32)
        return;
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

// Each warp waits for itself alone.
// label: RACE001
// also: MEM003 OUTPUT
// run: 1 64
MICRO named_barrier_of_one_warp(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x]; // <- here
    named_sync(1 + threadIdx.x / 32, 32);
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // <- here
}

// label: clean
// run: 1 64
MICRO named_barrier_of_both_warps(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    named_sync(1, 64);
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}

// The producer arrives and goes on, the consumer waits.
// label: clean
// run: 1 64
MICRO producer_arrives(int *out, int *in, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = in[threadIdx.x];
        named_arrive(1, 64);
    } else {
        named_sync(1, 64);
        out[threadIdx.x] = s[63 - threadIdx.x];
    }
}

// The other way round, the consumer does not wait.
// label: RACE001
// also: MEM003 OUTPUT
// run: 1 64
MICRO consumer_arrives(int *out, int *in, int n) {
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = in[threadIdx.x]; // <- here
        named_sync(1, 64);
    } else {
        named_arrive(1, 64);
        out[threadIdx.x] = s[63 - threadIdx.x]; // <- here
    }
}
