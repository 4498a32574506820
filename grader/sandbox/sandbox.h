// SPDX-License-Identifier: Apache-2.0
// sandbox: runs a child process that may misbehave, and tells how it ended.
//
// The child is a program (argv) or a C function (body). It gets a session of
// its own, a reduced environment, /dev/null or given bytes as its input, and
// limits; at the end every process of its group is killed. What a kernel may
// lack (Landlock, seccomp) is used where it is there and reported in
// SandboxGuards: its absence never stops a job.
#ifndef CLCLAB_SANDBOX_H
#define CLCLAB_SANDBOX_H

#include "base/base.h"

typedef struct SandboxLimits { // 0: the default that is named
    double wall_s;             // seconds on the clock; 60
    uint64_t cpu_s;            // processor seconds of each process; 60
    uint64_t memory;           // bytes resident in all processes; 2 GiB
    uint64_t output;           // bytes kept of each output stream; 1 MiB
    uint64_t file_size;        // bytes of any one file written; 64 MiB
    uint64_t address_space;    // bytes reserved: for a child that reserves far
                               // more than it uses; twice the memory + 1 GiB
} SandboxLimits;

// Folders (or files) that the child may use; everything below them too.
typedef struct SandboxPaths {
    const Str *write; // the only ones that it may write to, /dev/null aside
    size_t write_count;
    const Str *read; // where read_only_these: the only ones that it may read
    size_t read_count;
    bool read_only_these;
} SandboxPaths;

typedef struct SandboxJob {
    const char *const *argv; // NULL-terminated; argv[0] is the file to run
    const char *program;     // the file to run, where it is not argv[0]
    // Without argv: called in the forked child; its value is the exit code.
    // `out` is the child's standard output.
    int (*body)(void *context, int out);
    void *context;
    Str input;              // the child's standard input; empty: /dev/null
    const char *folder;     // working directory; NULL: the caller's
    const char *const *env; // "NAME=value"; over PATH and the like
    size_t env_count;
    SandboxPaths paths;
    SandboxLimits limits;
    bool fixed_addresses; // ask for no address-space randomisation (argv)
    bool sockets;         // keeps them: a GPU's driver opens a local one
} SandboxJob;

typedef enum SandboxStatus {
    SANDBOX_NOT_STARTED, // ours or the machine's: the Diags say why
    SANDBOX_EXITED,      // see code
    SANDBOX_SIGNALLED,   // by itself or from outside: see code
    SANDBOX_TIMED_OUT,   // by the clock, or (cpu_spent) by processor time
    SANDBOX_OUT_OF_MEMORY,
    SANDBOX_OUTPUT_TOO_LARGE,
} SandboxStatus;

// What the kernel granted.
typedef struct SandboxGuards {
    bool no_new_privileges;
    bool seccomp;         // network, ptrace, mount and their like give EPERM
    bool fixed_addresses; // asked for, and granted
    int landlock;         // its ABI version; 0: files are not restricted
} SandboxGuards;

typedef struct SandboxResult {
    SandboxStatus status;
    int code;       // exit code or signal number
    bool cpu_spent; // timed out by processor time, not by the clock
    Str out, err;   // what the child wrote, up to limits.output bytes each
    uint64_t peak;  // most bytes seen resident (sampled)
    SandboxGuards guards;
} SandboxResult;

// Runs the job to its end. False, with a Diag, only if it was not started.
bool sandbox_run(Arena *arena, const SandboxJob *job, SandboxResult *result,
                 Diags *diags);
// How it ended, as the end of a sentence: "was stopped after 5 s", ...
Str sandbox_describe(Arena *arena, const SandboxJob *job,
                     const SandboxResult *result);

// Restricts the calling process, for good. For a child that must read more
// while it starts than afterwards. Gives the Landlock ABI used, 0 for none.
int sandbox_confine(const SandboxPaths *paths);

// A new empty folder below `parent` (empty: TMPDIR or /tmp), for its owner
// alone. False, with a Diag, if there cannot be one.
bool sandbox_make_scratch(Arena *arena, Str parent, Str *path, Diags *diags);
// Removes it with everything in it; follows no links.
void sandbox_remove_scratch(Arena *arena, Str path);

#endif
