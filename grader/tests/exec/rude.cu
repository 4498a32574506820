// SPDX-License-Identifier: Apache-2.0
// Programs that do what one had better not, one for each word: they open the
// library themselves, launch ten thousand times, leave all allocated, end
// within a callback, crash, close all files and write one of their own, or take
// all memory that there is.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

__global__ void count(int *n) {
    (*n)++;
}

static void leave(void *status) {
    exit(*(int *)status);
}

static int often(int *n) {
    int value = 0;
    for (int i = 0; i < 10000; i++)
        count<<<1, 1>>>(n);
    cudaMemcpy(&value, n, sizeof value, cudaMemcpyDeviceToHost);
    printf("%d launches\n", value);
    return value != 10000;
}

static int opened() {
    int devices = 0;
    void *library = dlopen("libcudart.so", RTLD_NOW);
    auto *get =
        library ? (cudaError_t(*)(int *))dlsym(library, "cudaGetDeviceCount")
                : nullptr;
    printf("opened: %d\n", get ? get(&devices) : -1);
    return devices != 1;
}

// As a daemon does; the file that it opens then has another one's number.
static int closes(int *n, const char *file) {
    for (int i = 3; i < 256; i++)
        close(i);
    int own = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
    count<<<1, 1>>>(n + 1);
    return write(own, "own\n", 4) != 4;
}

static int fills() {
    enum { MOST = 12 };
    void *all[MOST];
    int count = 0;
    cudaError_t error = cudaSuccess;
    while (count < MOST && !error)
        if (!(error = cudaMalloc(&all[count], (size_t)4 << 30)))
            count++;
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(all[0]);
    printf("%s\n", cudaGetErrorName(cudaMalloc(&all[0], (size_t)4 << 30)));
    return error != cudaErrorMemoryAllocation;
}

int main(int argc, char **argv) {
    int *n, status = 6;
    const char *what = argc > 1 ? argv[1] : "";
    cudaMalloc(&n, sizeof *n);
    cudaMemset(n, 0, sizeof *n);
    if (!strcmp(what, "fills"))
        return fills();
    if (!strcmp(what, "often"))
        return often(n);
    if (!strcmp(what, "opened"))
        return opened();
    count<<<1, 1>>>(n);
    if (!strcmp(what, "closes"))
        return closes(n, argv[2]);
    if (!strcmp(what, "leaves"))
        cudaLaunchHostFunc(0, leave, &status);
    if (!strcmp(what, "crashes"))
        *(volatile int *)n = 1; // the host has no such address
    return 0;
}
