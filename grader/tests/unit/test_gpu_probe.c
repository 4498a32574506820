// SPDX-License-Identifier: Apache-2.0
// Tests of gpu/driver.h and gpu/probe.h with the fake driver, and of that
// driver: what it promises is what other tests stand on.
#include "gpu/driver.h"
#include "gpu/probe.h"
#include "gpu/table.h"
#include "sandbox/files.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/fakecuda.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/stat.h>

static GpuProbe probe_with(Arena *arena, const char *options) {
    use_fake_cuda(arena, options);
    return gpu_probe(arena);
}

// ---- the probe -----------------------------------------------------------

TEST(probe_tells_what_the_driver_says) {
    SCOPED_ARENA(arena);
    GpuProbe p = probe_with(&arena, "cc=12.1;sms=48;memory=2048;name=Some GPU;"
                                    "driver=12080;devices=3;watchdog=1;mode=3");
    CHECK_INT(p.state, GPU_READY);
    CHECK_STR(p.name, "Some GPU");
    CHECK_STR(p.uuid, "GPU-fafafafa-fafa-fafa-fafa-fafafafafa00");
    CHECK_STR(gpu_probe_capability(&arena, &p), "12.1");
    CHECK_INT(p.sms, 48);
    CHECK_U64(p.memory, UINT64_C(2) << 30);
    CHECK_INT(p.cuda, 12080);
    CHECK_INT(p.devices, 3);
    CHECK(p.clusters && p.watchdog && p.exclusive);
    CHECK(!p.mig && !p.prohibited);
    CHECK_INT(p.reason.len, 0);
    p = probe_with(&arena, "name=GPU MIG 1g.10gb;mode=2;clusters=0;cc=8.0");
    CHECK(p.mig && p.prohibited);
    CHECK(!p.clusters && !p.watchdog && !p.exclusive);
    CHECK(str_starts(p.uuid, STR("MIG-")));
}

typedef struct Absence {
    const char *options;
    GpuState state;
    const char *reason, *help;
} Absence;

TEST(probe_tells_why_there_is_no_gpu) {
    static const Absence absences[] = {
        {"devices=0", GPU_NO_DEVICE,
         "cuInit gives CUDA_ERROR_NO_DEVICE (100): no CUDA-capable",
         "CUDA_VISIBLE_DEVICES"},
        {"fail=cuInit:34", GPU_NO_DRIVER, "cuInit gives CUDA error 34.",
         "stubs"},
        {"fail=cuInit:803", GPU_FAILED, "803", "restart the machine"},
        {"fail=cuInit:802", GPU_FAILED, "802", "fabricmanager"},
        {"fail=cuDeviceGetCount:999", GPU_FAILED,
         "cuDeviceGetCount gives CUDA_ERROR_UNKNOWN (999)", "nvidia-smi"},
        {"fail=cuDeviceGetAttribute:1@6", GPU_FAILED,
         "cuDeviceGetAttribute gives CUDA_ERROR_INVALID_VALUE", "nvidia-smi"},
        {"crash=cuInit", GPU_FAILED, "was ended by signal 11", "nvidia-smi"},
        {"exit=cuDeviceGetName:9", GPU_FAILED, "ended with exit code 9",
         "nvidia-smi"},
    };
    SCOPED_ARENA(arena);
    for (size_t i = 0; i < COUNT_OF(absences); i++) {
        GpuProbe p = probe_with(&arena, absences[i].options);
        CHECK_INT(p.state, absences[i].state);
        CHECK_HOLDS(p.reason, absences[i].reason);
        CHECK_HOLDS(p.help, absences[i].help);
    }
}

TEST(probe_tells_a_library_that_is_no_driver) {
    SCOPED_ARENA(arena);
    setenv("CLCLAB_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
    GpuProbe p = gpu_probe(&arena);
    CHECK_INT(p.state, GPU_NO_DRIVER);
    CHECK_HOLDS(p.reason, "cannot be loaded: /nonexistent/libcuda.so.1: ");
    setenv("CLCLAB_LIBCUDA", "libm.so.6", 1);
    p = gpu_probe(&arena);
    CHECK_INT(p.state, GPU_OLD_DRIVER);
    CHECK_STR(p.reason, "libm.so.6 has no cuInit.");
}

// A FIFO without a reader is what a daemon leaves behind when it is killed.
TEST(probe_finds_a_running_mps_daemon) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    setenv("CUDA_MPS_PIPE_DIRECTORY", folder.path.ptr, 1);
    CHECK(!probe_with(&arena, "").mps);
    Str control = in_folder(&arena, &folder, "control");
    write_file(&arena, control, STR("a file, no FIFO"));
    CHECK(!probe_with(&arena, "").mps);
    remove(control.ptr);
    CHECK_INT(mkfifo(control.ptr, 0600), 0);
    CHECK(!probe_with(&arena, "").mps);
    int reader = open(control.ptr, O_RDONLY | O_NONBLOCK);
    GpuProbe p = probe_with(&arena, "devices=0");
    CHECK(p.mps);
    CHECK_STR(p.mps_folder, folder.path.ptr);
    close(reader);
    CHECK(!probe_with(&arena, "").mps);
}

// ---- the fake driver -----------------------------------------------------

typedef struct Session {
    Driver driver;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr data;
} Session;

static Session session_open(Arena *arena, const char *options) {
    Session s = {0};
    Diags diags = diags_new(arena);
    use_fake_cuda(arena, options);
    CHECK_INT(driver_load(&s.driver, &diags), DRIVER_LOADED);
    CHECK_INT(s.driver.cuDevicePrimaryCtxRetain(&s.context, 0),
              CUDA_ERROR_NOT_INITIALIZED);
    CHECK_INT(s.driver.cuInit(0), 0);
    CHECK_INT(s.driver.cuDevicePrimaryCtxRetain(&s.context, 0), 0);
    CHECK_INT(s.driver.cuMemAlloc(&s.data, 16), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_INT(s.driver.cuCtxSetCurrent(s.context), 0);
    CHECK_INT(s.driver.cuModuleLoadDataEx(&s.module, "\177ELF", 0, NULL, NULL),
              0);
    CHECK_INT(s.driver.cuModuleGetFunction(&s.function, s.module, "k"), 0);
    CHECK_INT(s.driver.cuMemAlloc(&s.data, 16), 0);
    return s;
}

static CUresult session_launch(Session *s, unsigned int grid) {
    int n = 3;
    void *parameters[] = {&s->data, &n};
    CUlaunchConfig config = {grid, 1, 1, 32, 1, 1, 0, NULL, NULL, 0};
    return s->driver.cuLaunchKernelEx(&config, s->function, parameters, NULL);
}

TEST(fake_launch_does_what_it_is_told_and_no_more) {
    SCOPED_ARENA(arena);
    Session s = session_open(&arena, "");
    float in[4] = {1, 2, 3, 4}, out[4];
    CHECK_INT(s.driver.cuMemcpyHtoD(s.data, in, 16), 0);
    CHECK_INT(session_launch(&s, 1), 0);
    CHECK_INT(s.driver.cuMemcpyDtoH(out, s.data, 16), 0);
    CHECK(memcmp(in, out, sizeof in) == 0);
    setenv("CLCLAB_FAKE_CUDA", "apply=double;corrupt=guard", 1);
    CHECK_INT(session_launch(&s, 1), 0);
    CHECK_INT(s.driver.cuMemcpyDtoH(out, s.data, 16), 0);
    CHECK_DOUBLE(out[0], 2);
    CHECK_DOUBLE(out[2], 6);
    CHECK(out[3] != 4 && out[3] != 8); // beyond n, and its last byte changed
    CHECK_INT(session_launch(&s, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(fake_launch_fills_the_table_of_starts) {
    SCOPED_ARENA(arena);
    Session s = session_open(&arena, "apply=table;sms=2");
    CUdeviceptr table, words[8] = {0}, control;
    size_t bytes = 0;
    CHECK_INT(s.driver.cuMemAlloc(&words[0], 3 * 4), 0);
    CHECK_INT(s.driver.cuMemAlloc(&words[3], 3 * 8), 0);
    CHECK_INT(s.driver.cuMemAlloc(&control, sizeof(GpuControl)), 0);
    words[5] = control;
    CHECK_INT(
        s.driver.cuModuleGetGlobal(&table, &bytes, s.module, "clclab_gpu"), 0);
    CHECK_INT(bytes, sizeof words);
    CHECK_INT(s.driver.cuMemcpyHtoD(table, words, sizeof words), 0);
    CHECK_INT(session_launch(&s, 3), 0);
    uint32_t claims[3], starts[6], started;
    CHECK_INT(s.driver.cuMemcpyDtoH(claims, words[0], sizeof claims), 0);
    CHECK_INT(s.driver.cuMemcpyDtoH(starts, words[3], sizeof starts), 0);
    CHECK_INT(s.driver.cuMemcpyDtoH(&started,
                                    control + offsetof(GpuControl, started), 4),
              0);
    CHECK_U64(claims[2], 0x80000000u);
    CHECK_INT(starts[4], 3);
    CHECK_INT(starts[5], 0);
    CHECK_INT(started, 3);
}

TEST(fake_refuses_what_a_driver_refuses) {
    SCOPED_ARENA(arena);
    Session s = session_open(&arena, "memory=1;fail=cuStreamQuery:4@2");
    CUdeviceptr more;
    CUmodule module;
    size_t available = 0, total = 0;
    CHECK_INT(s.driver.cuMemcpyHtoD(s.data, "x", 17), CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(s.driver.cuMemAlloc(&more, 1 << 20), CUDA_ERROR_OUT_OF_MEMORY);
    CHECK_INT(s.driver.cuMemGetInfo(&available, &total), 0);
    CHECK_INT(available, (1 << 20) - 16);
    CHECK_INT(s.driver.cuMemFree(s.data + 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(s.driver.cuMemFree(s.data), 0);
    CHECK_INT(s.driver.cuMemFree(s.data), CUDA_ERROR_INVALID_VALUE);
    CHECK_INT(s.driver.cuModuleLoadDataEx(&module, "text", 0, NULL, NULL),
              CUDA_ERROR_INVALID_IMAGE);
    CHECK_INT(s.driver.cuStreamQuery(NULL), 0);
    CHECK_INT(s.driver.cuStreamQuery(NULL), 4);
    CHECK_INT(s.driver.cuStreamQuery(NULL), 0);
}

TEST(fake_fault_stays_and_a_hang_is_never_ready) {
    SCOPED_ARENA(arena);
    Session s = session_open(&arena, "hang=query");
    CUstream other;
    CHECK_INT(s.driver.cuStreamCreateWithPriority(&other, 1, 0), 0);
    CHECK_INT(s.driver.cuStreamQuery(NULL), 0);
    CHECK_INT(session_launch(&s, 1), 0);
    CHECK_INT(s.driver.cuStreamQuery(NULL), 0 + CUDA_ERROR_NOT_READY);
    CHECK_INT(s.driver.cuStreamQuery(other), 0);
    setenv("CLCLAB_FAKE_CUDA", "fault=700;delay_ms=40", 1);
    CUevent from, to;
    CHECK_INT(s.driver.cuEventCreate(&from, 0), 0);
    CHECK_INT(s.driver.cuEventCreate(&to, 0), 0);
    CHECK_INT(session_launch(&s, 1), 0);
    CHECK_INT(s.driver.cuStreamSynchronize(NULL), 700);
    CHECK_INT(s.driver.cuMemFree(s.data), 700);
    CHECK_STR(driver_error(&arena, &s.driver, 700),
              "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was "
              "encountered");
    CHECK_STR(driver_error(&arena, &s.driver, 12345), "CUDA error 12345");
}

TEST(fake_logs_its_calls) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str path = in_folder(&arena, &folder, "log"), text = {0};
    Str options = str_format(&arena, "log=%.*s", STR_ARG(path));
    session_open(&arena, options.ptr);
    CHECK(files_read(&arena, path, 1 << 20, &text));
    CHECK(str_starts(text, STR("cuDevicePrimaryCtxRetain\ncuInit\n")));
    CHECK_HOLDS(text, "\ncuMemAlloc_v2\n");
}

TEST_MAIN(TESTCASE(probe_tells_what_the_driver_says),
          TESTCASE(probe_tells_why_there_is_no_gpu),
          TESTCASE(probe_tells_a_library_that_is_no_driver),
          TESTCASE(probe_finds_a_running_mps_daemon),
          TESTCASE(fake_launch_does_what_it_is_told_and_no_more),
          TESTCASE(fake_launch_fills_the_table_of_starts),
          TESTCASE(fake_refuses_what_a_driver_refuses),
          TESTCASE(fake_fault_stays_and_a_hang_is_never_ready),
          TESTCASE(fake_logs_its_calls))
