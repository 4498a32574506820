// SPDX-License-Identifier: Apache-2.0
// The parent's half of a run: prepare, fork, watch, end. Read upwards from
// sandbox_run. Watching never blocks on the child: pipes are read as they fill,
// and the clock and the child's memory are checked in between.
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
    LOOK_MS = 10,       // how often memory is measured
    MAX_PROCESSES = 64, // of one job whose memory is added up
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

// ---- memory --------------------------------------------------------------

// Bytes resident in one process (field 0: reserved by it); 0: it has ended.
static uint64_t process_memory(pid_t pid, int field) {
    char name[64], text[128];
    snprintf(name, sizeof name, "/proc/%d/statm", (int)pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    unsigned long long pages[2] = {0, 0};
    if (sscanf(text, "%llu %llu", &pages[0], &pages[1]) != 2)
        return 0;
    return pages[field] * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Appends the children of list[at] to the list. Returns its new length.
static size_t list_children(pid_t *list, size_t at, size_t count) {
    char name[64], text[1024];
    int pid = (int)list[at];
    snprintf(name, sizeof name, "/proc/%d/task/%d/children", pid, pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return count;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    char *rest = text, *end = NULL;
    long child = 0;
    while (count < MAX_PROCESSES && (child = strtol(rest, &end, 10)) > 0) {
        list[count++] = (pid_t)child;
        rest = end;
    }
    return count;
}

static uint64_t job_memory(pid_t pid) {
    pid_t list[MAX_PROCESSES] = {pid};
    size_t count = 1;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += process_memory(list[i], 1);
        count = list_children(list, i, count);
    }
    return sum;
}

// ---- watching ------------------------------------------------------------

typedef struct Watch {
    pid_t pid;
    const SandboxLimits *limits;
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

static void read_pipes(Watch *watch, int wait_ms) {
    struct pollfd polled[2];
    nfds_t count = 0;
    for (int i = 0; i < 2; i++)
        if (watch->pipes[i] >= 0)
            polled[count++] = (struct pollfd){watch->pipes[i], POLLIN, 0};
    // With both pipes closed there is only the child's end to wait for, which
    // is near.
    poll(polled, count, count ? wait_ms : 1);
    for (int i = 0; i < 2; i++)
        if (watch->pipes[i] >= 0)
            read_pipe(watch, i);
}

static void look_at_limits(Watch *watch) {
    double now = clock_now();
    SandboxResult *result = watch->result;
    if (now - watch->started > watch->limits->wall_s)
        result->status = SANDBOX_TIMED_OUT;
    if (now < watch->next_look)
        return;
    watch->next_look = now + LOOK_MS * 1e-3;
    uint64_t memory = job_memory(watch->pid);
    memory -= memory < watch->base ? memory : watch->base;
    if (memory > result->peak)
        result->peak = memory;
    if (memory > watch->limits->memory)
        result->status = SANDBOX_OUT_OF_MEMORY;
}

// Leaves the child a zombie, so that the number of its process group cannot be
// reused.
static bool has_ended(pid_t pid) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == pid;
}

// Watches until the child ends or result->status says why it must be killed.
static void watch_child(Watch *watch) {
    while (watch->result->status == SANDBOX_NOT_STARTED &&
           !has_ended(watch->pid)) {
        read_pipes(watch, LOOK_MS);
        look_at_limits(watch);
    }
}

// ---- the end -------------------------------------------------------------

// Whether a process, with the children that it waited for, has used up its
// processor time: a compiler driver fails in its own way when the kernel stops
// one of its programs.
static bool has_spent(const struct rusage *used, uint64_t seconds) {
    double spent =
        (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
        (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1e-6;
    return spent > (double)seconds - CPU_SLACK_S;
}

static void read_wait_status(Watch *watch, int status,
                             const struct rusage *used) {
    SandboxResult *result = watch->result;
    bool signalled = WIFSIGNALED(status);
    result->code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    result->status = signalled ? SANDBOX_SIGNALLED : SANDBOX_EXITED;
    bool told = signalled && result->code == SIGXCPU;
    if (told || (result->code && has_spent(used, watch->limits->cpu_s))) {
        result->status = SANDBOX_TIMED_OUT;
        result->cpu_spent = true;
    }
    // At the limit on address space allocations fail, and each program then
    // ends in its own way: the memory that was resident shortly before tells.
    if (result->code != 0 && result->peak > watch->limits->memory / 4 * 3)
        result->status = SANDBOX_OUT_OF_MEMORY;
}

static void end_child(Watch *watch) {
    int status = 0;
    struct rusage used = {0};
    kill(-watch->pid, SIGKILL);
    kill(watch->pid, SIGKILL);
    SandboxStatus why = watch->result->status;
    for (int i = 0; i < 2; i++) // what it wrote before it ended
        if (watch->pipes[i] >= 0 && why == SANDBOX_NOT_STARTED)
            read_pipe(watch, i);
    while (wait4(watch->pid, &status, 0, &used) < 0 && errno == EINTR)
        continue;
    if (watch->result->status == SANDBOX_NOT_STARTED)
        read_wait_status(watch, status, &used);
}

static void keep_output(Arena *arena, Watch *watch) {
    Str *kept[2] = {&watch->result->out, &watch->result->err};
    for (int i = 0; i < 2; i++) {
        *kept[i] = str_copy(arena, buf_view(&watch->text[i]));
        buf_free(&watch->text[i]);
        if (watch->pipes[i] >= 0)
            close(watch->pipes[i]);
    }
}

// ---- the start -----------------------------------------------------------

typedef struct Files { // -1: not open
    int in, out[2], err[2], report[2];
} Files;

static void close_file(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_files(Files *f) {
    int *all[] = {&f->in,     &f->out[0],    &f->out[1],   &f->err[0],
                  &f->err[1], &f->report[0], &f->report[1]};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        close_file(all[i]);
}

static bool open_files(Files *files, Str input) {
    *files = (Files){open_input(input), {-1, -1}, {-1, -1}, {-1, -1}};
    return files->in >= 0 && pipe2(files->out, O_CLOEXEC) == 0 &&
           pipe2(files->err, O_CLOEXEC) == 0 &&
           pipe2(files->report, O_CLOEXEC) == 0 &&
           fcntl(files->out[0], F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(files->err[0], F_SETFL, O_NONBLOCK) == 0;
}

// Reads the child's reports about its start: the last one counts.
static StartReport read_report(int fd) {
    StartReport last = {.error = ECHILD, .step = "its start"}, report;
    ssize_t n = 0;
    do {
        n = read(fd, &report, sizeof report);
        if (n == (ssize_t)sizeof report)
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

// After fork, in the parent: gives the Watch its ends of the pipes.
static bool follow_start(Watch *watch, Files *files, const SandboxJob *job,
                         Diags *diags) {
    close_file(&files->out[1]);
    close_file(&files->err[1]);
    close_file(&files->report[1]);
    StartReport report = read_report(files->report[0]);
    if (report.error) {
        kill(watch->pid, SIGKILL);
        waitpid(watch->pid, NULL, 0);
        return fail_run(diags, job, report.step, report.error);
    }
    watch->result->guards = report.guards;
    watch->result->tight = report.tight;
    watch->pipes[0] = files->out[0];
    watch->pipes[1] = files->err[0];
    files->out[0] = files->err[0] = -1;
    return true;
}

static bool start_child(Arena *arena, const SandboxJob *job, Watch *watch,
                        Files *files, Diags *diags) {
    if (!open_files(files, job->input))
        return fail_run(diags, job, "opening its files", errno);
    ChildPlan plan = {.job = job,
                      .limits = *watch->limits,
                      .base = job->argv ? 0 : process_memory(getpid(), 0),
                      .in = files->in,
                      .out = files->out[1],
                      .err = files->err[1],
                      .report = files->report[1],
                      .parent = getpid(),
                      .env = reduce_environment(arena, job)};
    // A body starts with its parent's pages, which do not count as its own.
    watch->base = job->argv ? 0 : process_memory(getpid(), 1);
    watch->started = clock_now();
    watch->pid = fork();
    if (watch->pid < 0)
        return fail_run(diags, job, "fork", errno);
    if (watch->pid == 0)
        sandbox_child(&plan);
    return follow_start(watch, files, job, diags);
}

bool sandbox_run(Arena *arena, const SandboxJob *job, SandboxResult *result,
                 Diags *diags) {
    *result = (SandboxResult){0};
    SandboxLimits limits = limits_or_defaults(job->limits);
    Watch watch = {.limits = &limits, .pipes = {-1, -1}, .result = result};
    Files files;
    bool started = start_child(arena, job, &watch, &files, diags);
    close_files(&files);
    if (!started)
        return false;
    watch_child(&watch);
    end_child(&watch);
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
