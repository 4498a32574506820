// expect: exactly_once
// says: more than once; the first is data[
// The loop over vectors has done the last 128 elements as well, when the second
// block does them.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    int all = gridDim.x * blockDim.x;
    float2 *pairs = reinterpret_cast<float2 *>(data);
    for (int i = me; i < n / 2; i += all)
        pairs[i] = make_float2(pairs[i].x * alpha, pairs[i].y * alpha);
    if (me == 0 && n % 2)
        data[n - 1] *= alpha;
    if (blockIdx.x == 2)
        data[n - 128 + threadIdx.x] *= alpha;
}
