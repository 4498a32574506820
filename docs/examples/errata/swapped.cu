// SPDX-License-Identifier: Apache-2.0
// The product of the guide's examples, to be launched with the numbers of
// blocks and of threads a block in the order in which the guide's comment has
// them.
extern "C" __global__ void scale(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= 2;
}
