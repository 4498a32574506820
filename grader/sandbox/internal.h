// SPDX-License-Identifier: Apache-2.0
// What the files of sandbox/ share: the child's half of a run, in the order in
// which it happens, and what it tells the parent through a pipe before the
// job proper starts.
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

// The child writes one just before the job starts, and another if exec fails.
typedef struct StartReport {
    int32_t error;     // errno; 0: the job starts now
    const char *step;  // which step failed: a literal, the parent knows it
    const char *tight; // a literal: see SandboxResult
    SandboxGuards guards;
} StartReport;

typedef struct ChildPlan {
    const SandboxJob *job;
    SandboxLimits limits; // zeros replaced by the defaults
    uint64_t base;        // bytes of address space that a body starts with
    int in, out, err;     // become descriptors 0, 1, 2
    int report;           // takes a StartReport; closed by exec
    int parent;           // its process id
    char **env;
} ChildPlan;

// Never returns.
void sandbox_child(const ChildPlan *plan) __attribute__((noreturn));

// Installs the denylist; false if the kernel or the architecture does not
// support it. `sockets`: do not deny the calls that make and connect sockets.
bool sandbox_deny_calls(bool sockets);

#endif
