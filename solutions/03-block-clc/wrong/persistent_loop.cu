// expect: technique
// Eight blocks stride over all indices, and the others exit at once.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

extern "C" __global__ void block_clc(float *data, int n) {
    const int workers = min(8, (int)gridDim.x);
    if (blockIdx.x >= workers)
        return;
    float alpha = compute_scalar();
    for (int bx = blockIdx.x; bx < gridDim.x; bx += workers) {
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    }
}
