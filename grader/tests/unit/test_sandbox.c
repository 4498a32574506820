// SPDX-License-Identifier: Apache-2.0
// sandbox/: that a child ends at each of its limits, is told apart from one
// that ended by itself, leaves nothing behind, and cannot do what it must not.
// Guards that this kernel lacks are skipped, in writing.
#include "sandbox/sandbox.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

// Freed at the end of its scope, however the test ends.
#define SCOPED_ARENA(name) __attribute__((cleanup(arena_free))) Arena name = {0}

typedef struct Run {
    Diags diags;
    SandboxResult result;
    bool started;
} Run;

static Run run_job(Arena *arena, const SandboxJob *job) {
    Run run = {.diags = diags_new(arena)};
    run.started = sandbox_run(arena, job, &run.result, &run.diags);
    return run;
}

static Run run_body(Arena *arena, int (*body)(void *, int),
                    SandboxLimits limits) {
    return run_job(arena, &(SandboxJob){.body = body, .limits = limits});
}

static void wait_s(double seconds) {
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    nanosleep(&t, NULL);
}

static void say(int out, const char *text) {
    ssize_t n = write(out, text, strlen(text));
    (void)n;
}

// ---- how a child ends ----------------------------------------------------

static int body_talks(void *context, int out) {
    say(out, context ? context : "plain");
    say(STDERR_FILENO, "trouble");
    return 7;
}

TEST(gives_exit_code_and_both_outputs) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.body = body_talks, .context = "text"};
    Run run = run_job(&arena, &job);
    CHECK(run.started);
    CHECK_INT(run.result.status, SANDBOX_EXITED);
    CHECK_INT(run.result.code, 7);
    CHECK_STR(run.result.out, "text");
    CHECK_STR(run.result.err, "trouble");
    CHECK_INT(run.diags.count, 0);
    CHECK_STR(sandbox_describe(&arena, &job, &run.result),
              "ended with exit code 7");
}

static int body_kills_itself(void *context, int out) {
    (void)context, (void)out;
    raise(SIGKILL);
    return 0;
}

TEST(tells_a_signal_from_an_exit) {
    SCOPED_ARENA(arena);
    Run run = run_body(&arena, body_kills_itself, (SandboxLimits){0});
    CHECK_INT(run.result.status, SANDBOX_SIGNALLED);
    CHECK_INT(run.result.code, SIGKILL);
    SandboxJob job = {0};
    CHECK_HOLDS(sandbox_describe(&arena, &job, &run.result),
                "ended by signal 9");
}

// Ignores what can be ignored, and has a child of its own that would live on
// and that holds the pipes open.
static int body_stays(void *context, int out) {
    (void)context;
    signal(SIGTERM, SIG_IGN);
    signal(SIGXCPU, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        wait_s(50);
        _exit(0);
    }
    char text[32];
    snprintf(text, sizeof text, "%d", (int)child);
    say(out, text);
    wait_s(50);
    return 0;
}

static bool process_is_gone(pid_t pid) {
    for (int i = 0; i < 200; i++) {
        char name[64], state = 'Z';
        snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
        FILE *f = fopen(name, "r");
        if (!f)
            return true;
        if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
            state = 'Z';
        fclose(f);
        if (state == 'Z') // dead; whoever adopted it has yet to notice
            return true;
        wait_s(0.01);
    }
    return false;
}

TEST(stops_at_the_clock_and_leaves_no_process) {
    SCOPED_ARENA(arena);
    Run run = run_body(&arena, body_stays, (SandboxLimits){.wall_s = 0.3});
    CHECK_INT(run.result.status, SANDBOX_TIMED_OUT);
    CHECK(!run.result.cpu_spent);
    uint64_t child = 0;
    CHECK(str_to_u64(run.result.out, &child) && child > 1);
    CHECK(process_is_gone((pid_t)child));
    SandboxJob job = {.limits = {.wall_s = 0.3}};
    CHECK_STR(sandbox_describe(&arena, &job, &run.result),
              "was stopped after 0.3 s");
}

static int body_leaves_child(void *context, int out) {
    (void)context;
    pid_t child = fork();
    if (child == 0) {
        wait_s(50);
        _exit(0);
    }
    char text[32];
    snprintf(text, sizeof text, "%d", (int)child);
    say(out, text);
    return 0;
}

TEST(kills_what_a_finished_child_left) {
    SCOPED_ARENA(arena);
    Run run =
        run_body(&arena, body_leaves_child, (SandboxLimits){.wall_s = 20});
    CHECK_INT(run.result.status, SANDBOX_EXITED);
    uint64_t child = 0;
    CHECK(str_to_u64(run.result.out, &child) && child > 1);
    CHECK(process_is_gone((pid_t)child));
}

static int body_closes_everything(void *context, int out) {
    (void)context;
    close(out);
    close(STDERR_FILENO);
    wait_s(50);
    return 0;
}

TEST(stops_a_child_that_closed_its_outputs) {
    SCOPED_ARENA(arena);
    Run run = run_body(&arena, body_closes_everything,
                       (SandboxLimits){.wall_s = 0.2});
    CHECK_INT(run.result.status, SANDBOX_TIMED_OUT);
}

static int body_spins(void *context, int out) {
    (void)out;
    if (context)
        signal(SIGXCPU, SIG_IGN);
    for (volatile unsigned i = 0;; i++)
        continue;
    return 0;
}

TEST(stops_at_processor_time_also_if_ignored) {
    SCOPED_ARENA(arena);
    Run run =
        run_body(&arena, body_spins, (SandboxLimits){.cpu_s = 1, .wall_s = 40});
    CHECK_INT(run.result.status, SANDBOX_TIMED_OUT);
    CHECK(run.result.cpu_spent);
    SandboxJob job = {.body = body_spins,
                      .context = &run,
                      .limits = {.cpu_s = 1, .wall_s = 40}};
    Run stubborn = run_job(&arena, &job);
    CHECK_INT(stubborn.result.status, SANDBOX_TIMED_OUT);
    CHECK_STR(sandbox_describe(&arena, &job, &stubborn.result),
              "was stopped after 1 s of processor time");
}

static int body_eats(void *context, int out) {
    (void)context, (void)out;
    for (;;) {
        char *block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            return 3;
        memset(block, 1, 1 << 20);
    }
}

static int body_child_eats(void *context, int out) {
    pid_t child = fork();
    if (child == 0)
        _exit(body_eats(context, out));
    int status = 0;
    waitpid(child, &status, 0);
    return 1;
}

TEST(stops_at_memory_also_of_grandchildren) {
    SCOPED_ARENA(arena);
    SandboxLimits limits = {.memory = 64 << 20, .wall_s = 30};
    Run run = run_body(&arena, body_eats, limits);
    CHECK_INT(run.result.status, SANDBOX_OUT_OF_MEMORY);
    CHECK(run.result.peak > 32 << 20);
    SandboxJob job = {.limits = limits};
    CHECK_STR(sandbox_describe(&arena, &job, &run.result),
              "was stopped at its limit of 64 MiB of memory");
    Run family = run_body(&arena, body_child_eats, limits);
    CHECK_INT(family.result.status, SANDBOX_OUT_OF_MEMORY);
}

static int body_floods(void *context, int out) {
    (void)out;
    int to = context ? STDERR_FILENO : STDOUT_FILENO;
    for (;;)
        say(to, "0123456789abcdef0123456789abcdef0123456789abcdef");
    return 0;
}

TEST(stops_a_flood_on_either_output) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.body = body_floods,
                      .limits = {.output = 5000, .wall_s = 20}};
    Run run = run_job(&arena, &job);
    CHECK_INT(run.result.status, SANDBOX_OUTPUT_TOO_LARGE);
    CHECK_INT(run.result.out.len, 5000);
    job.context = &job;
    run = run_job(&arena, &job);
    CHECK_INT(run.result.status, SANDBOX_OUTPUT_TOO_LARGE);
    CHECK_INT(run.result.err.len, 5000);
    CHECK_HOLDS(sandbox_describe(&arena, &job, &run.result), "4 KiB of output");
}

// ---- programs ------------------------------------------------------------

static Run run_shell(Arena *arena, const char *script, SandboxJob job) {
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    job.argv = argv;
    return run_job(arena, &job);
}

TEST(runs_a_program_with_its_input) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.input = STR("two\nlines\n"), .folder = "/"};
    Run run = run_shell(&arena, "cat; pwd; exit 4", job);
    CHECK_INT(run.result.status, SANDBOX_EXITED);
    CHECK_INT(run.result.code, 4);
    CHECK_STR(run.result.out, "two\nlines\n/\n");
    run = run_shell(&arena, "cat; echo end", (SandboxJob){0});
    CHECK_STR(run.result.out, "end\n");
}

TEST(says_why_a_program_did_not_start) {
    SCOPED_ARENA(arena);
    const char *const argv[] = {"/nonexistent/program", NULL};
    Run run = run_job(&arena, &(SandboxJob){.argv = argv});
    CHECK(!run.started);
    CHECK_INT(run.result.status, SANDBOX_NOT_STARTED);
    if (!CHECK_INT(run.diags.count, 1))
        return;
    CHECK_STR(run.diags.items[0].what,
              "Cannot start /nonexistent/program: running the program: No "
              "such file or directory.");
    Run lost =
        run_shell(&arena, "true", (SandboxJob){.folder = "/nonexistent"});
    CHECK(!lost.started);
    SandboxJob job = {0};
    CHECK_STR(sandbox_describe(&arena, &job, &lost.result),
              "could not be started");
}

TEST(passes_a_reduced_environment) {
    SCOPED_ARENA(arena);
    setenv("CLCLAB_TEST_SECRET", "leaked", 1);
    const char *const env[] = {"CLCLAB_TEST_GIVEN=here"};
    SandboxJob job = {.env = env, .env_count = 1};
    Run run = run_shell(
        &arena, "echo \"$CLCLAB_TEST_SECRET:$CLCLAB_TEST_GIVEN:$LC_ALL\"", job);
    CHECK_STR(run.result.out, ":here:C\n");
}

TEST(passes_no_variable_twice) {
    SCOPED_ARENA(arena);
    setenv("TMPDIR", "/outside", 1);
    const char *const argv[] = {"/usr/bin/env", NULL};
    const char *const env[] = {"TMPDIR=/inside"};
    SandboxJob job = {.argv = argv, .env = env, .env_count = 1};
    Run run = run_job(&arena, &job);
    CHECK_HOLDS(run.result.out, "TMPDIR=/inside\n");
    CHECK_LACKS(run.result.out, "/outside");
}

static int body_counts_files(void *context, int out) {
    (void)context, (void)out;
    int count = 0;
    for (int fd = 3; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(child_inherits_no_open_file) {
    SCOPED_ARENA(arena);
    int extra = open("/dev/null", O_RDONLY);
    Run run = run_body(&arena, body_counts_files, (SandboxLimits){0});
    close(extra);
    CHECK_INT(run.result.code, 0);
}

static int body_asks_personality(void *context, int out) {
    (void)context, (void)out;
    return (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0;
}

TEST(fixes_addresses_when_asked) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.body = body_asks_personality, .fixed_addresses = true};
    Run run = run_job(&arena, &job);
    if (!run.result.guards.fixed_addresses)
        SKIP("this machine refuses personality(ADDR_NO_RANDOMIZE)");
    CHECK_INT(run.result.code, 1);
    job.fixed_addresses = false;
    run = run_job(&arena, &job);
    CHECK(!run.result.guards.fixed_addresses);
}

// ---- guards --------------------------------------------------------------

static int body_opens_socket(void *context, int out) {
    (void)context, (void)out;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 && errno == EPERM ? 42 : 1;
}

static int body_leaves_session(void *context, int out) {
    (void)context, (void)out;
    pid_t child = fork();
    if (child == 0)
        _exit(setsid() < 0 && errno == EPERM ? 42 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

TEST(denies_sockets_and_new_sessions) {
    SCOPED_ARENA(arena);
    Run run = run_body(&arena, body_opens_socket, (SandboxLimits){0});
    if (!run.result.guards.seccomp)
        SKIP("this kernel has no seccomp filters");
    CHECK(run.result.guards.no_new_privileges);
    CHECK_INT(run.result.code, 42);
    run = run_body(&arena, body_leaves_session, (SandboxLimits){0});
    CHECK_INT(run.result.code, 42);
}

static Scratch make_scratch(Arena *arena) {
    Scratch scratch;
    Diags diags = diags_new(arena);
    CHECK(sandbox_make_scratch(arena, (Str){0}, &scratch, &diags));
    return scratch;
}

TEST(writes_only_where_allowed) {
    SCOPED_ARENA(arena);
    Scratch allowed_folder = make_scratch(&arena),
            other_folder = make_scratch(&arena);
    Str allowed = allowed_folder.path, other = other_folder.path;
    Str script = str_format(&arena,
                            "echo x >%.*s/file && mkdir %.*s/dir && "
                            "echo x >/dev/null && ! echo x >%.*s/file",
                            STR_ARG(allowed), STR_ARG(allowed), STR_ARG(other));
    SandboxJob job = {.paths = {.write = &allowed, .write_count = 1}};
    Run run = run_shell(&arena, str_cstring(&arena, script), job);
    Str stray = str_format(&arena, "%.*s/file", STR_ARG(other));
    bool strayed = access(str_cstring(&arena, stray), F_OK) == 0;
    sandbox_remove_scratch(&allowed_folder);
    sandbox_remove_scratch(&other_folder);
    if (!run.result.guards.landlock)
        SKIP("this kernel has no Landlock");
    CHECK_INT(run.result.code, 0);
    CHECK(!strayed);
}

static int body_confines_itself(void *context, int out) {
    (void)out;
    SandboxPaths paths = {
        .read = context, .read_count = 1, .read_only_these = true};
    if (!sandbox_confine(&paths))
        return 99;
    int denied = open("/etc/passwd", O_RDONLY);
    int given = open("/proc/self/status", O_RDONLY);
    return (denied < 0 && errno == EACCES) + 2 * (given >= 0);
}

TEST(confined_process_reads_only_where_allowed) {
    SCOPED_ARENA(arena);
    Str proc = STR("/proc");
    SandboxJob job = {.body = body_confines_itself, .context = &proc};
    Run run = run_job(&arena, &job);
    if (run.result.code == 99)
        SKIP("this kernel has no Landlock");
    CHECK_INT(run.result.code, 3);
}

// What confines itself cannot get more rights by running another program.
static int body_confines_alone(void) {
    SandboxPaths paths = {.read_only_these = true};
    if (!sandbox_confine(&paths))
        return 99;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

TEST(confined_process_gets_no_new_privileges) {
    pid_t child = fork();
    if (child == 0)
        _exit(body_confines_alone());
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 99)
        SKIP("this kernel has no Landlock");
    CHECK_INT(status, 1 << 8);
}

// As on a machine that has as many processes as it may.
static bool refuse_fork(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
    };
    struct sock_fprog program = {.len = COUNT_OF(code), .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(says_that_no_process_could_be_made) {
    SCOPED_ARENA(arena);
#ifdef __SANITIZE_ADDRESS__
    SKIP("at its end the leak checker makes a process of its own");
#endif
    if (!refuse_fork())
        SKIP("this kernel has no seccomp filters");
    Run run = run_body(&arena, body_talks, (SandboxLimits){0});
    CHECK(!run.started);
    CHECK_INT(run.result.status, SANDBOX_NOT_STARTED);
    if (CHECK_INT(run.diags.errors, 1))
        CHECK_HOLDS(run.diags.items[0].what, "fork: Resource temporarily");
}

TEST(file_size_is_limited) {
    SCOPED_ARENA(arena);
    Scratch scratch_folder = make_scratch(&arena);
    Str scratch = scratch_folder.path;
    SandboxJob job = {.paths = {.write = &scratch, .write_count = 1},
                      .limits = {.file_size = 4096, .wall_s = 20}};
    Str script =
        str_format(&arena, "head -c 99999 /dev/zero >%.*s/f; wc -c <%.*s/f",
                   STR_ARG(scratch), STR_ARG(scratch));
    Run run = run_shell(&arena, str_cstring(&arena, script), job);
    sandbox_remove_scratch(&scratch_folder);
    CHECK_STR(run.result.out, "4096\n");
}

// ---- scratch folders -----------------------------------------------------

TEST(scratch_is_private_and_goes_with_its_content) {
    SCOPED_ARENA(arena);
    Scratch outside_folder = make_scratch(&arena),
            path_folder = make_scratch(&arena);
    Str outside = outside_folder.path, path = path_folder.path;
    const char *name = str_cstring(&arena, path);
    struct stat info;
    CHECK_INT(stat(name, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0700);
    char script[512];
    snprintf(
        script, sizeof script,
        "cd %s && mkdir -p a/b && echo x >a/b/c && echo keep >%.*s/kept && "
        "ln -s %.*s link",
        name, STR_ARG(outside), STR_ARG(outside));
    CHECK_INT(system(script), 0);
    sandbox_remove_scratch(&path_folder);
    CHECK(access(name, F_OK) != 0);
    Str kept = str_format(&arena, "%.*s/kept", STR_ARG(outside));
    CHECK_INT(access(str_cstring(&arena, kept), F_OK), 0);
    sandbox_remove_scratch(&outside_folder);
}

TEST(scratch_in_a_missing_folder_is_an_error) {
    SCOPED_ARENA(arena);
    Diags diags = diags_new(&arena);
    Scratch scratch;
    CHECK(!sandbox_make_scratch(&arena, STR("/nonexistent"), &scratch, &diags));
    CHECK_INT(diags.errors, 1);
}

TEST_MAIN(TESTCASE(gives_exit_code_and_both_outputs),
          TESTCASE(tells_a_signal_from_an_exit),
          TESTCASE(stops_at_the_clock_and_leaves_no_process),
          TESTCASE(kills_what_a_finished_child_left),
          TESTCASE(stops_a_child_that_closed_its_outputs),
          TESTCASE(stops_at_processor_time_also_if_ignored),
          TESTCASE(stops_at_memory_also_of_grandchildren),
          TESTCASE(stops_a_flood_on_either_output),
          TESTCASE(runs_a_program_with_its_input),
          TESTCASE(says_why_a_program_did_not_start),
          TESTCASE(passes_a_reduced_environment),
          TESTCASE(passes_no_variable_twice),
          TESTCASE(child_inherits_no_open_file),
          TESTCASE(fixes_addresses_when_asked),
          TESTCASE(denies_sockets_and_new_sessions),
          TESTCASE(writes_only_where_allowed),
          TESTCASE(confined_process_reads_only_where_allowed),
          TESTCASE(confined_process_gets_no_new_privileges),
          TESTCASE(says_that_no_process_could_be_made),
          TESTCASE(file_size_is_limited),
          TESTCASE(scratch_is_private_and_goes_with_its_content),
          TESTCASE(scratch_in_a_missing_folder_is_an_error))
