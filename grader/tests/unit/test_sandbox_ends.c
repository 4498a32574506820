// SPDX-License-Identifier: Apache-2.0
// How a run in the sandbox ends, at the edges of its limits: what is just
// allowed, what is one too much, and in which words it is told.
#include "sandbox/sandbox.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#define SCOPED_ARENA(name) __attribute__((cleanup(arena_free))) Arena name = {0}

static SandboxResult run_body(Arena *arena, int (*body)(void *, int),
                              void *context, SandboxLimits limits) {
    SandboxResult result;
    Diags diags = diags_new(arena);
    SandboxJob job = {.body = body, .context = context, .limits = limits};
    CHECK(sandbox_run(arena, &job, &result, &diags));
    CHECK_INT(diags.count, 0);
    return result;
}

// ---- output --------------------------------------------------------------

typedef struct Amounts {
    size_t out, err;
} Amounts;

static int body_writes(void *context, int out) {
    const Amounts *amounts = context;
    char bytes[4096];
    memset(bytes, 'x', sizeof bytes);
    const size_t wanted[] = {amounts->out, amounts->err};
    const int to[] = {out, STDERR_FILENO};
    for (size_t i = 0; i < 2; i++)
        for (size_t done = 0; done < wanted[i];) {
            size_t more = wanted[i] - done;
            ssize_t n =
                write(to[i], bytes, more < sizeof bytes ? more : sizeof bytes);
            if (n <= 0)
                return 1;
            done += (size_t)n;
        }
    return 0;
}

TEST(each_output_may_reach_its_limit) {
    SCOPED_ARENA(arena);
    static const struct {
        Amounts amounts;
        SandboxStatus status;
    } cases[] = {
        {{0, 0}, SANDBOX_EXITED},
        {{70000, 70000}, SANDBOX_EXITED},
        {{70001, 0}, SANDBOX_OUTPUT_TOO_LARGE},
        {{70000, 70001}, SANDBOX_OUTPUT_TOO_LARGE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Amounts amounts = cases[i].amounts;
        SandboxResult r = run_body(&arena, body_writes, &amounts,
                                   (SandboxLimits){.output = 70000});
        CHECK_INT(r.status, cases[i].status);
        CHECK_INT(r.out.len, amounts.out < 70000 ? amounts.out : 70000);
        CHECK_INT(r.err.len, amounts.err < 70000 ? amounts.err : 70000);
    }
    Amounts most = {1 << 20, 0};
    SandboxResult r = run_body(&arena, body_writes, &most, (SandboxLimits){0});
    CHECK_INT(r.status, SANDBOX_EXITED);
    CHECK_INT(r.out.len, 1 << 20); // the default
}

// ---- time ----------------------------------------------------------------

static int body_raises(void *context, int out) {
    (void)out;
    raise(*(int *)context);
    return 0;
}

static int body_fails(void *context, int out) {
    (void)out;
    return *(int *)context;
}

TEST(only_the_signal_of_spent_time_is_a_time_out) {
    SCOPED_ARENA(arena);
    int number = SIGXCPU;
    SandboxResult r =
        run_body(&arena, body_raises, &number, (SandboxLimits){0});
    CHECK_INT(r.status, SANDBOX_TIMED_OUT);
    CHECK(r.cpu_spent);
    static const int others[] = {SIGKILL, SIGTERM, SIGSEGV, SIGABRT};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        number = others[i];
        r = run_body(&arena, body_raises, &number, (SandboxLimits){0});
        CHECK_INT(r.status, SANDBOX_SIGNALLED);
        CHECK_INT(r.code, number);
        CHECK(!r.cpu_spent);
    }
    for (int code = 0; code < 256; code += 51) {
        r = run_body(&arena, body_fails, &code, (SandboxLimits){0});
        CHECK_INT(r.status, SANDBOX_EXITED);
        CHECK_INT(r.code, code);
        CHECK(!r.cpu_spent);
    }
}

// As a compiler driver does whose program was stopped: it fails in its own way.
static int body_has_child_spend(void *context, int out) {
    (void)out;
    pid_t child = fork();
    if (child == 0)
        for (volatile unsigned i = 0;; i++)
            continue;
    int status = 0;
    waitpid(child, &status, 0);
    return *(int *)context;
}

TEST(who_fails_after_the_time_is_spent_ran_out_of_it) {
    SCOPED_ARENA(arena);
    int code = 3;
    SandboxLimits limits = {.cpu_s = 1};
    SandboxResult r = run_body(&arena, body_has_child_spend, &code, limits);
    CHECK_INT(r.status, SANDBOX_TIMED_OUT);
    CHECK(r.cpu_spent);
}

// ---- memory --------------------------------------------------------------

typedef struct Need {
    size_t bytes;
    int code; // how it exits
} Need;

static int body_needs(void *context, int out) {
    const Need *need = context;
    (void)out;
    char *memory = mmap(NULL, need->bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 99;
    memset(memory, 1, need->bytes);
    // Long enough to be measured a few times.
    nanosleep(&(struct timespec){.tv_nsec = 200 * 1000 * 1000}, NULL);
    return need->code;
}

TEST(who_fails_close_to_the_limit_ran_out_of_memory) {
    SCOPED_ARENA(arena);
    SandboxLimits limits = {.memory = 60 << 20};
    // Above three quarters; under ASan, an eighth of it comes on top.
    static const struct {
        size_t mebibytes;
        int code;
        SandboxStatus status;
    } cases[] = {
        {36, 3, SANDBOX_EXITED},
        {36, 0, SANDBOX_EXITED},
        {50, 3, SANDBOX_OUT_OF_MEMORY},
        {50, 0, SANDBOX_EXITED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Need need = {cases[i].mebibytes << 20, cases[i].code};
        SandboxResult r = run_body(&arena, body_needs, &need, limits);
        CHECK_INT(r.status, cases[i].status);
        CHECK_INT(r.code, cases[i].code);
        CHECK(r.peak > need.bytes - (8 << 20));
        CHECK(r.peak < need.bytes + (8 << 20));
    }
}

// The pages that a body has from its parent are not its own.
TEST(memory_of_the_caller_does_not_count) {
    SCOPED_ARENA(arena);
    size_t bytes = 32 << 20;
    char *memory = malloc(bytes);
    memset(memory, 1, bytes);
    Need need = {1 << 20, 0};
    SandboxResult r = run_body(&arena, body_needs, &need,
                               (SandboxLimits){.memory = 16 << 20});
    CHECK_INT(r.status, SANDBOX_EXITED);
    CHECK(r.peak < 8 << 20);
    CHECK_INT(memory[bytes - 1], 1);
    free(memory);
}

// Four generations, each with a part of what is too much for one job.
static int body_has_family(void *context, int out) {
    const Need *need = context;
    pid_t child = need->code > 0 ? fork() : -1;
    if (child == 0) {
        Need next = {need->bytes, need->code - 1};
        _exit(body_has_family(&next, out));
    }
    Need own = {need->bytes, 0};
    body_needs(&own, out);
    if (child > 0)
        waitpid(child, NULL, 0);
    return 0;
}

TEST(all_descendants_count) {
    SCOPED_ARENA(arena);
    Need need = {40 << 20, 3}; // under ASan, some 48 MiB
    SandboxResult r = run_body(&arena, body_has_family, &need,
                               (SandboxLimits){.memory = 152 << 20});
    CHECK_INT(r.status, SANDBOX_OUT_OF_MEMORY);
    need.code = 2;
    r = run_body(&arena, body_has_family, &need,
                 (SandboxLimits){.memory = 152 << 20});
    CHECK_INT(r.status, SANDBOX_EXITED);
    CHECK(r.peak > 115 << 20);
}

// ---- words ---------------------------------------------------------------

static void check_words(SandboxResult result, SandboxLimits limits,
                        const char *expected) {
    SCOPED_ARENA(arena);
    SandboxJob job = {.limits = limits};
    CHECK_STR(sandbox_describe(&arena, &job, &result), expected);
}

TEST(an_end_is_described_with_its_limit) {
    SandboxLimits none = {0}, some = {.wall_s = 1.5,
                                      .cpu_s = 7,
                                      .memory = 9 << 20,
                                      .output = 3 << 10};
    SandboxResult r = {.status = SANDBOX_NOT_STARTED};
    check_words(r, none, "could not be started");
    r = (SandboxResult){.status = SANDBOX_EXITED, .code = 9};
    check_words(r, none, "ended with exit code 9");
    r = (SandboxResult){.status = SANDBOX_SIGNALLED, .code = SIGSEGV};
    check_words(r, none, "was ended by signal 11 (Segmentation fault)");
    r = (SandboxResult){.status = SANDBOX_TIMED_OUT};
    check_words(r, none, "was stopped after 60 s");
    check_words(r, some, "was stopped after 1.5 s");
    r.cpu_spent = true;
    check_words(r, none, "was stopped after 60 s of processor time");
    check_words(r, some, "was stopped after 7 s of processor time");
    r = (SandboxResult){.status = SANDBOX_OUT_OF_MEMORY};
    check_words(r, none, "was stopped at its limit of 2048 MiB of memory");
    check_words(r, some, "was stopped at its limit of 9 MiB of memory");
    r = (SandboxResult){.status = SANDBOX_OUTPUT_TOO_LARGE};
    check_words(r, none, "was stopped after 1024 KiB of output");
    check_words(r, some, "was stopped after 3 KiB of output");
}

static int body_returns(void *context, int out) {
    (void)context, (void)out;
    return 0;
}

// Not a thing is left open, and the job is not begun.
TEST(a_job_that_finds_no_descriptor_is_not_started) {
    SCOPED_ARENA(arena);
    struct rlimit now;
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &now), 0);
    int lowest = dup(0);
    CHECK(lowest > 2);
    close(lowest);
    for (rlim_t room = 0; room < 7; room++) {
        struct rlimit few = {(rlim_t)lowest + room, now.rlim_max};
        SandboxResult result;
        Diags diags = diags_new(&arena);
        SandboxJob job = {.body = body_returns};
        setrlimit(RLIMIT_NOFILE, &few);
        bool started = sandbox_run(&arena, &job, &result, &diags);
        setrlimit(RLIMIT_NOFILE, &now);
        CHECK(!started);
        CHECK_INT(result.status, SANDBOX_NOT_STARTED);
        if (CHECK_INT(diags.errors, 1))
            CHECK_STR(diags.items[0].what,
                      "Cannot start a child process: opening its files: Too "
                      "many open files.");
        int free_one = dup(0);
        CHECK_INT(free_one, lowest);
        close(free_one);
    }
    SandboxResult r = run_body(&arena, body_returns, NULL, (SandboxLimits){0});
    CHECK_INT(r.status, SANDBOX_EXITED);
    int free_one = dup(0);
    CHECK_INT(free_one, lowest);
    close(free_one);
}

TEST_MAIN(TESTCASE(each_output_may_reach_its_limit),
          TESTCASE(only_the_signal_of_spent_time_is_a_time_out),
          TESTCASE(who_fails_after_the_time_is_spent_ran_out_of_it),
          TESTCASE(who_fails_close_to_the_limit_ran_out_of_memory),
          TESTCASE(memory_of_the_caller_does_not_count),
          TESTCASE(all_descendants_count),
          TESTCASE(an_end_is_described_with_its_limit),
          TESTCASE(a_job_that_finds_no_descriptor_is_not_started))
