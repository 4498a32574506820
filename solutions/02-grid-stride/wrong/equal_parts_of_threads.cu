// expect: technique
// says: so a block index is one piece of work
// Each thread takes neighbouring elements, as many as every other.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    float alpha = compute_scalar();
    int threads = gridDim.x * blockDim.x;
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    long long from = (long long)n * me / threads;
    long long to = (long long)n * (me + 1) / threads;
    for (int i = from; i < to; i++)
        data[i] *= alpha;
}
