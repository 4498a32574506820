// expect: technique
// The block indices come from a counter in global memory, not from the
// hardware.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ unsigned int next_block;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ unsigned int mine;
    float alpha = compute_scalar();
    while (true) {
        if (threadIdx.x == 0)
            mine = atomicAdd(&next_block, 1);
        __syncthreads();
        unsigned int bx = mine;
        __syncthreads();
        if (bx >= gridDim.x)
            break;
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    }
}
