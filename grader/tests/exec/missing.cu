// SPDX-License-Identifier: Apache-2.0
// Calls a function that is not supported, and launches what cannot be.
#include <cstdio>

__global__ void nothing() {}

int main() {
    void *large;
    printf("large: %s\n", cudaGetErrorName(cudaMalloc(&large, 5ull << 30)));
    cudaIpcMemHandle_t handle;
    printf("ipc: %s\n", cudaGetErrorName(cudaIpcGetMemHandle(&handle, large)));
    nothing<<<1, 2000>>>();
    printf("block: %s\n", cudaGetErrorName(cudaGetLastError()));
    nothing<<<1, 1, 100000>>>();
    printf("shared: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    nothing<<<1, 1, 100000>>>();
    printf("asked: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
