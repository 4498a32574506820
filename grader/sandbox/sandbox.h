// SPDX-License-Identifier: Apache-2.0
// sandbox: runs a child process that may misbehave, and reports how it ended.
//
// The child is a program (argv) or a C function (body). It gets its own
// session, a reduced environment, /dev/null or given bytes as its input, and
// limits. At its end, and at its caller's, whichever comes first, everything
// that it has started is killed (supervise.c draws how). Landlock and seccomp
// are used where the kernel has them and reported in SandboxGuards; a job runs
// without them, too.
#ifndef CLCLAB_SANDBOX_H
#define CLCLAB_SANDBOX_H

#include "base/base.h"

typedef struct SandboxLimits { // 0: the default, which stands last
    double wall_s;             // seconds on the clock; 60
    uint64_t cpu_s;            // processor seconds of all processes; 60
    uint64_t memory;           // bytes resident in all processes; 2 GiB
    uint64_t output;           // bytes kept of each output stream; 1 MiB
    uint64_t file_size;        // bytes of any one file written; 64 MiB
    uint64_t address_space;    // bytes reserved, set for a child that reserves
                               // far more than it uses; 2 * memory + 1 GiB
} SandboxLimits;

// Folders (or files) that the child may use, with everything below them.
typedef struct SandboxPaths {
    const Str *write; // the only ones, besides /dev/null, that it may write to
    size_t write_count;
    const Str *read; // where read_only_these: the only ones that it may read
    size_t read_count;
    bool read_only_these;
} SandboxPaths;

// A private folder for a job's files, locked by whoever uses it.
typedef struct Scratch {
    Str path;   // empty: there is none
    int folder; // the folder, open; it holds the lock
} Scratch;

// The program bwrap, if it works here: sandbox_find_bubblewrap.
typedef struct SandboxBubblewrap {
    Str program, version; // "/usr/bin/bwrap", "0.8.0"
} SandboxBubblewrap;

typedef struct SandboxJob {
    const char *const *argv; // NULL-terminated; argv[0] is the file to run
    const char *program;     // the file to run, if it is not argv[0]
    // Used if argv is NULL: called in the forked child, it returns the exit
    // code. `out` is the child's standard output.
    int (*body)(void *context, int out);
    void *context;
    Str input;              // the child's standard input; empty: /dev/null
    const char *folder;     // working directory; NULL: the caller's
    const char *const *env; // "NAME=value"; replaces PATH and the like
    size_t env_count;
    SandboxPaths paths;
    SandboxLimits limits;
    const Scratch *scratch; // removed with the job if its caller dies
    size_t scratch_count;
    // Run it in there, where paths.read and paths.write are all that it sees
    // (argv); NULL: it sees the machine.
    const SandboxBubblewrap *bubblewrap;
    bool fixed_addresses; // ask for no address-space randomisation (argv)
    // Called every 10 ms while the job runs; may be NULL.
    void (*look)(void *context);
    void *look_context;
    bool sockets; // allows them: a GPU's driver opens a local one
} SandboxJob;

typedef enum SandboxStatus {
    SANDBOX_NOT_STARTED, // our fault or the machine's: the Diags say why
    SANDBOX_EXITED,      // `code` is its exit code
    SANDBOX_SIGNALLED,   // by itself or from outside: `code` is the signal
    SANDBOX_TIMED_OUT,   // on the clock, or (cpu_spent) in processor time
    SANDBOX_OUT_OF_MEMORY,
    SANDBOX_OUTPUT_TOO_LARGE,
} SandboxStatus;

// The restrictions that the kernel could apply.
typedef struct SandboxGuards {
    bool no_new_privileges;
    bool seccomp;         // network, ptrace, mount and their like give EPERM
    bool fixed_addresses; // they were asked for and granted
    int landlock;         // its ABI version; 0: files are not restricted
    char bubblewrap[16];  // its version; empty: the job did not run in there
} SandboxGuards;

typedef struct SandboxResult {
    SandboxStatus status;
    int code;       // exit code or signal number
    bool cpu_spent; // the time-out was of processor time, not of the clock
    double cpu_s;   // processor seconds that all its processes took
    Str out, err;   // what the child wrote, up to limits.output bytes each
    uint64_t peak;  // the most bytes seen resident in any sample
    // The first of the limits that are not ours alone, as the caller's own is
    // smaller: "processor time (ulimit -t)"; NULL: there is none.
    const char *tight;
    SandboxGuards guards;
} SandboxResult;

// Runs the job to its end. False, with a Diag, only if it was not started.
bool sandbox_run(Arena *arena, const SandboxJob *job, SandboxResult *result,
                 Diags *diags);
// How the job ended, as the end of a sentence: "was stopped after 5 s", ...
Str sandbox_describe(Arena *arena, const SandboxJob *job,
                     const SandboxResult *result);

// Looks for bwrap on PATH, and tries it, which takes 10 ms. False, with a
// sentence: it is not there, or does not work.
bool sandbox_find_bubblewrap(Arena *arena, SandboxBubblewrap *found, Str *why);

// The first argument of a program that bwrap starts: main() must pass it on to
// sandbox_enter_main, which returns an exit code if there is nothing to run.
#define SANDBOX_ENTER_ARGUMENT "--sandbox-enter"
int sandbox_enter_main(int argc, char **argv);

// Whether no_new_privileges, seccomp and a guard of files were there: what a
// stranger's file needs.
bool sandbox_is_whole(const SandboxGuards *guards);

typedef struct SandboxProbe {
    SandboxGuards guards; // of a child that does nothing; bubblewrap is tried
                          // where there is no Landlock
    bool only_compute;    // it could restrict itself to computing
} SandboxProbe;

// Tries what this machine has, in a child. False, with a Diag, if there is
// none.
bool sandbox_probe(Arena *arena, SandboxProbe *probe, Diags *diags);

// Restricts the calling process permanently, for a child that has to read more
// files while it starts than afterwards. Returns the Landlock ABI version that
// was used; 0: none.
int sandbox_confine(const SandboxPaths *paths);

int sandbox_landlock(void); // the kernel's ABI version; 0: it has none

// From now on the calling process can use memory, read its clocks, write to its
// standard output and error output, and end: other system calls fail. False if
// the kernel or the architecture does not support it.
bool sandbox_only_compute(void);

// A new empty folder below `parent` (empty: TMPDIR or /tmp) that only its owner
// can use. False, with a Diag, if it cannot be created.
bool sandbox_make_scratch(Arena *arena, Str parent, Scratch *scratch,
                          Diags *diags);
// Removes the folder with everything in it, without following links.
void sandbox_remove_scratch(const Scratch *scratch);
// Removes this user's scratch folders below `parent` that nobody uses any more,
// as who made them was killed.
void sandbox_sweep_scratch(Arena *arena, Str parent);

#endif
