// SPDX-License-Identifier: Apache-2.0
// A quarter of the threads does the block's elements, four each in one vector;
// the last block's rest goes one by one.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    const int t = q.threads_per_block;
    return LaunchPlan{q.n / t + (q.n % t != 0)};
}

extern "C" __global__ void __launch_bounds__(1024)
    fixed_work(float *__restrict__ data, int n) {
    if (threadIdx.x >= blockDim.x / 4)
        return;
    const float alpha = compute_scalar();
    const long long first =
        (long long)blockIdx.x * blockDim.x + 4 * threadIdx.x;
    if (first + 4 <= n) {
        float4 *quad = reinterpret_cast<float4 *>(data + first);
        float4 v = *quad;
        v.x *= alpha, v.y *= alpha, v.z *= alpha, v.w *= alpha;
        *quad = v;
        return;
    }
    for (long long i = first; i < n; ++i)
        data[i] *= alpha;
}
