// SPDX-License-Identifier: Apache-2.0
// What the files of sandbox/ share: the supervisor's and the job's parts of a
// run, what they tell the caller through pipes, and what the caller measures.
#ifndef CLCLAB_SANDBOX_INTERNAL_H
#define CLCLAB_SANDBOX_INTERNAL_H

#include "sandbox/sandbox.h"

// Set under a sanitizer that reserves terabytes of address space: then address
// space is not limited.
#if defined(__SANITIZE_ADDRESS__)
#define SANDBOX_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANDBOX_SANITIZED 1
#endif
#endif
#ifndef SANDBOX_SANITIZED
#define SANDBOX_SANITIZED 0
#endif

// The job writes one just before it starts, and another if exec fails; the
// supervisor does if it cannot start the job.
// In bubblewrap the one before says that it has not started, and sandbox_enter
// writes the last one, of which only the error and the guards count.
typedef struct StartReport {
    bool is_inside;    // in bubblewrap
    int32_t error;     // errno; 0: the job starts now
    int32_t pid;       // of the job
    const char *step;  // which step failed: a literal, the parent knows it
    const char *tight; // a literal: see SandboxResult
    SandboxGuards guards;
} StartReport;

// The supervisor writes it when nothing of the job is left.
typedef struct EndReport {
    int32_t status; // of the job, as waitpid gives it
} EndReport;

typedef struct ChildPlan {
    const SandboxJob *job;
    SandboxLimits limits; // zeros replaced by the defaults
    uint64_t base;        // bytes of address space that a body starts with
    int in, out, err;     // become the job's descriptors 0, 1, 2
    int report;           // takes a StartReport; closed by exec
    int alive, life;      // a pipe's two ends: the caller's own, and the one
                          // from which the supervisor learns that it is gone
    int end;              // takes an EndReport
    int parent;           // process id of the supervisor
    char **env;
} ChildPlan;

// Neither returns. The supervisor's exit status says nothing.
void sandbox_supervise(const ChildPlan *plan) __attribute__((noreturn));
void sandbox_child(const ChildPlan *plan) __attribute__((noreturn));

// Without bubblewrap, or with a job that already is its command line.
bool sandbox_run_plain(Arena *arena, const SandboxJob *job,
                       SandboxResult *result, Diags *diags);
// In bubblewrap: raises the job's guards, says so to the caller and becomes
// argv[0], whose arguments follow from the 0th on. Returns only if there is no
// argv[0].
void sandbox_start_inside(const SandboxJob *job, char **argv);
void sandbox_note_bubblewrap(SandboxGuards *guards,
                             const SandboxBubblewrap *bubblewrap);

// Installs the denylist; false if the kernel or the architecture does not
// support it. `sockets`: do not deny the calls that make and connect sockets.
bool sandbox_deny_calls(bool sockets);

// ---- measuring -----------------------------------------------------------

typedef struct Memory {
    uint64_t resident, reserved; // bytes
} Memory;

// Of one process; zeros if it has ended.
Memory sandbox_memory(int pid);
// Of everything below the supervisor: the bytes resident in its processes, and
// the processor seconds of those that run and those that have ended.
uint64_t sandbox_job_memory(int supervisor);
double sandbox_job_cpu(int supervisor);

#endif
