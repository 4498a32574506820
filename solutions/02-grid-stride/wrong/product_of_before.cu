// expect: exactly_once
// says: elements 999 (2x)
// Every block has its product of the last element ready, and they store it one
// after the other: the value is right, and the work was done by each of them.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ unsigned turn;

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    float last = data[n - 1] * alpha;
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = me; i < n - 1; i += gridDim.x * blockDim.x)
        data[i] *= alpha;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    __threadfence();
    atomicAdd(&turn, 1);
    while (atomicAdd(&turn, 0) != gridDim.x + blockIdx.x) {
    }
    __threadfence();
    data[n - 1] = last;
    __threadfence();
    atomicAdd(&turn, 1);
}
