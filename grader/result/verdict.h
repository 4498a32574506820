// SPDX-License-Identifier: Apache-2.0
// The result of clclab grade, and what every result has: causes and their
// places. check/ fills it in; report/ reads it.
#ifndef CLCLAB_VERDICT_H
#define CLCLAB_VERDICT_H

#include "base/base.h"
#include "result/finding.h"
#include "result/run.h"

// How a submission is written, and so what its mistakes are told in.
typedef enum Dialect {
    DIALECT_PTX, // instructions: PTX, inline PTX, or no call of cuda::ptx
    DIALECT_CPP, // calls of cuda::ptx
    DIALECT_COUNT
} Dialect;

typedef enum CheckStatus {
    CHECK_PASS,
    CHECK_FAIL,  // the student's
    CHECK_SKIP,  // a check that it needs failed
    CHECK_ERROR, // ours, or the machine's
} CheckStatus;

// Why a check did not pass. No non-pass without `what` and `help`; where code
// is to blame, at.line is there too. What a device found is a finding, of which
// words/ makes the texts; until then `what` is what stands in front of them,
// and a help that is there already stays.
typedef struct Cause {
    const Finding *finding; // not told yet; NULL: there is none, or it is told
    Str code;               // "CLC001", "MEM001", ...; empty: the check itself
    Str what;               // one sentence: what happened
    Str expected;           // may be empty
    Str actual;             // may be empty
    Str missing;            // the order that was not there; may be empty
    Str help;               // what to try
    Str who;     // more of the thread that `what` names; may be empty
    Str region;  // the part of the lab's file that it is in; may be empty
    Str mend;    // the part to mend, where that is another; may be empty
    Str explain; // the command that explains the code; may be empty
    SrcLoc at;
    SrcLoc via;        // the library line that it came through; may be empty
    SrcLoc callers[2]; // of the function that `at` is in, innermost first
    uint32_t caller_count;
    RelatedPlace related[4];
    uint32_t related_count;
    bool in_order; // related[] happened before `what`, in this order
    Str context;   // the run: "n = 1000, schedule 5 (refuse-early)"; or empty
    Str replay;    // the command that shows it again; may be empty
} Cause;

typedef struct CheckResult {
    Str id;    // "builds", "signature", ...
    Str title; // the sentence of lab.conf
    double points, max_points;
    CheckStatus status;
    Cause *causes; // the first is the one that machine formats show
    size_t cause_count;
    Str figure; // what was measured, where it passed: "balance 104%, ..."
} CheckResult;

typedef struct LedgerSummary { // of the run that is shown (see schedule)
    LedgerTotals totals;
    int32_t n;    // elements in that run; 0 where it belongs to no lab
    Str size;     // "n = 1000", "size = 40x20x3"; likewise empty
    Str schedule; // "plain schedule", "schedule 5 (refuse-early)"
    Str *chains;  // "block 0: 0 -> 8 -> 17", first 16
    size_t chain_count;
} LedgerSummary;

// Probabilistic concurrency testing (docs/semantics.md, Schedules): what the
// runs of one depth promise. A bug of that depth shows in a run with a
// probability of at least 1 / (warps * steps^(depth - 1)).
typedef struct PctBound {
    uint32_t depth;
    uint64_t runs;
    uint64_t warps, steps; // the most of any of them
    uint64_t one_in;       // 1 / the least probability of one run, rounded up
    uint64_t all_one_in;   // 1 / that of all of them together
    double all;            // that probability
} PctBound;

enum { PCT_DEPTHS = 3 };

// What became of an exhaustive search.
typedef enum SearchEnd {
    SEARCH_NONE,      // there was none
    SEARCH_COMPLETE,  // every schedule was run
    SEARCH_CUT,       // after as many as were asked for
    SEARCH_STOPPED,   // a schedule did not come to its end
    SEARCH_TOO_LARGE, // a schedule has more steps, or warps, than it can follow
} SearchEnd;

typedef enum Verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_ERROR } Verdict;

typedef struct Result {
    uint32_t lab;  // its number
    Str title;     // of the lab
    Str file;      // the submission, as given
    Str device;    // "vm"
    Str gpu_model; // "mini"
    uint64_t seed;
    uint64_t schedules;
    double score, max_score;
    Verdict verdict;
    Dialect dialect;   // of the submission
    double elapsed_ms; // not part of what a seed determines
    CheckResult *checks;
    size_t check_count;
    bool has_ledger;
    LedgerSummary ledger;
    Str compiler;             // environment: "NVRTC 13.0"
    Str version;              // environment: of clclab
    PctBound pct[PCT_DEPTHS]; // by depth - 1; of the schedules that ran
    Str output;        // what the kernel printed, in the first failing run
    Cause *advisories; // never cost points
    size_t advisory_count;
    Diag *messages; // the compiler's, errors first
    size_t message_count;
} Result;

#endif
