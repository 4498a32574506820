// SPDX-License-Identifier: Apache-2.0
// cli/judge/untrusted.c: what a stranger's file needs of the machine, and what
// one may say against it. Each test is a process of its own, so that a guard
// that it hides is hidden from it alone.
#include "sandbox/sandbox.h"
#include "tests/unit/cli_room.h"
#include "tools/hide.h"

// Calls it with what it prints in room->err.
static int check(Room *room, Args *args) {
    Cli cli = {.args = *args};
    int kept = dup(STDERR_FILENO);
    int file = open("err.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    int code = untrusted_check(&cli);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(file);
    room->err = get(&room->arena, "err.txt");
    args->device = cli.args.device;
    arena_free(&cli.arena);
    return code;
}

static void check_refused(Room *room, const char *why) {
    Args args = {.untrusted = true};
    CHECK_INT(check(room, &args), CLI_MISSING);
    CHECK_HOLDS(room->err, "a stranger's file is not graded here");
    CHECK_HOLDS(room->err, why);
    CHECK_HOLDS(room->err, "--allow-weak-sandbox");
    args = (Args){.untrusted = true, .allow_weak = true};
    CHECK_INT(check(room, &args), CLI_FULL_MARKS);
    args = (Args){0};
    CHECK_INT(check(room, &args), CLI_FULL_MARKS);
    CHECK_STR(room->err, "");
}

#define SCOPED_ROOM(name)                           \
    __attribute__((cleanup(room_close))) Room name; \
    room_open(&name)

static bool is_whole(Room *room) {
    SandboxProbe probe;
    Diags diags = diags_new(&room->arena);
    CHECK(sandbox_probe(&room->arena, &probe, &diags));
    return sandbox_is_whole(&probe.guards) && probe.only_compute;
}

TEST(a_whole_sandbox_takes_a_strangers_file) {
    SCOPED_ROOM(room);
    if (!is_whole(&room))
        SKIP("this machine or build lacks a guard");
    Args args = {.untrusted = true};
    CHECK_INT(check(&room, &args), CLI_FULL_MARKS);
    CHECK_STR(room.err, "");
}

TEST(without_landlock_a_strangers_file_is_refused) {
    SCOPED_ROOM(room);
    if (!hide_landlock())
        SKIP("this kernel has no seccomp filters");
    setenv("PATH", "/nonexistent", 1);
    check_refused(&room, "no Landlock");
    setenv("PATH", "/usr/bin:/bin", 1); // with which the room is removed
}

TEST(bubblewrap_stands_in_for_landlock) {
    SCOPED_ROOM(room);
    SandboxBubblewrap found;
    Str why;
    Args args = {.untrusted = true};
    if (!is_whole(&room) || !hide_landlock())
        SKIP("this machine or build lacks a guard");
    if (!sandbox_find_bubblewrap(&room.arena, &found, &why))
        SKIP(str_cstring(&room.arena, why));
    CHECK(is_whole(&room));
    CHECK_INT(check(&room, &args), CLI_FULL_MARKS);
    CHECK_STR(room.err, "");
}

TEST(without_seccomp_a_strangers_file_is_refused) {
    SCOPED_ROOM(room);
    if (!hide_seccomp())
        SKIP("this kernel has no seccomp filters");
    check_refused(&room, "no seccomp");
}

TEST(a_strangers_file_runs_on_a_gpu_only_where_that_is_asked_for_twice) {
    SCOPED_ROOM(room);
    Args args = {.untrusted = true, .device = DEVICE_GPU};
    CHECK_INT(check(&room, &args), CLI_MISSING);
    CHECK_HOLDS(room.err, "a GPU would run it natively");
    args.allow_weak = true;
    CHECK_INT(check(&room, &args), CLI_FULL_MARKS);
    CHECK_INT(args.device, DEVICE_GPU);
    args.device = DEVICE_AUTO;
    CHECK_INT(check(&room, &args), CLI_FULL_MARKS);
    CHECK_INT(args.device, DEVICE_VM);
    args = (Args){.device = DEVICE_AUTO};
    CHECK_INT(check(&room, &args), CLI_FULL_MARKS);
    CHECK_INT(args.device, DEVICE_AUTO);
}

TEST(allowing_a_weak_sandbox_needs_a_strangers_file) {
    SCOPED_ROOM(room);
    Args args = {.allow_weak = true};
    CHECK_INT(check(&room, &args), CLI_USAGE);
    CHECK_HOLDS(room.err, "goes with --untrusted");
}

// The classes of guards, one by one.
TEST(a_sandbox_is_whole_with_privileges_calls_and_files) {
    const SandboxGuards all = {
        .no_new_privileges = true, .seccomp = true, .landlock = 1};
    SandboxGuards less[] = {all, all, all};
    CHECK(sandbox_is_whole(&all));
    less[0].no_new_privileges = false;
    less[1].seccomp = false;
    less[2].landlock = 0;
    for (size_t i = 0; i < COUNT_OF(less); i++)
        CHECK(!sandbox_is_whole(&less[i]));
    strcpy(less[1].bubblewrap, "0.8.0");
    strcpy(less[2].bubblewrap, "0.8.0");
    CHECK(!sandbox_is_whole(&less[1]));
    CHECK(sandbox_is_whole(&less[2]));
}

static const TestCase cases[] = {
    TESTCASE(a_whole_sandbox_takes_a_strangers_file),
    TESTCASE(without_landlock_a_strangers_file_is_refused),
    TESTCASE(bubblewrap_stands_in_for_landlock),
    TESTCASE(without_seccomp_a_strangers_file_is_refused),
    TESTCASE(a_strangers_file_runs_on_a_gpu_only_where_that_is_asked_for_twice),
    TESTCASE(allowing_a_weak_sandbox_needs_a_strangers_file),
    TESTCASE(a_sandbox_is_whole_with_privileges_calls_and_files),
};

// This program is also what bubblewrap starts.
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], SANDBOX_ENTER_ARGUMENT) == 0)
        return sandbox_enter_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
