// SPDX-License-Identifier: Apache-2.0
// Kernels that run for ever, or use more than there is.
#include "short.h"

// The stride is zero where the grid is the data's size.
// expect: LIMIT
// run: --kernel stride_of_zero --grid 4 --block 32 --arg buf:512 --arg i32:128
// run: --max-steps 1000000
extern "C" __global__ void stride_of_zero(float *data, int n) {
    int stride = n - gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        data[i] += 1; // <- here
}

// A loop that computes between its polls, for a flag that is set behind a
// barrier.
// expect: LIMIT
// says: Its loop polls memory that does not change
// run: --kernel computes_between_polls --grid 1 --block 64 --arg buf:256
// run: --max-steps 1000000
extern "C" __global__ void computes_between_polls(unsigned *out) {
    __shared__ volatile unsigned flag;
    unsigned polls = 0;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        while (flag == 0) // <- here
            polls = polls * 3 + 1;
    __syncthreads();
    if (threadIdx.x == 0)
        flag = 1;
    out[threadIdx.x] = polls;
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

// A loop whose condition nothing can change.
// expect: LIMIT
// run: --kernel nothing_changes --grid 2 --block 32 --arg buf:256
extern "C" __global__ void nothing_changes(unsigned *out) {
    unsigned is_set = out[threadIdx.x];
    asm volatile("{ .reg .pred p;\n\t"
                 "again: setp.ne.u32 p, %0, 0;\n\t"
                 "@!p bra again; }" ::"r"(is_set)); // <- here
}
