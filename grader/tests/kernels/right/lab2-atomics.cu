// SPDX-License-Identifier: Apache-2.0
// The product is put in its place by atomics, though nobody else wants it.
#include "lab.h"

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    int resident = q.sm_count * q.blocks_per_sm;
    int useful = (q.n + q.threads_per_block - 1) / q.threads_per_block;
    return {min(useful, resident)};
}

extern "C" __global__ void grid_stride(float *data, int n) {
    const float alpha = compute_scalar();
    const int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
        int *place = reinterpret_cast<int *>(data + i);
        int seen = __float_as_int(data[i]), held;
        do {
            held = seen;
            int product = __float_as_int(__int_as_float(held) * alpha);
            seen = atomicCAS(place, held, product);
        } while (seen != held);
    }
}
