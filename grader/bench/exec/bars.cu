// SPDX-License-Identifier: Apache-2.0
// What `make bench-exec` runs under `clclab exec`: argv[1] says what, argv[2] how
// often. Prints microseconds a launch, and the process's memory in KiB, where that is measured.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/resource.h>
#include <vector>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void store(int *out, int value) {
    if (threadIdx.x == 0)
        *out = value;
}

// Some thousand instructions, of which few are executed.
__global__ void much_code(int *out, int value) {
    int x = value;
#pragma unroll
    for (int i = 0; i < 400; i++)
        if (x == i * 7919 + 100000000)
            x = x * (i + 3) + (x >> (i % 13));
    if (threadIdx.x == 0)
        *out = x;
}

__device__ int lock, counted;

__global__ void take_turns() {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    counted++;
    __threadfence();
    atomicExch(&lock, 0);
}

static double now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static int fails(const char *what) {
    fprintf(stderr, "bars: %s is wrong: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    return 1;
}

static int add_vectors(int n) {
    std::vector<float> host(n, 1.5f);
    size_t bytes = n * sizeof(float);
    float *a, *b, *c;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaMemcpy(host.data(), c, bytes, cudaMemcpyDeviceToHost);
    for (float x : host)
        if (x != 3)
            return fails("a sum");
    return 0;
}

// Launches of one warp, with the same value each time or with another one, and
// `allocated` bytes besides.
static int launch(int times, bool anew, size_t allocated,
                  void (*kernel)(int *, int) = store) {
    enum { WARM = 8 };
    int *out, last;
    char *large = NULL;
    cudaMalloc(&out, sizeof *out);
    if (allocated && cudaMalloc(&large, allocated))
        return fails("an allocation");
    double from = 0;
    for (int i = 0; i < times + WARM; i++) {
        if (i == WARM)
            from = now();
        kernel<<<1, 32>>>(out, anew ? i : 7);
    }
    cudaDeviceSynchronize();
    double took = now() - from;
    cudaMemcpy(&last, out, sizeof last, cudaMemcpyDeviceToHost);
    if (last != (anew ? times + WARM - 1 : 7))
        return fails("a value");
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    fprintf(stderr, "%.2f %ld\n", took / times, used.ru_maxrss);
    return 0;
}

static int turns(int threads) {
    int all = 0;
    take_turns<<<(threads + 255) / 256, threads < 256 ? threads : 256>>>();
    cudaMemcpyFromSymbol(&all, counted, sizeof all);
    return all == threads ? 0 : fails("the count");
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int times = argc > 2 ? atoi(argv[2]) : 1;
    if (strcmp(what, "add") == 0)
        return add_vectors(times);
    if (strcmp(what, "again") == 0)
        return launch(times, false, 0);
    if (strcmp(what, "anew") == 0)
        return launch(times, true, 0);
    if (strcmp(what, "code") == 0)
        return launch(times, true, 0, much_code);
    if (strcmp(what, "large") == 0)
        return launch(times, true, (size_t)4 << 30);
    if (strcmp(what, "lock") == 0)
        return turns(times);
    fprintf(stderr, "usage: bars add|again|anew|code|large|lock N\n");
    return 2;
}
