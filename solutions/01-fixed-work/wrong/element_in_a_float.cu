// expect: correct
// says: in a grid of
// The element's index is a float: from 2^24 on two neighbours are one.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    LaunchPlan plan;
    plan.blocks = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return plan;
}

extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();

    float at = (float)blockIdx.x * blockDim.x + threadIdx.x;
    int i = at;
    if (i < n)
        data[i] *= alpha;
}
