// SPDX-License-Identifier: Apache-2.0
// The surroundings of a sandbox's child, as seen from inside: limits, signals,
// descriptors, session, files, and each system call that is denied. The child
// is a function, or a shell; what it finds it writes to its output.
#include "sandbox/sandbox.h"
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define SCOPED_ARENA(name) __attribute__((cleanup(arena_free))) Arena name = {0}

static SandboxResult run_job(Arena *arena, SandboxJob job) {
    SandboxResult result;
    Diags diags = diags_new(arena);
    CHECK(sandbox_run(arena, &job, &result, &diags));
    CHECK_INT(diags.count, 0);
    return result;
}

static SandboxResult run_shell(Arena *arena, Str script, SandboxJob job) {
    const char *const argv[] = {"/bin/sh", "-c", str_cstring(arena, script),
                                NULL};
    job.argv = argv;
    return run_job(arena, job);
}

static Scratch make_scratch(Arena *arena) {
    Scratch scratch;
    Diags diags = diags_new(arena);
    CHECK(sandbox_make_scratch(arena, (Str){0}, &scratch, &diags));
    return scratch;
}

// What the kernel has, asked without the sandbox: 0 if it has none.
static int kernel_landlock(void) {
    enum { CREATE_RULESET = 444, VERSION = 1 };
    long version = syscall(CREATE_RULESET, NULL, 0, VERSION);
    return version > 0 ? (int)version : 0;
}

static bool kernel_has_filters(void) {
    pid_t child = fork();
    if (child == 0) {
        struct sock_filter code[] = {
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        struct sock_fprog program = {.len = 1, .filter = code};
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        _exit(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

__attribute__((format(printf, 2, 3))) static void say(int out,
                                                      const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vdprintf(out, format, arguments);
    va_end(arguments);
}

// ---- limits --------------------------------------------------------------

// All but that on address space, where a sanitizer reserves terabytes.
#define SAY_LIMITS                                                 \
    "ulimit -St; ulimit -Ht; ulimit -Sf; ulimit -Hf; ulimit -Ss; " \
    "ulimit -Hs; ulimit -Sn; ulimit -Hn; ulimit -Sc; ulimit -Hc; "

TEST(a_program_has_the_documented_limits) {
    SCOPED_ARENA(arena);
    SandboxResult r = run_shell(&arena, STR(SAY_LIMITS), (SandboxJob){0});
    // seconds, blocks of 512 bytes, KiB, files, blocks
    CHECK_STR(r.out, "60\n62\n131072\n131072\n65536\n65536\n256\n256\n0\n0\n");
    SandboxLimits limits = {
        .cpu_s = 7, .file_size = 1 << 20, .memory = 1 << 30};
    r = run_shell(&arena, STR(SAY_LIMITS), (SandboxJob){.limits = limits});
    CHECK_STR(r.out, "7\n9\n2048\n2048\n65536\n65536\n256\n256\n0\n0\n");
}

TEST(address_space_follows_memory_unless_it_is_given) {
    SCOPED_ARENA(arena);
#ifdef __SANITIZE_ADDRESS__
    SKIP("under a sanitizer address space is not limited");
#endif
    Str script = STR("ulimit -Sv; ulimit -Hv"); // KiB
    SandboxResult r = run_shell(&arena, script, (SandboxJob){0});
    CHECK_STR(r.out, "5242880\n5242880\n");
    SandboxLimits limits = {.memory = 64 << 20};
    r = run_shell(&arena, script, (SandboxJob){.limits = limits});
    CHECK_STR(r.out, "1179648\n1179648\n");
    limits.address_space = (uint64_t)3 << 30;
    r = run_shell(&arena, script, (SandboxJob){.limits = limits});
    CHECK_STR(r.out, "3145728\n3145728\n");
}

// A limit of the caller's own stays.
static int body_lowers_files(void *context, int out) {
    Arena arena = {0};
    struct rlimit few = {.rlim_cur = 64, .rlim_max = 64};
    setrlimit(RLIMIT_NOFILE, &few);
    SandboxResult r =
        run_shell(&arena, STR("ulimit -Sn; ulimit -Hn"), (SandboxJob){0});
    say(out, "%.*s", STR_ARG(r.out));
    arena_free(&arena);
    (void)context;
    return 0;
}

TEST(a_lower_limit_of_the_caller_stays) {
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(body_lowers_files(NULL, ends[1]));
    close(ends[1]);
    char text[64] = "";
    ssize_t n = read(ends[0], text, sizeof text - 1);
    int status = -1;
    waitpid(child, &status, 0);
    close(ends[0]);
    CHECK_STR(((Str){text, n > 0 ? (size_t)n : 0}), "64\n64\n");
}

// ---- signals, session, descriptors ---------------------------------------

static int body_says_signals(void *context, int out) {
    (void)context;
    int odd = 0;
    for (int number = 1; number < NSIG; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0)
            odd += now.sa_handler != (number == SIGXFSZ ? SIG_IGN : SIG_DFL);
    }
    sigset_t mask;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (int number = 1; number < NSIG; number++)
        odd += sigismember(&mask, number) == 1;
    say(out, "%d odd", odd);
    return 0;
}

TEST(signals_are_as_in_a_new_program) {
    SCOPED_ARENA(arena);
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR2);
    sigprocmask(SIG_BLOCK, &some, NULL);
    signal(SIGHUP, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGRTMAX, SIG_IGN);
    signal(SIGXFSZ, SIG_DFL);
    SandboxResult r = run_job(&arena, (SandboxJob){.body = body_says_signals});
    CHECK_STR(r.out, "0 odd");
}

static int body_says_session(void *context, int out) {
    (void)context;
    int death = 0;
    prctl(PR_GET_PDEATHSIG, &death);
    say(out, "%d %d %d %d", getsid(0) == getpid(), getpgid(0) == getpid(),
        death, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    return 0;
}

TEST(a_child_leads_its_session_and_dies_with_its_parent) {
    SCOPED_ARENA(arena);
    SandboxResult r = run_job(&arena, (SandboxJob){.body = body_says_session});
    CHECK_STR(r.out, "1 1 9 1");
    CHECK(r.guards.no_new_privileges);
}

// Descriptors 0, 1 and 2 are closed, so that those of the job get these
// numbers.
static int run_without_descriptors(void) {
    Arena arena = {0};
    SandboxResult r = {0};
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    Diags diags = diags_new(&arena);
    const char *const argv[] = {"/bin/sh", "-c", "cat; echo no >&2", NULL};
    SandboxJob job = {.argv = argv, .input = STR("yes\n")};
    bool fine = sandbox_run(&arena, &job, &r, &diags) && r.code == 0 &&
                str_equal(r.out, STR("yes\n")) && str_equal(r.err, STR("no\n"));
    arena_free(&arena);
    return fine ? 0 : 1;
}

TEST(a_caller_needs_no_descriptors_of_its_own) {
    pid_t child = fork();
    if (child == 0)
        _exit(run_without_descriptors());
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

TEST(a_long_input_is_read_from_its_begin_to_its_end) {
    SCOPED_ARENA(arena);
    Buf input = {0};
    for (int i = 0; i < 40000; i++)
        buf_printf(&input, "%d\n", i);
    SandboxJob job = {.input = buf_view(&input)};
    SandboxResult r = run_shell(&arena, STR("cat"), job);
    CHECK(str_equal(r.out, buf_view(&input)));
    buf_free(&input);
    r = run_shell(&arena, STR("cat; echo end"), (SandboxJob){0});
    CHECK_STR(r.out, "end\n");
    r = run_shell(&arena, STR("cat"), (SandboxJob){.input = STR("x")});
    CHECK_STR(r.out, "x");
}

TEST(the_environment_is_what_programs_need) {
    SCOPED_ARENA(arena);
    setenv("PATH", "/usr/bin:/bin", 1);
    setenv("LD_LIBRARY_PATH", "/one", 1);
    setenv("TMPDIR", "/two", 1);
    setenv("HOME", "/three", 1);
    setenv("LC_ALL", "de_DE", 1);
    SandboxResult r = run_shell(
        &arena, STR("echo $PATH $LD_LIBRARY_PATH $TMPDIR [$HOME] $LC_ALL"),
        (SandboxJob){0});
    CHECK_STR(r.out, "/usr/bin:/bin /one /two [] C\n");
    const char *const env[] = {"TMPDIR=/other", "HOME=/four"};
    r = run_shell(&arena, STR("echo $TMPDIR $HOME $PATH"),
                  (SandboxJob){.env = env, .env_count = 2});
    CHECK_STR(r.out, "/other /four /usr/bin:/bin\n");
    unsetenv("TMPDIR");
    r = run_shell(&arena, STR("echo ${TMPDIR-unset}"), (SandboxJob){0});
    CHECK_STR(r.out, "unset\n");
}

// ---- system calls --------------------------------------------------------

// Each with arguments with which it does nothing but fail in another way where
// it is not denied.
static const struct {
    const char *name;
    long number, first, second;
    bool of_sockets;
} CALLS[] = {
    {"socket", SYS_socket, -1, 0, true},
    {"connect", SYS_connect, -1, 0, true},
    {"bind", SYS_bind, -1, 0, true},
    {"listen", SYS_listen, -1, 0, true},
    {"accept", SYS_accept, -1, 0, true},
    {"accept4", SYS_accept4, -1, 0, true},
    {"ptrace", SYS_ptrace, -1, -1, false},
    {"process_vm_readv", SYS_process_vm_readv, -1, 0, false},
    {"process_vm_writev", SYS_process_vm_writev, -1, 0, false},
    {"perf_event_open", SYS_perf_event_open, 0, 0, false},
    {"kcmp", SYS_kcmp, -1, -1, false},
    {"setpgid", SYS_setpgid, -1, 0, false},
    {"mount", SYS_mount, 0, 0, false},
    {"umount2", SYS_umount2, 0, 0, false},
    {"pivot_root", SYS_pivot_root, 0, 0, false},
    {"chroot", SYS_chroot, 0, 0, false},
    {"unshare", SYS_unshare, 0, 0, false},
    {"setns", SYS_setns, -1, 0, false},
    {"keyctl", SYS_keyctl, -1, 0, false},
    {"add_key", SYS_add_key, 0, 0, false},
    {"request_key", SYS_request_key, 0, 0, false},
    {"bpf", SYS_bpf, -1, 0, false},
    {"userfaultfd", SYS_userfaultfd, -1, 0, false},
    {"init_module", SYS_init_module, 0, 0, false},
    {"finit_module", SYS_finit_module, -1, 0, false},
    {"delete_module", SYS_delete_module, 0, 0, false},
    {"kexec_load", SYS_kexec_load, 0, 0, false},
    {"reboot", SYS_reboot, 0, 0, false},
    {"swapon", SYS_swapon, 0, 0, false},
    {"swapoff", SYS_swapoff, 0, 0, false},
    {"acct", SYS_acct, 1, 0, false},
    {"quotactl", SYS_quotactl, -1, 0, false},
    {"settimeofday", SYS_settimeofday, 1, 1, false},
    {"clock_settime", SYS_clock_settime, -1, 0, false},
    {"adjtimex", SYS_adjtimex, 0, 0, false},
    {"sethostname", SYS_sethostname, 0, -1, false},
    {"setdomainname", SYS_setdomainname, 0, -1, false},
    {"open_by_handle_at", SYS_open_by_handle_at, -1, 0, false},
#ifdef SYS_io_uring_setup
    {"io_uring_setup", SYS_io_uring_setup, 0, 0, false},
#endif
#if defined(__x86_64__)
    {"iopl", SYS_iopl, -1, 0, false},
    {"ioperm", SYS_ioperm, -1, -1, false},
#endif
};

static bool is_denied(long number, long first, long second) {
    errno = 0;
    return syscall(number, first, second, 0, 0, 0, 0) == -1 && errno == EPERM;
}

// Lists the calls that are not denied.
static int body_tries_calls(void *context, int out) {
    bool sockets = context != NULL;
    for (size_t i = 0; i < COUNT_OF(CALLS); i++)
        if (!is_denied(CALLS[i].number, CALLS[i].first, CALLS[i].second) &&
            !(sockets && CALLS[i].of_sockets))
            say(out, "%s ", CALLS[i].name);
    for (size_t i = 0; sockets && i < COUNT_OF(CALLS); i++)
        if (CALLS[i].of_sockets &&
            is_denied(CALLS[i].number, CALLS[i].first, CALLS[i].second))
            say(out, "no-%s ", CALLS[i].name);
    return 0;
}

// Whether a root of no other rights tells a call that is denied from one that
// fails: unshare, which may do nothing, always does.
TEST(each_dangerous_call_is_denied) {
    SCOPED_ARENA(arena);
    SandboxResult r = run_job(&arena, (SandboxJob){.body = body_tries_calls});
    if (!kernel_has_filters())
        SKIP("this kernel has no seccomp filters");
    CHECK(r.guards.seccomp);
    CHECK_STR(r.out, "");
    CHECK_INT(r.code, 0);
}

TEST(a_driver_may_use_sockets_and_nothing_else) {
    SCOPED_ARENA(arena);
    SandboxResult r = run_job(&arena, (SandboxJob){.body = body_tries_calls,
                                                   .context = &arena,
                                                   .sockets = true});
    if (!kernel_has_filters())
        SKIP("this kernel has no seccomp filters");
    CHECK(r.guards.seccomp);
    CHECK_STR(r.out, "");
}

// Their numbers are next to those that are denied.
static int body_makes_harmless_calls(void *context, int out) {
    (void)context;
    static const long harmless[] = {SYS_getpid,  SYS_getuid,     SYS_uname,
                                    SYS_getpgid, SYS_shutdown,   SYS_sendto,
                                    SYS_sync,    SYS_getsockopt, SYS_gettid};
    for (size_t i = 0; i < COUNT_OF(harmless); i++)
        if (is_denied(harmless[i], -1, 0))
            say(out, "%ld ", harmless[i]);
    say(out, "%d", getpid() > 0);
    return 0;
}

TEST(other_calls_are_allowed) {
    SCOPED_ARENA(arena);
    SandboxResult r =
        run_job(&arena, (SandboxJob){.body = body_makes_harmless_calls});
    CHECK_STR(r.out, "1");
}

#if defined(__x86_64__)
// The numbers of x32, another way to each call.
static int body_calls_x32(void *context, int out) {
    (void)context, (void)out;
    return is_denied(0x40000000 | SYS_getpid, 0, 0) ? 42 : 1;
}

TEST(calls_of_another_kind_are_denied) {
    SCOPED_ARENA(arena);
    SandboxResult r = run_job(&arena, (SandboxJob){.body = body_calls_x32});
    if (!kernel_has_filters())
        SKIP("this kernel has no seccomp filters");
    CHECK(r.guards.seccomp);
    CHECK_INT(r.code, 42);
}
#else
TEST(calls_of_another_kind_are_denied) {
    SKIP("this processor's calls are of one kind");
}
#endif

// ---- files ---------------------------------------------------------------

// Everything that changes files, in the folder `context`, which has a file
// "old" and a folder "had". Says what could be done.
static int body_changes_files(void *context, int out) {
    if (chdir(context) != 0)
        return 1;
    int fd = open("old", O_RDONLY);
    say(out, "%s", fd >= 0 ? "read " : "");
    close(fd);
    fd = open("old", O_WRONLY);
    say(out, "%s", fd >= 0 ? "write " : "");
    close(fd);
    fd = open("new", O_WRONLY | O_CREAT, 0600);
    say(out, "%s", fd >= 0 ? "create " : "");
    close(fd);
    say(out, "%s", truncate("old", 1) == 0 ? "truncate " : "");
    say(out, "%s", mkdir("dir", 0700) == 0 ? "mkdir " : "");
    say(out, "%s", symlink("old", "link") == 0 ? "symlink " : "");
    say(out, "%s", mkfifo("fifo", 0600) == 0 ? "mkfifo " : "");
    say(out, "%s", rename("old", "dir/moved") == 0 ? "move " : "");
    say(out, "%s", rename("dir/moved", "old") == 0 ? "back " : "");
    say(out, "%s", unlink("old") == 0 ? "unlink " : "");
    say(out, "%s", rmdir("dir") == 0 || rmdir("had") == 0 ? "rmdir " : "");
    DIR *listing = opendir(".");
    say(out, "%s", listing ? "list" : "");
    if (listing)
        closedir(listing);
    return 0;
}

static void put_old(Arena *arena, Str folder) {
    static const char *const made[] = {"new", "link", "fifo"};
    for (size_t i = 0; i < COUNT_OF(made); i++)
        unlink(str_format(arena, "%.*s/%s", STR_ARG(folder), made[i]).ptr);
    mkdir(str_format(arena, "%.*s/had", STR_ARG(folder)).ptr, 0700);
    Str path = str_format(arena, "%.*s/old", STR_ARG(folder));
    int fd = open(path.ptr, O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0 && write(fd, "12", 2) == 2);
    close(fd);
}

// What body_changes_files can do in a folder, under these restrictions.
static Str changes_in(Arena *arena, Str folder, SandboxPaths paths) {
    put_old(arena, folder);
    SandboxResult r =
        run_job(arena, (SandboxJob){.body = body_changes_files,
                                    .context = str_cstring(arena, folder),
                                    .paths = paths});
    CHECK_INT(r.guards.landlock, kernel_landlock());
    return r.out;
}

TEST(files_are_changed_where_that_is_allowed_alone) {
    SCOPED_ARENA(arena);
    Scratch mine_folder = make_scratch(&arena),
            other_folder = make_scratch(&arena);
    Str mine = mine_folder.path, other = other_folder.path;
    Str missing = STR("/nonexistent/folder");
    Str both[] = {missing, mine};
    static const char all[] = "read write create truncate mkdir symlink mkfifo "
                              "move back unlink rmdir list";
    SandboxPaths paths = {.write = both, .write_count = 2};
    Str here = changes_in(&arena, mine, paths);
    Str there = changes_in(&arena, other, paths);
    paths.read_only_these = true;
    Str here_only = changes_in(&arena, mine, paths);
    Str there_only = changes_in(&arena, other, paths);
    paths.write_count = 1;
    paths.read = &other;
    paths.read_count = 1;
    Str reading = changes_in(&arena, other, paths);
    sandbox_remove_scratch(&mine_folder);
    sandbox_remove_scratch(&other_folder);
    if (kernel_landlock() < 3)
        SKIP("this kernel has no Landlock that knows truncate");
    CHECK_STR(here, all);
    CHECK_STR(there, "read list");
    CHECK_STR(here_only, all);
    CHECK_STR(there_only, "");
    CHECK_STR(reading, "read list");
}

TEST(a_single_file_can_be_allowed) {
    SCOPED_ARENA(arena);
    Scratch held = make_scratch(&arena);
    Str folder = held.path;
    Str file = str_format(&arena, "%.*s/old", STR_ARG(folder));
    SandboxPaths paths = {.write = &file, .write_count = 1};
    Str writing = changes_in(&arena, folder, paths);
    paths =
        (SandboxPaths){.read = &file, .read_count = 1, .read_only_these = true};
    Str reading = changes_in(&arena, folder, paths);
    sandbox_remove_scratch(&held);
    if (kernel_landlock() < 3)
        SKIP("this kernel has no Landlock that knows truncate");
    CHECK_STR(writing, "read write truncate list");
    CHECK_STR(reading, "read ");
}

static int body_uses_null(void *context, int out) {
    (void)context;
    int reader = open("/dev/null", O_RDONLY);
    int writer = open("/dev/null", O_WRONLY);
    int zero = open("/dev/zero", O_WRONLY);
    say(out, "%d %d %d", reader >= 0, writer >= 0, zero >= 0);
    return 0;
}

TEST(the_null_device_is_open_to_all) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.body = body_uses_null};
    SandboxResult r = run_job(&arena, job);
    if (kernel_landlock() == 0)
        SKIP("this kernel has no Landlock");
    CHECK_STR(r.out, "1 1 0");
    job.paths.read_only_these = true;
    CHECK_STR(run_job(&arena, job).out, "1 1 0");
}

TEST(a_path_that_is_too_long_allows_nothing) {
    SCOPED_ARENA(arena);
    char *bytes = arena_new(&arena, char, 9000);
    memset(bytes, '/', 9000);
    Str path = {bytes, 9000}; // were it shorter, the root
    SandboxPaths paths = {.write = &path, .write_count = 1};
    Scratch held = make_scratch(&arena);
    Str folder = held.path;
    Str changes = changes_in(&arena, folder, paths);
    path.len = 4095;
    Str root = changes_in(&arena, folder, paths);
    sandbox_remove_scratch(&held);
    if (kernel_landlock() < 3)
        SKIP("this kernel has no Landlock that knows truncate");
    CHECK_STR(changes, "read list");
    CHECK_HOLDS(root, "create");
}

static int body_signals_its_parent(void *context, int out) {
    (void)context;
    say(out, "%d", kill(getppid(), 0) == 0);
    return 0;
}

TEST(a_child_sends_no_signals_outside) {
    SCOPED_ARENA(arena);
    SandboxResult r =
        run_job(&arena, (SandboxJob){.body = body_signals_its_parent});
    if (kernel_landlock() < 6)
        SKIP("this kernel has no Landlock that knows signals");
    CHECK_STR(r.out, "0");
}

TEST_MAIN(TESTCASE(a_program_has_the_documented_limits),
          TESTCASE(address_space_follows_memory_unless_it_is_given),
          TESTCASE(a_lower_limit_of_the_caller_stays),
          TESTCASE(signals_are_as_in_a_new_program),
          TESTCASE(a_child_leads_its_session_and_dies_with_its_parent),
          TESTCASE(a_caller_needs_no_descriptors_of_its_own),
          TESTCASE(a_long_input_is_read_from_its_begin_to_its_end),
          TESTCASE(the_environment_is_what_programs_need),
          TESTCASE(each_dangerous_call_is_denied),
          TESTCASE(a_driver_may_use_sockets_and_nothing_else),
          TESTCASE(other_calls_are_allowed),
          TESTCASE(calls_of_another_kind_are_denied),
          TESTCASE(files_are_changed_where_that_is_allowed_alone),
          TESTCASE(a_single_file_can_be_allowed),
          TESTCASE(the_null_device_is_open_to_all),
          TESTCASE(a_path_that_is_too_long_allows_nothing),
          TESTCASE(a_child_sends_no_signals_outside))
