// SPDX-License-Identifier: Apache-2.0
// The process between the caller and the job, so that the job ends with its
// caller, however that one ends:
//
//   caller ---- life (a pipe that only the caller can write to) ---->
//   supervisor
//     ^                                                                |  fork
//     |  what it said, how it ended                                    v
//     +--------------------------------------------------------------- job
//                                                                      |
//                                                               its own
//                                                               children
//
// The supervisor waits for one of three things: the job has ended, the caller
// sends SIGTERM (a limit was reached), or the pipe is at its end (there is no
// caller any more). Each time it kills everything that the job started, waits
// for all of it, says how the job ended, and ends. Only if the caller is gone
// does it remove the job's scratch folders as well.
//
// Who is killed: the job's process group, at once; then, round by round, what
// is left below the supervisor, since orphans become its own children. If the
// supervisor itself is killed, the job dies by PR_SET_PDEATHSIG and the caller
// kills its group. It has another name than the program, so that a kill by
// name meets only the caller.
//
// It makes only calls that are safe after fork in a program with threads, and
// allocates nothing.
#include "sandbox/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 2000 }; // of killing, a millisecond each

// ---- killing -------------------------------------------------------------

// A number that the end of the text may have cut is left for the next round.
static void kill_listed(const char *text, ssize_t len) {
    pid_t pid = 0;
    for (ssize_t i = 0; i < len; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            pid = pid * 10 + (text[i] - '0');
        } else if (pid > 0) {
            kill(pid, SIGKILL);
            pid = 0;
        }
    }
}

static void kill_children(void) {
    char text[4096];
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    kill_listed(text, n);
}

// The job may be a zombie, but has not been waited for: its number is still
// its own, and that of its group.
static int end_job(pid_t job) {
    int status = 0;
    kill(-job, SIGKILL);
    kill(job, SIGKILL);
    while (waitpid(job, &status, 0) < 0 && errno == EINTR)
        continue;
    for (int round = 0; round < ROUNDS; round++) {
        pid_t pid;
        kill_children();
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (pid < 0)
            break; // there are no more
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    }
    return status;
}

// ---- waiting -------------------------------------------------------------

// Leaves the job a zombie, and takes leave of orphans that have ended.
static bool has_ended(pid_t job) {
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid == job)
            return true;
        if (info.si_pid == 0)
            return false;
        waitpid(info.si_pid, NULL, 0);
    }
}

// Returns whether the caller is still there.
static bool wait_for_end(pid_t job, int life, int signals) {
    struct pollfd polled[] = {{life, POLLIN, 0}, {signals, POLLIN, 0}};
    for (;;) {
        struct signalfd_siginfo got;
        poll(polled, COUNT_OF(polled), -1);
        if (polled[0].revents)
            return false;
        if (read(signals, &got, sizeof got) != (ssize_t)sizeof got)
            continue;
        if (got.ssi_signo == SIGTERM || has_ended(job))
            return true;
    }
}

// ---- the start -----------------------------------------------------------

// A descriptor from which SIGCHLD and SIGTERM are read; no signal but SIGKILL
// and SIGSTOP has another effect from now on.
static int take_signals(void) {
    sigset_t all, wanted;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    signal(SIGCHLD, SIG_DFL); // ignored, its children would leave no status
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    sigaddset(&wanted, SIGTERM);
    return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Whoever reads what the caller writes must see its end.
static void close_others(const ChildPlan *plan, int life, int signals) {
    const int others[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, plan->in,
                          plan->out,    plan->err,     plan->report};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (others[i] != life && others[i] != signals && others[i] != plan->end)
            close(others[i]);
}

static void fail(const ChildPlan *plan, const char *step) {
    StartReport report = {.error = errno, .step = step};
    ssize_t written = write(plan->report, &report, sizeof report);
    (void)written; // there is nobody else to tell
    _exit(127);
}

void sandbox_supervise(const ChildPlan *plan) {
    ChildPlan own = *plan;
    close(plan->alive);
    setsid(); // no terminal's signals, no other group's
    prctl(PR_SET_NAME, "job-supervisor");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    own.parent = getpid();
    int signals = take_signals();
    if (signals < 0)
        fail(plan, "watching for signals");
    pid_t job = fork();
    if (job < 0)
        fail(plan, "fork");
    if (job == 0)
        sandbox_child(&own);
    close_others(plan, plan->life, signals);
    bool called = wait_for_end(job, plan->life, signals);
    EndReport report = {.status = end_job(job)};
    for (size_t i = 0; !called && i < plan->job->scratch_count; i++)
        sandbox_remove_scratch(&plan->job->scratch[i]);
    ssize_t written = write(plan->end, &report, sizeof report);
    _exit(written != (ssize_t)sizeof report);
}
