// SPDX-License-Identifier: Apache-2.0
// The job's part of a run, from the supervisor's fork to the start of the job
// proper: read sandbox_child from top to bottom. It makes only calls that are
// safe after fork in a program with threads, and allocates nothing. If a
// necessary step fails, it reports errno and the step's name, and ends.
#include "sandbox/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    REPORT_FD = 3,
    MAX_FILES = 256,
    // A compiler's recursion depth depends on its input. Above 128 MiB the
    // kernel would move the whole address space, but addresses should be the
    // same in every run.
    STACK_BYTES = 64 << 20,
};
// Address space is a crude measure, so this leaves room for libraries and
// reservations. The parent measures resident memory.
#define ADDRESS_SLACK ((uint64_t)1 << 30)

static void report_start(const StartReport *report) {
    ssize_t written = write(REPORT_FD, report, sizeof *report);
    (void)written; // without its parent the child is killed anyway
}

static void fail_start(const char *step) {
    report_start(&(StartReport){.error = errno, .step = step});
    _exit(127);
}

// Makes the child die with its parent, and lead its own process group, which
// can be killed as a whole.
static void leave_parent(const ChildPlan *plan) {
    setsid();
    prctl(PR_SET_NAME, "job");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != plan->parent)
        _exit(127); // the parent died before prctl
}

static void reset_signals(void) {
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); // a write past the limit gives EFBIG
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < (limit > 0 ? limit : 1024); fd++)
        close(fd);
}

// The four descriptors may already have one of the numbers 0 to 3 that they are
// to get, so they are first moved out of the way.
static void place_files(const ChildPlan *plan) {
    const int from[] = {plan->in, plan->out, plan->err, plan->report};
    int high[COUNT_OF(from)];
    for (size_t i = 0; i < COUNT_OF(from); i++)
        high[i] = fcntl(from[i], F_DUPFD, 10);
    for (size_t i = 0; i < COUNT_OF(from); i++)
        if (high[i] < 0 || dup2(high[i], (int)i) < 0)
            _exit(127); // there is no pipe to report through
    fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
    close_from(REPORT_FD + 1);
}

typedef struct Limit {
    int what;
    uint64_t soft, hard;
    const char *name; // for people whose own limit is smaller
} Limit;

// Sets *tight if the caller's own limit is smaller.
static bool limit_resource(const Limit *limit, const char **tight) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)limit->what, &now) != 0)
        return false;
    uint64_t hard = limit->hard;
    if (now.rlim_max != RLIM_INFINITY && hard > now.rlim_max) {
        hard = now.rlim_max;
        *tight = *tight ? *tight : limit->name;
    }
    now = (struct rlimit){.rlim_cur = limit->soft < hard ? limit->soft : hard,
                          .rlim_max = hard};
    return setrlimit((__rlimit_resource_t)limit->what, &now) == 0;
}

// Returns StartReport.tight.
static const char *limit_resources(const ChildPlan *plan) {
    const SandboxLimits *l = &plan->limits;
    const char *tight = NULL;
    uint64_t space =
        l->address_space ? l->address_space : 2 * l->memory + ADDRESS_SLACK;
    space += plan->base;
    // At the soft limit the child gets SIGXCPU, which tells the parent why it
    // ended; at the hard limit SIGKILL.
    const Limit limits[] = {
        {RLIMIT_CPU, l->cpu_s, l->cpu_s + 2, "processor time (ulimit -t)"},
        {RLIMIT_FSIZE, l->file_size, l->file_size,
         "the size of a file (ulimit -f)"},
        {RLIMIT_STACK, STACK_BYTES, STACK_BYTES, "the stack (ulimit -s)"},
        {RLIMIT_NOFILE, MAX_FILES, MAX_FILES, "open files (ulimit -n)"},
        {RLIMIT_CORE, 0, 0, NULL},
        {RLIMIT_AS, space, space, "memory (ulimit -v)"},
    };
    size_t count = COUNT_OF(limits) - (SANDBOX_SANITIZED ? 1 : 0);
    for (size_t i = 0; i < count; i++)
        if (!limit_resource(&limits[i], &tight))
            fail_start("setting limits");
    return tight;
}

static bool fix_addresses(void) {
    int now = personality(0xffffffff);
    return now != -1 &&
           personality((unsigned long)now | ADDR_NO_RANDOMIZE) != -1;
}

static SandboxGuards raise_guards(const SandboxJob *job) {
    SandboxGuards guards = {0};
    guards.no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (job->fixed_addresses)
        guards.fixed_addresses = fix_addresses();
    guards.landlock = sandbox_confine(&job->paths);
    if (guards.no_new_privileges)
        guards.seccomp = sandbox_deny_calls(job->sockets);
    return guards;
}

static void run_program(const ChildPlan *plan) {
    const SandboxJob *job = plan->job;
    const char *file = job->program ? job->program : job->argv[0];
    execve(file, (char *const *)job->argv, plan->env);
    fail_start("running the program");
}

// What comes behind bwrap says whether it has worked.
static void leave_start_to_bubblewrap(StartReport *report) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    fcntl(REPORT_FD, F_SETFD, 0);
    report->error = EPERM;
    report->step = "making its namespaces";
}

void sandbox_start_inside(const SandboxJob *job, char **argv) {
    report_start(
        &(StartReport){.is_inside = true, .guards = raise_guards(job)});
    if (!argv[0])
        return;
    fcntl(REPORT_FD, F_SETFD, FD_CLOEXEC);
    execv(argv[0], argv + 1);
    report_start(&(StartReport){.is_inside = true, .error = errno});
    _exit(127);
}

void sandbox_child(const ChildPlan *plan) {
    const SandboxJob *job = plan->job;
    leave_parent(plan);
    reset_signals();
    place_files(plan);
    if (job->folder && chdir(job->folder) != 0)
        fail_start("entering its folder");
    StartReport report = {.pid = getpid(), .tight = limit_resources(plan)};
    if (job->bubblewrap)
        leave_start_to_bubblewrap(&report);
    else
        report.guards = raise_guards(job);
    report_start(&report);
    if (job->argv)
        run_program(plan);
    close(REPORT_FD);
    _exit(job->body(job->context, STDOUT_FILENO));
}
