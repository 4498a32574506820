// SPDX-License-Identifier: Apache-2.0
// Work with bounded costs: the part of a grade that reads a stranger's PTX and
// runs it on the virtual machine, in a child process.
//
// The compiler has as much processor time before it, in a child of its own, and
// ends before this one starts: a grade takes at most 60 s and 2 GiB. Where it
// uses a GPU, too, the driver adds BOUNDED_CARD_SECONDS and BOUNDED_CARD_MIB.
#ifndef CLCLAB_CLI_BOUNDED_H
#define CLCLAB_CLI_BOUNDED_H

#include "cli/judge/judge.h"

enum {
    BOUNDED_SECONDS = 30,   // of processor time
    BOUNDED_MIB = 2 * 1024, // of memory
    // A driver starts in a process of its own for each launch.
    BOUNDED_CARD_SECONDS = 30,
    BOUNDED_CARD_MIB = 2 * 1024
};

// What the child tells while it works, in memory shared with its parent.
typedef struct BoundedNotes {
    bool is_confined; // it can only compute
    GradeStage stage;
    double began; // processor seconds at which it did
    double seconds[GRADE_STAGE_COUNT];
    bool passed[64];       // by check; of the clinic by case: it is healed
    size_t report_bytes;   // of what it made, if there is more: see BoundedEnd
    size_t early_bytes;    // of `early`; 0: none
    char early[32 * 1024]; // a report before all is done
    ResultSummary summary; // of what it judged to the end
} BoundedNotes;

typedef struct BoundedWork {
    // Called in the child, which can use memory and nothing else, unless
    // has_card: it appends the report, and returns the exit code.
    int (*run)(Cli *cli, void *context, BoundedNotes *notes, Buf *report);
    // Called in the caller every 10 ms, with what the child has told so far;
    // may be NULL.
    void (*look)(Cli *cli, void *context, const BoundedNotes *notes);
    void *context;
    size_t workers;        // threads that cli->crew is to have; 0: no crew
    bool has_card;         // it uses a GPU: a driver needs files and processes
    uint64_t seconds;      // of processor time; 0: BOUNDED_SECONDS
    uint64_t card_seconds; // more, with a card; 0: BOUNDED_CARD_SECONDS
    bool only_confined; // it is not done if the child can do more than compute
} BoundedWork;

typedef struct BoundedEnd {
    Str report;       // empty if it was exceeded
    Str more;         // what the work appended behind its report
    bool is_confined; // as in BoundedNotes, like these two:
    ResultSummary summary;
    bool passed[64];
    bool is_exceeded;       // it reached a limit:
    GradeExceeded exceeded; // this one
} BoundedEnd;

// Returns the exit code of the work, unless it was exceeded. If it failed for
// another reason, the machine's or ours, that has been printed, and the report
// is empty.
int bounded_run(Cli *cli, const BoundedWork *work, BoundedEnd *end);
// For GradeOptions.enter, with BoundedNotes as its context.
void bounded_enter(void *notes, GradeStage stage, const Result *result);

#endif
