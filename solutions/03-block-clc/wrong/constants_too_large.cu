// expect: builds
// A table of 78 KiB in constant memory, which has 64 KiB.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__constant__ float table[20000];

extern "C" __global__ void block_clc(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= compute_scalar() + table[i];
}
