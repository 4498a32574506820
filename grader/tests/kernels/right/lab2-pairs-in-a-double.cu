// SPDX-License-Identifier: Apache-2.0
// Two elements travel in the eight bytes of a double; an odd one at the end is
// the last block's.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

__device__ static double both(double pair, float alpha) {
    float low = __int_as_float(__double2loint(pair)) * alpha;
    float high = __int_as_float(__double2hiint(pair)) * alpha;
    return __hiloint2double(__float_as_int(high), __float_as_int(low));
}

extern "C" __global__ void grid_stride(float *data, int n) {
    const float alpha = compute_scalar();
    double *pairs = reinterpret_cast<double *>(data);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n / 2; i += gridDim.x * blockDim.x)
        pairs[i] = both(pairs[i], alpha);
    if (n % 2 && blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        data[n - 1] *= alpha;
}
