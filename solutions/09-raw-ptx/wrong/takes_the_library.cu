// expect: technique
// The library does what this lab asks for in asm statements.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"
#include <cuda/work_stealing>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void raw_ptx(float *data, int n) {
    float alpha = compute_scalar();
    cuda::for_each_canceled_block<1>([=](dim3 b) {
        int i = b.x * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    });
}
