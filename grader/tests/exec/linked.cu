// SPDX-License-Identifier: Apache-2.0
// Built with -rdc=true: the function and the variable are in linked_more.cu.
#include <cstdio>

__device__ int twice(int x);
extern __device__ int factor;

static __device__ int own(int x) {
    return x + 1;
}

__global__ void compute(int *out) {
    *out = twice(own(3)) * factor;
}

int main() {
    int *out, value = 0, five = 5;
    cudaMalloc(&out, 8);
    compute<<<1, 1>>>(out);
    cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", value);
    cudaMemcpyToSymbol(factor, &five, 4);
    compute<<<1, 1>>>(out);
    cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
    printf("%d %s\n", value, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
