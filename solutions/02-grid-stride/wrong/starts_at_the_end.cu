// expect: technique
// Goes through data from the end, so that no block meets its own index.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    int blocks = (n + blockDim.x - 1) / blockDim.x;
    int last = blocks - 1 - (int)blockIdx.x;
    for (int b = last; b >= 0; b -= gridDim.x) {
        int i = b * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    }
}
