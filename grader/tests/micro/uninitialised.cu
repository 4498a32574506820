// SPDX-License-Identifier: Apache-2.0
// Memory that is read before anybody has written it: shared memory, the heap,
// local arrays. README.md explains the lines above each kernel.
#include "micro.cuh"

__device__ int zeroed_by_the_language[64];

// label: MEM003
// also: OUTPUT
// run: 1 64
MICRO shared_never_written(int *out, int *in, int n) {
    __shared__ int s[64];
    volatile int *v = s;
    out[threadIdx.x] = v[threadIdx.x]; // <- here
}

// label: MEM003
// run: 1 64
MICRO shared_half_written(int *out, int *in, int n) {
    __shared__ int s[64];
    if (threadIdx.x < 32)
        s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x]; // <- here
}

// label: clean
// run: 1 64
MICRO shared_all_written(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x < 32 ? in[threadIdx.x] : 0;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

// A sum of 64 by a block of 48 threads.
// label: MEM003
// run: 1 48
MICRO shared_tail_not_zeroed(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 32]; // <- here
}

// label: clean
// run: 1 48
MICRO shared_tail_zeroed(int *out, int *in, int n) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 16)
        s[48 + threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 32];
}

// label: MEM003
// also: OUTPUT
// run: 1 64
MICRO shared_counter_not_zeroed(int *out, int *in, int n) {
    __shared__ int count;
    atomicAdd(&count, in[threadIdx.x]); // <- here
    __syncthreads();
    if (threadIdx.x == 0)
        out[0] = count; // <- here
}

// Three of the four words of a vector.
// label: MEM003
// run: 1 32
MICRO shared_vector_partly_written(int *out, int *in, int n) {
    __shared__ alignas(16) int s[128];
    int *mine = &s[4 * threadIdx.x];
    mine[0] = mine[1] = mine[2] = in[threadIdx.x];
    __syncthreads();
    int4 all = *(int4 *)&s[4 * (31 - threadIdx.x)]; // <- here
    out[threadIdx.x] = all.x + all.y + all.z + all.w;
}

// One byte of a word.
// label: MEM003
// run: 1 32
MICRO shared_byte_of_a_word(int *out, int *in, int n) {
    __shared__ alignas(4) unsigned char s[128];
    s[4 * threadIdx.x] = (unsigned char)in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = ((int *)s)[31 - threadIdx.x]; // <- here
}

// label: MEM003
// run: 1 64 512
MICRO dynamic_shared_half_written(int *out, int *in, int n) {
    extern __shared__ int memory[];
    memory[2 * threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = memory[127 - 2 * threadIdx.x]; // <- here
}

// label: clean
// run: 1 64 512
MICRO dynamic_shared_all_written(int *out, int *in, int n) {
    extern __shared__ int memory[];
    memory[2 * threadIdx.x] = in[threadIdx.x];
    memory[2 * threadIdx.x + 1] = 0;
    __syncthreads();
    out[threadIdx.x] = memory[127 - 2 * threadIdx.x];
}

// Each block has shared memory of its own: the first block's values are not
// the second's.
// label: MEM003
// also: OUTPUT
// run: 2 32
MICRO shared_of_the_block_before(int *out, int *in, int n) {
    __shared__ int s[32];
    volatile int *v = s;
    if (blockIdx.x == 0)
        v[threadIdx.x] = in[threadIdx.x];
    else
        out[threadIdx.x] = v[threadIdx.x]; // <- here
}

// label: MEM003
// also: OUTPUT
// run: 1 32
MICRO heap_not_written(int *out, int *in, int n) {
    volatile int *own = (int *)malloc(64);
    own[in[1]] = in[threadIdx.x];
    out[threadIdx.x] = own[in[2]]; // <- here
    free((void *)own);
}

// label: clean
// run: 1 32
MICRO heap_written(int *out, int *in, int n) {
    volatile int *own = (int *)malloc(64);
    own[in[1]] = in[threadIdx.x];
    out[threadIdx.x] = own[in[1]];
    free((void *)own);
}

// What was freed and given out again is new memory.
// label: MEM003
// also: OUTPUT
// run: 1 1
MICRO heap_given_out_again(int *out, int *in, int n) {
    volatile int *first = (int *)malloc(64);
    first[2] = in[7];
    out[0] = first[2];
    free((void *)first);
    volatile int *second = (int *)malloc(64);
    out[1] = second[2]; // <- here
    free((void *)second);
}

// label: MEM003
// also: OUTPUT
// run: 1 32
MICRO local_element_not_written(int *out, int *in, int n) {
    volatile int own[8];
    for (int i = 0; i < 7; i++)
        own[i] = in[i];
    out[threadIdx.x] = own[in[7]]; // <- here
}

// label: clean
// run: 1 32
MICRO local_element_written(int *out, int *in, int n) {
    volatile int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = in[i];
    out[threadIdx.x] = own[in[7]];
}

// label: clean
// run: 1 64
MICRO global_variable(int *out, int *in, int n) {
    out[threadIdx.x] = zeroed_by_the_language[in[threadIdx.x] % 64];
}

// label: clean
// run: 1 64
MICRO global_written_by_the_host(int *out, int *in, int n) {
    out[threadIdx.x] += in[threadIdx.x];
}
