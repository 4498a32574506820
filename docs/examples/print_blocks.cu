// SPDX-License-Identifier: Apache-2.0
// docs/first-hour.md: what printf in a kernel shows. Each block says where it
// begins, and which of its threads has no element.
#include <cstdio>

extern "C" __global__ void print_blocks(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        printf("block %d begins at element %d\n", blockIdx.x, i);
    if (i == n)
        printf("thread %d of block %d has no element\n", threadIdx.x,
               blockIdx.x);
    if (i < n)
        out[i] = i;
}
