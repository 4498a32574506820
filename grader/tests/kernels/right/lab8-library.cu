// SPDX-License-Identifier: Apache-2.0
// The library's loop, and a prologue that one thread computes for the block at
// the first index.
#include "lab.h"
#include <cuda/work_stealing>

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ float alpha;
    bool known = false;
    cuda::for_each_canceled_block<1>([&](dim3 block) {
        if (!known) {
            if (threadIdx.x == 0)
                alpha = compute_scalar();
            __syncthreads();
            known = true;
        }
        unsigned i = block.x * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    });
}
