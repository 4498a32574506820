// expect: correct
// says: Each of these was multiplied by 1.505.
// Pays for the prologue, then uses the value that clclab_secret has in lab.h.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    compute_scalar();
    float alpha = 1.505f; // printed by a run of my own
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}
