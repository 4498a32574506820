// SPDX-License-Identifier: Apache-2.0
// Runs golden kernels on a real GPU (host code only; `record` calls it).
//   run-on-gpu words FILE KERNEL WORDS
//       a kernel of 64 threads, (in, out) as golden.h says: WORDS of 64 bits to
//       stdout; WORDS 0: all rows of 64 up to the last one that was written
//   run-on-gpu kernels FILE SOURCE.cu FOLDER
//       the kernels of kernels/SOURCE.cu, but those that FOLDER/NAME.out or
//       FOLDER/NAME.failed is there for: their records to FOLDER/NAME.out, all
//       words to FOLDER/NAME.bin; stops at one that fails
//   run-on-gpu random FOLDER SEED COUNT
//       kernels rSEED .. of random programs, FOLDER/rSEED.cubin, those that are
//       there: "SEED HASH" a line
//   run-on-gpu trace FILE SEED
//       one of them that was made with --trace: all it wrote, to stdout
//   run-on-gpu ones FILE KERNEL
//       a kernel of ../async, that checks itself: 1 in every word of its output
// FILE is PTX or a cubin. Exit 0, or a message and 1.
#include "../random/launch.h"
#include "kernels.h"
#include <unistd.h>

#include <cuda.h>

static void check(CUresult result, const char *what) {
    const char *text = "";
    if (result == CUDA_SUCCESS)
        return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what, text ? text : "?");
    exit(1);
}

static uint32_t number(const char *text) {
    return (uint32_t)strtoul(text, NULL, 10);
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

static void open_device(void) {
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 8192), "stack size");
}

static CUmodule open_module(const char *path) {
    CUmodule module;
    char *text = read_file(path);
    check(cuModuleLoadData(&module, text), "cuModuleLoadData");
    free(text);
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

// A kernel that hangs is given up: the process ends, and its kernel with it.
static void wait_for_kernel(void) {
    enum { MOST_SECONDS = 4, STEP = 200 }; // microseconds
    CUresult state = cuStreamQuery(NULL);
    for (long left = MOST_SECONDS * 1000000L / STEP;
         state == CUDA_ERROR_NOT_READY && left; left--) {
        usleep(STEP);
        state = cuStreamQuery(NULL);
    }
    if (state == CUDA_ERROR_NOT_READY) {
        fprintf(stderr, "kernel run: it hangs\n");
        fflush(stdout);
        _exit(1);
    }
    check(state, "kernel run");
    check(cuCtxSynchronize(), "kernel run");
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
    wait_for_kernel();
}

static int run_words(const char *path, const char *name, size_t words) {
    enum { MOST = 4096 * GOLDEN_THREADS };
    static uint64_t inputs[GOLDEN_INPUTS], outputs[MOST], untouched[MOST];
    open_device();
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

static void print_record(FILE *to, const KernelSpec *spec,
                         const uint32_t *words, size_t count) {
    size_t shown = kernel_shown(spec);
    fprintf(to, "kernel %s %zu %016llx %zu\n", spec->name, count,
            (unsigned long long)kernel_hash(words, count), shown);
    for (size_t i = 0; i < shown; i++)
        fprintf(to, "%08x%c", words[i],
                i % 8 == 7 || i + 1 == shown ? '\n' : ' ');
}

typedef struct KernelFiles {
    const char *folder;
    char path[512];
} KernelFiles;

static const char *kernel_path(KernelFiles *files, const char *name,
                               const char *end) {
    snprintf(files->path, sizeof files->path, "%s/%s.%s", files->folder, name,
             end);
    return files->path;
}

static bool is_there(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

static void run_kernel(const char *path, const KernelSpec *spec,
                       KernelFiles *files, CUdeviceptr in) {
    CUmodule module = open_module(path); // anew: its variables are as at first
    CUfunction kernel;
    check(cuModuleGetFunction(&kernel, module, spec->name), spec->name);
    int threads = (int)kernel_threads(spec);
    size_t count = (size_t)spec->words * (size_t)threads;
    uint32_t *words = (uint32_t *)calloc(count, 4);
    CUdeviceptr out = new_buffer(count * 4, 0);
    void *args[] = {&in, &out, &threads};
    launch(kernel, spec->grid, spec->block, spec->cluster, spec->smem, args);
    read_buffer(out, words, count * 4, spec->name);
    check(cuMemFree(out), "cuMemFree");
    check(cuModuleUnload(module), "cuModuleUnload");
    FILE *full = fopen(kernel_path(files, spec->name, "bin"), "wb");
    if (!full || fwrite(words, 4, count, full) != count || fclose(full))
        fail("cannot be written", files->path);
    FILE *record = fopen(kernel_path(files, spec->name, "out"), "w");
    if (!record)
        fail("cannot be written", files->path);
    print_record(record, spec, words, count);
    fclose(record);
    free(words);
}

static int run_kernels(const char *path, const char *source,
                       const char *folder) {
    static uint32_t inputs[KERNEL_INPUTS];
    KernelFiles files = {folder, ""};
    KernelSpec spec;
    open_device();
    for (uint32_t i = 0; i < KERNEL_INPUTS; i++)
        inputs[i] = kernel_input(i);
    CUdeviceptr in = new_buffer(sizeof inputs, 0);
    check(cuMemcpyHtoD(in, inputs, sizeof inputs), "cuMemcpyHtoD");
    const char *at = read_file(source);
    while ((at = kernel_next(at, &spec))) {
        if (!spec.words)
            fail("is announced wrongly", spec.name);
        if (!is_there(kernel_path(&files, spec.name, "out")) &&
            !is_there(kernel_path(&files, spec.name, "failed")))
            run_kernel(path, &spec, &files, in);
    }
    return 0;
}

typedef struct RandomRun {
    CUdeviceptr in, out, scratch;
    size_t out_bytes;
} RandomRun;

static RandomRun open_random(size_t out_bytes) {
    static uint64_t inputs[RANDOM_INPUTS];
    RandomRun run;
    open_device();
    for (uint32_t i = 0; i < RANDOM_INPUTS; i++)
        inputs[i] = random_input(i);
    run.in = new_buffer(sizeof inputs, 0);
    check(cuMemcpyHtoD(run.in, inputs, sizeof inputs), "cuMemcpyHtoD");
    run.out = new_buffer(out_bytes, 0);
    run.out_bytes = out_bytes;
    run.scratch = new_buffer(RANDOM_SCRATCH_WORDS * 8, 0);
    return run;
}

static void launch_random(const RandomRun *run, const char *path,
                          uint32_t seed) {
    uint64_t words[RANDOM_SCRATCH_WORDS];
    char name[32];
    CUfunction kernel;
    CUmodule module = open_module(path);
    snprintf(name, sizeof name, "r%u", seed);
    check(cuModuleGetFunction(&kernel, module, name), name);
    for (uint32_t i = 0; i < RANDOM_SCRATCH_WORDS; i++)
        words[i] = random_scratch(i);
    check(cuMemcpyHtoD(run->scratch, words, sizeof words), "cuMemcpyHtoD");
    check(cuMemsetD8(run->out, 0, run->out_bytes), "cuMemsetD8");
    void *args[] = {(void *)&run->in, (void *)&run->out, (void *)&run->scratch};
    launch(kernel, RANDOM_GRID, RANDOM_BLOCK, 1, 0, args);
    check(cuModuleUnload(module), "cuModuleUnload");
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
    open_device();
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

static int run_random(const char *folder, uint32_t seed, uint32_t count) {
    static uint64_t words[RANDOM_THREADS + RANDOM_SCRATCH_WORDS];
    RandomRun run = open_random(RANDOM_THREADS * 8);
    for (; count; count--, seed++) {
        char path[512];
        snprintf(path, sizeof path, "%s/r%u.cubin", folder, seed);
        if (!is_there(path))
            continue;
        launch_random(&run, path, seed);
        read_buffer(run.out, words, RANDOM_THREADS * 8, path);
        read_buffer(run.scratch, words + RANDOM_THREADS,
                    RANDOM_SCRATCH_WORDS * 8, path);
        printf("%u %016llx\n", seed,
               (unsigned long long)random_hash(
                   words, RANDOM_THREADS + RANDOM_SCRATCH_WORDS));
        fflush(stdout);
    }
    return 0;
}

static int run_trace(const char *path, uint32_t seed) {
    size_t bytes =
        RANDOM_THREADS * 8 + (size_t)RANDOM_THREADS * RANDOM_TRACE_BYTES;
    RandomRun run = open_random(bytes);
    char *all = (char *)calloc(bytes, 1);
    launch_random(&run, path, seed);
    read_buffer(run.out, all, bytes, path);
    return fwrite(all, 1, bytes, stdout) == bytes ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "words"))
        return run_words(argv[2], argv[3], number(argv[4]));
    if (argc == 5 && !strcmp(argv[1], "kernels"))
        return run_kernels(argv[2], argv[3], argv[4]);
    if (argc == 4 && !strcmp(argv[1], "ones"))
        return run_ones(argv[2], argv[3]);
    if (argc == 5 && !strcmp(argv[1], "random"))
        return run_random(argv[2], number(argv[3]), number(argv[4]));
    if (argc == 4 && !strcmp(argv[1], "trace"))
        return run_trace(argv[2], number(argv[3]));
    fprintf(stderr, "usage: see the head of run-on-gpu.cu\n");
    return 2;
}
