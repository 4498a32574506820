// expect: builds
// Keeps a copy of 4 MiB in shared memory, which has 227 KiB for a block.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ float copy[1 << 20];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        copy[i] = data[i];
    __syncthreads();
    if (i < n)
        data[i] = compute_scalar() * copy[i];
}
