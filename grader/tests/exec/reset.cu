// SPDX-License-Identifier: Apache-2.0
// cudaDeviceReset: all memory is freed, and variables have their first values.
#include <cstdio>

__device__ int count = 7;
__managed__ int shared_count = 5;
__constant__ int factor = 3;

__global__ void add(int *to) {
    to[threadIdx.x] += factor;
    if (threadIdx.x == 0) {
        count++;
        shared_count++;
    }
}

static void use(const char *when) {
    int *data, host[32], on_device, zero = 1;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMalloc(&data, sizeof host);
    cudaMallocArray(&array, &format, 16, 16); // is never freed
    cudaMemset(data, 0, sizeof host);
    cudaMemcpyToSymbol(factor, &zero, 0);
    add<<<1, 32>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&on_device, count, sizeof on_device);
    int four = 4;
    cudaMemcpyToSymbol(factor, &four, sizeof four);
    printf("%s: %d, count %d, shared %d, %s\n", when, host[31], on_device, shared_count,
           cudaGetErrorName(cudaGetLastError()));
}

int main() {
    size_t at_first, now, whole;
    void *old, *pinned;
    cudaMemGetInfo(&at_first, &whole);
    cudaMalloc(&old, 1 << 20);
    cudaMallocHost(&pinned, 1 << 20);
    use("first");
    use("again");
    cudaMemGetInfo(&now, &whole);
    printf("free as at first: %d\n", now == at_first);
    printf("reset: %s\n", cudaGetErrorName(cudaDeviceReset()));
    cudaMemGetInfo(&now, &whole);
    printf("free as at first: %d\n", now == at_first);
    printf("free again: %s\n", cudaGetErrorName(cudaFree(old)));
    cudaGetLastError();
    use("after");
    printf("%s, %s\n", cudaGetErrorName(cudaErrorECCUncorrectable),
           cudaGetErrorString(cudaErrorECCUncorrectable));
    return 0;
}
