// SPDX-License-Identifier: Apache-2.0
// Assertions that do not hold.
#include "short.h"
#include <assert.h>

// Grants come in order, one believes.
// expect: ASSERT
// run: --kernel in_order --grid 40 --block 32 --arg buf:160
extern "C" __global__ void in_order(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            out[block] += 1;
        }
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        unsigned next = first_x(copy);
        assert(next > block); // <- here
        block = next;
    }
}

// A block of another size than the kernel was written for.
// expect: ASSERT
// run: --kernel for_128_threads --grid 2 --block 96 --arg buf:32
extern "C" __global__ void for_128_threads(unsigned *out) {
    assert(blockDim.x == 128 && "four warps"); // <- here
    out[0] = 1;
}

static __device__ __noinline__ int row_of(int i, int columns);

// A function that is called from two places checks what it is given.
// expect: ASSERT
// run: --kernel no_columns --grid 2 --block 32 --arg buf:256 --arg i32:0
extern "C" __global__ void no_columns(int *out, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = row_of(i, columns + 1) + row_of(i, columns);
}

static __device__ int row_of(int i, int columns) {
    assert(columns > 0); // <- here
    return i / columns;
}
