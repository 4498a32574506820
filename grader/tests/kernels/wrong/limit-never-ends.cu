// SPDX-License-Identifier: Apache-2.0
// Kernels that run for ever, or use more than there is.
#include "short.h"

// Spins on a flag that the block which would set it, not yet started, waits
// for a place to set.
// expect: LIMIT
// run: --kernel waits_for_the_last --grid 20 --block 32 --arg buf:4
// run: --max-steps 1000000
extern "C" __global__ void waits_for_the_last(unsigned *flag) {
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        atomicExch(flag, 1);
    while (atomicAdd(flag, 0) == 0) { // <- here
    }
}

// A barrier of the whole grid by hand: more blocks than fit at once.
// expect: LIMIT
// run: --kernel grid_barrier --grid 20 --block 32 --arg buf:4
// run: --max-steps 1000000
extern "C" __global__ void grid_barrier(unsigned *arrived) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) { // <- here
        }
    }
    __syncthreads();
}

// The stride is zero where the grid is the data's size.
// expect: LIMIT
// run: --kernel stride_of_zero --grid 4 --block 32 --arg buf:512 --arg i32:128
// run: --max-steps 1000000
extern "C" __global__ void stride_of_zero(float *data, int n) {
    int stride = n - gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        data[i] += 1; // <- here
}

static __device__ __noinline__ unsigned depth(unsigned n);

// A recursion without an end.
// expect: LIMIT
// run: --kernel recursion --grid 1 --block 32 --arg buf:128
extern "C" __global__ void recursion(unsigned *out) {
    out[threadIdx.x] = depth(threadIdx.x + 1);
}

static __device__ unsigned depth(unsigned n) {
    volatile unsigned saved[4] = {n};
    return n == 0 ? 0 : depth(n * 2 + 1) + saved[n % 4]; // <- here
}
