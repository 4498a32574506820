// SPDX-License-Identifier: Apache-2.0
// Every kind of memory, each checked by the program: prints a line for each.
#include <cstdio>
#include <cstring>

__device__ int counter = 40;
__constant__ int factor = 2;
__managed__ int shared_by_both = 5;

__global__ void count() {
    counter += factor;
    shared_by_both += 1;
}

__global__ void twice(int *data) {
    data[threadIdx.x] *= 2;
}

static void say(const char *name, bool right) {
    printf("%s %s\n", name, right ? "right" : "WRONG");
}

static bool doubled(const int *data) {
    for (int i = 0; i < 32; i++)
        if (data[i] != 2 * i)
            return false;
    return true;
}

static void fill(int *data) {
    for (int i = 0; i < 32; i++)
        data[i] = i;
}

int main() {
    int value = 0, three = 3;
    count<<<1, 1>>>();
    count<<<1, 1>>>();
    cudaMemcpyFromSymbol(&value, counter, 4);
    say("device variable", value == 44);
    cudaMemcpyToSymbol(factor, &three, 4);
    count<<<1, 1>>>();
    cudaMemcpyFromSymbol(&value, counter, 4);
    say("constant", value == 47);
    cudaDeviceSynchronize();
    say("managed variable", shared_by_both == 8);

    int *managed, *pinned, *mapped, own[32];
    cudaMallocManaged(&managed, 128);
    fill(managed);
    twice<<<1, 32>>>(managed);
    cudaDeviceSynchronize();
    say("managed", doubled(managed));
    cudaMallocHost(&pinned, 128);
    fill(pinned);
    twice<<<1, 32>>>(pinned);
    cudaDeviceSynchronize();
    say("pinned", doubled(pinned));
    fill(own);
    cudaHostRegister(own, sizeof own, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&mapped, own, 0);
    twice<<<1, 32>>>(mapped);
    cudaDeviceSynchronize();
    say("registered", doubled(own));

    char rows[4][8], *pitched;
    size_t pitch;
    memset(rows, 7, sizeof rows);
    cudaMallocPitch(&pitched, &pitch, 8, 4);
    cudaMemset2D(pitched, pitch, 1, 8, 4);
    cudaMemcpy2D(pitched, pitch, rows, 8, 4, 4, cudaMemcpyHostToDevice);
    memset(rows, 0, sizeof rows);
    cudaMemcpy2D(rows, 8, pitched, pitch, 8, 4, cudaMemcpyDeviceToHost);
    say("pitched", rows[3][3] == 7 && rows[3][4] == 1 && rows[0][0] == 7);
    void *address;
    size_t size;
    cudaGetSymbolAddress(&address, counter);
    cudaGetSymbolSize(&size, counter);
    cudaMemcpy(&value, address, size, cudaMemcpyDefault);
    say("address of a variable", value == 47 && size == 4);
    cudaPointerAttributes about;
    cudaPointerGetAttributes(&about, managed);
    say("attributes", about.type == cudaMemoryTypeManaged);
    say("no error", cudaGetLastError() == cudaSuccess);
    int pair[] = {6, 9};
    void *batch_to[] = {address, address};
    const void *batch_from[] = {&pair[0], &pair[1]};
    size_t batch_sizes[] = {4, 4}, of = 0;
    cudaMemcpyAttributes how = {};
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    cudaMemcpyBatchAsync(batch_to, batch_from, batch_sizes, 2, &how, &of, 1, stream);
    cudaMemcpy(&value, address, 4, cudaMemcpyDeviceToHost);
    say("batch", value == 9);
    say("too far", cudaMemcpy(&value, (char *)address + 2, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    return 0;
}
