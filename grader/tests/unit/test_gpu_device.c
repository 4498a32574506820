// SPDX-License-Identifier: Apache-2.0
// Tests of the Device of gpu/ with the fake driver: what a launch is given,
// what comes back, and that whatever a kernel or a driver does is told, and is
// the end of its own launch alone. (What a GPU does is seen on a GPU.)
#include "gpu/case.h"
#include "gpu/table.h"
#include "tests/unit/gpu_fake.h"
#include "tests/unit/sample.h"

#include <fcntl.h>
#include <sys/file.h>

enum { GUARD = 4096 }; // bytes before and behind a buffer

static void read_words(FakeGpu *gpu, uint32_t buffer, uint64_t *words,
                       size_t count) {
    CHECK(gpu->device->ops->read(gpu->device, buffer, 0, words,
                                 count * sizeof *words));
}

static bool write_variable(FakeGpu *gpu, const char *name, const void *bytes,
                           uint64_t count) {
    return gpu->device->ops->write_symbol(gpu->device, str_from(name), bytes,
                                          count);
}

// ---- what a kernel is given ----------------------------------------------

TEST(addresses_in_arguments_are_those_of_the_gpu) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    uint64_t a = gpu_buffer(&gpu, 512), b = gpu_buffer(&gpu, 100);
    gpu_buffer(&gpu, 0);
    const uint64_t args[] = {
        a, a + 16, b + 100, // an address behind the last byte is one, too
        // These only look like one.
        b + 101, CASE_ADDRESS(3), CASE_ADDRESS(-1), a >> 8, 7, UINT64_MAX};
    DeviceLaunch launch = {GPU_LAUNCH, .args = args, .arg_bytes = sizeof args};
    uint64_t got[COUNT_OF(args)];
    GpuTold told = gpu_launch(&gpu, "copy=args", &launch);
    CHECK_INT(told.run.status, RUN_DONE);
    read_words(&gpu, 0, got, COUNT_OF(got));
    CHECK(got[0] != a && got[0] % 256 == 0);
    CHECK_U64(got[1], got[0] + 16);
    CHECK(got[2] != b + 100 && (got[2] - 100) % 256 == 0);
    CHECK(got[2] - 100 < got[0] || got[2] - 100 >= got[0] + 512);
    for (size_t i = 3; i < COUNT_OF(args); i++)
        CHECK_U64(got[i], args[i]);
}

// Where a pointer cannot lie, a number is not taken for one.
TEST(only_aligned_words_are_addresses) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    uint64_t a = gpu_buffer(&gpu, 512);
    uint8_t args[28] = {0}, got[28];
    memcpy(args, &a, 8);
    memcpy(args + 12, &a, 8);
    memcpy(args + 20, &a, 8);
    DeviceLaunch launch = {GPU_LAUNCH, .args = args, .arg_bytes = sizeof args};
    gpu_launch(&gpu, "copy=args", &launch);
    CHECK(gpu.device->ops->read(gpu.device, 0, 0, got, sizeof got));
    CHECK(memcmp(args, got, 8) != 0);
    CHECK(memcmp(args + 8, got + 8, 20) == 0);
}

TEST(buffers_come_back_and_are_kept_for_the_next_launch) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    struct {
        uint64_t data;
        int32_t n;
    } args = {gpu_buffer(&gpu, 4 * sizeof(float)), 3};
    const float in[] = {1, 2, 3, 4};
    float out[4];
    DeviceLaunch launch = {GPU_LAUNCH, .args = &args, .arg_bytes = 12};
    const DeviceOps *ops = gpu.device->ops;
    launch.block[0] = 128;
    CHECK(ops->write(gpu.device, 0, 4, in + 1, 3 * sizeof *in));
    CHECK(ops->write(gpu.device, 0, 0, in, sizeof *in));
    for (int i = 1; i <= 2; i++) {
        GpuTold told = gpu_launch(&gpu, "apply=double;apply=table", &launch);
        CHECK(told.told);
        CHECK_INT(told.run.status, RUN_DONE);
        CHECK_INT(told.run.finding_count, 0);
        CHECK_INT(told.run.ledger.totals.started, 4);
        CHECK_DOUBLE(told.run.card_ms, 1);
        CHECK_INT(told.run.resident, 132 * 16);       // of 128 threads
        CHECK_INT(told.run.resident_later, 132 * 32); // of a warp
        CHECK(ops->read(gpu.device, 0, 0, out, sizeof out));
        CHECK_DOUBLE(out[0], 1 << i);
        CHECK_DOUBLE(out[2], 3 << i);
        CHECK_DOUBLE(out[3], 4);
    }
}

TEST(variables_are_written_until_the_next_load) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    const uint64_t value[4] = {11, 12, 13, 14};
    uint64_t got[4], a = gpu_buffer(&gpu, 256);
    DeviceLaunch launch = {GPU_LAUNCH, .args = &a, .arg_bytes = sizeof a};
    CHECK(!write_variable(&gpu, "nothing", value, 8));
    CHECK(!write_variable(&gpu, "variable", value, 33));
    CHECK(write_variable(&gpu, "variable", value + 1, 24));
    CHECK(write_variable(&gpu, "variable", value, 8)); // over the first
    CHECK(gpu_launch(&gpu, "copy=variable", &launch).told);
    read_words(&gpu, 0, got, 4);
    CHECK_U64(got[0], 11);
    CHECK_U64(got[1], 13);
    CHECK_U64(got[2], 14);
    CHECK_U64(got[3], 0);
    CHECK(gpu.device->ops->load(gpu.device, gpu.module, &gpu.diags));
    gpu_buffer(&gpu, 256);
    CHECK(gpu_launch(&gpu, "copy=variable", &launch).told);
    read_words(&gpu, 0, got, 1);
    CHECK_U64(got[0], 0);
}

TEST(a_load_frees_the_buffers) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    const DeviceOps *ops = gpu.device->ops;
    uint64_t word = 5, first = gpu_buffer(&gpu, 8);
    gpu_buffer(&gpu, 8);
    CHECK(ops->write(gpu.device, 1, 0, &word, 8));
    CHECK(ops->load(gpu.device, gpu.module, &gpu.diags));
    CHECK(!ops->read(gpu.device, 0, 0, &word, 8));
    CHECK_U64(gpu_buffer(&gpu, 8), first);
    CHECK(ops->read(gpu.device, 0, 0, &word, 8));
    CHECK_U64(word, 0);
    CHECK(!ops->read(gpu.device, 1, 0, &word, 8));
}

TEST(buffers_have_their_limits) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    const DeviceOps *ops = gpu.device->ops;
    uint64_t word = 0, address;
    uint32_t index;
    CHECK(!ops->alloc(gpu.device, UINT64_MAX, &index, &address, &gpu.diags));
    CHECK_HOLDS(gpu.diags.items[0].what, "A buffer of 18446744073709551615 ");
    gpu_buffer(&gpu, 12);
    CHECK(!ops->write(gpu.device, 0, 8, &word, 8));
    CHECK(!ops->write(gpu.device, 0, UINT64_MAX, &word, 8));
    CHECK(!ops->read(gpu.device, 0, 13, &word, 0));
    CHECK(ops->read(gpu.device, 0, 12, &word, 0));
    CHECK(!ops->read(gpu.device, 1, 0, &word, 0));
    for (int i = 1; i < 512; i++)
        gpu_buffer(&gpu, 1);
    CHECK(!ops->alloc(gpu.device, 1, &index, &address, &gpu.diags));
}

// ---- what is wrong with a kernel -----------------------------------------

TEST(a_guard_that_was_written_to_is_told_with_its_place) {
    static const struct {
        const char *poke, *what;
    } damages[] = {
        {"poke=0:4093", "before the beginning of buffer 0: 3 bytes before it."},
        {"poke=1:0", "before the beginning of buffer 1: 4096 bytes before it."},
        {"poke=1:4196", "beyond the end of buffer 1: at byte 100 of 100."},
        {"poke=1:8291", "beyond the end of buffer 1: at byte 4195 of 100."},
        {"poke=1:4300;poke=1:4200", "at byte 104 of 100."},
        {"corrupt=guard", "beyond the end of buffer 0: at byte 4607 of 512."},
        {"corrupt=first", "before the beginning of buffer 0: 4096 bytes"},
    };
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    gpu_buffer(&gpu, 512);
    gpu_buffer(&gpu, 100);
    DeviceLaunch launch = {GPU_LAUNCH};
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        GpuTold told = gpu_launch(&gpu, damages[i].poke, &launch);
        CHECK(told.told);
        CHECK_INT(told.run.status, RUN_FAULT);
        if (!CHECK_INT(told.rule, RULE_MEM001))
            continue;
        CHECK_HOLDS(sample_text(&gpu.arena, &told.run.findings[0], WORDS_WHAT),
                    damages[i].what);
        CHECK_HOLDS(sample_text(&gpu.arena, &told.run.findings[0], WORDS_HELP),
                    "--device vm");
    }
    // The data itself is nobody's guard.
    GpuTold told = gpu_launch(&gpu, "poke=0:4096;poke=1:4195", &launch);
    CHECK_INT(told.run.status, RUN_DONE);
}

static const struct {
    CUresult error;
    DeviceRule rule;
} FAULTS[] = {
    {CUDA_ERROR_ILLEGAL_ADDRESS, RULE_MEM001},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, RULE_MEM001},
    {CUDA_ERROR_MISALIGNED_ADDRESS, RULE_MEM002},
    {CUDA_ERROR_ASSERT, RULE_ASSERT},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, RULE_FAULT},
    {CUDA_ERROR_INVALID_PC, RULE_FAULT},
    {CUDA_ERROR_LAUNCH_FAILED, RULE_FAULT},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, RULE_FAULT},
    {CUDA_ERROR_LAUNCH_TIMEOUT, RULE_TIMEOUT},
};

// Calls that may be the first to tell of a fault.
static const char *const LATE_CALLS[] = {
    "cuEventRecord", "cuStreamQuery", "cuEventElapsedTime", "cuMemcpyDtoH_v2"};

static void check_fault(FakeGpu *gpu, const char *options, size_t fault) {
    DeviceLaunch launch = {GPU_LAUNCH};
    char number[16];
    GpuTold told = gpu_launch(gpu, options, &launch);
    CHECK(told.told);
    CHECK_INT(told.run.status, RUN_FAULT);
    if (!CHECK_INT(told.rule, FAULTS[fault].rule)) {
        printf("# %s: %.*s\n", options, STR_ARG(told.run.error.what));
        return;
    }
    snprintf(number, sizeof number, "%d", FAULTS[fault].error);
    const Finding *found = &told.run.findings[0];
    CHECK_HOLDS(sample_text(&gpu->arena, found, WORDS_ACTUAL), number);
    CHECK(sample_text(&gpu->arena, found, WORDS_WHAT).len > 20);
    CHECK_HOLDS(sample_text(&gpu->arena, found, WORDS_HELP),
                "A card does not say where.");
    CHECK_INT(told.run.ledger.totals.grid, 0); // nothing of it can be trusted
}

TEST(each_fault_has_its_rule_whenever_it_shows) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    gpu_buffer(&gpu, 8);
    for (size_t i = 0; i < COUNT_OF(FAULTS); i++) {
        int error = (int)FAULTS[i].error;
        Str options = str_format(&gpu.arena, "fault=%d", error);
        check_fault(&gpu, options.ptr, i);
        for (size_t k = 0; k < COUNT_OF(LATE_CALLS); k++) {
            bool twice = k == 0; // the first is recorded before the launch
            options = str_format(&gpu.arena, "fail=%s:%d@%d", LATE_CALLS[k],
                                 error, twice ? 2 : 1);
            check_fault(&gpu, options.ptr, i);
        }
    }
}

// Before there was a launch, no kernel can have done it.
TEST(an_earlier_error_is_not_the_kernels) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    gpu_buffer(&gpu, 8);
    DeviceLaunch launch = {GPU_LAUNCH};
    GpuTold told = gpu_launch(&gpu, "fail=cuMemcpyHtoD_v2:700", &launch);
    CHECK(!told.told);
    CHECK_INT(told.run.finding_count, 0);
    CHECK_STR(told.run.error.code, "DEVICE");
    CHECK_HOLDS(told.run.error.what,
                "while copying the inputs to the GPU: cuMemcpyHtoD gives "
                "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
}

TEST(a_kernel_without_end_is_ended_and_told) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    GpuTold told =
        gpu_launch(&gpu, "hang=query;control=32:3;control=33:1", &launch);
    CHECK(told.told);
    CHECK_INT(told.run.status, RUN_FAULT);
    if (!CHECK_INT(told.rule, RULE_TIMEOUT))
        return;
    CHECK_STR(sample_text(&gpu.arena, &told.run.findings[0], WORDS_WHAT),
              "The kernel did not end within 0.3 s, and was ended.");
    CHECK_STR(sample_text(&gpu.arena, &told.run.findings[0], WORDS_ACTUAL),
              "3 of 4 blocks had started, and 1 clusters had been granted to "
              "requests.");
    // How far it came may be out of reach.
    told =
        gpu_launch(&gpu, "hang=query;fail=cuMemcpyDtoHAsync_v2:999", &launch);
    CHECK_INT(told.rule, RULE_TIMEOUT);
    CHECK_INT(sample_text(&gpu.arena, &told.run.findings[0], WORDS_ACTUAL).len,
              0);
    CHECK_INT(gpu_launch(&gpu, "", &launch).run.status, RUN_DONE);
}

TEST(a_launch_that_is_refused_is_the_launchs_fault) {
    static const char *const refusals[] = {"1", "701", "912"};
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        Str options =
            str_format(&gpu.arena, "fail=cuLaunchKernelEx:%s", refusals[i]);
        GpuTold told = gpu_launch(&gpu, options.ptr, &launch);
        CHECK(told.told);
        CHECK_INT(told.run.status, RUN_REFUSED);
        CHECK_STR(told.run.error.code, "LAUNCH");
        CHECK_HOLDS(told.run.error.what, "cuLaunchKernelEx gives");
        CHECK_HOLDS(told.run.error.what, refusals[i]);
        CHECK_HOLDS(told.run.error.help, "a block must fit on an SM");
    }
    launch.block[0] = 2048;
    CHECK_INT(gpu_launch(&gpu, "", &launch).run.status, RUN_REFUSED);
    // More shared memory than a block may have.
    launch.block[0] = 32;
    launch.dynamic_smem = 300000;
    GpuTold told = gpu_launch(&gpu, "", &launch);
    CHECK_INT(told.run.status, RUN_REFUSED);
    CHECK_STR(told.run.error.code, "LAUNCH");
    CHECK_HOLDS(told.run.error.what, "cuFuncSetAttribute gives");
    CHECK_INT(gpu.device->ops->blocks_per_sm(gpu.device, STR("k"), 32, 300000),
              0);
}

// No ledger could be made for these.
TEST(a_launch_of_no_size_is_refused_without_asking_the_gpu) {
    static const DeviceLaunch launches[] = {
        {.kernel = {"none", 4}, .grid = {1, 1, 1}, .block = {1, 1, 1}},
        {.kernel = {"work", 4}, .grid = {1, 1, 1}, .block = {1, 1, 1}},
        {.kernel = {"k", 1}, .grid = {1, 0, 1}, .block = {1, 1, 1}},
        {.kernel = {"k", 1}, .grid = {1, 1, 1}, .block = {1, 1, 0}},
        {.kernel = {"k", 1}, .grid = {INT32_MAX, 4, 1}, .block = {1, 1, 1}},
        {.kernel = {"pair", 4}, .grid = {1, 1, 1}, .block = {1, 1, 1}},
        {.kernel = {"pair", 4}, .grid = {3, 2, 1}, .block = {1, 1, 1}},
        {.kernel = {"empty", 5}, .grid = {4, 1, 1}, .block = {1, 1, 1}},
    };
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    PtxModule *module = gpu_parse(
        &gpu, ".version 9.0\n.target sm_100a\n.address_size 64\n"
              ".visible .entry empty() .reqnctapercluster 2, 0 { ret; }\n"
              ".visible .entry k() { ret; }\n.func work() { ret; }\n"
              ".visible .entry pair() .reqnctapercluster 2 { ret; }\n"
              ".visible .entry grown() .reqntid 32 .reqnctapercluster 2\n"
              ".blocksareclusters { ret; }\n");
    CHECK(gpu.device->ops->load(gpu.device, module, &gpu.diags));
    for (size_t i = 0; i < COUNT_OF(launches); i++) {
        DeviceLaunch launch = launches[i];
        launch.cluster[0] = launch.cluster[1] = launch.cluster[2] = 1;
        GpuTold told = gpu_launch(&gpu, "crash=cuInit", &launch);
        CHECK(told.told);
        CHECK_INT(told.run.status, RUN_REFUSED);
        CHECK_STR(told.run.error.code, "PTX");
    }
    DeviceLaunch launch = {GPU_LAUNCH};
    launch.kernel = STR("grown");
    GpuTold told = gpu_launch(&gpu, "crash=cuInit", &launch);
    CHECK(!told.told);
    CHECK_STR(told.run.error.code, "TARGET");
    CHECK_HOLDS(told.run.error.what, ".blocksareclusters");
}

// ---- what is wrong with the GPU ------------------------------------------

TEST(a_child_that_dies_is_told_with_what_it_did) {
    static const struct {
        const char *options, *what;
    } deaths[] = {
        {"crash=cuInit", "while starting the CUDA driver: was ended by signal"},
        {"exit=cuCtxSetCurrent:9",
         "while making a CUDA context: ended with exit code 9."},
        {"crash=cuModuleLoadDataEx", "while loading the kernel: was ended by"},
        {"exit=cuMemAlloc_v2:1", "while copying the inputs to the GPU: ended"},
        {"crash=cuLaunchKernelEx", "while launching the kernel: was ended by"},
        {"exit=cuStreamQuery:3", "while waiting for the kernel: ended with"},
        {"crash=cuMemcpyDtoH_v2", "while copying the results back"},
        {"fail=cuInit:802", "while starting the CUDA driver: cuInit gives"},
        {"fail=cuDevicePrimaryCtxRetain:46", "while making a CUDA context: "},
        {"fault=999", "cuEventRecord gives CUDA_ERROR_UNKNOWN (999)"},
        {"hang=cuModuleLoadDataEx",
         "while loading the kernel: the driver did not come back"},
        {"hang=cuEventElapsedTime",
         "while waiting for the kernel: the driver did not come back"},
    };
    SCOPED_GPU(gpu);
    gpu_open_fake(
        &gpu, "",
        &(GpuSettings){.deadline_s = 0.2, .lock_s = 0.2, .driver_s = 0.6});
    gpu_buffer(&gpu, 8);
    DeviceLaunch launch = {GPU_LAUNCH};
    for (size_t i = 0; i < COUNT_OF(deaths); i++) {
        GpuTold told = gpu_launch(&gpu, deaths[i].options, &launch);
        CHECK(!told.told);
        CHECK_INT(told.run.finding_count, 0);
        CHECK_STR(told.run.error.code, "DEVICE");
        CHECK_HOLDS(told.run.error.what, deaths[i].what);
        CHECK_HOLDS(told.run.error.help, "not the kernel's fault");
    }
}

TEST(a_library_that_is_gone_is_told) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    DeviceRun run = {0};
    setenv("CLCLAB_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
    CHECK(!gpu.device->ops->launch(gpu.device, &gpu.arena, &launch, &run));
    CHECK_STR(run.error.code, "DEVICE");
    CHECK_HOLDS(run.error.what, "dlopen gives The CUDA driver cannot be");
}

TEST(without_memory_on_the_gpu_another_time_may_do) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    gpu_buffer(&gpu, 1 << 20);
    gpu_buffer(&gpu, 4 << 20);
    DeviceLaunch launch = {GPU_LAUNCH};
    GpuTold told = gpu_launch(&gpu, "memory=4", &launch);
    CHECK(!told.told);
    CHECK_STR(told.run.error.code, "BUSY");
    CHECK_HOLDS(told.run.error.what, "cuMemAlloc gives CUDA_ERROR_OUT_OF_MEM");
    CHECK_HOLDS(told.run.error.help, "The GPU has 2 MiB free");
    CHECK(gpu_launch(&gpu, "memory=16", &launch).told);
}

TEST(a_driver_older_than_the_toolkit_is_told) {
    static const char *const errors[] = {"222", "209", "200"};
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        Str options =
            str_format(&gpu.arena, "fail=cuModuleLoadDataEx:%s", errors[i]);
        GpuTold told = gpu_launch(&gpu, options.ptr, &launch);
        CHECK(!told.told);
        CHECK_STR(told.run.error.code, "TARGET");
        CHECK_HOLDS(told.run.error.what, errors[i]);
        CHECK_HOLDS(told.run.error.help, "update the driver");
    }
}

static void set_assembler(FakeGpu *gpu, const char *script) {
    Str path = in_folder(&gpu->arena, &gpu->folder, "bin/ptxas");
    write_file(&gpu->arena, path,
               str_format(&gpu->arena, "#!/bin/sh\n%s\n", script));
    chmod(path.ptr, 0755);
}

TEST(each_end_of_an_assembler_has_its_code) {
    static const struct {
        const char *script, *code;
    } ends[] = {
        {"echo 'ptxas k, line 4; error : wrong' >&2; exit 255", "PTX"},
        {"echo 'ptxas k, line 1; fatal : Unsupported .version 9.0; current "
         "version is 7.5' >&2; exit 255",
         "TARGET"},
        {"kill -KILL $$", "BUSY"},
        {"exit 3", "DEVICE"},
    };
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        set_assembler(&gpu, ends[i].script);
        GpuTold told = gpu_launch(&gpu, "", &launch);
        CHECK_INT(told.told, strcmp(ends[i].code, "PTX") == 0);
        CHECK_INT(told.run.status, RUN_REFUSED);
        CHECK_STR(told.run.error.code, ends[i].code);
        CHECK(told.run.error.what.len > 0);
    }
    set_assembler(&gpu, "printf '\\177ELF' >kernel.cubin");
    CHECK(gpu_launch(&gpu, "", &launch).told); // a failure is not remembered
    set_assembler(&gpu, "exit 3");
    CHECK(gpu_launch(&gpu, "", &launch).told); // a cubin is
}

TEST(twenty_cases_in_a_row_are_independent) {
    static const struct {
        const char *options;
        bool told;
        DeviceRule rule;
    } cases[] = {
        {"apply=double", true, DEVICE_RULE_NONE},
        {"fault=700", true, RULE_MEM001},
        {"apply=double", true, DEVICE_RULE_NONE},
        {"crash=cuLaunchKernelEx", false, DEVICE_RULE_NONE},
        {"hang=query", true, RULE_TIMEOUT},
        {"apply=double", true, DEVICE_RULE_NONE},
        {"fault=719", true, RULE_FAULT},
        {"poke=0:4095", true, RULE_MEM001},
        {"fail=cuMemAlloc_v2:2", false, DEVICE_RULE_NONE},
        {"fail=cuMemcpyDtoH_v2:716", true, RULE_MEM002},
    };
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    struct {
        uint64_t data;
        int32_t n;
    } args = {gpu_buffer(&gpu, 4 * sizeof(float)), 4};
    const float one = 1;
    float out;
    int doubled = 0;
    DeviceLaunch launch = {GPU_LAUNCH, .args = &args, .arg_bytes = 12};
    CHECK(gpu.device->ops->write(gpu.device, 0, 0, &one, sizeof one));
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        size_t k = i % COUNT_OF(cases);
        GpuTold told = gpu_launch(&gpu, cases[k].options, &launch);
        bool clean = cases[k].told && cases[k].rule == DEVICE_RULE_NONE;
        CHECK_INT(told.told, cases[k].told);
        CHECK_INT(told.rule, cases[k].rule);
        doubled += clean;
        if (clean)
            CHECK_INT(told.run.status, RUN_DONE);
    }
    CHECK(gpu.device->ops->read(gpu.device, 0, 0, &out, sizeof out));
    CHECK_DOUBLE(out, 1 << doubled);
    CHECK_INT(doubled, 6);
}

// ---- one GPU, several processes ------------------------------------------

static int hold_lock(FakeGpu *gpu) {
    int lock = open(gpu_lock(gpu).ptr, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    CHECK_INT(flock(lock, LOCK_EX), 0);
    return lock;
}

TEST(who_has_the_gpu_is_waited_for_and_not_forever) {
    SCOPED_GPU(gpu);
    gpu_open_fake(&gpu, "", &(GpuSettings){.deadline_s = 0.3, .lock_s = 0.25});
    DeviceLaunch launch = {GPU_LAUNCH};
    int lock = hold_lock(&gpu);
    GpuTold told = gpu_launch(&gpu, "", &launch);
    CHECK(!told.told);
    CHECK_STR(told.run.error.code, "BUSY");
    CHECK_STR(told.run.error.what, "Others kept the GPU busy for 0.25 s.");
    // It is asked, not used: that needs no turn.
    CHECK_INT(gpu.device->ops->blocks_per_sm(gpu.device, STR("k"), 128, 0), 16);
    close(lock);
    CHECK(gpu_launch(&gpu, "", &launch).told);
    // A child that dies leaves it free.
    CHECK(!gpu_launch(&gpu, "crash=cuLaunchKernelEx", &launch).told);
    CHECK(gpu_launch(&gpu, "", &launch).told);
}

// A deadline counts from the kernel's own turn.
TEST(processes_that_share_a_gpu_take_turns) {
    enum { PROCESSES = 4, LAUNCHES = 4 };
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] != 0)
            continue;
        int done = 0;
        for (int k = 0; k < LAUNCHES; k++)
            done += gpu_launch(&gpu, "delay_ms=100", &launch).run.status ==
                    RUN_DONE;
        _exit(done);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        CHECK(waitpid(children[i], &status, 0) == children[i]);
        CHECK_INT(WEXITSTATUS(status), LAUNCHES);
    }
}

// ---- what is asked -------------------------------------------------------

static uint32_t fit(FakeGpu *gpu, const char *options, const char *kernel,
                    uint32_t threads, uint32_t smem) {
    gpu_behave(gpu, options);
    return gpu->device->ops->blocks_per_sm(gpu->device, str_from(kernel),
                                           threads, smem);
}

TEST(how_many_blocks_fit_is_asked_once) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "sms=10");
    CHECK_INT(fit(&gpu, "sms=10", "k", 256, 0), 8);
    CHECK_INT(fit(&gpu, "sms=10;fits=3", "k", 256, 0), 8);
    CHECK_INT(fit(&gpu, "sms=10;fits=3", "k", 128, 0), 3);
    CHECK_INT(fit(&gpu, "sms=10;fits=5", "k", 256, 1024), 5);
    CHECK_INT(fit(&gpu, "sms=10;fits=4", "pair", 256, 0), 4);
    CHECK_INT(fit(&gpu, "sms=10;fits=6", "pair", 256, 0), 4);
    CHECK_INT(fit(&gpu, "", "none", 256, 0), 0);
    // Another module's kernel of that name is another one.
    PtxModule *other = gpu_parse(&gpu, GPU_KERNELS);
    CHECK(gpu.device->ops->load(gpu.device, other, &gpu.diags));
    CHECK_INT(fit(&gpu, "sms=10;fits=7", "k", 256, 0), 7);
}

TEST(what_could_not_be_asked_is_asked_again) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    CHECK_U64(fit(&gpu, "fail=cuInit:802", "k", 256, 0), DEVICE_FIT_UNKNOWN);
    CHECK_U64(fit(&gpu, "crash=cuModuleLoadDataEx", "k", 256, 0),
              DEVICE_FIT_UNKNOWN);
    CHECK_U64(fit(&gpu, "fail=cuOccupancyMaxActiveBlocksPerMultiprocessor:999",
                  "k", 256, 0),
              DEVICE_FIT_UNKNOWN);
    CHECK_INT(fit(&gpu, "", "k", 256, 0), 8);
}

// ---- the ledger ----------------------------------------------------------

// Each array of the table comes from where the kernel had its address.
TEST(the_table_is_read_back) {
    static const char *const table =
        "sms=10;claims=0:0x80000000;claims=1:1;claims=2:0x80000000;claims=3:3;"
        "orders=1:1;orders=3:2;taken=1:1;starts=0:2;starts=1:5;starts=4:1;"
        "starts=5:7;calls=3:1;calls=64:2;calls=127:9;control=32:2;control=33:2;"
        "control=34:4;control=35:2;control=36:1;ends=0:0xfffffffffffffc17;"
        "ends=6:1500;ends=8:1700;ends=201:1900;";
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "sms=10");
    DeviceLaunch launch = {GPU_LAUNCH, .prologue = STR("work")};
    GpuTold told = gpu_launch(&gpu, table, &launch);
    CHECK_INT(told.run.status, RUN_DONE);
    const Ledger *ledger = &told.run.ledger;
    CHECK_INT(ledger->totals.grid, 4);
    CHECK_INT(ledger->totals.started, 2);
    CHECK_INT(ledger->totals.granted, 2);
    CHECK_INT(ledger->totals.requests, 4);
    CHECK_INT(ledger->totals.refused, 2);
    CHECK_INT(ledger->totals.refused_pending, 1);
    CHECK_INT(ledger->totals.lost, 1);
    if (!CHECK_INT(ledger->chain_count, 2))
        return;
    const LedgerChain *first = &ledger->chains[0], *second = first + 1;
    CHECK_INT(first->cta, 2);
    CHECK_INT(first->sm, 7);
    CHECK_INT(first->prologues, 2);
    CHECK_INT(first->count, 1); // block 3 was granted to it, and not taken
    CHECK_INT(second->cta, 0);
    CHECK_INT(second->prologues, 1);
    CHECK_INT(second->blocks[1], 1);
    CHECK_INT(told.run.timeline.sms[5].end, 500);
    CHECK_INT(told.run.timeline.sms[7].end, 700);
    // Its number, 200, is higher than there are SMs.
    CHECK_INT(told.run.timeline.sms[0].end, 900);
    CHECK_INT(told.run.timeline.cycles, 900);
}

// ---- schedules -----------------------------------------------------------

static void check_refusals(FakeGpu *gpu, DeviceStrategy strategy,
                           uint32_t first, uint32_t every) {
    uint32_t control[4];
    uint64_t a = CASE_ADDRESS(0);
    DeviceLaunch launch = {GPU_LAUNCH, .args = &a, .arg_bytes = sizeof a};
    launch.schedule = (DeviceSchedule){.strategy = strategy, .seed = 69};
    GpuTold told = gpu_launch(gpu, "copy=control", &launch);
    CHECK_INT(told.run.status, RUN_DONE);
    CHECK_INT(told.run.allow_refusals, first || every);
    CHECK(gpu->device->ops->read(gpu->device, 0, 0, control, sizeof control));
    CHECK_INT(control[0], 0);
    CHECK_INT(control[2], first);
    CHECK_INT(control[3], every);
}

TEST(a_schedule_is_its_refusals) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "cc=9.0");
    gpu_buffer(&gpu, 256);
    check_refusals(&gpu, STRATEGY_ROUND_ROBIN, 0, 0);
    check_refusals(&gpu, STRATEGY_NO_STEAL, 0, 1);
    check_refusals(&gpu, STRATEGY_REFUSE_EARLY, 1 + 69 % 64, 0);
    check_refusals(&gpu, STRATEGY_RANDOM, 0, 2 + 69 % 7);
    check_refusals(&gpu, STRATEGY_PCT, 0, 0);
}

TEST(hardware_refuses_when_it_likes) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "cc=10.0");
    gpu_buffer(&gpu, 256);
    check_refusals(&gpu, STRATEGY_NO_STEAL, 0, 0);
    check_refusals(&gpu, STRATEGY_RANDOM, 0, 0);
}

// ---- which GPUs ----------------------------------------------------------

static const char STEALING[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 a) {\n"
    "  .shared .align 16 .b8 slot[16];\n  .shared .align 8 .b64 bar;\n"
    "  clusterlaunchcontrol.try_cancel.async.shared::cta"
    ".mbarrier::complete_tx::bytes.b128 [slot], [bar];\n  ret;\n}\n"
    ".visible .entry plain() { ret; }\n";

static GpuTold launch_stealing(FakeGpu *gpu, const char *kernel) {
    DeviceLaunch launch = {GPU_LAUNCH};
    PtxModule *module = gpu_parse(gpu, STEALING);
    CHECK(gpu->device->ops->load(gpu->device, module, &gpu->diags));
    launch.kernel = str_from(kernel);
    return gpu_launch(gpu, "apply=table", &launch);
}

TEST(an_old_gpu_runs_what_does_without_clc) {
    SCOPED_GPU(gpu);
    DeviceInfo info;
    gpu_open_usual(&gpu, "cc=8.6;name=Some GPU;sms=7");
    gpu.device->ops->info(gpu.device, &info);
    CHECK_STR(info.name, "gpu:Some GPU (compute capability 8.6, without CLC)");
    CHECK(info.is_card);
    CHECK_INT(info.sm_count, 7);
    GpuTold told = launch_stealing(&gpu, "k");
    CHECK(!told.told);
    CHECK_STR(told.run.error.code, "TARGET");
    CHECK_HOLDS(told.run.error.help, "Labs 1 and 2 run on any GPU");
    DeviceLaunch launch = {GPU_LAUNCH};
    PtxModule *module =
        gpu_parse(&gpu, ".version 8.7\n.target sm_100a\n.address_size 64\n"
                        ".visible .entry k() { ret; }\n");
    CHECK(gpu.device->ops->load(gpu.device, module, &gpu.diags));
    told = gpu_launch(&gpu, "apply=table", &launch);
    CHECK_INT(told.run.status, RUN_DONE);
    CHECK_INT(told.run.ledger.totals.started, 4);
}

// It says so of what asks for something, and of nothing else.
TEST(hopper_emulates_and_blackwell_has_it) {
    static const struct {
        const char *cc, *name, *stealing;
    } cards[] = {
        {"cc=9.0", "gpu:Fake GPU (compute capability 9.0)",
         "gpu:Fake GPU (compute capability 9.0, CLC emulated)"},
        {"cc=10.0", "gpu:Fake GPU (compute capability 10.0)",
         "gpu:Fake GPU (compute capability 10.0)"},
        {"cc=12.0", "gpu:Fake GPU (compute capability 12.0)",
         "gpu:Fake GPU (compute capability 12.0)"},
    };
    for (size_t i = 0; i < COUNT_OF(cards); i++) {
        SCOPED_GPU(gpu);
        DeviceInfo info;
        gpu_open_usual(&gpu, cards[i].cc);
        gpu.device->ops->info(gpu.device, &info);
        CHECK_STR(info.name, cards[i].name);
        CHECK_INT(launch_stealing(&gpu, "k").run.status, RUN_DONE);
        gpu.device->ops->info(gpu.device, &info);
        CHECK_STR(info.name, cards[i].stealing);
        CHECK_INT(launch_stealing(&gpu, "plain").run.status, RUN_DONE);
    }
}

TEST(why_a_gpu_cannot_be_used) {
    static const struct {
        const char *options, *what, *help;
    } reasons[] = {
        {"devices=0", "CUDA_ERROR_NO_DEVICE", "nvidia-smi -L"},
        {"mode=2", "compute mode lets no process in", "nvidia-smi -c DEFAULT"},
        {"crash=cuInit", "was ended by signal 11", "nvidia-smi"},
        {"fail=cuInit:34", "cuInit gives", "stubs"},
    };
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        SCOPED_GPU(gpu);
        gpu_open_fake(&gpu, reasons[i].options, &(GpuSettings){0});
        CHECK(!gpu.device);
        if (!CHECK_INT(gpu.diags.count, 1))
            continue;
        CHECK_HOLDS(gpu.diags.items[0].what, reasons[i].what);
        CHECK_HOLDS(gpu.diags.items[0].help, reasons[i].help);
    }
}

TEST(under_a_running_mps_daemon_nothing_is_launched) {
    SCOPED_GPU(gpu);
    SCOPED_FOLDER(folder);
    Str control = in_folder(&gpu.arena, &folder, "control");
    CHECK_INT(mkfifo(control.ptr, 0600), 0);
    int reader = open(control.ptr, O_RDONLY | O_NONBLOCK);
    gpu_open_usual(&gpu, "");
    setenv("CUDA_MPS_PIPE_DIRECTORY", folder.path.ptr, 1);
    CHECK(!gpu_open(&(GpuSettings){0}, &gpu.diags));
    CHECK_HOLDS(gpu.diags.items[0].what, "Multi-Process Service runs (");
    CHECK_HOLDS(gpu.diags.items[0].help, "quit | nvidia-cuda-mps-control");
    close(reader);
}

TEST_MAIN(TESTCASE(addresses_in_arguments_are_those_of_the_gpu),
          TESTCASE(only_aligned_words_are_addresses),
          TESTCASE(buffers_come_back_and_are_kept_for_the_next_launch),
          TESTCASE(variables_are_written_until_the_next_load),
          TESTCASE(a_load_frees_the_buffers),
          TESTCASE(buffers_have_their_limits),
          TESTCASE(a_guard_that_was_written_to_is_told_with_its_place),
          TESTCASE(each_fault_has_its_rule_whenever_it_shows),
          TESTCASE(an_earlier_error_is_not_the_kernels),
          TESTCASE(a_kernel_without_end_is_ended_and_told),
          TESTCASE(a_launch_that_is_refused_is_the_launchs_fault),
          TESTCASE(a_launch_of_no_size_is_refused_without_asking_the_gpu),
          TESTCASE(a_child_that_dies_is_told_with_what_it_did),
          TESTCASE(a_library_that_is_gone_is_told),
          TESTCASE(without_memory_on_the_gpu_another_time_may_do),
          TESTCASE(a_driver_older_than_the_toolkit_is_told),
          TESTCASE(each_end_of_an_assembler_has_its_code),
          TESTCASE(twenty_cases_in_a_row_are_independent),
          TESTCASE(who_has_the_gpu_is_waited_for_and_not_forever),
          TESTCASE(processes_that_share_a_gpu_take_turns),
          TESTCASE(how_many_blocks_fit_is_asked_once),
          TESTCASE(what_could_not_be_asked_is_asked_again),
          TESTCASE(the_table_is_read_back),
          TESTCASE(a_schedule_is_its_refusals),
          TESTCASE(hardware_refuses_when_it_likes),
          TESTCASE(an_old_gpu_runs_what_does_without_clc),
          TESTCASE(hopper_emulates_and_blackwell_has_it),
          TESTCASE(why_a_gpu_cannot_be_used),
          TESTCASE(under_a_running_mps_daemon_nothing_is_launched))
