// SPDX-License-Identifier: Apache-2.0
// Writes to memory that a kernel can only read.
#include "short.h"

__constant__ float table[32] = {1, 2, 3};

// Coefficients are computed into the memory of the built-in ones by default.
// expect: MEM005
// run: --kernel default_place --grid 1 --block 32 --arg u64:0
extern "C" __global__ void default_place(float *place) {
    float *to = place ? place : table;
    to[threadIdx.x] = 1; // <- here
}

static __device__ __noinline__ void add(float *to, float value);

// A generic address of constant memory, given to a function of one's own.
// expect: MEM005
// run: --kernel sums_into_a_table --grid 2 --block 32
extern "C" __global__ void sums_into_a_table() {
    float *to = table;
    asm volatile("" : "+l"(to)); // the compiler loses track of it, as often
    add(to, 1);
}

static __device__ void add(float *to, float value) {
    atomicAdd(to + threadIdx.x, value); // <- here
}

struct Plan {
    int tiles, done[3];
};

// A kernel's parameter, changed in place through its address.
// expect: MEM005
// run: --kernel parameter_in_place --grid 1 --block 32
// run: --arg bytes:01000000020000000300000004000000
extern "C" __global__ void
parameter_in_place(const __grid_constant__ Plan plan) {
    volatile int *done = const_cast<int *>(plan.done);
    done[threadIdx.x % 3] = 1; // <- here
}
