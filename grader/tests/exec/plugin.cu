// SPDX-License-Identifier: Apache-2.0
// A library that a program loads, and closes again.
static __device__ int calls;

static __global__ void count() {
    calls++;
}

extern "C" int run() {
    int value = -1;
    count<<<1, 1>>>();
    cudaMemcpyFromSymbol(&value, calls, sizeof value);
    return value;
}
