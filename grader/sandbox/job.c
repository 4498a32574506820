// SPDX-License-Identifier: Apache-2.0
// Work in a child process, so that it can be ended at any time, and so that a
// crash of it ends nothing else. It has a process group of its own, and ends
// with its parent. What it starts in sandboxes ends with it (supervise.c).
#include "sandbox/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_TEXT = 4 << 20 }; // bytes

// ---- the child -----------------------------------------------------------

static void be_child(pid_t parent, int output) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
}

bool job_start(JobWork *work, void *context, Job *job) {
    int ends[2];
    pid_t parent = getpid();
    job_end(job);
    job->text.len = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    job->began = clock_ms();
    job->pid = fork();
    if (job->pid == 0) {
        be_child(parent, ends[1]);
        _exit(work(context));
    }
    close(ends[1]);
    if (job->pid > 0) {
        setpgid(job->pid, job->pid); // whichever of the two comes first
        job->pipe = ends[0];
        return true;
    }
    job->pid = 0;
    close(ends[0]);
    return false;
}

// ---- its end -------------------------------------------------------------

void job_read(Job *job) {
    char block[16384];
    ssize_t n;
    while (job->pid && (n = read(job->pipe, block, sizeof block)) > 0)
        if (job->text.len < MOST_TEXT)
            buf_bytes(&job->text, block, (size_t)n);
}

void job_end(Job *job) {
    if (!job->pid)
        return;
    kill(-job->pid, SIGKILL);
    kill(job->pid, SIGKILL);
    while (waitpid(job->pid, &job->status, 0) < 0 && errno == EINTR)
        continue;
    close(job->pipe);
    job->pid = 0;
}

void job_free(Job *job) {
    job_end(job);
    buf_free(&job->text);
}

bool job_take(Job *job, pid_t pid, int status) {
    if (!job->pid || job->pid != pid)
        return false;
    job_read(job);
    close(job->pipe);
    job->pid = 0;
    job->status = status;
    job->took = clock_ms() - job->began;
    return true;
}

int job_code(const Job *job) {
    return WIFEXITED(job->status) ? WEXITSTATUS(job->status) : -1;
}

void jobs_adopt(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void jobs_wait(void) {
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}
