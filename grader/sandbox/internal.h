// SPDX-License-Identifier: Apache-2.0
// What the files of sandbox/ share: the child's half of a run, in the order in
// which it happens, and what it tells the parent through a pipe before the
// job proper starts.
#ifndef CLCLAB_SANDBOX_INTERNAL_H
#define CLCLAB_SANDBOX_INTERNAL_H

#include "sandbox/sandbox.h"

// Set by a sanitizer that reserves terabytes of address space: no limit on it.
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

// Written once by the child when all is set, and again if exec fails.
typedef struct StartReport {
    int32_t error;    // errno; 0: the job starts now
    const char *step; // which step failed: a literal, the parent knows it
    SandboxGuards guards;
} StartReport;

typedef struct ChildPlan {
    const SandboxJob *job;
    SandboxLimits limits; // without zeros
    uint64_t base;        // bytes of address space that a body starts with
    int in, out, err;     // become 0, 1, 2
    int report;           // for a StartReport; closed by exec
    int parent;           // its process id
    char **env;
} ChildPlan;

// Never returns.
void sandbox_child(const ChildPlan *plan) __attribute__((noreturn));

// Installs the denylist; false where the kernel or the architecture lacks it.
// `sockets`: without the calls that make and connect them.
bool sandbox_deny_calls(bool sockets);

#endif
