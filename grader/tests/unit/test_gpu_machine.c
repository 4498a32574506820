// SPDX-License-Identifier: Apache-2.0
// Tests of the Device of gpu/ with the fake driver, on a machine that others
// use, too: its lock, the daemon of MPS, settings in the environment.
#include "tests/unit/gpu_fake.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

// ---- the lock ------------------------------------------------------------

// Another user's grader has to be able to wait for this one.
TEST(a_lock_can_be_taken_by_others_whatever_the_umask) {
    SCOPED_GPU(gpu);
    struct stat info;
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    mode_t before = umask(0077);
    CHECK_INT(gpu_launch(&gpu, "", &launch).run.status, RUN_DONE);
    umask(before);
    CHECK_INT(stat(gpu_lock(&gpu).ptr, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0644);
}

// What somebody else put at the lock's name neither stops a launch nor leads
// it elsewhere.
TEST(what_is_no_lock_file_is_not_waited_for) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    Str lock = gpu_lock(&gpu);
    Str elsewhere = in_folder(&gpu.arena, &gpu.folder, "elsewhere");
    alarm(20); // a launch that waits for a writer would wait for ever
    CHECK_INT(mkfifo(lock.ptr, 0600), 0);
    CHECK_INT(gpu_launch(&gpu, "", &launch).run.status, RUN_DONE);
    unlink(lock.ptr);
    CHECK_INT(symlink(elsewhere.ptr, lock.ptr), 0);
    CHECK_INT(gpu_launch(&gpu, "", &launch).run.status, RUN_DONE);
    CHECK(access(elsewhere.ptr, F_OK) != 0);
    unlink(lock.ptr);
    CHECK_INT(mkdir(lock.ptr, 0700), 0);
    CHECK_INT(gpu_launch(&gpu, "", &launch).run.status, RUN_DONE);
    rmdir(lock.ptr);
    alarm(0);
}

// ---- MPS -----------------------------------------------------------------

static int listen_at(Str path, int type) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, path.ptr, path.len);
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    CHECK_INT(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    CHECK(listen(fd, 1) == 0);
    return fd;
}

// "Starting control daemon using socket .../control", says its log. That of a
// daemon that was killed stays there, and nobody listens.
TEST(a_daemon_that_listens_at_a_socket_is_found) {
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        SCOPED_GPU(gpu);
        gpu_open_usual(&gpu, "");
        Str control = in_folder(&gpu.arena, &gpu.folder, "control");
        int daemon = listen_at(control, types[i]);
        CHECK(!gpu_open(&(GpuSettings){0}, &gpu.diags));
        if (CHECK_INT(gpu.diags.count, 1))
            CHECK_HOLDS(gpu.diags.items[0].what, "Multi-Process Service runs");
        // Nobody has come: the daemon is not disturbed.
        CHECK(fcntl(daemon, F_SETFL, O_NONBLOCK) == 0);
        CHECK(accept(daemon, NULL, NULL) < 0);
        close(daemon);
        CHECK(!gpu_probe(&gpu.arena).mps);
    }
}

// ---- others on the GPU ---------------------------------------------------

// In this mode a context is a lock, too.
TEST(a_gpu_that_lets_in_one_process_is_waited_for) {
    SCOPED_GPU(gpu);
    gpu_open_fake(&gpu, "mode=3",
                  &(GpuSettings){.deadline_s = 0.3, .lock_s = 0.3});
    DeviceLaunch launch = {GPU_LAUNCH};
    GpuTold told = gpu_launch(
        &gpu,
        "fail=cuDevicePrimaryCtxRetain:46@1;fail=cuDevicePrimaryCtxRetain:46@2",
        &launch);
    CHECK_INT(told.run.status, RUN_DONE);
    told = gpu_launch(&gpu, "fail=cuDevicePrimaryCtxRetain:46", &launch);
    CHECK(!told.told);
    CHECK_STR(told.run.error.code, "BUSY");
    CHECK_STR(told.run.error.what, "Others kept the GPU busy for 0.3 s.");
}

// How much memory is free is said only where the driver said so.
TEST(memory_that_runs_out_before_it_was_counted) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    GpuTold told = gpu_launch(&gpu, "fail=cuDevicePrimaryCtxRetain:2", &launch);
    CHECK(!told.told);
    CHECK_STR(told.run.error.code, "BUSY");
    CHECK_STR(told.run.error.help,
              "End what else uses the GPU, or try again later.");
}

// ---- the environment -----------------------------------------------------

// A launch that waited for its kernel would outlive the deadline.
TEST(settings_for_other_programs_do_not_reach_a_case) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    alarm(20);
    CHECK_INT(gpu_launch(&gpu, "hang=query", &launch).rule, RULE_TIMEOUT);
    alarm(0);
    CHECK_STR(str_from(getenv("CUDA_LAUNCH_BLOCKING")), "1");
    unsetenv("CUDA_LAUNCH_BLOCKING");
}

// ---- a block's own index -------------------------------------------------

static const char STEALING[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 a) {\n"
    ".shared .align 16 .b8 slot[%u];\n.shared .align 8 .b64 bar;\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot], [bar];\nret;\n}\n";

// Whether blocks draw their index: else there are claims to go by.
static bool draws(FakeGpu *gpu, uint32_t bytes, uint32_t dynamic_smem) {
    Str text = str_format(&gpu->arena, STEALING, bytes);
    DeviceLaunch launch = {GPU_LAUNCH, .dynamic_smem = dynamic_smem};
    uint64_t a, table[8];
    CHECK(gpu->device->ops->load(gpu->device, gpu_parse(gpu, text.ptr),
                                 &gpu->diags));
    a = gpu_buffer(gpu, 256);
    launch.args = &a;
    launch.arg_bytes = sizeof a;
    CHECK_INT(gpu_launch(gpu, "copy=clclab_gpu", &launch).run.status, RUN_DONE);
    CHECK(gpu->device->ops->read(gpu->device, 0, 0, table, sizeof table));
    CHECK(table[5] != 0); // control
    return table[0] == 0; // claims
}

TEST(a_block_without_room_for_its_index_keeps_the_one_it_has) {
    SCOPED_GPU(gpu);
    gpu_open_fake(&gpu, "",
                  &(GpuSettings){.deadline_s = 0.3, .is_plain = true});
    CHECK(draws(&gpu, 16, 0));
    CHECK(!draws(&gpu, 49152 - 64, 0));
    CHECK(draws(&gpu, 49152 - 128, 0));
    CHECK(draws(&gpu, 16, 227 * 1024 - 256));
    CHECK(!draws(&gpu, 16, 227 * 1024 - 32));
}

// Times are taken without a ledger, and without one there are claims, too.
TEST(claims_are_there_without_a_ledger_and_new_for_each_launch) {
    SCOPED_GPU(gpu);
    gpu_open_fake(&gpu, "",
                  &(GpuSettings){.deadline_s = 0.3,
                                 .is_plain = true,
                                 .keeps_index = true});
    CHECK(!draws(&gpu, 16, 0));
    static const GpuMeasure wanted = {.repeats = 3};
    DeviceLaunch launch = {GPU_LAUNCH};
    GpuTimes times;
    gpu_behave(&gpu, "apply=table;refuse=claims");
    CHECK(gpu_measure(gpu.device, &gpu.arena, &launch, &wanted, &times,
                      &gpu.diags));
}

// More would make the counter of the emulation begin anew.
TEST(a_grid_too_large_to_be_emulated_is_refused) {
    SCOPED_GPU(gpu);
    gpu_open_usual(&gpu, "");
    DeviceLaunch launch = {GPU_LAUNCH};
    PtxModule *module =
        gpu_parse(&gpu, str_format(&gpu.arena, STEALING, 16).ptr);
    CHECK(gpu.device->ops->load(gpu.device, module, &gpu.diags));
    launch.grid[0] = 1 << 30;
    launch.grid[1] = 2;
    GpuTold told = gpu_launch(&gpu, "crash=cuInit", &launch);
    CHECK(!told.told);
    CHECK_STR(told.run.error.code, "TARGET");
    CHECK_HOLDS(told.run.error.what, "at most 2^30 clusters");
}

// Not after what others may keep the lock.
TEST(a_driver_that_hangs_is_ended_soon) {
    SCOPED_GPU(gpu);
    gpu_open_fake(
        &gpu, "",
        &(GpuSettings){.deadline_s = 0.2, .lock_s = 3600, .driver_s = 0.3});
    DeviceLaunch launch = {GPU_LAUNCH};
    static const char *const hangs[] = {"hang=cuInit",
                                        "hang=cuEventElapsedTime"};
    for (size_t i = 0; i < COUNT_OF(hangs); i++) {
        time_t from = time(NULL);
        GpuTold told = gpu_launch(&gpu, hangs[i], &launch);
        CHECK(!told.told);
        CHECK_HOLDS(told.run.error.what, "the driver did not come back");
        CHECK(time(NULL) - from < 600); // and not lock_s
    }
}

TEST_MAIN(TESTCASE(a_driver_that_hangs_is_ended_soon),
          TESTCASE(a_lock_can_be_taken_by_others_whatever_the_umask),
          TESTCASE(what_is_no_lock_file_is_not_waited_for),
          TESTCASE(a_daemon_that_listens_at_a_socket_is_found),
          TESTCASE(a_gpu_that_lets_in_one_process_is_waited_for),
          TESTCASE(memory_that_runs_out_before_it_was_counted),
          TESTCASE(settings_for_other_programs_do_not_reach_a_case),
          TESTCASE(a_block_without_room_for_its_index_keeps_the_one_it_has),
          TESTCASE(claims_are_there_without_a_ledger_and_new_for_each_launch),
          TESTCASE(a_grid_too_large_to_be_emulated_is_refused))
