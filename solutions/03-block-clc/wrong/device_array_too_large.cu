// expect: builds
// Keeps a copy of all the data that there could ever be: 100 GiB.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ float copy[25ull << 30];

extern "C" __global__ void block_clc(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        copy[i] = data[i];
        data[i] = compute_scalar() * copy[i];
    }
}
