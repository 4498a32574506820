// SPDX-License-Identifier: Apache-2.0
// runtime/: modules and their kernels; launching them, in every form; what is
// wrong with a launch; what is told of a kernel. test_runtime_findings.c has
// what a kernel does wrong.
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

cudaError_t cuGetExportTable(const void **table, const void *id);

// ---- other runtimes --------------------------------------------------------

// NVIDIA's own runtime is known by the table that it asks for, before anything
// has been done: it would do without all that is counted here.
TEST(a_runtime_that_is_linked_in_is_told) {
    static const uint8_t asked[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4,
                                      0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39,
                                      0x12, 0xfd, 0x9d, 0xf9},
                         other[16] = {0x6b, 0xd5, 0xfb};
    Program p = program_watched();
    const void *table = &p;
    CHECK_INT(cuGetExportTable(&table, other), cudaErrorSymbolNotFound);
    CHECK(table == NULL);
    CHECK_INT(cuGetExportTable(&table, NULL), cudaErrorSymbolNotFound);
    CHECK_INT(program_told(&p).message_count, 0);
    CHECK_INT(cuGetExportTable(&table, asked), cudaErrorSymbolNotFound);
    ExecResult told = program_told(&p);
    if (CHECK_INT(told.message_count, 1))
        CHECK_HOLDS(told.messages[0].what, "CUDA's runtime linked into it");
}

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

// An image's length is not told: it ends with its text.
TEST(a_short_text_is_not_read_behind_its_end) {
    Program p = program_begin();
    static const char *const shorts[] = {"", ".", ".ve", ".version 8.7", "P"};
    CUmodule module;
    for (size_t i = 0; i < COUNT_OF(shorts); i++)
        CHECK_INT(cuModuleLoadData(&module, shorts[i]), cudaErrorInvalidPtx);
    CHECK_STR(program_told(&p).calls[0].error, "cudaErrorInvalidPtx");
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

// A launch has room for 32764 bytes of them.
TEST(parameters_have_a_largest_size) {
    static const struct {
        unsigned bytes;
        cudaError_t error;
    } cases[] = {{32764, cudaSuccess},
                 {32765, cudaErrorInvalidValue},
                 {32768, cudaErrorInvalidValue},
                 {32769, cudaErrorInvalidValue},
                 {40000, cudaErrorInvalidValue}};
    static uint8_t wide[40000];
    Program p = program_begin();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        CUmodule module;
        CUfunction kernel;
        void *args[] = {wide};
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_100a\n.address_size 64\n"
                 ".visible .entry k(.param .align 1 .b8 p[%u]) { ret; }\n",
                 cases[i].bytes);
        CHECK_INT(cuModuleLoadData(&module, text), cudaSuccess);
        CHECK_INT(cuModuleGetFunction(&kernel, module, "k"), cudaSuccess);
        int error =
            cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
        CHECK_INT(error != cudaSuccess, cases[i].error != cudaSuccess);
    }
    CHECK(p.module != NULL);
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

TEST_MAIN(TESTCASE(a_runtime_that_is_linked_in_is_told),
          TESTCASE(a_module_has_its_kernels), TESTCASE(a_wrong_module_says_why),
          TESTCASE(a_short_text_is_not_read_behind_its_end),
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
          TESTCASE(parameters_have_a_largest_size),
          TESTCASE(a_kernel_has_attributes),
          TESTCASE(what_fits_on_an_sm_is_told))
