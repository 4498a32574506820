// expect: exactly_once
// Keeps the block index in 8 bits: block 256 takes the elements of block 0.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    uint8_t block = blockIdx.x;
    int i = block * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}
