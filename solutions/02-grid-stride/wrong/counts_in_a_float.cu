// expect: exactly_once
// says: did not process each of
// The loop counts in a float, which cannot hold each index from 2^24 on.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    LaunchPlan plan;
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    plan.blocks = useful < resident ? useful : resident;
    return plan;
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();

    int stride = gridDim.x * blockDim.x;
    for (float at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += stride)
        data[(int)at] *= alpha;
}
