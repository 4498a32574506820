// expect: launch_plan
// Divides in single precision, which has 24 bits: where all blocks of a large n
// would fit, it starts one too few.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (int)ceilf((float)q.n / (float)q.threads_per_block);
    return {useful < resident ? useful : resident};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        data[i] *= alpha;
}
