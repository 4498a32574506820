// SPDX-License-Identifier: Apache-2.0
// The result model (design: verdicts). check/ fills it in; report/ and batch/
// read it. Every output format is made from this and nothing else.
#ifndef CLCLAB_VERDICT_H
#define CLCLAB_VERDICT_H

#include "base/base.h"

typedef enum CheckStatus {
    CHECK_PASS,
    CHECK_FAIL,  // the student's
    CHECK_SKIP,  // a check that it needs failed
    CHECK_ERROR, // ours, or the machine's
} CheckStatus;

typedef struct RelatedSite {
    SrcLoc at;
    Str what;
} RelatedSite;

// Why a check did not pass. No non-pass without `what` and `help`; where code
// is to blame, at.line is there too.
typedef struct Cause {
    Str code;     // "CLC001", "MEM001", ...; empty: the check itself
    Str what;     // one sentence: what happened
    Str expected; // may be empty
    Str actual;   // may be empty
    Str help;     // what to try
    SrcLoc at;
    SrcLoc via; // the library line that it came through; may be empty
    RelatedSite related[4];
    uint32_t related_count;
    Str context; // the run: "n = 1000, schedule 5 (refuse-early)"; or empty
    Str replay;  // the command that shows it again; may be empty
} Cause;

typedef struct CheckResult {
    Str id;    // "builds", "signature", ...
    Str title; // the sentence of lab.conf
    double points, max_points;
    CheckStatus status;
    Cause *causes; // the first is the one that machine formats show
    size_t cause_count;
} CheckResult;

typedef struct LedgerSummary { // of the run that is shown (see schedule)
    uint64_t grid, started, canceled, lost; // blocks
    uint64_t refused;                       // requests
    int32_t n;                              // elements in that run
    Str schedule; // "plain schedule", "schedule 5 (refuse-early)"
    Str *chains;  // "block 0: 0 -> 8 -> 17", first 16
    size_t chain_count;
    size_t chain_total;
} LedgerSummary;

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
    double elapsed_ms; // not part of what a seed determines
    CheckResult *checks;
    size_t check_count;
    bool has_ledger;
    LedgerSummary ledger;
    Str compiler;      // environment: "NVRTC 13.0"
    Str version;       // environment: of clclab
    Str output;        // what the kernel printed, in the first failing run
    Cause *advisories; // never cost points
    size_t advisory_count;
    Diag *messages; // the compiler's, errors first
    size_t message_count;
} Result;

#endif
