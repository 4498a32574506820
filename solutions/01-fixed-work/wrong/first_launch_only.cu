// expect: exactly_once
// A counter of blocks is never set back: a second launch finds it used up.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

__device__ unsigned int done;

extern "C" __global__ void fixed_work(float *data, int n) {
    __shared__ unsigned int before;
    float alpha = compute_scalar();
    if (threadIdx.x == 0)
        before = atomicAdd(&done, 1);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (before < gridDim.x && i < n)
        data[i] *= alpha;
}
