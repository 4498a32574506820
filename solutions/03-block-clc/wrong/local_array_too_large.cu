// expect: builds
// Each thread copies all of the data to an array of its own: 4 MiB.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

extern "C" __global__ void block_clc(float *data, int n) {
    float copy[1 << 20];
    for (int i = 0; i < n; i++)
        copy[i] = data[i];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = compute_scalar() * copy[n - i];
}
