// SPDX-License-Identifier: Apache-2.0
// Runs one suite of tests on a mutant, which may hang, take all memory, signal
// processes that are not its own or remove files that are not its own.
#ifndef CLCLAB_MUTATE_SUITE_H
#define CLCLAB_MUTATE_SUITE_H

#include "base/base.h"

typedef struct SuiteLimits {
    double seconds;
    uint64_t bytes;       // of address space, of each process; 0: no limit
    const char *writable; // the only folder that may be written to
    const char *log;      // where what it prints is kept
} SuiteLimits;

typedef enum SuiteEnd {
    SUITE_PASSED,
    SUITE_FAILED,
    SUITE_CRASHED, // it or one of its tests died of a signal
    SUITE_HUNG     // it or one of its tests ran out of time
} SuiteEnd;

typedef struct SuiteOutcome {
    SuiteEnd end;
    double seconds;
    char test[200]; // the first that failed; empty: none said so
    bool alone;     // it could see no other process, and write nowhere else
} SuiteOutcome;

// `command` is argv, ended by NULL. Reads the TAP that it prints, and stops it
// at the first test that fails. Where the caller may not make namespaces, the
// suite is held by its process group alone.
SuiteOutcome suite_run(const SuiteLimits *limits, char *const *command);

const char *suite_end_name(SuiteEnd end);

#endif
