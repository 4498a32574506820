// SPDX-License-Identifier: Apache-2.0
// Tests of the Device of gpu/ with the fake driver, on a machine that others
// use, too: its lock, the daemon of MPS, settings in the environment.
#include "tests/unit/gpu_fake.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

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

TEST_MAIN(TESTCASE(a_lock_can_be_taken_by_others_whatever_the_umask),
          TESTCASE(what_is_no_lock_file_is_not_waited_for),
          TESTCASE(a_daemon_that_listens_at_a_socket_is_found))
