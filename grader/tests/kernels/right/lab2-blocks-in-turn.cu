// SPDX-License-Identifier: Apache-2.0
// The loop is over block indices, as where blocks are stolen, and the elements
// of one are those of a function.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int all = (q.n - 1) / q.threads_per_block + (q.n > 0);
    return {min(all, q.blocks_per_sm * q.sm_count)};
}

struct Scale {
    float *data;
    int n;
    float factor;
    __device__ void operator()(int block) const {
        int i = block * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= factor;
    }
};

extern "C" __global__ void grid_stride(float *data, int n) {
    Scale scale{data, n, compute_scalar()};
    int blocks = (n + blockDim.x - 1) / blockDim.x;
    for (int block = blockIdx.x; block < blocks; block += gridDim.x)
        scale(block);
}
