// SPDX-License-Identifier: Apache-2.0
// clclab doctor: each of its lines on a machine that has the thing, and on one
// that lacks it. Toolkits are folders with shell scripts, the GPU's driver is
// the fake one.
#include "sandbox/sandbox.h"
#include "tests/unit/cli_room.h"
#include "tests/unit/fakecuda.h"
#include "tools/hide.h"

#include <sys/mount.h>

// A room with a course of two labs and a toolkit; the cache is in the room.
static void open_machine(Room *room) {
    room_open(room);
    static const char *const folders[] = {
        "labs", "labs/common", "labs/01-a", "labs/02-b", "bin", "cache"};
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        mkdir(folders[i], 0700);
    put("labs/common/lab.h", STR("//\n"));
    put("labs/01-a/lab.conf", STR("title = A\n"));
    put("labs/02-b/lab.conf", STR("title = B\n"));
    room_compiler(room, ".version 9.0\n.target sm_100a\n");
    setenv("CUDA_MPS_PIPE_DIRECTORY", "/nonexistent/mps", 1);
}

static void machine_close(Room *room) {
    room_close(room);
}

#define SCOPED_MACHINE(name)                           \
    __attribute__((cleanup(machine_close))) Room name; \
    open_machine(&name)

static void put_program(const char *path, const char *script) {
    put(path, str_from(script));
    CHECK_INT(chmod(path, 0700), 0);
}

// Runs doctor, which is to end with this code.
static void doctor(Room *room, int code) {
    call(room, "doctor --format json");
    CHECK_INT(room->code, code);
    CHECK_STR(room->err, "");
}

// The text of a line: from its id to the end of its object.
static Str line_of(Room *room, const char *id) {
    Str mark = str_format(&room->arena, "\"id\": \"%s\"", id);
    const char *at = memmem(room->out.ptr, room->out.len, mark.ptr, mark.len);
    if (!CHECK(at != NULL))
        return (Str){0};
    Str rest = {at, room->out.len - (size_t)(at - room->out.ptr)};
    return str_slice(rest, 0, str_find(rest, '}'));
}

// The state and what was found; a line that is not fine has help, which holds
// `help`.
static void check_line(Room *room, const char *id, const char *state,
                       const char *found, const char *help) {
    Str line = line_of(room, id);
    Str wanted = str_format(&room->arena, "\"state\": \"%s\"", state);
    CHECK_HOLDS(line, wanted.ptr);
    CHECK_HOLDS(line, found);
    if (help)
        CHECK_HOLDS(line, help);
    else
        CHECK_HOLDS(line, "\"help\": null");
    CHECK_LACKS(line, "\"enables\": null");
}

static void check_ready(Room *room, bool vm, bool gpu) {
    CHECK_HOLDS(room->out, vm ? "\"vm_ready\": true" : "\"vm_ready\": false");
    CHECK_HOLDS(room->out,
                gpu ? "\"gpu_ready\": true" : "\"gpu_ready\": false");
}

// ---- the virtual machine -------------------------------------------------

TEST(all_that_grading_needs_is_there) {
    SCOPED_MACHINE(room);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "course", "fine", "2 labs in ", NULL);
    check_line(&room, "toolkit", "fine", "CUDA 13.0 in ", NULL);
    check_line(&room, "compiler", "fine", "nvcc 13.0 has compiled a kernel",
               NULL);
    check_line(&room, "nvcc", "fine", "/toolkit/bin/nvcc", NULL);
    check_line(&room, "cache", "fine", "/cache/clclab: 0 files, 0 MiB", NULL);
    check_ready(&room, true, false);
}

TEST(a_machine_without_a_course_is_not_ready) {
    SCOPED_MACHINE(room);
    CHECK_INT(remove("labs/common/lab.h"), 0);
    doctor(&room, CLI_MISSING);
    check_line(&room, "course", "needed", "There is no folder", "--root");
    check_line(&room, "compiler", "fine", "has compiled", NULL);
    check_ready(&room, false, false);
    call(&room, "doctor --root /nonexistent");
    CHECK(room.code != CLI_FULL_MARKS && room.code != CLI_MISSING);
}

TEST(a_machine_without_a_toolkit_is_not_ready) {
    SCOPED_MACHINE(room);
    setenv("CLCLAB_TOOLKIT", "/nonexistent/toolkit", 1);
    doctor(&room, CLI_MISSING);
    check_line(&room, "toolkit", "needed", "/nonexistent/toolkit (no cuda.h)",
               "Install CUDA 12.8");
    check_line(&room, "compiler", "needed", "comes with the toolkit",
               "See the line above.");
    check_line(&room, "nvcc", "absent", "The toolkit has none.", "cuda-nvcc");
    check_ready(&room, false, false);
}

TEST(a_compiler_that_fails_is_quoted) {
    SCOPED_MACHINE(room);
    put_program("toolkit/bin/nvcc",
                "#!/bin/sh\necho 'Failed to preprocess host compiler "
                "properties'\nexit 1\n");
    doctor(&room, CLI_MISSING);
    check_line(&room, "compiler", "needed", "cannot run a C++ compiler",
               "Install g++");
    check_ready(&room, false, false);
}

// ---- the cache -----------------------------------------------------------

TEST(the_cache_is_measured) {
    SCOPED_MACHINE(room);
    mkdir("cache/clclab", 0700);
    mkdir("cache/clclab/folder", 0700);
    put("cache/clclab/folder/deep", STR("not counted"));
    put("cache/clclab/one", STR("1"));
    put("cache/clclab/large", STR(""));
    CHECK_INT(symlink("large", "cache/clclab/link"), 0);
    CHECK_INT(truncate("cache/clclab/large", (5 << 20) + 1), 0);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "cache", "fine", "/cache/clclab: 2 files, 5 MiB", NULL);
    CHECK(!file_exists("cache/clclab/doctor"));
}

TEST(a_cache_that_cannot_be_used_is_odd) {
    SCOPED_MACHINE(room);
    put("file", STR(""));
    setenv("XDG_CACHE_HOME",
           str_format(&room.arena, "%s/file", room.folder).ptr, 1);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "cache", "odd", "It cannot be written to.",
               "Set XDG_CACHE_HOME");
    setenv("XDG_CACHE_HOME", "relative", 1);
    setenv("HOME", str_format(&room.arena, "%s/home", room.folder).ptr, 1);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "cache", "fine", "/home/.cache/clclab: ", NULL);
    setenv("HOME", "home", 1);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "cache", "odd", "\"found\": \"There is none: neither",
               "XDG_CACHE_HOME");
}

TEST(a_cache_needs_400_megabytes) {
    SCOPED_MACHINE(room);
    static const char *const sizes[] = {"size=399m", "size=401m"};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (mount("none", "cache", "tmpfs", 0, sizes[i]) != 0)
            SKIP("this user cannot mount a tmpfs");
        doctor(&room, CLI_FULL_MARKS);
        umount2("cache", MNT_DETACH);
        check_line(&room, "cache", i ? "fine" : "odd",
                   i ? "/clclab: 0 files" : "Less than 400 MB are free",
                   i ? NULL : "1 GB");
    }
}

// ---- other programs ------------------------------------------------------

TEST(programs_are_looked_for_on_the_path) {
    SCOPED_MACHINE(room);
    put_program("toolkit/bin/nvcc", // of a shell's own words alone
                "#!/bin/sh\necho .version 9.0 >output.ptx\n");
    put("bin/make", STR("not executable"));
    CHECK_INT(chmod("bin/make", 0600), 0);
    put_program("bin/bats", "#!/bin/sh\n");
    const char *usual = str_cstring(&room.arena, str_from(getenv("PATH")));
    setenv("PATH",
           str_format(&room.arena, ":/nonexistent:%s/bin", room.folder).ptr, 1);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "make", "absent", "It is not on PATH.",
               "Install the package make;");
    check_line(&room, "bats", "fine", "/bin/bats", NULL);
    check_line(&room, "pandoc", "absent", "not on PATH", "package pandoc");
    CHECK_INT(chmod("bin/make", 0700), 0);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "make", "fine", "/bin/make", NULL);
    setenv("PATH", usual, 1);
}

// ---- guards --------------------------------------------------------------

TEST(guards_are_there_or_it_says_what_to_have) {
    SCOPED_MACHINE(room);
    SandboxProbe probe;
    Diags diags = diags_new(&room.arena);
    CHECK(sandbox_probe(&room.arena, &probe, &diags));
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "seccomp", probe.guards.seccomp ? "fine" : "absent",
               probe.guards.seccomp ? "Filters can be" : "takes no filter",
               probe.guards.seccomp ? NULL : "strangers");
    check_line(&room, "landlock", probe.guards.landlock ? "fine" : "absent",
               probe.guards.landlock ? "ABI version" : "has none",
               probe.guards.landlock ? NULL : "or bubblewrap");
    if (!hide_landlock() || !hide_seccomp())
        SKIP("this kernel has no seccomp filters");
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "landlock", "absent", "The kernel has none",
               "or bubblewrap");
    check_line(&room, "seccomp", "absent", "takes no filter", "strangers");
}

TEST(bubblewrap_is_there_if_it_works) {
    SCOPED_MACHINE(room);
    SandboxBubblewrap found;
    Str why;
    if (sandbox_find_bubblewrap(&room.arena, &found, &why)) {
        doctor(&room, CLI_FULL_MARKS);
        check_line(
            &room, "bubblewrap", "fine",
            str_format(&room.arena, "version %.*s", STR_ARG(found.version)).ptr,
            NULL);
    }
    put_program("bin/bwrap", "#!/bin/sh\n"
                             "[ $1 = --version ] && echo bubblewrap 9.9\n");
    Str path = str_format(&room.arena, "%s/bin:/usr/bin:/bin", room.folder);
    setenv("PATH", path.ptr, 1);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "bubblewrap", "absent", "cannot make its namespaces here",
               "user namespaces");
}

// ---- GPUs ----------------------------------------------------------------

// An assembler that writes down what it was asked for.
static void put_assembler(int version) {
    put("toolkit/include/cuda.h",
        (Str){version == 12 ? "#define CUDA_VERSION 12080\n"
                            : "#define CUDA_VERSION 13000\n",
              27});
    put_program("toolkit/bin/ptxas", "#!/bin/sh\n"
                                     "while [ $# -gt 0 ]; do\n"
                                     "  case $1 in -o) echo x >$2;; esac\n"
                                     "  shift\n"
                                     "done\n");
}

static void with_gpu(Room *room, const char *options) {
    put_assembler(13);
    use_fake_cuda(&room->arena, options);
    doctor(room, CLI_FULL_MARKS);
}

TEST(a_machine_without_a_driver_runs_nothing_on_a_gpu) {
    SCOPED_MACHINE(room);
    put_assembler(13);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "driver", "absent", "cannot be loaded", "NVIDIA");
    check_line(&room, "gpu", "absent", "None can be seen without a driver.",
               "The virtual machine does without.");
    check_line(&room, "mps", "fine", "No daemon runs", NULL);
    check_line(&room, "assembler", "fine",
               "ptxas 13.0 has assembled a kernel for sm_90a", NULL);
    check_ready(&room, true, false);
}

TEST(a_gpu_with_launch_control_is_ready) {
    SCOPED_MACHINE(room);
    with_gpu(&room, "cc=10.3;driver=13000;sms=148;memory=2048;name=Big");
    check_line(&room, "driver", "fine", "CUDA 13.0", NULL);
    check_line(&room, "gpu", "fine",
               "Big, compute capability 10.3, 148 SMs, 2048 MiB\"", NULL);
    check_line(&room, "gpu", "fine", "its own Cluster Launch Control", NULL);
    check_line(&room, "assembler", "fine", "for sm_103a", NULL);
    check_ready(&room, true, true);
    // Without what the virtual machine needs, nothing is ready.
    CHECK_INT(remove("labs/common/lab.h"), 0);
    doctor(&room, CLI_MISSING);
    check_ready(&room, false, false);
}

TEST(what_a_gpu_can_run_depends_on_its_capability) {
    SCOPED_MACHINE(room);
    with_gpu(&room, "cc=9.0;driver=13000");
    check_line(&room, "gpu", "fine", "Cluster Launch Control emulated", NULL);
    check_line(&room, "assembler", "fine", "for sm_90a", NULL);
    check_ready(&room, true, true);
    with_gpu(&room, "cc=8.6;driver=13000;clusters=0");
    check_line(&room, "gpu", "odd", "running labs 1 and 2 (from 7.5 on)",
               "does without a GPU");
    check_line(&room, "assembler", "fine", "for sm_90a", NULL);
    check_ready(&room, true, false);
    with_gpu(&room, "cc=9.0;driver=13000;clusters=0");
    check_line(&room, "gpu", "odd", "9.0", "does without a GPU");
    check_ready(&room, true, false);
}

TEST(what_is_odd_about_a_gpu_is_said) {
    SCOPED_MACHINE(room);
    with_gpu(&room, "cc=9.0;driver=13000;devices=2;watchdog=1");
    check_line(&room, "gpu", "fine",
               "MiB, the first of several, with a display: long kernels are "
               "stopped\"",
               NULL);
    with_gpu(&room, "cc=9.0;driver=13000;mode=2"); // prohibited
    check_line(&room, "gpu", "odd", "9.0", "nvidia-smi -c 0");
    check_ready(&room, true, false);
    with_gpu(&room, "devices=0;driver=13000");
    check_line(&room, "driver", "fine", "CUDA 13.0", NULL);
    check_line(&room, "gpu", "absent", "\"enables\": \"running kernels on it",
               "");
    CHECK_LACKS(line_of(&room, "gpu"), "without a driver");
    check_ready(&room, true, false);
}

TEST(nothing_runs_on_a_gpu_beside_a_daemon_that_shares_it) {
    SCOPED_MACHINE(room);
    mkdir("mps", 0700);
    CHECK_INT(mkfifo("mps/control", 0600), 0);
    setenv("CUDA_MPS_PIPE_DIRECTORY",
           str_format(&room.arena, "%s/mps", room.folder).ptr, 1);
    with_gpu(&room, "cc=9.0;driver=13000"); // nobody reads from the pipe
    check_line(&room, "mps", "fine", "No daemon runs", NULL);
    check_ready(&room, true, true);
    int reader = open("mps/control", O_RDONLY | O_NONBLOCK);
    doctor(&room, CLI_FULL_MARKS);
    close(reader);
    check_line(&room, "mps", "odd", "/mps.", "nvidia-cuda-mps-control");
    check_ready(&room, true, false);
}

TEST(a_driver_older_than_the_toolkit_is_odd) {
    SCOPED_MACHINE(room);
    with_gpu(&room, "cc=9.0;driver=12080");
    check_line(&room, "driver", "odd",
               "CUDA 12.8. The toolkit is 13.0: the driver may refuse",
               "a driver of CUDA 13 or newer, or point CUDA_HOME to an older "
               "toolkit, of CUDA 12.");
    check_ready(&room, true, false);
    put_assembler(12);
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "driver", "fine", "CUDA 12.8", NULL);
    check_ready(&room, true, true);
}

TEST(a_machine_without_an_assembler_runs_nothing_on_a_gpu) {
    SCOPED_MACHINE(room);
    use_fake_cuda(&room.arena, "cc=9.0;driver=13000");
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "assembler", "absent", "", "");
    CHECK_LACKS(line_of(&room, "assembler"), "\"help\": null");
    check_ready(&room, true, false);
    put_program("toolkit/bin/ptxas", "#!/bin/sh\necho strange >&2\nexit 1\n");
    doctor(&room, CLI_FULL_MARKS);
    check_line(&room, "assembler", "absent", "strange", "");
}

static const TestCase cases[] = {
    TESTCASE(all_that_grading_needs_is_there),
    TESTCASE(guards_are_there_or_it_says_what_to_have),
    TESTCASE(bubblewrap_is_there_if_it_works),
    TESTCASE(a_machine_without_a_course_is_not_ready),
    TESTCASE(a_machine_without_a_toolkit_is_not_ready),
    TESTCASE(a_compiler_that_fails_is_quoted),
    TESTCASE(the_cache_is_measured),
    TESTCASE(a_cache_that_cannot_be_used_is_odd),
    TESTCASE(a_cache_needs_400_megabytes),
    TESTCASE(programs_are_looked_for_on_the_path),
    TESTCASE(a_machine_without_a_driver_runs_nothing_on_a_gpu),
    TESTCASE(a_gpu_with_launch_control_is_ready),
    TESTCASE(what_a_gpu_can_run_depends_on_its_capability),
    TESTCASE(what_is_odd_about_a_gpu_is_said),
    TESTCASE(nothing_runs_on_a_gpu_beside_a_daemon_that_shares_it),
    TESTCASE(a_driver_older_than_the_toolkit_is_odd),
    TESTCASE(a_machine_without_an_assembler_runs_nothing_on_a_gpu)};

// This program is also what bubblewrap starts.
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], SANDBOX_ENTER_ARGUMENT) == 0)
        return sandbox_enter_main(argc, argv);
    return test_run_all(cases, COUNT_OF(cases), argc > 1 ? argv[1] : NULL);
}
