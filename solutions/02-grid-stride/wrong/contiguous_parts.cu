// expect: technique
// Each block processes one contiguous part of data instead of striding.
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
    int share = (blocks + gridDim.x - 1) / gridDim.x;
    int first = blockIdx.x * share * blockDim.x;
    int end = min(n, first + share * (int)blockDim.x);
    for (int i = first + threadIdx.x; i < end; i += blockDim.x)
        data[i] *= alpha;
}
