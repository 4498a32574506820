// SPDX-License-Identifier: Apache-2.0
// One thread computes the factor, and the block reads it.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void __launch_bounds__(128)
    fixed_work(float *data, int n) {
    __shared__ float factor;
    if (threadIdx.x == blockDim.x - 1)
        factor = compute_scalar();
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (unsigned)n)
        return;
    data[i] = factor * data[i];
}
