// SPDX-License-Identifier: Apache-2.0
// A GPU of the fake driver for unit tests: a script plays the assembler, and a
// launch's options tell the driver what to do in that launch. Each test process
// has its own GPU, so that they do not wait for each other.
#ifndef CLCLAB_TEST_GPU_FAKE_H
#define CLCLAB_TEST_GPU_FAKE_H

#include "gpu/gpu.h"
#include "result/finding.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/fakecuda.h"

#include <sys/stat.h>

// Anything that begins like an ELF file counts as a cubin.
static const char GPU_ASSEMBLER[] = "#!/bin/sh\n"
                                    "printf '\\177ELF' >kernel.cubin\n";

static const char GPU_KERNELS[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".global .align 4 .b8 variable[32];\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c,\n"
    "    .param .u64 d) { ret; }\n"
    ".visible .entry pair(.param .u64 a) .reqnctapercluster 2 { ret; }\n"
    ".func work() { ret; }\n";

typedef struct FakeGpu {
    Arena arena;
    Folder folder;
    Device *device;
    PtxModule *module;
    Diags diags;
} FakeGpu;

static inline void gpu_behave(FakeGpu *gpu, const char *options) {
    Str all = str_format(&gpu->arena, "uuid=%ld;%s", (long)getpid(), options);
    use_fake_cuda(&gpu->arena, all.ptr);
}

static inline PtxModule *gpu_parse(FakeGpu *gpu, const char *text) {
    PtxModule *module =
        ptx_parse(&gpu->arena, STR("kernels.ptx"), str_from(text), &gpu->diags);
    CHECK(module);
    return module;
}

static inline Str gpu_lock(FakeGpu *gpu) {
    GpuProbe probe = gpu_probe(&gpu->arena);
    return str_format(&gpu->arena, "/tmp/clclab-%.*s.lock",
                      STR_ARG(probe.uuid));
}

static inline void gpu_close(FakeGpu *gpu) {
    gpu_behave(gpu, "");
    unlink(gpu_lock(gpu).ptr);
    if (gpu->device)
        gpu->device->ops->close(gpu->device);
    folder_remove(&gpu->folder);
    arena_free(&gpu->arena);
}

#define SCOPED_GPU(name) __attribute__((cleanup(gpu_close))) FakeGpu name = {0}

// gpu->device stays NULL if it cannot be opened: the Diags say why.
static inline void gpu_open_fake(FakeGpu *gpu, const char *options,
                                 const GpuSettings *settings) {
    gpu->folder = folder_make();
    gpu->diags = diags_new(&gpu->arena);
    setenv("CLCLAB_TOOLKIT", gpu->folder.path.ptr, 1);
    setenv("CUDA_MPS_PIPE_DIRECTORY", gpu->folder.path.ptr, 1);
    Str program = in_folder(&gpu->arena, &gpu->folder, "bin/ptxas");
    write_file(&gpu->arena, program, str_from(GPU_ASSEMBLER));
    chmod(program.ptr, 0755);
    gpu_behave(gpu, options);
    gpu->device = gpu_open(settings, &gpu->diags);
    gpu->module = gpu_parse(gpu, GPU_KERNELS);
    if (gpu->device)
        CHECK(gpu->device->ops->load(gpu->device, gpu->module, &gpu->diags));
}

static inline void gpu_open_usual(FakeGpu *gpu, const char *options) {
    gpu_open_fake(gpu, options,
                  &(GpuSettings){.deadline_s = 0.3, .lock_s = 20});
    CHECK(gpu->device);
}

// Returns the buffer's address; buffers are numbered from 0.
static inline uint64_t gpu_buffer(FakeGpu *gpu, uint64_t bytes) {
    uint32_t index;
    uint64_t address = 0;
    CHECK(gpu->device->ops->alloc(gpu->device, bytes, &index, &address,
                                  &gpu->diags));
    return address;
}

#define GPU_LAUNCH                                              \
    .kernel = STR("k"), .grid = {4, 1, 1}, .block = {32, 1, 1}, \
    .cluster = {1, 1, 1}

typedef struct GpuTold {
    bool told;
    DeviceRun run;
    DeviceRule rule; // of its only finding
} GpuTold;

static inline GpuTold gpu_launch(FakeGpu *gpu, const char *options,
                                 const DeviceLaunch *launch) {
    GpuTold told = {0};
    gpu_behave(gpu, options);
    told.told =
        gpu->device->ops->launch(gpu->device, &gpu->arena, launch, &told.run);
    if (told.run.finding_count == 1)
        told.rule = told.run.findings[0].rule;
    return told;
}

#endif
