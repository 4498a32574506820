// expect: technique
// says: each processed once, but by more than one block
// Each block takes an equal share of the elements, wherever that ends.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    int share = (n + gridDim.x - 1) / gridDim.x;
    int first = blockIdx.x * share, end = min(n, first + share);
    for (int i = first + threadIdx.x; i < end; i += blockDim.x)
        data[i] *= alpha;
}
