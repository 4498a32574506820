// SPDX-License-Identifier: Apache-2.0
// Blocks of a cooperative launch wait for each other, and what a kernel gets from
// malloc is there for the next.
#include <cooperative_groups.h>
#include <cstdio>

__device__ int *kept;

__global__ void neighbours(int *data, int *sums) {
    data[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    sums[blockIdx.x] = data[blockIdx.x] + data[(blockIdx.x + 1) % gridDim.x];
}

__global__ void keep() {
    kept = (int *)malloc(4);
    *kept = 12;
}

__global__ void take(int *out) {
    *out = *kept;
    free(kept);
}

int main() {
    int *data, *sums, host[16], right = 0;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&sums, sizeof host);
    void *args[] = {&data, &sums};
    cudaLaunchCooperativeKernel((void *)neighbours, 16, 1, args);
    cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++)
        right += host[i] == i + 1 + (i + 1) % 16 + 1;
    printf("%d right\n", right);
    cudaError_t error = cudaLaunchCooperativeKernel((void *)neighbours, 100000, 1, args);
    printf("%s\n", cudaGetErrorName(error));
    keep<<<1, 1>>>();
    take<<<1, 1>>>(data);
    cudaMemcpy(host, data, 4, cudaMemcpyDeviceToHost);
    printf("%d kept\n", host[0]);
    return 0;
}
