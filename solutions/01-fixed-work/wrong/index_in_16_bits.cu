// expect: exactly_once
// The element's index has 16 bits: element 65536 becomes element 0.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    unsigned short i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= alpha;
}
