// SPDX-License-Identifier: Apache-2.0
// A kernel writes past its buffer: later calls fail, as on a card. With "host",
// it writes to memory of the host, and with "freed" to memory that was freed
// before the first launch.
#include <cstdio>
#include <cstring>

__global__ void fill(int *data) {
    data[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *data, of_host[32];
    cudaMalloc(&data, 31 * sizeof *data);
    if (strcmp(what, "freed") == 0)
        cudaFree(data);
    fill<<<1, 32>>>(strcmp(what, "host") == 0 ? of_host : data);
    printf("launched: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("waited: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("again: %s\n", cudaGetErrorName(cudaMalloc(&data, 4)));
    return 0;
}
