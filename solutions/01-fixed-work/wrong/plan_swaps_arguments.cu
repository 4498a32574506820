// expect: launch_plan
// Returns the number of threads where the number of blocks is asked for.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int blocks = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {blocks > 0 ? q.threads_per_block : 0};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}
