// expect: launch_plan
// Adds a block always, also where n is a multiple of the block size.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {q.n / q.threads_per_block + 1};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}
