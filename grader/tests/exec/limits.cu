// SPDX-License-Identifier: Apache-2.0
// The heap of malloc is as large as the program says, and so is the stack.
#include <cstdio>

__global__ void take(size_t bytes) {
    char *memory = (char *)malloc(bytes);
    if (memory)
        memory[bytes - 1] = 1;
    printf("%d MiB: %s\n", (int)(bytes >> 20), memory ? "given" : "refused");
    free(memory);
}

__device__ int sum(int n) {
    volatile int own = n;
    return n ? sum(n - 1) + own : 0;
}

__global__ void recurse(int n) {
    printf("sum %d\n", sum(n));
}

int main() {
    const size_t mib = 1 << 20;
    size_t heap = 0, none = 0;
    take<<<1, 1>>>(7 * mib);
    take<<<1, 1>>>(40 * mib);
    cudaError_t error = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 * mib);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    take<<<1, 1>>>(40 * mib);
    take<<<1, 1>>>(70 * mib);
    cudaDeviceSynchronize();
    printf("%d MiB: %s\n", (int)(heap / mib), cudaGetErrorName(error));
    printf("%s\n", cudaGetErrorName(cudaDeviceGetLimit(&none, (cudaLimit)77)));
    cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10);
    recurse<<<1, 1>>>(1000);
    cudaDeviceSynchronize();
    return 0;
}
