// SPDX-License-Identifier: Apache-2.0
// Blocks take tickets: which block gets which depends on the schedule, what is
// counted does not. The host sees what the plain schedule has left.
#include <cstdio>

__global__ void take(int *next, int *tickets) {
    tickets[blockIdx.x] = atomicAdd(next, 1);
}

int main() {
    int *next, *tickets, host[24];
    cudaMalloc(&next, 4);
    cudaMalloc(&tickets, sizeof host);
    cudaMemset(next, 0, 4);
    take<<<12, 1>>>(next, tickets);
    take<<<12, 1>>>(next, tickets + 12);
    cudaMemcpy(host, tickets, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 24; i++)
        printf("%d ", host[i]);
    return 0;
}
