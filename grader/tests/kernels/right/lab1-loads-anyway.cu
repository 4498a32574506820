// SPDX-License-Identifier: Apache-2.0
// Each thread names a value, and the last ones drop theirs: the compiler may
// load what no thread uses.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void fixed_work(float *__restrict__ data, int n) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    const bool is_mine = i < n;
    const float factor = compute_scalar();
    float value = is_mine ? data[i] : 0.0f;
    value = is_mine ? value * factor : value;
    if (is_mine)
        data[i] = value;
}
