// SPDX-License-Identifier: Apache-2.0
// The host part of a program of CUDA 12, built without its toolkit: what
// differs from CUDA 13 are the properties of the device and of pointers.
#include <stdio.h>
#include <string.h>

int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaRuntimeGetVersion(int *version);
int cudaMalloc(void **address, size_t bytes);
int cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                         void *how, size_t *of, size_t hows, size_t *failed,
                         void *stream);
int cudaStreamCreate(void **stream);

int main(void) {
    union {
        char bytes[1032 + 8];
        int words[258];
    } properties;
    struct {
        int type, device;
        void *on_device, *on_host;
        char after[8];
    } pointer;
    void *address;
    int version = 0;
    memset(&properties, 0x55, sizeof properties);
    memset(&pointer, 0x55, sizeof pointer);
    cudaRuntimeGetVersion(&version);
    cudaGetDeviceProperties_v2(&properties, 0);
    cudaMalloc(&address, 8);
    cudaPointerGetAttributes(&pointer, address);
    printf("version %d, SMs %d, clusters %d, pointer %d\n", version,
           properties.words[388 / 4], properties.words[772 / 4], pointer.type);
    printf("beyond %d %d\n", properties.bytes[1032] == 0x55,
           pointer.after[0] == 0x55);
    void *stream, *back[2], *there[2] = {address, (char *)address + 4};
    int values[2] = {30, 47}, read[2] = {0, 0};
    void *from[2] = {&values[0], &values[1]};
    size_t sizes[2] = {4, 4}, failed = 0;
    cudaStreamCreate(&stream);
    back[0] = &read[0], back[1] = &read[1];
    int error =
        cudaMemcpyBatchAsync(there, from, sizes, 2, 0, 0, 0, &failed, stream);
    cudaMemcpyBatchAsync(back, there, sizes, 2, 0, 0, 0, &failed, stream);
    printf("batch %d %d\n", error, read[0] + read[1]);
    return 0;
}
