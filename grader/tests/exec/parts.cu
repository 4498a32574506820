// SPDX-License-Identifier: Apache-2.0
// Two files (parts_more.cu is the other) with kernels of the same name, threads that
// launch beside each other, and a child process.
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__device__ int step = 7;

static __global__ void add(int *to) {
    *to += step;
}

void add_more(int *to, const int *from);

static void count(int *result) {
    int *sum;
    cudaMalloc(&sum, 4);
    cudaMemset(sum, 0, 4);
    for (int i = 0; i < 50; i++)
        add<<<1, 1>>>(sum);
    cudaMemcpy(result, sum, 4, cudaMemcpyDeviceToHost);
}

int main() {
    int *sum, value = 0, results[4], right = 0;
    void *address;
    cudaMalloc(&sum, 4);
    cudaMemset(sum, 0, 4);
    cudaGetSymbolAddress(&address, step);
    add<<<1, 1>>>(sum);
    add_more(sum, (const int *)address); // another module's variable
    cudaMemcpy(&value, sum, 4, cudaMemcpyDeviceToHost);
    printf("files: %d\n", value);
    std::thread threads[4];
    for (int i = 0; i < 4; i++)
        threads[i] = std::thread(count, &results[i]);
    for (int i = 0; i < 4; i++) {
        threads[i].join();
        right += results[i] == 350;
    }
    printf("threads: %d\n", right);
    fflush(stdout);
    if (fork() == 0) {
        printf("child: %s\n", cudaGetErrorName(cudaMalloc(&sum, 4)));
        fflush(stdout);
        _exit(0);
    }
    wait(nullptr);
    return 0;
}
