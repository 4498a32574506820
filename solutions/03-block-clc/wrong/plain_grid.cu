// expect: technique
// Each block processes its own index and exits: right, but nothing is stolen.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

extern "C" __global__ void block_clc(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}
