// expect: rules MEM002
// After the first element the rest is taken as pairs, which are 8-byte accesses
// at an address that is a multiple of 4 only.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    return {(q.n + q.threads_per_block - 1) / q.threads_per_block};
}

extern "C" __global__ void fixed_work(float *data, int n) {
    float alpha = compute_scalar();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 && n > 0)
        data[0] *= alpha;
    float2 *pairs = reinterpret_cast<float2 *>(data + 1);
    if (2 * i + 2 < n) {
        float2 pair = pairs[i];
        pairs[i] = make_float2(pair.x * alpha, pair.y * alpha);
    } else if (2 * i + 1 < n) {
        data[2 * i + 1] *= alpha;
    }
}
