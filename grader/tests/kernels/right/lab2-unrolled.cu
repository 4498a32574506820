// SPDX-License-Identifier: Apache-2.0
// Four strides a turn by hand, loads before stores, and a tail; pointers
// instead of indices. The block computes in one thread.
#include "lab.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define CEIL_DIV(a, b) (((a)-1) / (b) + 1)

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    LaunchPlan plan = {0};
    if (q.n > 0)
        plan.blocks = MIN(q.sm_count * q.blocks_per_sm,
                          CEIL_DIV(q.n, q.threads_per_block));
    return plan;
}

extern "C" __global__ void grid_stride(float *data, int n) {
    __shared__ float factor;
    if (threadIdx.x == blockDim.x - 1)
        factor = compute_scalar();
    __syncthreads();
    const float alpha = factor;
    const ptrdiff_t stride = (ptrdiff_t)gridDim.x * blockDim.x;
    float *p = data + blockIdx.x * blockDim.x + threadIdx.x;
    ptrdiff_t left = n - (ptrdiff_t)(blockIdx.x * blockDim.x + threadIdx.x);
    for (; left > 3 * stride; left -= 4 * stride, p += 4 * stride) {
        float a = p[0], b = p[stride], c = p[2 * stride], d = p[3 * stride];
        p[0] = a * alpha;
        p[stride] = b * alpha;
        p[2 * stride] = c * alpha;
        p[3 * stride] = d * alpha;
    }
    for (; left > 0; left -= stride, p += stride)
        *p *= alpha;
}
