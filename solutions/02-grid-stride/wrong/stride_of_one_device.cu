// expect: exactly_once
// The stride is written down: 8 blocks, which is right for one device alone.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 8 * 128)
        data[i] *= alpha;
}
