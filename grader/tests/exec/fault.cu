// SPDX-License-Identifier: Apache-2.0
// A kernel writes past its buffer: later calls fail, as on a card. With a word,
// it writes to memory of the host.
#include <cstdio>

__global__ void fill(int *data) {
    data[threadIdx.x] = 1;
}

int main(int argc, char **) {
    int *data, of_host[32];
    cudaMalloc(&data, 31 * sizeof *data);
    fill<<<1, 32>>>(argc > 1 ? of_host : data);
    printf("launched: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("waited: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("again: %s\n", cudaGetErrorName(cudaMalloc(&data, 4)));
    return 0;
}
