// SPDX-License-Identifier: Apache-2.0
// Adds two vectors, by pointers of the device, and checks the sums itself; and that the
// kernel is said to be for the architecture that it was compiled for, by which CUB chooses.
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void compiled_for(int *arch) {
#ifdef __CUDA_ARCH__
    *arch = __CUDA_ARCH__ / 10;
#endif
}

static bool is_for_its_architecture() {
    int *arch, number = 0;
    cudaFuncAttributes attributes;
    cudaMalloc(&arch, sizeof *arch);
    compiled_for<<<1, 1>>>(arch);
    cudaMemcpy(&number, arch, sizeof number, cudaMemcpyDeviceToHost);
    return cudaFuncGetAttributes(&attributes, compiled_for) == cudaSuccess && attributes.ptxVersion == number;
}

int main() {
    const int n = 1000;
    float *a, *b, *c, host[n];
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&c, sizeof host);
    for (int i = 0; i < n; i++)
        host[i] = (float)i;
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = !is_for_its_architecture();
    for (int i = 0; i < n; i++)
        wrong += host[i] != 2 * i;
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
