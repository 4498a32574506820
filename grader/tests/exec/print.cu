// SPDX-License-Identifier: Apache-2.0
// What kernels print comes when the device is waited for, in order.
#include <cstdio>

__global__ void hello(int k) {
    printf("kernel %d\n", k);
}

int main() {
    hello<<<1, 1>>>(1);
    hello<<<1, 1>>>(2);
    printf("before\n");
    cudaDeviceSynchronize();
    printf("after\n");
    return 0;
}
