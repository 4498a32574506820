// SPDX-License-Identifier: Apache-2.0
// The result of clclab grade, and the parts that all results share. check/
// fills it in; report/ reads it.
#ifndef CLCLAB_VERDICT_H
#define CLCLAB_VERDICT_H

#include "base/base.h"
#include "result/cause.h"
#include "result/run.h"
#include "result/trace.h"

// How a submission is written, which decides the wording of its mistakes.
typedef enum Dialect {
    DIALECT_PTX, // PTX instructions: PTX, inline PTX, or no call of cuda::ptx
    DIALECT_CPP, // calls of cuda::ptx
    DIALECT_COUNT
} Dialect;

typedef enum CheckStatus {
    CHECK_PASS,
    CHECK_FAIL,  // the student's fault
    CHECK_SKIP,  // another check that it depends on failed
    CHECK_ERROR, // our fault, or the machine's
} CheckStatus;

typedef struct CheckResult {
    Str id;    // "builds", "signature", ...
    Str title; // the check's sentence in lab.conf
    double points, max_points;
    CheckStatus status;
    Cause *causes; // machine-readable formats show the first one
    size_t cause_count;
    Str figure; // if it passed, what was measured: "balance 104%, ..."
} CheckResult;

typedef struct LedgerSummary { // of the run that `schedule` names
    LedgerTotals totals;
    int32_t n;    // elements in that run; 0 if it belongs to no lab
    Str size;     // "n = 1000", "size = 40x20x3"; empty if it belongs to no lab
    Str schedule; // "plain schedule", "schedule 5 (refuse-early)"
    Str *chains;  // the first 16: "block 0: 0 -> 8 -> 17"
    size_t *links; // by chain: how many blocks it has, listed or not
    size_t chain_count;
} LedgerSummary;

// Probabilistic concurrency testing (docs/semantics.md, Schedules): what the
// runs of one depth guarantee. A run shows a bug of that depth with a
// probability of at least 1 / (warps * steps^(depth - 1)).
typedef struct PctBound {
    uint32_t depth;
    uint64_t runs;
    uint64_t warps, steps; // the most that any of the runs had
    uint64_t one_in;       // 1 / the least probability of one run, rounded up
    uint64_t all_one_in;   // 1 / the probability of all runs together
    double all;            // the probability of all runs together
} PctBound;

enum { PCT_DEPTHS = 3 };

// How an exhaustive search ended.
typedef enum SearchEnd {
    SEARCH_NONE,      // there was none
    SEARCH_COMPLETE,  // every schedule was run
    SEARCH_CUT,       // it ran as many schedules as were asked for
    SEARCH_STOPPED,   // a schedule did not finish
    SEARCH_TOO_LARGE, // a schedule has more steps or warps than it can handle
} SearchEnd;

// The guards of a process that handled the submission.
typedef struct GuardsNote {
    bool has_run;   // there was such a process
    bool seccomp;   // it could not make the system calls that it does not need
    int landlock;   // ABI version; 0: files were not restricted by Landlock
    Str bubblewrap; // its version; empty: it did not run in bubblewrap
} GuardsNote;

typedef struct SandboxNote {
    GuardsNote compiler, judge;
    bool untrusted;  // the file is a stranger's: all guards were asked for,
    bool allow_weak; // but a grade without some of them was allowed
} SandboxNote;

// What a grade was made of, so that it can be told later whether the same would
// come out. Hashes are SHA-256, in hexadecimal digits; empty: not known.
typedef struct Provenance {
    Str submission; // the file's text
    Str lab;        // lab.conf
    Str header;     // lab.h
    Str reference;  // reference.c, as it was compiled in
    Str grader;     // the grader's own sources
    Str course;     // the course's folder, if it was named; empty: it is the
                    // one that the program belongs to
    bool is_seed_given, is_whole; // is_whole: not one schedule, or size, alone
    const Str *flags;             // more options of the compiler
    size_t flag_count;
    SandboxNote sandbox;
} Provenance;

typedef enum Verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_ERROR } Verdict;

typedef struct Result {
    uint32_t lab;  // its number
    Str title;     // of the lab
    Str file;      // the submission, as given
    Str device;    // "vm"
    Str gpu_model; // "mini"
    uint64_t seed;
    bool is_seed_hidden; // from whoever reads the report
    uint64_t schedules;
    double score, max_score;
    Verdict verdict;
    uint32_t obey;     // the number of the edit that was asked for; 0: none
    AdviceEdit obeyed; // the kernel was graded with this edit; number 0: as it
                       // was handed in
    Str obeyed_what;   // its phrase, made by words/
    // If it failed: the parts of the lab's file in which no code stands yet,
    // with commas between them. May be empty.
    Str empty_regions;
    Dialect dialect;   // of the submission
    double elapsed_ms; // not determined by the seed
    CheckResult *checks;
    size_t check_count;
    bool has_ledger;
    LedgerSummary ledger;
    const RunTrace *trace;     // of the same run; NULL: none was asked for
    TraceWay ways[TRACE_WAYS]; // of the course's own kernels
    size_t way_count;          // 0: they were not asked for, or are not there
    Str compiler;              // environment: "NVRTC 13.0"
    Str version;               // environment: of clclab
    Provenance provenance;     // zero: none was noted
    PctBound pct[PCT_DEPTHS];  // by depth - 1; for the schedules that ran
    Str output;        // what the kernel printed in the first failing run
    Cause *advisories; // never cost points
    size_t advisory_count;
    Diag *messages; // the compiler's, errors first
    size_t message_count;
} Result;

#endif
