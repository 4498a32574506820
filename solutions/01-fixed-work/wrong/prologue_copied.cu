// expect: prologue
// says: not through compute_scalar()
// Computes what the prologue computes instead of calling it.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = clclab_secret.seed;
    for (int round = 0; round < clclab_secret.rounds; round++)
        alpha = fmaf(alpha, -0.96f, 2.9498f);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}
