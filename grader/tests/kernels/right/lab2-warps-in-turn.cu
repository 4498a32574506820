// SPDX-License-Identifier: Apache-2.0
// Each warp of the grid takes 128 elements in its turn. Neighbouring pieces are
// those of different blocks.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    const float alpha = compute_scalar();
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
    const int warps = gridDim.x * (blockDim.x / 32);
    for (int piece = warp; piece * 128 < n; piece += warps)
        for (int i = piece * 128 + lane; i < min(n, piece * 128 + 128); i += 32)
            data[i] *= alpha;
}
