// SPDX-License-Identifier: Apache-2.0
// Four elements at a time, and what is left one at a time: blocks share the
// last 128 elements. The stride is that of the vectors.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    const float alpha = compute_scalar();
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    const int all = gridDim.x * blockDim.x, whole = n / 4;
    float4 *quads = reinterpret_cast<float4 *>(data);
    for (int i = me; i < whole; i += all) {
        float4 quad = quads[i];
        quad.x *= alpha;
        quad.y *= alpha;
        quad.z *= alpha;
        quad.w *= alpha;
        quads[i] = quad;
    }
    for (int i = 4 * whole + me; i < n; i += all)
        data[i] *= alpha;
}
