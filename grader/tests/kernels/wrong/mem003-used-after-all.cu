// SPDX-License-Identifier: Apache-2.0
// The compiler loads what nobody has written, and here its value is used: the
// kernels of ../right/unused.cu with one mistake each.
#include "short.h"

// The flag is set in every block, the number in odd ones.
// expect: MEM003
// run: --kernel set_too_often --grid 8 --block 64 --arg buf:2048:iota32
extern "C" __global__ void set_too_often(unsigned *data) {
    __shared__ unsigned is_set, number;
    if (threadIdx.x == 0) {
        is_set = blockIdx.x + 1;
        if (blockIdx.x & 1)
            number = blockIdx.x + 4;
    }
    __syncthreads(); // <- here
    unsigned more = 0;
    if (is_set)
        more = number; // <- here
    data[blockIdx.x * blockDim.x + threadIdx.x] += more;
}

// One part more than there are.
// expect: MEM003
// run: --kernel one_part_more --grid 8 --block 64 --arg buf:2048:iota32
extern "C" __global__ void one_part_more(unsigned *data) {
    __shared__ unsigned parts[4], count;
    unsigned mine = blockIdx.x % 4;
    if (threadIdx.x == 0)
        count = mine;
    if (threadIdx.x < mine)
        parts[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        if (i <= count)      // <- here
            sum += parts[i]; // <- here
    data[blockIdx.x * blockDim.x + threadIdx.x] += sum;
}

// The limit is there where the block is not done, and it is asked where it is.
// expect: MEM003
// run: --kernel limit_if_done --grid 4 --block 32 --arg buf:512
extern "C" __global__ void limit_if_done(unsigned *data) {
    __shared__ int done;
    __shared__ unsigned limit;
    if (threadIdx.x == 0) {
        done = blockIdx.x & 1;
        if (!done)
            limit = 10 + gridDim.x - 4;
    }
    __syncthreads();
    int is_in = done & (threadIdx.x < limit); // <- here
    data[blockIdx.x * 32 + threadIdx.x] = is_in ? 1 : 0;
}

// Lane 0 has written, and lane 1's element is broadcast.
// expect: MEM003
// run: --kernel broadcast_of_another --grid 4 --block 32 --arg buf:512
extern "C" __global__ void broadcast_of_another(unsigned *data) {
    __shared__ unsigned slots[32];
    if (threadIdx.x == 0)
        slots[0] = blockIdx.x + 5;
    __syncwarp();
    unsigned mine = slots[threadIdx.x]; // <- here
    data[blockIdx.x * 32 + threadIdx.x] = __shfl_sync(~0u, mine, 1);
}

// The bits say which results there are; the last is taken where it is missing.
// expect: MEM003
// run: --kernel inverted_bit --grid 8 --block 128 --arg buf:32
extern "C" __global__ void inverted_bit(unsigned *data) {
    __shared__ unsigned results[4], ready;
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (warp <= blockIdx.x % 4 && threadIdx.x % 32 == 0) {
        results[warp] = 10 * (warp + 1);
        atomicOr(&ready, 1u << warp);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned mask = ready, sum = mask & 1 ? results[0] : 0;
        sum += ~mask & 8 ? results[3] : 0; // <- here
        data[blockIdx.x] = sum;
    }
}
