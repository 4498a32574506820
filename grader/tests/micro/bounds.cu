// SPDX-License-Identifier: Apache-2.0
// Accesses that miss their memory in place or in time, and misaligned ones:
// global, shared, local memory and the heap. README.md explains the lines
// above each kernel.
#include "micro.cuh"

// label: clean
// run: 8 128
MICRO guarded(int *out, int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// label: MEM001
// run: 8 128
MICRO guard_off_by_one(int *out, int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = i; // <- here
}

// label: MEM001
// run: 8 128
MICRO no_guard_read(int *out, int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = ((volatile int *)in)[i]; // <- here
    if (i < n)
        out[i] = value;
}

// label: MEM001
// run: 1 32
MICRO global_negative(int *out, int *in, int n) {
    out[(int)threadIdx.x - 1] = 5; // <- here
}

// label: MEM001
// run: 1 32
MICRO global_far(int *out, int *in, int n) {
    out[threadIdx.x * 100000000ll] = 5; // <- here
}

// label: MEM001
// run: 1 32
MICRO null_pointer(int *out, int *in, int n) {
    int *none = (int *)(long long)in[0];
    none[threadIdx.x] = 5; // <- here
}

// The last vector reaches over the end.
// label: MEM001
// run: 1 256
MICRO vector_over_the_end(int *out, int *in, int n) {
    int i = 8 * threadIdx.x;
    if (i < n + 1)
        *(int4 *)&out[i] = make_int4(i, i, i, i); // <- here
}

// label: clean
// run: 1 256
MICRO vector_to_the_end(int *out, int *in, int n) {
    int i = 4 * threadIdx.x;
    if (i + 3 < n)
        *(int4 *)&out[i] = *(int4 *)&in[i];
}

// An address behind the end is formed, never used.
// label: clean
// run: 1 32
MICRO end_pointer(int *out, int *in, int n) {
    int *end = in + n, sum = 0;
    for (int *at = in + 32 * threadIdx.x; at < end && sum < 1000; at++)
        sum += *at;
    out[threadIdx.x] = sum;
}

// label: MEM001
// run: 1 65
MICRO shared_by_one(int *out, int *in, int n) {
    __shared__ int s[64];
    ((volatile int *)s)[threadIdx.x] = in[threadIdx.x]; // <- here
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x % 64];
}

// label: MEM001
// run: 1 64
MICRO shared_negative(int *out, int *in, int n) {
    __shared__ int s[64];
    volatile int *v = s;
    v[(int)threadIdx.x - in[1]] = in[threadIdx.x]; // <- here
}

// label: MEM001
// run: 1 64 128
MICRO dynamic_shared_too_small(int *out, int *in, int n) {
    extern __shared__ int memory[];
    ((volatile int *)memory)[threadIdx.x] = in[threadIdx.x]; // <- here
    __syncthreads();
    out[threadIdx.x] = memory[63 - threadIdx.x];
}

// label: clean
// run: 1 64 256
MICRO dynamic_shared_enough(int *out, int *in, int n) {
    extern __shared__ int memory[];
    ((volatile int *)memory)[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = memory[63 - threadIdx.x];
}

// label: MEM001
// run: 1 32
MICRO local_by_much(int *out, int *in, int n) {
    volatile int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = in[i];
    out[threadIdx.x] = own[in[threadIdx.x] * 10000]; // <- here
}

// label: MEM001
// run: 1 32
MICRO local_by_one(int *out, int *in, int n) {
    volatile int own[8];
    for (int i = 0; i < in[9]; i++)
        own[i] = in[i]; // <- here
    out[threadIdx.x] = own[in[3]];
}

// label: clean
// run: 1 32
MICRO local_within(int *out, int *in, int n) {
    volatile int own[8];
    for (int i = 0; i < in[8]; i++)
        own[i] = in[i];
    out[threadIdx.x] = own[in[threadIdx.x] % 8];
}

// ---- the heap -------------------------------------------------------------------

// label: MEM001
// run: 1 32
MICRO heap_by_one(int *out, int *in, int n) {
    int count = in[4];
    volatile int *own = (int *)malloc(count * sizeof(int));
    for (int i = 0; i <= count; i++)
        own[i] = in[i]; // <- here
    out[threadIdx.x] = own[1];
    free((void *)own);
}

// label: clean
// run: 1 32
MICRO heap_within(int *out, int *in, int n) {
    int count = in[4];
    volatile int *own = (int *)malloc(count * sizeof(int));
    for (int i = 0; i < count; i++)
        own[i] = in[i];
    out[threadIdx.x] = own[1];
    free((void *)own);
}

// label: MEM001
// run: 1 32
MICRO heap_after_free(int *out, int *in, int n) {
    volatile int *own = (int *)malloc(16);
    own[0] = in[threadIdx.x];
    free((void *)own);
    out[threadIdx.x] = own[0]; // <- here
}

// Another thread frees what is still in use.
// label: MEM001
// also: RACE001
// run: 1 64
MICRO heap_freed_by_another(int *out, int *in, int n) {
    __shared__ int *shared;
    if (threadIdx.x == 0) {
        shared = (int *)malloc(64 * sizeof(int));
        for (int i = 0; i < 64; i++)
            shared[i] = in[i];
    }
    __syncthreads();
    volatile int *ours = shared;
    if (threadIdx.x == 0)
        free(shared);
    __syncthreads();
    out[threadIdx.x] = ours[threadIdx.x]; // <- here
}

// label: clean
// run: 1 64
MICRO heap_freed_after_barrier(int *out, int *in, int n) {
    __shared__ int *shared;
    if (threadIdx.x == 0) {
        shared = (int *)malloc(64 * sizeof(int));
        for (int i = 0; i < 64; i++)
            shared[i] = in[i];
    }
    __syncthreads();
    volatile int *ours = shared;
    out[threadIdx.x] = ours[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free((void *)ours);
}

// label: MEM001
// run: 1 32
MICRO heap_freed_twice(int *out, int *in, int n) {
    int *own = (int *)malloc(16);
    ((volatile int *)own)[0] = in[threadIdx.x];
    out[threadIdx.x] = own[0];
    free(own);
    if (threadIdx.x == 3)
        free(own); // <- here
}

// ---- alignment ------------------------------------------------------------------

// label: MEM002
// run: 1 32
MICRO misaligned_word(int *out, int *in, int n) {
    char *bytes = (char *)out;
    *(volatile int *)(bytes + 4 * threadIdx.x + 1) = 5; // <- here
}

// label: MEM002
// run: 1 32
MICRO misaligned_pair(int *out, int *in, int n) {
    int2 both = *(int2 *)&in[threadIdx.x]; // <- here
    out[threadIdx.x] = both.x + both.y;
}

// label: clean
// run: 1 32
MICRO aligned_pair(int *out, int *in, int n) {
    int2 both = *(int2 *)&in[2 * threadIdx.x];
    out[threadIdx.x] = both.x + both.y;
}

// label: MEM002
// run: 1 32
MICRO misaligned_in_shared(int *out, int *in, int n) {
    __shared__ alignas(16) int s[128];
    for (int i = threadIdx.x; i < 128; i += 32)
        s[i] = in[i];
    __syncthreads();
    int4 all = *(int4 *)&s[threadIdx.x]; // <- here
    out[threadIdx.x] = all.x + all.y + all.z + all.w;
}

// label: MEM002
// run: 1 32
MICRO misaligned_atomic(int *out, int *in, int n) {
    atomicAdd((int *)((char *)out + 2 * threadIdx.x), 1); // <- here
}
