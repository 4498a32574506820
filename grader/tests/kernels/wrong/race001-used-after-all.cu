// SPDX-License-Identifier: Apache-2.0
// A value is read in a race and, unlike in ../right/unused.cu, used.
#include "short.h"

// It is polled, and taken before the flag is seen.
// expect: RACE001|MEM003
// run: --kernel takes_when_empty --grid 4 --block 64 --arg buf:32
extern "C" __global__ void takes_when_empty(unsigned *data) {
    __shared__ unsigned item, full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> flag(full);
    if (threadIdx.x == 32) {
        item = blockIdx.x + 7; // <- here
        flag.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        unsigned seen;
        do {
            seen = flag.load(cuda::memory_order_acquire);
            data[blockIdx.x] = seen ? 0 : item; // <- here
        } while (!seen);
    }
}

// Who has been told takes the value, and nothing orders the two.
// expect: RACE001|MEM003
// run: --kernel told_by_nobody --grid 4 --block 64 --arg buf:16 --arg i32:1
extern "C" __global__ void told_by_nobody(unsigned *data, int told) {
    __shared__ unsigned value;
    if (threadIdx.x == 32)
        value = blockIdx.x + 77; // <- here
    if (threadIdx.x == 0) {
        unsigned own = blockIdx.x + 1, other = value; // <- here
        data[blockIdx.x] = told ? other : own;        // <- here
    }
}

// It takes the value first, and then another warp writes.
// expect: RACE001
// run: --kernel takes_it_first --grid 4 --block 64 --arg buf:16 --arg i32:1
extern "C" __global__ void takes_it_first(unsigned *data, int told) {
    __shared__ unsigned values[2];
    if (threadIdx.x < 2)
        values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned own = values[0], other = values[1]; // <- here
        data[blockIdx.x] = blockIdx.x + 1 + (told ? other : own);
    }
    if (threadIdx.x == 32) {
        __nanosleep(2000);
        values[1] = 5; // <- here
    }
}
