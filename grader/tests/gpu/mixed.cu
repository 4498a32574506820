// SPDX-License-Identifier: Apache-2.0
// Kernels for grader/tools/check-gpu: one that is right, and one of each way in
// which a kernel can end badly on a GPU. data: [n] floats.
#include <assert.h>

__device__ static int index_of_thread() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void right(float *data, int n) {
    int i = index_of_thread();
    if (i < n)
        data[i] = 0.5f + (float)i;
}

extern "C" __global__ void hangs(float *data, int n) {
    volatile float *flag = data;
    while (flag[n - 1] != 1.0f) {
    }
}

extern "C" __global__ void faults(float *data, int n) {
    float *nowhere = (float *)(size_t)(n * 8);
    nowhere[index_of_thread()] = data[0];
}

extern "C" __global__ void misaligned(float *data, int n) {
    *(float2 *)(data + 1) = make_float2(1.0f, (float)n);
}

extern "C" __global__ void traps(float *data, int n) {
    if (data[n - 1] == 0.0f)
        __trap();
}

extern "C" __global__ void asserts(float *data, int n) {
    assert(data[n - 1] != 0.0f);
}

extern "C" __global__ void beyond(float *data, int n) {
    data[n + 2 + index_of_thread() % 8] = 1.0f;
}
