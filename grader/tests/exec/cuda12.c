// SPDX-License-Identifier: Apache-2.0
// The host part of a program of CUDA 12, built without its toolkit: what
// differs from CUDA 13 are the properties of the device and of pointers.
#include <stdio.h>
#include <string.h>

int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaRuntimeGetVersion(int *version);
int cudaMalloc(void **address, size_t bytes);

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
    return 0;
}
