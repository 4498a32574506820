// SPDX-License-Identifier: Apache-2.0
// The caller's part of a run: prepare, fork a supervisor, watch the job, end.
// Read upwards from sandbox_run_plain. Watching never blocks on the job: pipes
// are read as they fill, and the clock, the job's memory and its processor time
// are looked at in between.
#include "sandbox/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The kernel applies its limit in ticks but reports the time used more
// precisely, so a process that was stopped may have used less: under 0.9 s
// instead of 1 s was seen, on a busy machine.
#define CPU_SLACK_S 0.25

enum {
    LOOK_MS = 10,  // how often a job is measured
    CALLER_MS = 2, // how often its caller looks, if it does
};

// ---- small things --------------------------------------------------------

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static SandboxLimits limits_or_defaults(SandboxLimits given) {
    SandboxLimits l = given;
    l.wall_s = l.wall_s > 0 ? l.wall_s : 60;
    l.cpu_s = l.cpu_s ? l.cpu_s : 60;
    l.memory = l.memory ? l.memory : (uint64_t)2 << 30;
    l.output = l.output ? l.output : 1 << 20;
    l.file_size = l.file_size ? l.file_size : 64 << 20;
    return l;
}

static bool is_given(const SandboxJob *job, const char *name) {
    size_t len = strlen(name);
    for (size_t i = 0; i < job->env_count; i++)
        if (strncmp(job->env[i], name, len) == 0 && job->env[i][len] == '=')
            return true;
    return false;
}

// The environment that a program gets: enough to be found and to load its
// libraries. Messages must be in English because they are parsed. No name comes
// twice: programs differ in which of two values they take.
static char **reduce_environment(Arena *arena, const SandboxJob *job) {
    static const char *const kept[] = {"PATH", "LD_LIBRARY_PATH", "TMPDIR"};
    char **env = arena_new(arena, char *, COUNT_OF(kept) + job->env_count + 3);
    size_t n = 0;
    for (size_t i = 0; i < job->env_count; i++)
        env[n++] = str_cstring(arena, str_from(job->env[i]));
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        const char *value = getenv(kept[i]);
        if (value && !is_given(job, kept[i]))
            env[n++] =
                str_cstring(arena, str_format(arena, "%s=%s", kept[i], value));
    }
    env[n++] = str_cstring(arena, STR("LC_ALL=C"));
    if (SANDBOX_SANITIZED) // the leak check needs ptrace; crashes must show
        env[n++] = str_cstring(
            arena, STR("ASAN_OPTIONS=detect_leaks=0:handle_segv=0"));
    return env;
}

// A descriptor from which the bytes of `input` can be read; -1, with errno.
static int open_input(Str input) {
    if (input.len == 0)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = memfd_create("input", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < input.len) {
        ssize_t n = write(fd, input.ptr + done, input.len - done);
        if (n <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)n;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

// ---- watching ------------------------------------------------------------

typedef struct Watch {
    pid_t supervisor, job;
    const SandboxLimits *limits;
    const SandboxJob *plan;
    int alive;    // held open as long as this process lives
    int end;      // gives an EndReport; at its end: the supervisor has ended
    int pipes[2]; // the child's output and error output; -1: closed
    Buf text[2];
    double started, next_look; // seconds on the clock
    uint64_t base;             // bytes resident before the job started
    SandboxResult *result;
} Watch;

static void read_pipe(Watch *watch, int which) {
    char block[16384];
    for (;;) {
        ssize_t n = read(watch->pipes[which], block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            close(watch->pipes[which]);
            watch->pipes[which] = -1;
            return;
        }
        Buf *text = &watch->text[which];
        size_t room = (size_t)watch->limits->output - text->len;
        buf_bytes(text, block, (size_t)n < room ? (size_t)n : room);
        if ((size_t)n > room) {
            watch->result->status = SANDBOX_OUTPUT_TOO_LARGE;
            return;
        }
    }
}

// Returns whether the job has ended.
static bool read_pipes(Watch *watch, int wait_ms) {
    struct pollfd polled[3] = {{watch->end, POLLIN, 0}};
    nfds_t count = 1;
    for (int i = 0; i < 2; i++)
        if (watch->pipes[i] >= 0)
            polled[count++] = (struct pollfd){watch->pipes[i], POLLIN, 0};
    poll(polled, count, wait_ms);
    for (int i = 0; i < 2; i++)
        if (watch->pipes[i] >= 0)
            read_pipe(watch, i);
    return polled[0].revents != 0;
}

static void look_at_memory(Watch *watch) {
    SandboxResult *result = watch->result;
    uint64_t memory = sandbox_job_memory(watch->supervisor);
    memory -= memory < watch->base ? memory : watch->base;
    if (memory > result->peak)
        result->peak = memory;
    if (memory > watch->limits->memory)
        result->status = SANDBOX_OUT_OF_MEMORY;
}

// The kernel limits the time of each process; this, that of all together. It
// cannot be spent before all processors could have spent it.
static void look_at_cpu(Watch *watch, double now) {
    double most =
        (now - watch->started) * (double)sysconf(_SC_NPROCESSORS_CONF);
    double limit = (double)watch->limits->cpu_s;
    if (most < limit || sandbox_job_cpu(watch->supervisor) < limit)
        return;
    watch->result->status = SANDBOX_TIMED_OUT;
    watch->result->cpu_spent = true;
}

static void look_at_limits(Watch *watch) {
    double now = clock_now();
    if (now - watch->started > watch->limits->wall_s)
        watch->result->status = SANDBOX_TIMED_OUT;
    if (now < watch->next_look)
        return;
    watch->next_look = now + LOOK_MS * 1e-3;
    look_at_cpu(watch, now);
    look_at_memory(watch);
}

// Watches until the job ends or result->status says why it must be killed.
static void watch_job(Watch *watch) {
    while (watch->result->status == SANDBOX_NOT_STARTED &&
           !read_pipes(watch, watch->plan->look ? CALLER_MS : LOOK_MS)) {
        look_at_limits(watch);
        if (watch->plan->look)
            watch->plan->look(watch->plan->look_context);
    }
}

// ---- the end -------------------------------------------------------------

// Whether the job has used up its processor time: a compiler driver fails in
// its own way when the kernel stops one of its programs.
static bool has_spent(const Watch *watch) {
    return watch->result->cpu_s > (double)watch->limits->cpu_s - CPU_SLACK_S;
}

static void read_wait_status(Watch *watch, int status) {
    SandboxResult *result = watch->result;
    bool signalled = WIFSIGNALED(status);
    result->code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    result->status = signalled ? SANDBOX_SIGNALLED : SANDBOX_EXITED;
    bool told = signalled && result->code == SIGXCPU;
    if (told || (result->code && has_spent(watch))) {
        result->status = SANDBOX_TIMED_OUT;
        result->cpu_spent = true;
    }
    // At the limit on address space allocations fail, and each program then
    // ends in its own way: the memory that was resident shortly before tells.
    if (result->code != 0 && result->peak > watch->limits->memory / 4 * 3)
        result->status = SANDBOX_OUT_OF_MEMORY;
}

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

// Asks the supervisor to end, if it has not, and waits for it. What it used
// includes everything that it has waited for.
static void end_supervisor(Watch *watch) {
    struct rusage used = {0};
    kill(watch->supervisor, SIGTERM);
    while (wait4(watch->supervisor, NULL, 0, &used) < 0 && errno == EINTR)
        continue;
    watch->result->cpu_s =
        seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

static void end_job(Watch *watch) {
    EndReport report;
    end_supervisor(watch);
    if (read(watch->end, &report, sizeof report) != (ssize_t)sizeof report) {
        kill(-watch->job, SIGKILL); // the supervisor was killed, and the job
        report.status = SIGKILL;    // with it, but not what that has started
    }
    for (int i = 0; i < 2; i++) // what it wrote before it ended
        if (watch->pipes[i] >= 0 &&
            watch->result->status == SANDBOX_NOT_STARTED)
            read_pipe(watch, i);
    if (watch->result->status == SANDBOX_NOT_STARTED)
        read_wait_status(watch, report.status);
}

static void keep_output(Arena *arena, Watch *watch) {
    Str *kept[2] = {&watch->result->out, &watch->result->err};
    for (int i = 0; i < 2; i++) {
        *kept[i] = str_copy(arena, buf_view(&watch->text[i]));
        buf_free(&watch->text[i]);
        if (watch->pipes[i] >= 0)
            close(watch->pipes[i]);
    }
    close(watch->end);
    close(watch->alive);
}

// ---- the start -----------------------------------------------------------

typedef struct Files { // -1: not open
    int in, out[2], err[2], report[2], life[2], end[2];
} Files;

static void close_file(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_files(Files *f) {
    close_file(&f->in);
    int *pipes[] = {f->out, f->err, f->report, f->life, f->end};
    for (size_t i = 0; i < 2 * COUNT_OF(pipes); i++)
        close_file(&pipes[i / 2][i % 2]);
}

static bool open_files(Files *files, Str input) {
    *files = (Files){.in = open_input(input)};
    int *pipes[] = {files->out, files->err, files->report, files->life,
                    files->end};
    for (size_t i = 0; i < 2 * COUNT_OF(pipes); i++)
        pipes[i / 2][i % 2] = -1;
    bool fine = files->in >= 0;
    for (size_t i = 0; fine && i < COUNT_OF(pipes); i++)
        fine = pipe2(pipes[i], O_CLOEXEC) == 0;
    return fine && fcntl(files->out[0], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(files->err[0], F_SETFL, O_NONBLOCK) == 0;
}

// Only this process can read the step's name from its address.
static void take_inside(StartReport *last, const StartReport *report) {
    last->error = report->error;
    last->step = "running the program";
    last->guards = report->guards;
}

// Reads the child's reports about its start: the last one counts.
static StartReport read_report(int fd) {
    StartReport last = {.error = ECHILD, .step = "its start"}, report;
    ssize_t n = 0;
    do {
        n = read(fd, &report, sizeof report);
        if (n == (ssize_t)sizeof report && report.is_inside)
            take_inside(&last, &report);
        else if (n == (ssize_t)sizeof report)
            last = report;
    } while (n > 0 || (n < 0 && errno == EINTR));
    return last;
}

static bool fail_run(Diags *diags, const SandboxJob *job, const char *step,
                     int error) {
    const char *name = job->argv ? job->argv[0] : "a child process";
    diag_add(diags, DIAG_ERROR, (SrcLoc){0}, "Cannot start %s: %s: %s.", name,
             step, strerror(error));
    return false;
}

static int take_file(int *fd) {
    int taken = *fd;
    *fd = -1;
    return taken;
}

// After fork, in the caller: gives the Watch its ends of the pipes.
static bool follow_start(Watch *watch, Files *files, const SandboxJob *job,
                         Diags *diags) {
    int *others[] = {&files->out[1], &files->err[1], &files->report[1],
                     &files->life[0], &files->end[1]};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        close_file(others[i]);
    StartReport report = read_report(files->report[0]);
    if (report.error) {
        end_supervisor(watch);
        return fail_run(diags, job, report.step, report.error);
    }
    watch->job = report.pid;
    watch->result->guards = report.guards;
    watch->result->tight = report.tight;
    watch->pipes[0] = take_file(&files->out[0]);
    watch->pipes[1] = take_file(&files->err[0]);
    watch->alive = take_file(&files->life[1]);
    watch->end = take_file(&files->end[0]);
    return true;
}

static bool start_job(Arena *arena, const SandboxJob *job, Watch *watch,
                      Files *files, Diags *diags) {
    if (!open_files(files, job->input))
        return fail_run(diags, job, "opening its files", errno);
    // A body starts with its parent's pages, which do not count as its own.
    Memory base = job->argv ? (Memory){0} : sandbox_memory(getpid());
    ChildPlan plan = {.job = job,
                      .limits = *watch->limits,
                      .base = base.reserved,
                      .in = files->in,
                      .out = files->out[1],
                      .err = files->err[1],
                      .report = files->report[1],
                      .alive = files->life[1],
                      .life = files->life[0],
                      .end = files->end[1],
                      .env = reduce_environment(arena, job)};
    watch->base = base.resident;
    watch->started = clock_now();
    watch->supervisor = fork();
    if (watch->supervisor < 0)
        return fail_run(diags, job, "fork", errno);
    if (watch->supervisor == 0)
        sandbox_supervise(&plan);
    return follow_start(watch, files, job, diags);
}

bool sandbox_run_plain(Arena *arena, const SandboxJob *job,
                       SandboxResult *result, Diags *diags) {
    *result = (SandboxResult){0};
    SandboxLimits limits = limits_or_defaults(job->limits);
    Watch watch = {
        .limits = &limits, .plan = job, .pipes = {-1, -1}, .result = result};
    Files files;
    bool started = start_job(arena, job, &watch, &files, diags);
    close_files(&files);
    if (!started)
        return false;
    watch_job(&watch);
    end_job(&watch);
    keep_output(arena, &watch);
    return true;
}

// ---- words ---------------------------------------------------------------

static Str describe_time(Arena *arena, const SandboxLimits *limits, bool cpu) {
    if (cpu)
        return str_format(arena, "was stopped after %llu s of processor time",
                          (unsigned long long)limits->cpu_s);
    return str_format(arena, "was stopped after %g s", limits->wall_s);
}

Str sandbox_describe(Arena *arena, const SandboxJob *job,
                     const SandboxResult *result) {
    SandboxLimits limits = limits_or_defaults(job->limits);
    switch (result->status) {
    case SANDBOX_NOT_STARTED:
        return STR("could not be started");
    case SANDBOX_EXITED:
        return str_format(arena, "ended with exit code %d", result->code);
    case SANDBOX_SIGNALLED:
        return str_format(arena, "was ended by signal %d (%s)", result->code,
                          strsignal(result->code));
    case SANDBOX_TIMED_OUT:
        return describe_time(arena, &limits, result->cpu_spent);
    case SANDBOX_OUT_OF_MEMORY:
        return str_format(arena,
                          "was stopped at its limit of %llu MiB of "
                          "memory",
                          (unsigned long long)(limits.memory >> 20));
    case SANDBOX_OUTPUT_TOO_LARGE:
        return str_format(arena, "was stopped after %llu KiB of output",
                          (unsigned long long)(limits.output >> 10));
    }
    return STR("ended");
}
