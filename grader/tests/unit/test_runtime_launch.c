// SPDX-License-Identifier: Apache-2.0
// runtime/: modules and their kernels; launching them, in every form; what is
// wrong with a launch; what a kernel did wrong, and what every call says then;
// what the options of clclab exec leave out.
#include "tests/unit/cuda_program.h"

cudaError_t cuModuleLoadDataEx(CUmodule *module, const void *image,
                               unsigned count, int *options, void **values);
cudaError_t cuModuleLoad(CUmodule *module, const char *path);
cudaError_t cuModuleUnload(CUmodule module);
cudaError_t cuModuleGetFunctionCount(unsigned *count, CUmodule module);
cudaError_t cuModuleEnumerateFunctions(CUfunction *kernels, unsigned most,
                                       CUmodule module);
cudaError_t cuFuncGetModule(CUmodule *module, const void *kernel);
cudaError_t cuFuncGetParamInfo(const void *kernel, size_t index, size_t *offset,
                               size_t *size);
cudaError_t cuFuncGetAttribute(int *value, int attribute, CUfunction kernel);
cudaError_t cuLaunchKernel(CUfunction kernel, unsigned gx, unsigned gy,
                           unsigned gz, unsigned bx, unsigned by, unsigned bz,
                           unsigned shared, cudaStream_t stream, void **args,
                           void **extra);
cudaError_t cuLaunchCooperativeKernel(CUfunction kernel, unsigned gx,
                                      unsigned gy, unsigned gz, unsigned bx,
                                      unsigned by, unsigned bz, unsigned shared,
                                      cudaStream_t stream, void **args);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *kernel, void **args);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, int attribute, int value);
cudaError_t cudaFuncGetName(const char **name, const void *kernel);
cudaError_t cudaGetKernel(CUfunction *kernel, const void *host);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *kernel,
                                                          int threads,
                                                          size_t shared);
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                                           const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                      const void *kernel,
                                                      int blocks, int threads);
cudaError_t cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                             CUfunction kernel,
                                             size_t (*shared)(int threads),
                                             size_t dynamic, int limit);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream);
void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *device,
                            const char *name, int limit, void *tid, void *bid,
                            void *block, void *grid, int *warp);

// ---- modules ---------------------------------------------------------------

TEST(a_module_has_its_kernels) {
    Program p = program_begin();
    CUfunction kernel, kernels[4] = {NULL};
    CUmodule module = NULL;
    unsigned count = 0;
    CHECK_INT(cuModuleGetFunction(&kernel, p.module, "lacking"),
              cudaErrorSymbolNotFound);
    CHECK_INT(cuModuleGetFunction(&kernel, p.module, "vprintf"),
              cudaErrorSymbolNotFound); // no kernel
    CHECK_INT(cuModuleGetFunction(&kernel, NULL, "add"), cudaErrorInvalidValue);
    CHECK_INT(cuModuleGetFunction(&kernel, p.module, NULL),
              cudaErrorInvalidValue);
    CHECK_INT(cuModuleGetFunction(NULL, p.module, "add"),
              cudaErrorInvalidValue);
    kernel = program_kernel(&p, "add");
    CHECK(kernel == program_kernel(&p, "add"));
    CHECK_INT(cuFuncGetModule(&module, kernel), cudaSuccess);
    CHECK(module == p.module);
    CHECK_INT(cuModuleGetFunctionCount(&count, p.module), cudaSuccess);
    CHECK_INT(count, 14);
    CHECK_INT(cuModuleEnumerateFunctions(kernels, 3, p.module), cudaSuccess);
    CHECK(kernels[0] == kernel && kernels[2] && !kernels[3]);
    CHECK_INT(cuModuleGetFunctionCount(&count, NULL),
              cudaErrorInvalidResourceHandle);
}

TEST(a_wrong_module_says_why) {
    Program p = program_begin();
    CUmodule module;
    char log[200] = "", short_log[8] = "";
    int options[] = {3, 4, 5, 6}; // CUjit_option: buffers and sizes of texts
    void *values[] = {short_log, (void *)sizeof short_log, log,
                      (void *)sizeof log};
    static const char wrong[] = ".version 8.7\n.target sm_100a\n"
                                ".address_size 64\n.visible .entry k() {\n"
                                "add.u32 %r0, %r1; ret; }\n";
    CHECK_INT(cuModuleLoadDataEx(&module, wrong, 4, options, values),
              cudaErrorInvalidPtx);
    CHECK_HOLDS(str_from(log), "line 5; error: ");
    CHECK_U64((uintptr_t)values[3], strlen(log));
    CHECK_U64((uintptr_t)values[1], 0);
    ExecResult told = program_told(&p);
    CHECK_HOLDS(told.messages[0].what, "line 5");
    CHECK_STR(told.calls[0].name, "cuModuleLoadDataEx");
    CHECK_STR(told.calls[0].error, "cudaErrorInvalidPtx");
    values[2] = short_log;
    values[3] = (void *)sizeof short_log;
    CHECK_INT(cuModuleLoadDataEx(&module, wrong, 4, options, values),
              cudaErrorInvalidPtx);
    CHECK_STR(str_from(short_log), "line 5;");
    CHECK_U64((uintptr_t)values[3], 7);
    CHECK_INT(cuModuleLoadDataEx(&module, PROGRAM_PTX, 4, options, values),
              cudaSuccess);
    CHECK_STR(str_from(short_log), "");
    CHECK_INT(cuModuleLoadDataEx(&module, wrong, 0, NULL, NULL),
              cudaErrorInvalidPtx);
    CHECK_INT(cuModuleLoadData(&module, NULL), cudaErrorInvalidValue);
    CHECK_INT(cuModuleLoadData(NULL, PROGRAM_PTX), cudaErrorInvalidValue);
    CHECK_INT(cuModuleLoadData(&module, "\177ELF and more"),
              cudaErrorNoKernelImageForDevice);
}

TEST(a_module_is_read_from_a_file) {
    Program p = program_begin();
    CUmodule module;
    char path[64];
    int file = memfd_create("ptx", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    CHECK_INT(write(file, PROGRAM_PTX, sizeof PROGRAM_PTX - 1),
              sizeof PROGRAM_PTX - 1);
    CHECK_INT(cuModuleLoad(&module, path), cudaSuccess);
    CUfunction kernel;
    CHECK_INT(cuModuleGetFunction(&kernel, module, "add"), cudaSuccess);
    CHECK(kernel != program_kernel(&p, "add"));
    CHECK_INT(cuModuleLoad(&module, "/nowhere/at/all"), cudaErrorFileNotFound);
    CHECK_INT(cuModuleLoad(&module, NULL), cudaErrorInvalidValue);
    CHECK_INT(cuModuleLoad(NULL, path), cudaErrorInvalidValue);
}

TEST(an_unloaded_module_has_nothing) {
    Program p = program_begin();
    CUfunction kernel = program_kernel(&p, "count");
    CHECK_INT(cuModuleUnload(p.module), cudaSuccess);
    CHECK_INT(cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL,
                               0, NULL),
              cudaErrorInvalidDeviceFunction);
    CHECK_INT(cuModuleUnload(NULL), cudaErrorInvalidValue);
}

static void stand_in(void) {
}
static void another(void) {
}

// What code that nvcc has made calls before main.
TEST(a_program_registers_its_kernels) {
    Program p = program_begin();
    uint32_t word = 5;
    void *memory = program_words(&word, 1);
    struct {
        int magic, version;
        const void *image, *parts;
    } wrapper = {0x466243b1, 1, PROGRAM_PTX, NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (void *)stand_in, NULL, "add", 0, NULL, NULL,
                           NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (void *)another, NULL, "lacking", 0, NULL,
                           NULL, NULL, NULL, NULL);
    unsigned three = 3;
    void *args[] = {&memory, &three};
    dim3 one = {1, 1, 1};
    CHECK_INT(cudaLaunchKernel((void *)stand_in, one, one, args, 0, NULL),
              cudaSuccess);
    CHECK_U64(program_word(memory, 0), 8);
    CHECK_INT(cudaLaunchKernel((void *)another, one, one, args, 0, NULL),
              cudaErrorInvalidDeviceFunction);
    CHECK_INT(cudaLaunchKernel(&word, one, one, args, 0, NULL),
              cudaErrorInvalidDeviceFunction);
    CUfunction kernel = NULL;
    const char *name = NULL;
    CHECK_INT(cudaGetKernel(&kernel, (void *)stand_in), cudaSuccess);
    CHECK_INT(cudaFuncGetName(&name, kernel), cudaSuccess);
    CHECK_STR(str_from(name), "add");
    __cudaUnregisterFatBinary(handle);
    CHECK_INT(cudaLaunchKernel((void *)stand_in, one, one, args, 0, NULL),
              cudaErrorInvalidDeviceFunction);
    arena_free(&p.arena);
}

TEST(a_call_in_angle_brackets_is_a_push_and_a_pop) {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream, other = (cudaStream_t)(uintptr_t)1;
    CHECK_INT(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
              cudaErrorMissingConfiguration);
    for (unsigned i = 1; i <= 8; i++)
        CHECK_INT(__cudaPushCallConfiguration((dim3){i, 2, 3}, (dim3){4, 5, i},
                                              i, other),
                  0);
    CHECK(__cudaPushCallConfiguration((dim3){9, 1, 1}, (dim3){1, 1, 1}, 0,
                                      NULL) != 0);
    for (unsigned i = 8; i >= 1; i--) {
        CHECK_INT(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
                  cudaSuccess);
        CHECK(grid.x == i && grid.y == 2 && grid.z == 3);
        CHECK(block.x == 4 && block.y == 5 && block.z == i);
        CHECK(shared == i && stream == other);
    }
    CHECK_INT(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
              cudaErrorMissingConfiguration);
}

// ---- shapes ----------------------------------------------------------------

static cudaError_t launch_as(const Program *p, const char *name, dim3 grid,
                             dim3 block, size_t shared) {
    static const uint32_t zero;
    void *memory = program_words(&zero, 1);
    unsigned one = 1;
    void *args[] = {&memory, &one};
    return cudaLaunchKernel(program_kernel(p, name), grid, block, args, shared,
                            NULL);
}

TEST(a_launch_has_a_shape_that_a_card_takes) {
    Program p = program_begin();
    static const struct {
        dim3 grid, block;
        cudaError_t error;
    } rows[] = {
        {{1, 1, 1}, {1024, 1, 1}, 0},  {{1, 1, 1}, {1025, 1, 1}, 9},
        {{1, 1, 1}, {32, 32, 1}, 0},   {{1, 1, 1}, {32, 33, 1}, 9},
        {{1, 1, 1}, {2, 2, 64}, 0},    {{1, 1, 1}, {1, 1, 65}, 9},
        {{1, 1, 1}, {0, 1, 1}, 9},     {{1, 1, 1}, {1, 0, 1}, 9},
        {{1, 1, 1}, {1, 1, 0}, 9},     {{0, 1, 1}, {1, 1, 1}, 9},
        {{1, 0, 1}, {1, 1, 1}, 9},     {{1, 1, 0}, {1, 1, 1}, 9},
        {{1, 65535, 1}, {1, 1, 1}, 0}, {{1, 65536, 1}, {1, 1, 1}, 9},
        {{1, 1, 65536}, {1, 1, 1}, 9}, {{0x80000000, 1, 1}, {1, 1, 1}, 9}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!CHECK_INT(launch_as(&p, "any", rows[i].grid, rows[i].block, 0),
                       rows[i].error))
            printf("# row %zu\n", i);
}

TEST(a_wrong_shape_is_an_error_of_the_call) {
    Program p = program_begin();
    dim3 one = {1, 1, 1};
    CHECK_INT(launch_as(&p, "any", one, (dim3){1025, 1, 1}, 0),
              cudaErrorInvalidConfiguration);
    CHECK_INT(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    CHECK_INT(launch_as(&p, "any", one, one, 0), cudaSuccess);
    CHECK_INT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    CHECK_INT(cudaGetLastError(), cudaSuccess);
    ExecResult told = program_told(&p);
    CHECK_STR(told.calls[0].name, "cudaLaunchKernel");
    CHECK_STR(told.calls[0].error, "cudaErrorInvalidConfiguration");
}

TEST(a_kernel_says_how_many_threads_it_takes) {
    Program p = program_begin();
    dim3 one = {1, 1, 1};
    CHECK_INT(launch_as(&p, "few", one, (dim3){64, 1, 1}, 0), cudaSuccess);
    CHECK_INT(launch_as(&p, "few", one, (dim3){65, 1, 1}, 0),
              cudaErrorInvalidValue);
    CHECK_INT(launch_as(&p, "exact", one, (dim3){32, 2, 1}, 0), cudaSuccess);
    CHECK_INT(launch_as(&p, "exact", one, (dim3){32, 1, 1}, 0),
              cudaErrorInvalidValue);
    CHECK_INT(launch_as(&p, "exact", one, (dim3){64, 1, 1}, 0),
              cudaErrorInvalidValue);
    CHECK_INT(launch_as(&p, "exact", one, (dim3){32, 1, 2}, 0),
              cudaErrorInvalidValue);
    ExecResult told = program_told(&p);
    CHECK_INT(told.messages[0].level, DIAG_WARNING); // the program's mistake
    CHECK_HOLDS(told.messages[0].what, "Launch 2, of few, is not possible:");
}

TEST(shared_memory_is_48_kib_unless_asked) {
    enum { OWN = 16384, ALL = 48 * 1024, MOST = 227 * 1024, DYNAMIC = 8 };
    Program p = program_begin();
    dim3 one = {1, 1, 1};
    CUfunction kernel = program_kernel(&p, "shares");
    CHECK_INT(launch_as(&p, "shares", one, one, ALL - OWN), cudaSuccess);
    CHECK_INT(launch_as(&p, "shares", one, one, ALL - OWN + 1),
              cudaErrorInvalidValue);
    CHECK_INT(cudaFuncSetAttribute(kernel, DYNAMIC, MOST - OWN + 1),
              cudaErrorInvalidValue);
    CHECK_INT(cudaFuncSetAttribute(kernel, DYNAMIC, -1), cudaErrorInvalidValue);
    CHECK_INT(cudaFuncSetAttribute(kernel, DYNAMIC, MOST - OWN), cudaSuccess);
    CHECK_INT(launch_as(&p, "shares", one, one, MOST - OWN), cudaSuccess);
    CHECK_INT(launch_as(&p, "shares", one, one, MOST - OWN + 1),
              cudaErrorInvalidValue);
    CHECK_INT(cudaFuncSetAttribute(kernel, DYNAMIC, 100), cudaSuccess);
    CHECK_INT(launch_as(&p, "shares", one, one, ALL - OWN), cudaSuccess);
    CHECK_INT(cudaFuncSetAttribute(&p, DYNAMIC, 100),
              cudaErrorInvalidDeviceFunction);
    uint32_t word = 0;
    void *memory = program_words(&word, 1), *args[] = {&memory};
    cudaLaunchKernel(kernel, one, one, args, 1000, NULL);
    CHECK_U64(program_word(memory, 0), 1000);
}

static cudaError_t launch_cluster(const Program *p, const char *name, dim3 grid,
                                  dim3 cluster, uint32_t *seen) {
    uint32_t zero = 0;
    void *memory = program_words(&zero, 1), *args[] = {&memory};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension,
                                     .val.clusterDim = cluster};
    cudaLaunchConfig_t config = {.gridDim = grid,
                                 .blockDim = {1, 1, 1},
                                 .attrs = &attribute,
                                 .numAttrs = 1};
    cudaError_t error =
        cudaLaunchKernelExC(&config, program_kernel(p, name), args);
    *seen = program_word(memory, 0);
    return error;
}

TEST(a_launch_may_have_clusters) {
    enum { LARGE = 14 };
    Program p = program_begin();
    uint32_t seen;
    CUfunction any = program_kernel(&p, "any");
    CHECK_INT(
        launch_cluster(&p, "any", (dim3){4, 2, 1}, (dim3){2, 2, 1}, &seen),
        cudaSuccess);
    CHECK_U64(seen, 4);
    CHECK_INT(
        launch_cluster(&p, "any", (dim3){8, 1, 1}, (dim3){8, 1, 1}, &seen),
        cudaSuccess);
    CHECK_U64(seen, 8);
    CHECK_INT(
        launch_cluster(&p, "any", (dim3){4, 3, 1}, (dim3){2, 2, 1}, &seen),
        cudaErrorInvalidClusterSize);
    CHECK_INT(
        launch_cluster(&p, "any", (dim3){3, 2, 1}, (dim3){2, 2, 1}, &seen),
        cudaErrorInvalidClusterSize);
    CHECK_INT(
        launch_cluster(&p, "any", (dim3){16, 1, 1}, (dim3){16, 1, 1}, &seen),
        cudaErrorInvalidClusterSize);
    CHECK_INT(cudaFuncSetAttribute(any, LARGE, 1), cudaSuccess);
    CHECK_INT(
        launch_cluster(&p, "any", (dim3){16, 1, 1}, (dim3){16, 1, 1}, &seen),
        cudaSuccess);
    CHECK_U64(seen, 16);
    CHECK_INT(
        launch_cluster(&p, "pair", (dim3){4, 1, 1}, (dim3){2, 1, 1}, &seen),
        cudaSuccess);
    CHECK_U64(seen, 2);
    CHECK_INT(
        launch_cluster(&p, "pair", (dim3){4, 1, 1}, (dim3){4, 1, 1}, &seen),
        cudaErrorInvalidClusterSize);
    CHECK_INT(launch_as(&p, "pair", (dim3){2, 1, 1}, (dim3){1, 1, 1}, 0),
              cudaSuccess);
    CHECK_INT(launch_as(&p, "pair", (dim3){3, 1, 1}, (dim3){1, 1, 1}, 0),
              cudaErrorInvalidClusterSize);
    CHECK_INT(cudaLaunchKernelExC(NULL, any, NULL), cudaErrorInvalidValue);
}

TEST(a_cooperative_launch_fits_on_the_device) {
    Program p = program_begin();
    uint32_t zero = 0;
    void *memory = program_words(&zero, 1), *args[] = {&memory};
    CUfunction any = program_kernel(&p, "any");
    CHECK_INT(cuLaunchCooperativeKernel(any, 4, 1, 1, 32, 1, 1, 0, NULL, args),
              cudaSuccess);
    CHECK_INT(
        cuLaunchCooperativeKernel(any, 148 * 32, 1, 1, 32, 1, 1, 0, NULL, args),
        cudaSuccess);
    CHECK_INT(cuLaunchCooperativeKernel(any, 148 * 32 + 1, 1, 1, 32, 1, 1, 0,
                                        NULL, args),
              cudaErrorCooperativeLaunchTooLarge);
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeCooperative,
                                     .val.cooperative = 1};
    cudaLaunchConfig_t config = {.gridDim = {148 * 32 + 1, 1, 1},
                                 .blockDim = {32, 1, 1},
                                 .attrs = &attribute,
                                 .numAttrs = 1};
    CHECK_INT(cudaLaunchKernelExC(&config, any, args),
              cudaErrorCooperativeLaunchTooLarge);
    attribute.val.cooperative = 0;
    CHECK_INT(cudaLaunchKernelExC(&config, any, args), cudaSuccess);
}

// ---- parameters ------------------------------------------------------------

TEST(parameters_lie_at_their_alignment) {
    Program p = program_begin();
    CUfunction mixed = program_kernel(&p, "mixed");
    static const size_t offsets[] = {0, 8, 16, 36}, sizes[] = {1, 8, 20, 2};
    size_t offset, size;
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        CHECK_INT(cuFuncGetParamInfo(mixed, i, &offset, &size), cudaSuccess);
        CHECK_U64(offset, offsets[i]);
        CHECK_U64(size, sizes[i]);
    }
    CHECK_INT(cuFuncGetParamInfo(mixed, 1, NULL, NULL), cudaSuccess);
    CHECK_INT(cuFuncGetParamInfo(mixed, 4, &offset, &size),
              cudaErrorInvalidValue);
    CHECK_INT(cuFuncGetParamInfo(&p, 0, &offset, &size),
              cudaErrorInvalidValue); // of the runtime: no function
}

static void check_mixed(const void *memory) {
    CHECK_U64(program_word(memory, 0), 200);
    CHECK_U64(program_word(memory, 1), 0x55555555);
    CHECK_U64(program_word(memory, 2), 40000);
}

TEST(parameters_are_given_one_by_one_or_as_a_block) {
    Program p = program_begin();
    const uint32_t zeros[3] = {0};
    void *memory = program_words(zeros, 3);
    CUfunction mixed = program_kernel(&p, "mixed");
    uint8_t a = 200, c[20];
    uint16_t d = 40000;
    memset(c, 0x55, sizeof c);
    void *args[] = {&a, &memory, c, &d};
    CHECK_INT(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
              cudaSuccess);
    check_mixed(memory);
    cudaMemset(memory, 0, 12);
    uint8_t block[38];
    size_t bytes = sizeof block;
    memcpy(block, &a, sizeof a);
    memcpy(block + 8, &memory, sizeof memory);
    memcpy(block + 16, c, sizeof c);
    memcpy(block + 36, &d, sizeof d);
    void *extra[] = {(void *)(uintptr_t)2, &bytes, (void *)(uintptr_t)1, block,
                     NULL};
    CHECK_INT(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
              cudaSuccess);
    check_mixed(memory);
    extra[2] = NULL; // without the block
    CHECK_INT(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
              cudaErrorInvalidValue);
    args[2] = NULL;
    CHECK_INT(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL),
              cudaErrorInvalidValue);
    CHECK_INT(cuLaunchKernel(mixed, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
              cudaErrorInvalidValue);
    CHECK_INT(cuLaunchKernel(program_kernel(&p, "count"), 1, 1, 1, 1, 1, 1, 0,
                             NULL, NULL, NULL),
              cudaSuccess);
}

// ---- what a kernel is ------------------------------------------------------

TEST(a_kernel_has_attributes) {
    enum { DYNAMIC = 8, LARGE = 14 };
    Program p = program_begin();
    cudaFuncAttributes a;
    CUfunction shares = program_kernel(&p, "shares");
    CHECK_INT(cudaFuncGetAttributes(&a, shares), cudaSuccess);
    CHECK_U64(a.sharedSizeBytes, 16384);
    CHECK_INT(a.maxThreadsPerBlock, 1024);
    CHECK_INT(a.maxDynamicSharedSizeBytes, 32768);
    CHECK_INT(a.numRegs, 32);
    CHECK_INT(a.ptxVersion, 100);
    CHECK_INT(a.binaryVersion, 100);
    CHECK_INT(a.preferredShmemCarveout, -1);
    CHECK_INT(a.clusterDimMustBeSet, 0);
    cudaFuncSetAttribute(shares, DYNAMIC, 50000);
    cudaFuncSetAttribute(shares, LARGE, 7);
    CHECK_INT(cudaFuncGetAttributes(&a, shares), cudaSuccess);
    CHECK_INT(a.maxDynamicSharedSizeBytes, 50000);
    CHECK_INT(a.nonPortableClusterSizeAllowed, 1);
    CHECK_INT(cudaFuncGetAttributes(&a, program_kernel(&p, "pair")),
              cudaSuccess);
    CHECK_INT(a.clusterDimMustBeSet, 1);
    CHECK(a.requiredCluster[0] == 2 && a.requiredCluster[1] == 1);
    CHECK_INT(cudaFuncGetAttributes(&a, program_kernel(&p, "few")),
              cudaSuccess);
    CHECK_INT(a.maxThreadsPerBlock, 64);
    CHECK_INT(cudaFuncGetAttributes(&a, program_kernel(&p, "exact")),
              cudaSuccess);
    CHECK_INT(a.maxThreadsPerBlock, 64);
    CHECK_INT(cudaFuncGetAttributes(&a, program_kernel(&p, "says")),
              cudaSuccess);
    CHECK_U64(a.localSizeBytes, 8);
    int value = 0;
    CHECK_INT(cuFuncGetAttribute(&value, 1, shares), cudaSuccess);
    CHECK_INT(value, 16384);
    CHECK_INT(cuFuncGetAttribute(&value, 14, shares), cudaSuccess);
    CHECK_INT(value, 1);
    CHECK_INT(cuFuncGetAttribute(&value, 16, shares), cudaErrorInvalidValue);
    CHECK_INT(cuFuncGetAttribute(&value, -1, shares), cudaErrorInvalidValue);
}

static size_t much_shared(int threads) {
    return (size_t)threads * 200;
}

TEST(what_fits_on_an_sm_is_told) {
    Program p = program_begin();
    CUfunction any = program_kernel(&p, "any");
    int count = 0, grid = 0, block = 0;
    size_t bytes = 0;
#define FIT cudaOccupancyMaxActiveBlocksPerMultiprocessor
    CHECK_INT(FIT(&count, any, 1024, 0), cudaSuccess);
    CHECK_INT(count, 2);
    CHECK_INT(FIT(&count, any, 32, 0), cudaSuccess);
    CHECK_INT(count, 32);
    CHECK_INT(FIT(&count, any, 32, 100 * 1024), cudaSuccess);
    CHECK_INT(count, 2);
    CHECK_INT(FIT(&count, any, 0, 0), cudaErrorInvalidValue);
    CHECK_INT(count, 0);
    CHECK_INT(FIT(&count, any, 1, 0), cudaSuccess);
    CHECK_INT(FIT(&count, &p, 32, 0), cudaErrorInvalidDeviceFunction);
#undef FIT
    CHECK_INT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, any, 2, 32),
              cudaSuccess);
    CHECK_U64(bytes, 113 * 1024);
    CHECK_INT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, any, 0, 32),
              cudaErrorInvalidValue);
    CHECK_INT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, any, 1000, 32),
              cudaSuccess);
    CHECK_U64(bytes, 0);
    cudaLaunchAttribute pair = {.id = cudaLaunchAttributeClusterDimension,
                                .val.clusterDim = {2, 2, 1}};
    cudaLaunchConfig_t config = {.gridDim = {8, 1, 1},
                                 .blockDim = {256, 2, 2},
                                 .attrs = &pair,
                                 .numAttrs = 1};
    CHECK_INT(cudaOccupancyMaxActiveClusters(&count, any, &config),
              cudaSuccess);
    CHECK_INT(count, 148 * 2 / 4);
    config.numAttrs = 0;
    CHECK_INT(cudaOccupancyMaxActiveClusters(&count, any, &config),
              cudaSuccess);
    CHECK_INT(count, 148 * 2);
    CHECK_INT(cuOccupancyMaxPotentialBlockSize(&grid, &block, any, NULL, 0, 0),
              cudaSuccess);
    CHECK(block == 1024 && grid == 296);
    CHECK_INT(
        cuOccupancyMaxPotentialBlockSize(&grid, &block, any, NULL, 0, 500),
        cudaSuccess);
    CHECK(block == 500 && grid == 4 * 148);
    CHECK_INT(
        cuOccupancyMaxPotentialBlockSize(&grid, &block, any, much_shared, 0, 0),
        cudaSuccess);
    CHECK_INT(block, 576); // as 3 of 384; 1024 would be the only one
    CHECK_INT(grid, 2 * 148);
    CHECK_INT(cuOccupancyMaxPotentialBlockSize(&grid, &block, any, NULL,
                                               100 * 1024, 0),
              cudaSuccess);
    CHECK(block == 1024 && grid == 296);
}

// ---- what a kernel does wrong ----------------------------------------------

// The launch itself is no error; what comes next is, for ever.
static void check_fault(Program *p, const char *name, void *at,
                        cudaError_t error, const char *code) {
    void *args[] = {&at, &at};
    void *memory;
    CUfunction count = program_kernel(p, "count");
    CHECK_INT(program_launch(p, name, 1, args), cudaSuccess);
    CHECK_INT(cudaDeviceSynchronize(), error);
    CHECK_INT(cudaDeviceSynchronize(), error);
    CHECK_INT(cudaMalloc(&memory, 4), error);
    CHECK_INT(cudaGetLastError(), error);
    CHECK_INT(cudaGetLastError(), error);
    CHECK_INT(cudaLaunchKernel(count, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0,
                               NULL),
              error);
    ExecResult told = program_told(p);
    CHECK_STR(told.findings[0].cause.code, code);
    CHECK_STR(told.findings[0].kernel, name);
    CHECK_U64(told.launches, 1);
}

TEST(a_wild_address_ends_all) {
    Program p = program_begin();
    check_fault(&p, "add", (void *)(uintptr_t)0x10, cudaErrorIllegalAddress,
                "MEM001");
}

TEST(a_pointer_of_the_host_is_known_as_one) {
    Program p = program_begin();
    uint32_t local = 0;
    check_fault(&p, "add", &local, cudaErrorIllegalAddress, "MEM001");
    CHECK_HOLDS(program_told(&p).findings[0].cause.help, "host");
}

TEST(a_misaligned_address_ends_all) {
    Program p = program_begin();
    const uint32_t words[2] = {0};
    char *memory = program_words(words, 2);
    check_fault(&p, "add", memory + 2, cudaErrorMisalignedAddress, "MEM002");
}

TEST(a_trap_ends_all) {
    Program p = program_begin();
    check_fault(&p, "traps", NULL, cudaErrorLaunchFailure, "TRAP");
}

TEST(a_kernel_without_an_end_is_ended) {
    Program p = program_begin();
    check_fault(&p, "spins", NULL, cudaErrorLaunchTimeout, "LIMIT");
    CHECK(!program_told(&p).findings[0].is_ours);
}

// It may be a right one: the machine is slower than a card.
TEST(a_kernel_of_too_many_steps_is_ended) {
    setenv("CLCLAB_EXEC_STEPS", "1000", 1);
    Program p = program_begin();
    check_fault(&p, "lasts", NULL, cudaErrorLaunchTimeout, "LIMIT");
    CHECK(program_told(&p).findings[0].is_ours);
}

TEST(a_finding_is_told_once_and_counted) {
    Program p = program_begin();
    void *memory, *args[] = {&memory};
    dim3 grid = {3, 2, 1}, block = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        cudaMalloc(&memory, 4);
        CHECK_INT(cudaLaunchKernel(program_kernel(&p, "decides"), grid, block,
                                   args, 0, NULL),
                  cudaSuccess);
        if (i == 0)
            CHECK_INT(program_launch(&p, "count", 1, NULL), cudaSuccess);
    }
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 1);
    CHECK_U64(told.findings[0].launch, 1);
    CHECK_U64(told.findings[0].launches, 3);
    CHECK_U64(told.findings[0].schedule, 0);
    CHECK_STR(told.findings[0].cause.context, "launch 1, grid 3 x 2, block 1");
    CHECK(!told.findings[0].advisory && !told.findings[0].is_ours);
}

// ---- what kernels print ----------------------------------------------------

// Runs `work` in a process whose standard output is a file, and compares that.
static void check_output(void (*work)(int out), const char *text) {
    char is[256] = "";
    int out = memfd_create("out", 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        work(out);
        exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(pread(out, is, sizeof is - 1, 0) >= 0);
    CHECK_STR(str_from(is), text);
}

static off_t written(int out) {
    fflush(stdout);
    return lseek(out, 0, SEEK_END);
}

// What kernels print appears when the program waits for the device.
static void prints(int out) {
    Program p = program_begin();
    unsigned value = 41;
    void *args[] = {&value};
    program_launch(&p, "says", 2, args);
    bool is_kept = written(out) == 0;
    cudaDeviceSynchronize();
    if (is_kept && written(out) == 6)
        printf("kept\n");
    value = 7;
    program_launch(&p, "says", 1, args); // the program's end is its own
}

TEST(what_kernels_print_comes_when_they_are_waited_for) {
    check_output(prints, "41\n41\nkept\n7\n");
}

// ---- options of clclab exec ------------------------------------------------

// Four that compute with what nobody has written, which decides something in
// every other; and four more, with the last of which the first seven are told.
static void launch_eight(const Program *p) {
    for (int i = 0; i < 4; i++) {
        void *memory, *args[] = {&memory, &memory};
        cudaMalloc(&memory, 4);
        CHECK_INT(program_launch(p, i % 2 ? "add" : "decides", 1, args),
                  cudaSuccess);
    }
    for (int i = 0; i < 4; i++)
        CHECK_INT(program_launch(p, "count", 1, NULL), cudaSuccess);
}

TEST(launches_are_counted) {
    Program p = program_begin();
    uint32_t zero = 0;
    void *memory = program_words(&zero, 1);
    program_add(&p, memory, 1, 1);
    program_add(&p, memory, 1, 1);
    CHECK_U64(program_told(&p).launches, 2);
    program_add(&p, memory, 1, 1);
    CHECK_U64(program_told(&p).launches, 2); // the third is told with the 4th
    program_add(&p, memory, 1, 1);
    ExecResult told = program_told(&p);
    CHECK_U64(told.launches, 4);
    CHECK_U64(told.unchecked, 0);
    CHECK(told.instructions >= 3 * 10 && told.instructions < 100);
}

TEST(only_the_launches_asked_for_are_checked) {
    setenv("CLCLAB_EXEC_FIRST", "2", 1);
    setenv("CLCLAB_EXEC_LAST", "3", 1);
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.unchecked, 5);
    CHECK_U64(told.finding_count, 2);
    CHECK_U64(told.findings[0].launch, 2);
    CHECK_U64(told.findings[1].launch, 3);
}

TEST(only_the_kernels_asked_for_are_checked) {
    setenv("CLCLAB_EXEC_KERNELS", "^d.*s$", 1);
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.unchecked, 5);
    CHECK_U64(told.finding_count, 1);
    CHECK_STR(told.findings[0].kernel, "decides");
}

// Not all kernels are checked instead.
TEST(a_pattern_that_is_none_ends_the_program) {
    int status = 0;
    setenv("CLCLAB_EXEC_KERNELS", "(", 1);
    pid_t child = fork();
    if (child == 0) {
        cudaDeviceSynchronize();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK_INT(WEXITSTATUS(status), 2);
}

TEST(unwritten_memory_may_be_no_matter) {
    setenv("CLCLAB_EXEC_UNWRITTEN", "2", 1);
    Program p = program_begin();
    launch_eight(&p);
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(unwritten_memory_may_be_an_error_at_once) {
    setenv("CLCLAB_EXEC_UNWRITTEN", "1", 1);
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.errors, 2);
    CHECK_U64(told.advisories, 0);
}

TEST(unwritten_memory_is_an_advisory_where_it_decides_nothing) {
    Program p = program_begin();
    launch_eight(&p);
    ExecResult told = program_told(&p);
    CHECK_U64(told.errors, 1);
    CHECK_U64(told.advisories, 1);
}

// Which block comes last depends on the schedule; the program goes on with what
// the plain one left.
static void exchange(Program *p, const char *schedules, const char *only) {
    uint32_t zero = 0;
    setenv("CLCLAB_EXEC_SCHEDULES", schedules, 1);
    setenv("CLCLAB_EXEC_ONLY", only, 1);
    program_load(p);
    void *memory = program_words(&zero, 1), *args[] = {&memory};
    CHECK_INT(cudaLaunchKernel(program_kernel(p, "exchanges"), (dim3){4, 1, 1},
                               (dim3){1, 1, 1}, args, 0, NULL),
              cudaSuccess);
    CHECK_U64(program_word(memory, 0), 4); // the plain one's
}

TEST(one_schedule_shows_no_difference) {
    Program p = program_watched();
    exchange(&p, "1", "0");
    CHECK_U64(program_told(&p).finding_count, 0);
}

TEST(other_schedules_show_what_hangs_on_them) {
    Program p = program_watched();
    exchange(&p, "16", "0");
    ExecResult told = program_told(&p);
    CHECK_U64(told.finding_count, 1);
    CHECK_STR(told.findings[0].cause.code, "OUTPUT");
    CHECK_STR(told.findings[0].kernel, "exchanges");
    CHECK(told.findings[0].schedule > 0 && told.findings[0].schedule < 16);
    CHECK_U64(told.launches, 1);
}

// Runs it in a child; its exit status.
static int status_of(void (*work)(Program *p), Program *p) {
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work(p);
        exit(3);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return WEXITSTATUS(status);
}

static void load_and_launch(Program *p) {
    program_load(p);
    launch_eight(p);
}

TEST(the_program_may_be_ended_at_its_first_error) {
    setenv("CLCLAB_EXEC_STOP", "1", 1);
    Program p = program_watched();
    CHECK_INT(status_of(load_and_launch, &p), 0);
    ExecResult told = program_told(&p);
    CHECK_U64(told.launches, 1);
    CHECK_HOLDS(told.messages[0].what, "ended after its first launch");
}

static void use_the_device(Program *p) {
    void *memory;
    CHECK_INT(cuModuleLoadData(&p->module, PROGRAM_PTX), 3);
    CHECK_INT(cudaMalloc(&memory, 4), 3);
    CHECK_INT(cudaGetLastError(), 3); // initialization
}

TEST(a_child_of_a_program_that_uses_the_device_cannot) {
    Program p = program_begin();
    CHECK_INT(status_of(use_the_device, &p), 3);
    ExecResult told = program_told(&p);
    CHECK_HOLDS(told.messages[0].what, "was forked");
    CHECK_U64(told.processes, 1);
    CHECK(told.is_incomplete); // the parent has not ended
    CHECK_INT(program_launch(&p, "count", 1, NULL), cudaSuccess);
}

TEST(a_child_of_a_program_that_has_not_used_it_can) {
    Program p = program_watched();
    CHECK_INT(status_of(load_and_launch, &p), 3);
    ExecResult told = program_told(&p);
    CHECK_U64(told.launches, 8);
    CHECK_U64(told.processes, 1);
    CHECK(!told.is_incomplete);
}

TEST_MAIN(TESTCASE(a_module_has_its_kernels), TESTCASE(a_wrong_module_says_why),
          TESTCASE(a_module_is_read_from_a_file),
          TESTCASE(an_unloaded_module_has_nothing),
          TESTCASE(a_program_registers_its_kernels),
          TESTCASE(a_call_in_angle_brackets_is_a_push_and_a_pop),
          TESTCASE(a_launch_has_a_shape_that_a_card_takes),
          TESTCASE(a_wrong_shape_is_an_error_of_the_call),
          TESTCASE(a_kernel_says_how_many_threads_it_takes),
          TESTCASE(shared_memory_is_48_kib_unless_asked),
          TESTCASE(a_launch_may_have_clusters),
          TESTCASE(a_cooperative_launch_fits_on_the_device),
          TESTCASE(parameters_lie_at_their_alignment),
          TESTCASE(parameters_are_given_one_by_one_or_as_a_block),
          TESTCASE(a_kernel_has_attributes),
          TESTCASE(what_fits_on_an_sm_is_told),
          TESTCASE(a_wild_address_ends_all),
          TESTCASE(a_pointer_of_the_host_is_known_as_one),
          TESTCASE(a_misaligned_address_ends_all), TESTCASE(a_trap_ends_all),
          TESTCASE(a_kernel_without_an_end_is_ended),
          TESTCASE(a_kernel_of_too_many_steps_is_ended),
          TESTCASE(a_finding_is_told_once_and_counted),
          TESTCASE(what_kernels_print_comes_when_they_are_waited_for),
          TESTCASE(launches_are_counted),
          TESTCASE(only_the_launches_asked_for_are_checked),
          TESTCASE(only_the_kernels_asked_for_are_checked),
          TESTCASE(a_pattern_that_is_none_ends_the_program),
          TESTCASE(unwritten_memory_may_be_no_matter),
          TESTCASE(unwritten_memory_may_be_an_error_at_once),
          TESTCASE(unwritten_memory_is_an_advisory_where_it_decides_nothing),
          TESTCASE(one_schedule_shows_no_difference),
          TESTCASE(other_schedules_show_what_hangs_on_them),
          TESTCASE(the_program_may_be_ended_at_its_first_error),
          TESTCASE(a_child_of_a_program_that_uses_the_device_cannot),
          TESTCASE(a_child_of_a_program_that_has_not_used_it_can))
