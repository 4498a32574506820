// SPDX-License-Identifier: Apache-2.0
// A second kernel in the file; the thread's place as a pointer, a vote of the
// warp on whether it needs the prologue, loads and stores with hints for the
// cache.
#include "lab.h"

template <typename T> __device__ static T div_up(T a, T b) {
    return a / b + (a % b > 0);
}

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    LaunchPlan plan;
    plan.blocks = div_up(q.n, q.threads_per_block);
    return plan;
}

extern "C" __global__ void fill(float *data, int n, float value) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = value;
}

extern "C" __global__ void fixed_work(float *data, int n) {
    unsigned int place = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
    float *const mine = data + place, *const end = data + n;
    float alpha = 1.0f;
    if (__any_sync(0xffffffffu, mine < end))
        alpha = compute_scalar();
    if (mine >= end)
        return;
    asm volatile(
        "st.global.wt.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(mine)),
        "f"(__ldcs(mine) * alpha)
        : "memory");
}
