// expect: prologue
// Calls the prologue again for each use of its value.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (compute_scalar() != 1.0f && i < n)
        data[i] *= compute_scalar();
}
