// SPDX-License-Identifier: Apache-2.0
// A functor over a span of the standard library; load and store are predicated
// PTX.
#include "lab.h"
#include <cuda/std/cstddef>
#include <cuda/std/span>

namespace {

template <typename T> struct Scale {
    T factor;
    __device__ void operator()(cuda::std::span<T> all, size_t i) const {
        asm volatile(
            "{\n\t"
            ".reg .pred inside;\n\t"
            ".reg .f32 x;\n\t"
            "setp.lt.u64 inside, %1, %2;\n\t"
            "@inside ld.global.f32 x, [%0];\n\t"
            "@inside mul.rn.f32 x, x, %3;\n\t"
            "@inside st.global.f32 [%0], x;\n\t"
            "}" ::"l"(__cvta_generic_to_global(all.data()) + i * sizeof(T)),
            "l"(i), "l"(all.size()), "f"(factor)
            : "memory");
    }
};

} // namespace

__device__ LaunchPlan launch_plan(LaunchQuery q) {
    LaunchPlan plan = {};
    for (long long done = 0; done < q.n; done += q.threads_per_block) {
        plan.blocks = (int)(((long long)q.n + q.threads_per_block - 1) /
                            q.threads_per_block);
        break;
    }
    return plan;
}

extern "C" __global__ void fixed_work(float *data, int n) {
    Scale<float> scale{compute_scalar()};
    scale(cuda::std::span<float>(data, n),
          (size_t)blockIdx.x * blockDim.x + threadIdx.x);
}
