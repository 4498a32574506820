// SPDX-License-Identifier: Apache-2.0
// Work in a child process, whose output comes by a pipe: what is done beside
// other work, several at a time. It has no limits: what a stranger wrote goes
// into a SandboxJob.
#ifndef CLCLAB_SANDBOX_JOB_H
#define CLCLAB_SANDBOX_JOB_H

#include "base/base.h"

#include <sys/types.h>

typedef struct Job { // zeroed: nothing runs
    pid_t pid;       // 0: it has ended, or was never started
    int pipe;
    int status;         // of waitpid
    Buf text;           // what it wrote, without what is too much
    double began, took; // clock_ms
} Job;

// Called in the child, whose standard output and error are the pipe; returns
// the exit code.
typedef int JobWork(void *context);
// Ends what the job was, if it runs. False, with errno: no process could be
// started.
bool job_start(JobWork *work, void *context, Job *job);
// The job is ended, with all processes that it started.
void job_end(Job *job);
void job_free(Job *job);
void job_read(Job *job); // takes what is in the pipe
// Takes leave of children that have ended; true: the job was one of them. Then
// its text is whole.
bool job_take(Job *job, pid_t pid, int status);
int job_code(const Job *job); // of one that has ended; -1: a signal
// From now on orphans become this process's children, and this waits for all of
// them.
void jobs_adopt(void);
void jobs_wait(void);

#endif
