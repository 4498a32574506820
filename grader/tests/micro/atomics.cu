// SPDX-License-Identifier: Apache-2.0
// Atomics against plain accesses, atomics of too narrow a scope, of different
// sizes. README.md explains the lines above each kernel.
#include "micro.cuh"

// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO atomic_and_plain_store(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        atomicAdd(&out[threadIdx.x], in[threadIdx.x]); // <- here
    else
        out[threadIdx.x] = 5; // <- here
}

// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO atomic_and_plain_load(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        atomicAdd(&out[0], in[threadIdx.x]); // <- here
    else
        out[1 + threadIdx.x] = out[0] >= 0; // <- here
}

// label: clean
// run: 2 32
MICRO atomic_and_atomic_load(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        atomicAdd(&out[0], in[threadIdx.x]);
    else
        out[1 + threadIdx.x] = load_relaxed(&out[0]) >= 0;
}

// A volatile access is a strong one of the widest scope.
// label: clean
// run: 2 32
MICRO atomic_and_volatile_load(int *out, int *in, int n) {
    volatile int *sum = &out[0];
    if (blockIdx.x == 0)
        atomicAdd(&out[0], in[threadIdx.x]);
    else
        out[1 + threadIdx.x] = *sum >= 0;
}

// label: clean
// run: 2 32
MICRO atomic_and_exchange(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        atomicMax(&out[0], in[threadIdx.x]);
    else if (threadIdx.x == 0)
        out[1] = atomicExch(&out[2], 5);
    else
        atomicMax(&out[0], 100 + in[threadIdx.x]);
}

// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO atomics_of_a_block_across_blocks(int *out, int *in, int n) {
    atomicAdd_block(&out[0], in[threadIdx.x]); // <- here
}

// label: clean
// run: 2 64
MICRO atomics_of_a_block_within_blocks(int *out, int *in, int n) {
    atomicAdd_block(&out[blockIdx.x], in[threadIdx.x]);
}

// One side has the scope of the device, the other that of its block.
// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO atomics_of_two_scopes(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        atomicAdd(&out[0], in[threadIdx.x]); // <- here
    else
        atomicAdd_block(&out[0], in[threadIdx.x]); // <- here
}

// label: clean
// run: 2 32
MICRO atomics_of_device_and_system(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        atomicAdd(&out[0], in[threadIdx.x]);
    else
        atomicAdd_system(&out[0], in[threadIdx.x]);
}

// A counter in shared memory, read while others still add.
// label: RACE001
// also: OUTPUT
// run: 1 64
MICRO shared_atomic_read_early(int *out, int *in, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]); // <- here
    if (threadIdx.x == 63)
        out[0] = sum; // <- here
}

// label: clean
// run: 1 64
MICRO shared_atomic_read_after_barrier(int *out, int *in, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 63)
        out[0] = sum;
}

// An atomic orders nothing but itself: the list entry is read too early.
// label: RACE001
// also: OUTPUT MEM003
// run: 1 64
MICRO shared_append_read_early(int *out, int *in, int n) {
    __shared__ int list[64], count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    int mine = atomicAdd(&count, 1);
    list[mine] = in[threadIdx.x];       // <- here
    out[threadIdx.x] = list[mine ^ 32]; // <- here
}

// Atomics by compare and swap: a maximum of floats.
// label: clean
// run: 2 32
MICRO maximum_by_cas(int *out, int *in, int n) {
    float mine = (float)in[threadIdx.x];
    int seen = load_relaxed(&out[0]);
    while (__int_as_float(seen) < mine) {
        int found = atomicCAS(&out[0], seen, __float_as_int(mine));
        if (found == seen)
            break;
        seen = found;
    }
}

// A word and the pair of words that it lies in: not the same memory, so the
// one is not atomic towards the other.
// label: RACE001
// also: OUTPUT
// run: 2 32
MICRO atomics_of_two_sizes(int *out, int *in, int n) {
    if (blockIdx.x == 0)
        atomicAdd((unsigned long long *)out, 1ull << 32); // <- here
    else
        atomicAdd(&out[1], in[threadIdx.x]); // <- here
}

// Two halves of a word, written by two blocks.
// label: clean
// run: 2 32
MICRO halves_side_by_side(int *out, int *in, int n) {
    ((short *)out)[2 * threadIdx.x + blockIdx.x] = (short)in[threadIdx.x];
}

// Data are handed over by an atomic, without a fence.
// label: RACE001
// also: OUTPUT
// run: 2 1
MICRO exchange_as_a_flag_no_fence(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7]; // <- here
        atomicExch(&out[1], 1);
    } else {
        while (atomicAdd(&out[1], 0) == 0)
            ;
        out[2] = out[0]; // <- here
    }
}

// label: clean
// run: 2 1
MICRO exchange_as_a_flag_fences(int *out, int *in, int n) {
    if (blockIdx.x == 0) {
        out[0] = in[7];
        __threadfence();
        atomicExch(&out[1], 1);
    } else {
        while (atomicAdd(&out[1], 0) == 0)
            ;
        __threadfence();
        out[2] = out[0];
    }
}
