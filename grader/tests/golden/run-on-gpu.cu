// SPDX-License-Identifier: Apache-2.0
// Runs golden kernels on a real GPU (host code only; `record` calls it).
//   run-on-gpu words FILE KERNEL WORDS
//       a kernel of 64 threads, (in, out) as golden.h says: WORDS of 64 bits to
//       stdout; WORDS 0: all rows of 64 up to the last one that was written
//   run-on-gpu kernel FILE SOURCE.cu NAME FULL
//       a kernel of kernels/: the record to stdout, all its words to file FULL
//   run-on-gpu ones FILE KERNEL
//       a kernel of ../async, that checks itself: 1 in every word of its output
//   run-on-gpu random FILE SEED COUNT
//       kernels rSEED .. of a random module: "SEED HASH" a line
// FILE is PTX or a cubin. Exit 0, or a message and 1.
#include "../random/launch.h"
#include "kernels.h"

#include <cuda.h>

static void check(CUresult result, const char *what) {
    const char *text = "";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what, text ? text : "?");
    exit(1);
}

static void fail(const char *what, const char *name) {
    fprintf(stderr, "%s: %s\n", name, what);
    exit(1);
}

// The whole file, with a NUL behind it.
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("cannot be opened", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = (char *)calloc((size_t)size + 1, 1);
    if (fread(text, 1, (size_t)size, file) != (size_t)size || size == 0)
        fail("cannot be read", path);
    fclose(file);
    return text;
}

static CUmodule open_module(const char *path) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192), "stack size");
    check(cuModuleLoadData(&module, read_file(path)), "cuModuleLoadData");
    return module;
}

// Device memory of `bytes`, all of them `fill`, and a guard behind it.
enum { GUARD = 65536 };
static CUdeviceptr new_buffer(size_t bytes, unsigned char fill) {
    CUdeviceptr at;
    check(cuMemAlloc(&at, bytes + GUARD), "cuMemAlloc");
    check(cuMemsetD8(at, fill, bytes), "cuMemsetD8");
    check(cuMemsetD8(at + bytes, 0xA5, GUARD), "cuMemsetD8");
    return at;
}

static void read_buffer(CUdeviceptr at, void *to, size_t bytes,
                        const char *name) {
    static unsigned char guard[GUARD];
    check(cuMemcpyDtoH(to, at, bytes), "cuMemcpyDtoH");
    check(cuMemcpyDtoH(guard, at + bytes, GUARD), "cuMemcpyDtoH");
    for (size_t i = 0; i < GUARD; i++)
        if (guard[i] != 0xA5)
            fail("it wrote behind its output", name);
}

static void launch(CUfunction kernel, uint32_t grid, uint32_t block,
                   uint32_t cluster, uint32_t smem, void **args) {
    CUlaunchAttribute attribute;
    CUlaunchConfig config;
    memset(&attribute, 0, sizeof attribute);
    memset(&config, 0, sizeof config);
    if (smem > 48 * 1024)
        check(cuFuncSetAttribute(
                  kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                  (int)smem),
              "dynamic shared memory");
    config.gridDimX = grid;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = block;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = smem;
    if (cluster > 1) {
        attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim.x = cluster;
        attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = 1;
    }
    check(cuLaunchKernelEx(&config, kernel, args, NULL), "cuLaunchKernelEx");
    check(cuCtxSynchronize(), "kernel run");
}

static int run_words(const char *path, const char *name, size_t words) {
    enum { MOST = 4096 * GOLDEN_THREADS };
    static uint64_t inputs[GOLDEN_INPUTS], outputs[MOST], untouched[MOST];
    CUmodule module = open_module(path);
    CUfunction kernel;
    check(cuModuleGetFunction(&kernel, module, name), name);
    for (uint32_t i = 0; i < GOLDEN_INPUTS; i++)
        inputs[i] = golden_input(i);
    CUdeviceptr in = new_buffer(sizeof inputs, 0);
    CUdeviceptr out = new_buffer(sizeof outputs, words ? 0 : 0x5A);
    check(cuMemcpyHtoD(in, inputs, sizeof inputs), "cuMemcpyHtoD");
    void *args[] = {&in, &out};
    launch(kernel, 1, GOLDEN_THREADS, 1, 0, args);
    read_buffer(out, outputs, sizeof outputs, name);
    memset(untouched, 0x5A, sizeof untouched);
    if (!words)
        for (words = MOST; words; words -= GOLDEN_THREADS)
            if (memcmp(outputs + words - GOLDEN_THREADS, untouched,
                       GOLDEN_THREADS * 8))
                break;
    return fwrite(outputs, 8, words, stdout) == words ? 0 : 1;
}

static void print_record(const KernelSpec *spec, const uint32_t *words,
                         size_t count) {
    size_t shown = kernel_shown(spec);
    printf("kernel %s %zu %016llx %zu\n", spec->name, count,
           (unsigned long long)kernel_hash(words, count), shown);
    for (size_t i = 0; i < shown; i++)
        printf("%08x%c", words[i], i % 8 == 7 || i + 1 == shown ? '\n' : ' ');
}

static int run_kernel(const char *path, const char *source, const char *name,
                      const char *full) {
    KernelSpec spec;
    const char *at = read_file(source);
    while ((at = kernel_next(at, &spec)) && strcmp(spec.name, name))
        ;
    if (!at || !spec.words)
        fail("is not announced, or wrongly", name);
    static uint32_t inputs[KERNEL_INPUTS];
    for (uint32_t i = 0; i < KERNEL_INPUTS; i++)
        inputs[i] = kernel_input(i);
    CUmodule module = open_module(path);
    CUfunction kernel;
    check(cuModuleGetFunction(&kernel, module, name), name);
    int threads = (int)kernel_threads(&spec);
    size_t count = (size_t)spec.words * (size_t)threads;
    uint32_t *words = (uint32_t *)calloc(count, 4);
    CUdeviceptr in = new_buffer(sizeof inputs, 0);
    CUdeviceptr out = new_buffer(count * 4, 0);
    check(cuMemcpyHtoD(in, inputs, sizeof inputs), "cuMemcpyHtoD");
    void *args[] = {&in, &out, &threads};
    launch(kernel, spec.grid, spec.block, spec.cluster, spec.smem, args);
    read_buffer(out, words, count * 4, name);
    print_record(&spec, words, count);
    FILE *file = fopen(full, "wb");
    if (!file || fwrite(words, 4, count, file) != count || fclose(file))
        fail("cannot be written", full);
    return 0;
}

// As test_vm_async.c launches them.
static int run_ones(const char *path, const char *name) {
    enum { GRID = 4, BLOCK = 128, WORDS = GRID * BLOCK, INPUTS = 4096 };
    static uint32_t inputs[INPUTS], words[WORDS];
    size_t length = strlen(name), suffix = strlen("_cluster");
    bool clusters =
        length > suffix && !strcmp(name + length - suffix, "_cluster");
    for (uint32_t i = 0; i < INPUTS; i++)
        inputs[i] = i * 2654435761u;
    CUmodule module = open_module(path);
    CUfunction kernel;
    check(cuModuleGetFunction(&kernel, module, name), name);
    CUdeviceptr in = new_buffer(sizeof inputs, 0);
    CUdeviceptr out = new_buffer(sizeof words, 0);
    check(cuMemcpyHtoD(in, inputs, sizeof inputs), "cuMemcpyHtoD");
    void *args[] = {&out, &in};
    launch(kernel, GRID, BLOCK, clusters ? 2 : 1, 0, args);
    read_buffer(out, words, sizeof words, name);
    for (uint32_t i = 0; i < WORDS; i++) {
        if (words[i] == 1)
            continue;
        fprintf(stderr, "%s: word %u of block %u is %u\n", name, i % BLOCK,
                i / BLOCK, words[i]);
        return 1;
    }
    return 0;
}

static int run_random(const char *path, uint32_t seed, uint32_t count) {
    static uint64_t inputs[RANDOM_INPUTS], outputs[RANDOM_THREADS];
    CUmodule module = open_module(path);
    for (uint32_t i = 0; i < RANDOM_INPUTS; i++)
        inputs[i] = random_input(i);
    CUdeviceptr in = new_buffer(sizeof inputs, 0);
    check(cuMemcpyHtoD(in, inputs, sizeof inputs), "cuMemcpyHtoD");
    CUdeviceptr out = new_buffer(sizeof outputs, 0);
    CUdeviceptr scratch = new_buffer(RANDOM_SCRATCH_BYTES, 0);
    for (; count; count--, seed++) {
        char name[32];
        CUfunction kernel;
        snprintf(name, sizeof name, "r%u", seed);
        check(cuModuleGetFunction(&kernel, module, name), name);
        check(cuMemsetD8(out, 0, sizeof outputs), "cuMemsetD8");
        check(cuMemsetD8(scratch, 0, RANDOM_SCRATCH_BYTES), "cuMemsetD8");
        void *args[] = {&in, &out, &scratch};
        launch(kernel, RANDOM_GRID, RANDOM_BLOCK, 1, 0, args);
        read_buffer(out, outputs, sizeof outputs, name);
        printf("%u %016llx\n", seed,
               (unsigned long long)random_hash(outputs, RANDOM_THREADS));
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "words"))
        return run_words(argv[2], argv[3], strtoul(argv[4], NULL, 10));
    if (argc == 6 && !strcmp(argv[1], "kernel"))
        return run_kernel(argv[2], argv[3], argv[4], argv[5]);
    if (argc == 4 && !strcmp(argv[1], "ones"))
        return run_ones(argv[2], argv[3]);
    if (argc == 5 && !strcmp(argv[1], "random"))
        return run_random(argv[2], (uint32_t)strtoul(argv[3], NULL, 10),
                          (uint32_t)strtoul(argv[4], NULL, 10));
    fprintf(stderr, "usage: see the head of run-on-gpu.cu\n");
    return 2;
}
