// expect: exactly_once
// Keeps the number of its rounds in 8 bits: 256 rounds become none.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    int stride = gridDim.x * blockDim.x;
    uint8_t rounds = (n + stride - 1) / stride;
    for (int round = 0; round < rounds; round++) {
        int i = round * stride + blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    }
}
