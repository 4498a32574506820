// SPDX-License-Identifier: Apache-2.0
// Blocks that need each other at once, though nothing says so: each waits for
// the next one, by polls that rest, that count, and that look at a clock. And
// blocks that say when they begin and end, and on which SM.
#include <cstdio>

enum { BLOCKS = 96 };

__device__ int flags[4][BLOCKS + 1];

__device__ void pass_on(int *flag) {
    __threadfence();
    atomicExch(flag, 1);
}

__global__ void rest() {
    while (blockIdx.x + 1 < BLOCKS && !atomicAdd(&flags[0][blockIdx.x + 1], 0))
        ;
    pass_on(&flags[0][blockIdx.x]);
}

__global__ void count(int *polls) {
    int counted = 1;
    while (blockIdx.x + 1 < BLOCKS && !atomicAdd(&flags[1][blockIdx.x + 1], 0))
        counted = counted * 3 + 1;
    polls[blockIdx.x] = counted;
    pass_on(&flags[1][blockIdx.x]);
}

__global__ void sleeps() {
    while (blockIdx.x + 1 < BLOCKS && !atomicAdd(&flags[2][blockIdx.x + 1], 0))
        __nanosleep(100);
    pass_on(&flags[2][blockIdx.x]);
}

__device__ int last = -1; // the number of the last block's SM

__global__ void say() {
    int sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    printf(" %d.%d", blockIdx.x, sm > atomicExch(&last, sm));
    for (int i = 0; i < 200; i++)
        atomicAdd(&flags[3][0], 1); // longer than a turn
    printf("-%d", blockIdx.x);
}

int main() {
    int *polls;
    cudaMalloc(&polls, BLOCKS * sizeof *polls);
    rest<<<BLOCKS, 1>>>();
    count<<<BLOCKS, 1>>>(polls);
    sleeps<<<BLOCKS, 1>>>();
    say<<<8, 1>>>();
    cudaError_t error = cudaDeviceSynchronize();
    printf("\n%s\n", cudaGetErrorString(error));
}
