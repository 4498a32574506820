// SPDX-License-Identifier: Apache-2.0
// That a job, and all that it has started, ends with its caller, with its
// supervisor or with itself, whichever is first, and what is removed then. A
// caller is a process of its own here, so that it can be killed.
#include "sandbox/files.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

// ---- a family of processes -----------------------------------------------

enum { MEMBERS = 4 };

typedef struct Family { // in memory that all processes share
    volatile pid_t members[MEMBERS];
    volatile pid_t supervisor;
    volatile int born;
} Family;

static Family *family_new(void) {
    Family *family = mmap(NULL, sizeof *family, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(family != MAP_FAILED);
    return family;
}

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000 * 1000}, NULL);
}

// Never returns.
static void be_member(Family *family, int number) {
    family->members[number] = getpid();
    __sync_fetch_and_add(&family->born, 1);
    for (;;)
        pause();
}

// A job with a child that ignores what can be ignored, one that tries to lead
// a session of its own, and a grandchild whose parent has ended.
static int body_has_family(void *context, int out) {
    Family *family = context;
    (void)out;
    family->supervisor = getppid();
    for (int number = 1; number < MEMBERS; number++) {
        if (fork() != 0)
            continue;
        for (int i = 1; i < NSIG; i++)
            signal(i, SIG_IGN);
        if (number == 2)
            setsid();
        if (number == 3 && fork() != 0)
            _exit(0);
        be_member(family, number);
    }
    be_member(family, 0);
    return 0;
}

// A zombie has ended; whoever adopted it has yet to notice.
static bool is_alive(pid_t pid) {
    char name[64], state = 'Z';
    snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(name, "r");
    if (!file)
        return false;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state != 'Z';
}

// Members never end by themselves, and a machine may be slow.
#define PATIENCE_MS (600 * 1000)

// How many are left, once none is or after PATIENCE_MS.
static int count_left(const Family *family) {
    int left = 0;
    for (int waited = 0; waited < PATIENCE_MS; waited += 5) {
        left = is_alive(family->supervisor);
        for (int i = 0; i < MEMBERS; i++)
            left += is_alive(family->members[i]);
        if (left == 0)
            return 0;
        pause_ms(5);
    }
    return left;
}

// ---- a caller ------------------------------------------------------------

static void wait_for_birth(const Family *family) {
    for (int waited = 0; waited < PATIENCE_MS && family->born < MEMBERS;
         waited += 5)
        pause_ms(5);
    CHECK_INT(family->born, MEMBERS);
}

// A process that runs the family's job, with a scratch folder below `parent`.
static pid_t start_caller(Family *family, Str parent) {
    pid_t caller = fork();
    if (caller != 0)
        return caller;
    Arena arena = {0};
    Scratch scratch;
    SandboxResult result;
    Diags diags = diags_new(&arena);
    if (!sandbox_make_scratch(&arena, parent, &scratch, &diags))
        _exit(1);
    Str deep = str_format(&arena, "%.*s/a/b", STR_ARG(scratch.path));
    files_make_folder(&arena, deep);
    files_write_atomic(&arena, str_format(&arena, "%.*s/f", STR_ARG(deep)),
                       STR("x"));
    SandboxJob job = {.body = body_has_family,
                      .context = family,
                      .scratch = &scratch,
                      .scratch_count = 1};
    _exit(!sandbox_run(&arena, &job, &result, &diags));
}

static void end_process(pid_t pid, int number) {
    int status = 0;
    kill(pid, number);
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(WTERMSIG(status), number);
}

// ---- the tests -----------------------------------------------------------

TEST(all_that_a_job_started_ends_with_its_caller) {
    static const int numbers[] = {SIGKILL, SIGTERM, SIGHUP, SIGINT};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        SCOPED_ARENA(arena);
        SCOPED_FOLDER(folder);
        Family *family = family_new();
        pid_t caller = start_caller(family, folder.path);
        wait_for_birth(family);
        CHECK_INT(count_files(&arena, folder.path, ""), 1);
        end_process(caller, numbers[i]);
        CHECK_INT(count_left(family), 0);
        CHECK_INT(count_files(&arena, folder.path, ""), 0);
        munmap(family, sizeof *family);
    }
}

// As by Ctrl-C: the signal reaches every process of the caller's group.
TEST(a_signal_to_the_callers_group_ends_all) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Family *family = family_new();
    pid_t leader = fork();
    if (leader == 0) {
        setpgid(0, 0);
        pid_t caller = start_caller(family, folder.path);
        waitpid(caller, NULL, 0);
        _exit(0);
    }
    wait_for_birth(family);
    kill(-leader, SIGKILL);
    CHECK_INT(waitpid(leader, NULL, 0), leader);
    CHECK_INT(count_left(family), 0);
    CHECK_INT(count_files(&arena, folder.path, ""), 0);
    munmap(family, sizeof *family);
}

TEST(all_end_with_the_supervisor_and_the_caller_is_told) {
    SCOPED_ARENA(arena);
    Family *family = family_new();
    SandboxJob job = {.body = body_has_family, .context = family};
    pid_t killer = fork();
    if (killer == 0) {
        wait_for_birth(family);
        kill(family->supervisor, SIGKILL);
        _exit(0);
    }
    SandboxResult result;
    Diags diags = diags_new(&arena);
    CHECK(sandbox_run(&arena, &job, &result, &diags));
    waitpid(killer, NULL, 0);
    CHECK_INT(result.status, SANDBOX_SIGNALLED);
    CHECK_INT(result.code, SIGKILL);
    // Those of the job's group; nobody is left who could look for others.
    CHECK_INT(count_left(family), 0);
    munmap(family, sizeof *family);
}

static int body_leaves_family(void *context, int out) {
    Family *family = context;
    if (fork() == 0)
        body_has_family(family, out);
    wait_for_birth(family);
    return 5;
}

TEST(all_end_with_the_job_and_none_is_left_to_wait_for) {
    SCOPED_ARENA(arena);
    Family *family = family_new();
    SandboxJob job = {.body = body_leaves_family, .context = family};
    SandboxResult result;
    Diags diags = diags_new(&arena);
    CHECK(sandbox_run(&arena, &job, &result, &diags));
    CHECK_INT(result.status, SANDBOX_EXITED);
    CHECK_INT(result.code, 5);
    CHECK_INT(count_left(family), 0);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    munmap(family, sizeof *family);
}

// ---- a sandbox in a sandbox ----------------------------------------------

static int body_runs_job(void *context, int out) {
    Arena arena = {0};
    SandboxResult result;
    Diags diags = diags_new(&arena);
    SandboxJob job = {.body = body_has_family, .context = context};
    (void)out;
    return !sandbox_run(&arena, &job, &result, &diags);
}

static pid_t start_outer(Family *family) {
    pid_t caller = fork();
    if (caller != 0)
        return caller;
    Arena arena = {0};
    SandboxResult result;
    Diags diags = diags_new(&arena);
    SandboxJob job = {.body = body_runs_job, .context = family};
    _exit(!sandbox_run(&arena, &job, &result, &diags));
}

// The inner supervisor may lead no session of its own there.
TEST(a_job_of_a_job_ends_with_the_caller_too) {
    Family *family = family_new();
    pid_t caller = start_outer(family);
    wait_for_birth(family);
    end_process(caller, SIGKILL);
    CHECK_INT(count_left(family), 0);
    munmap(family, sizeof *family);
}

// ---- time ----------------------------------------------------------------

static int body_spins_in_four(void *context, int out) {
    (void)context, (void)out;
    fork();
    fork();
    for (volatile unsigned i = 0;; i++)
        continue;
    return 0;
}

TEST(processor_time_is_that_of_all_processes_together) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.body = body_spins_in_four,
                      .limits = {.cpu_s = 1, .wall_s = 40}};
    SandboxResult result;
    Diags diags = diags_new(&arena);
    CHECK(sandbox_run(&arena, &job, &result, &diags));
    CHECK_INT(result.status, SANDBOX_TIMED_OUT);
    CHECK(result.cpu_spent);
    CHECK(result.cpu_s > 0.9);
    CHECK(result.cpu_s < 2.5); // each alone would get 1 s: 4 s
}

// A loop of processes that end soon: none of them is ever at its own limit.
static int body_spends_in_turn(void *context, int out) {
    (void)context, (void)out;
    for (;;) {
        pid_t child = fork();
        if (child == 0) {
            while (clock() < CLOCKS_PER_SEC / 10)
                continue;
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}

TEST(processor_time_of_ended_processes_counts) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.body = body_spends_in_turn,
                      .limits = {.cpu_s = 1, .wall_s = 40}};
    SandboxResult result;
    Diags diags = diags_new(&arena);
    CHECK(sandbox_run(&arena, &job, &result, &diags));
    CHECK_INT(result.status, SANDBOX_TIMED_OUT);
    CHECK(result.cpu_spent);
}

// ---- what was left behind ------------------------------------------------

// A scratch folder with a file, whose maker is gone.
static void leave_scratch(Str parent) {
    pid_t child = fork();
    if (child == 0) {
        Arena arena = {0};
        Scratch scratch;
        Diags diags = diags_new(&arena);
        bool made =
            sandbox_make_scratch(&arena, parent, &scratch, &diags) &&
            files_write_atomic(
                &arena, str_format(&arena, "%.*s/f", STR_ARG(scratch.path)),
                STR("x"));
        _exit(!made);
    }
    int status = -1;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

TEST(folders_that_nobody_holds_are_swept) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Diags diags = diags_new(&arena);
    Scratch held;
    CHECK(sandbox_make_scratch(&arena, folder.path, &held, &diags));
    leave_scratch(folder.path);
    leave_scratch(folder.path);
    write_file(&arena, in_folder(&arena, &folder, "clclab-job-file"), STR("x"));
    write_file(&arena, in_folder(&arena, &folder, "other/f"), STR("x"));
    CHECK_INT(symlink("other", in_folder(&arena, &folder, "clclab-job-l").ptr),
              0);
    CHECK_INT(count_files(&arena, folder.path, ""), 6);
    sandbox_sweep_scratch(&arena, folder.path);
    CHECK_INT(count_files(&arena, folder.path, ""), 4);
    CHECK(files_exist(&arena, held.path));
    CHECK(files_exist(&arena, in_folder(&arena, &folder, "other/f")));
    sandbox_remove_scratch(&held);
    sandbox_sweep_scratch(&arena, STR("/nonexistent"));
}

TEST(folders_of_others_are_not_swept) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str theirs = in_folder(&arena, &folder, "clclab-job-theirs");
    files_make_folder(&arena, theirs);
    if (chown(theirs.ptr, 1, 1) != 0)
        SKIP("this user cannot give a folder to another one");
    sandbox_sweep_scratch(&arena, folder.path);
    CHECK(files_exist(&arena, theirs));
}

// Makers and sweepers at once: no folder goes while its maker holds it.
TEST(no_sweep_takes_a_new_folder) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    pid_t sweeper = fork();
    if (sweeper == 0)
        for (;;) {
            Arena own = {0};
            sandbox_sweep_scratch(&own, folder.path);
            arena_free(&own);
        }
    int lost = 0;
    for (int i = 0; i < 2000; i++) {
        Diags diags = diags_new(&arena);
        Scratch scratch;
        CHECK(sandbox_make_scratch(&arena, folder.path, &scratch, &diags));
        Str file = str_format(&arena, "%.*s/f", STR_ARG(scratch.path));
        int fd = open(file.ptr, O_CREAT | O_WRONLY, 0600);
        lost += fd < 0 || !files_exist(&arena, file);
        close(fd);
        sandbox_remove_scratch(&scratch);
    }
    end_process(sweeper, SIGKILL);
    CHECK_INT(lost, 0);
    CHECK_INT(count_files(&arena, folder.path, ""), 0);
}

TEST_MAIN(TESTCASE(all_that_a_job_started_ends_with_its_caller),
          TESTCASE(a_signal_to_the_callers_group_ends_all),
          TESTCASE(all_end_with_the_supervisor_and_the_caller_is_told),
          TESTCASE(all_end_with_the_job_and_none_is_left_to_wait_for),
          TESTCASE(a_job_of_a_job_ends_with_the_caller_too),
          TESTCASE(processor_time_is_that_of_all_processes_together),
          TESTCASE(processor_time_of_ended_processes_counts),
          TESTCASE(folders_that_nobody_holds_are_swept),
          TESTCASE(folders_of_others_are_not_swept),
          TESTCASE(no_sweep_takes_a_new_folder))
