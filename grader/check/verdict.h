// SPDX-License-Identifier: Apache-2.0
// The result model. check/ fills it in; report/ reads it. Every output format
// is made from this and nothing else.
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
    Str missing;  // the order that was not there; may be empty
    Str help;     // what to try
    Str who;      // more of the thread that `what` names; may be empty
    Str region;   // the part of the lab's file that it is in; may be empty
    Str mend;     // the part to mend, where that is another; may be empty
    Str explain;  // the command that explains the code; may be empty
    SrcLoc at;
    SrcLoc via;        // the library line that it came through; may be empty
    SrcLoc callers[2]; // of the function that `at` is in, innermost first
    uint32_t caller_count;
    RelatedSite related[4];
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
    uint64_t grid, started, canceled, lost; // blocks
    uint64_t refused;                       // requests
    int32_t n;                              // elements in that run
    Str size;                               // "n = 1000", "size = 40x20x3"
    Str schedule; // "plain schedule", "schedule 5 (refuse-early)"
    Str *chains;  // "block 0: 0 -> 8 -> 17", first 16
    size_t chain_count;
    size_t chain_total;
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

// ---- clclab run ----------------------------------------------------------

// A kernel that belongs to no lab, launched under one schedule or more.

// One mistake (or doubt) at one place, whichever schedules showed it.
typedef struct LaunchFinding {
    Cause cause; // context and replay: of the first schedule that showed it
    bool advisory;
    uint64_t schedule, last; // numbers of the first and the latest schedule
                             // that showed it
    uint64_t schedules;      // how many did; 0: it did not build
    uint64_t switches; // context switches of the first; 0: it is shown as it
                       // is
} LaunchFinding;

typedef enum LaunchOutputs {
    OUTPUTS_NOT_COMPARED, // the first schedule, or it did not come to its end
    OUTPUTS_SAME,         // bit by bit, as after the first schedule
    OUTPUTS_DIFFER,
} LaunchOutputs;

typedef struct LaunchSchedule {
    uint64_t number; // 0: the plain one
    Str strategy;    // "round-robin", "refuse-early"
    Str status;      // "done", "fault", "deadlock", "limit", "unsupported"
    uint64_t errors, advisories; // findings
    uint64_t started, canceled;  // blocks
    uint64_t refused;            // requests
    uint64_t thread_instructions;
    uint64_t cycles; // modelled; 0 where the launch was not timed
    LaunchOutputs outputs;
    PctBound pct; // of this run; depth 0: of another strategy
} LaunchSchedule;

typedef struct LaunchLedger { // of the first schedule
    LedgerSummary summary;    // n is 0
    uint64_t pending;         // blocks neither started nor given away
    uint64_t requests;
    uint64_t refused_pending; // requests refused while blocks were pending
    uint64_t least, most;     // blocks that one started block came to own
} LaunchLedger;

typedef struct LaunchCount {
    Str name;
    uint64_t value;
} LaunchCount;

typedef struct LaunchCounters { // of the first schedule; lists: not zero
    uint64_t thread_instructions, warp_instructions;
    LaunchCount *kinds; // thread-instructions
    size_t kind_count;
    LaunchCount *loaded, *stored; // bytes by state space
    size_t loaded_count, stored_count;
    LaunchCount *copied_from, *copied_to; // the same, of asynchronous copies
    size_t copied_from_count, copied_to_count;
    uint64_t cta_barriers, cluster_barriers, mbarrier_phases; // completions
    uint64_t steals;                                          // blocks granted
} LaunchCounters;

// What a place of a block on an SM was doing, modelled.
typedef enum LaunchSpanKind {
    LAUNCH_SPAN_LAUNCH, // the block is being started
    LAUNCH_SPAN_PROLOGUE,
    LAUNCH_SPAN_WORK,
    LAUNCH_SPAN_WAIT,
    LAUNCH_SPAN_COUNT,
} LaunchSpanKind;

typedef struct LaunchSpan { // [from, to), in cycles since the launch
    uint64_t from, to;
    LaunchSpanKind kind;
    uint32_t sm, slot; // the SM, and which of its places for a block
    uint32_t cta;      // block that was launched there
    uint32_t block;    // block that is being processed
} LaunchSpan;

// Something that happened to an mbarrier or to the slot of an answer.
enum { LAUNCH_NONE = UINT32_MAX };
typedef struct LaunchEvent {
    uint64_t cycle;
    const char *kind;    // "phase": docs/clclab.1.md lists them
    uint32_t cta;        // block that was launched
    uint32_t warp;       // of it; LAUNCH_NONE: the async proxy
    uint32_t at;         // byte of shared memory; LAUNCH_NONE: it has no place
    uint32_t value;      // arrivals, bytes, a parity, the number of a request
    uint32_t block;      // granted; LAUNCH_NONE
    int32_t pending, tx; // of the mbarrier, after it
} LaunchEvent;

typedef struct LaunchSm {
    uint64_t issued; // issue slots used
    uint64_t end;    // cycle at which its last block exited
    uint32_t ctas;   // blocks started there
} LaunchSm;

typedef struct LaunchTime { // of the first schedule; a model
    uint64_t cycles;
    uint32_t places;     // for blocks, of all SMs
    uint64_t ends;       // sum of the cycles at which they had their last exit
    uint64_t arrival;    // of a kernel of higher priority; 0: none
    uint64_t first_free; // cycles that it waited for a place,
    uint64_t all_free;   // and for all of them
    uint32_t clock_mhz;
    uint32_t schedulers; // of an SM: an issue slot a cycle each
    LaunchSm *sms;
    uint32_t sm_count;
    LaunchSpan *spans; // by SM, slot, time
    size_t span_count;
    uint64_t spans_left_out; // there is a limit on them
    LaunchEvent *events;     // by time
    size_t event_count;
    uint64_t events_left_out;
} LaunchTime;

typedef struct LaunchResult {
    Str file;      // as given
    Str kernel;    // its name in the PTX
    Str device;    // "vm"
    Str gpu_model; // "mini"
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_smem; // bytes
    uint64_t seed;
    LaunchSchedule *schedules; // in the order they ran
    size_t schedule_count;     // 0: it did not build
    uint64_t schedules_asked;  // fewer ran: the last one could not go on
    PctBound pct[PCT_DEPTHS];  // by depth - 1
    SearchEnd search;
    uint64_t search_redundant; // runs that equal others, cut short
    Verdict verdict;           // VERDICT_FAIL: there are errors
    double elapsed_ms;         // not part of what a seed determines
    LaunchFinding *findings;   // in order of schedules and time
    size_t finding_count;
    uint64_t errors, advisories; // of them, with those beyond the limit
    bool has_ledger;             // the kernel made requests
    LaunchLedger ledger;
    LaunchCounters counters; // without figures where the launch was on a GPU
    double gpu_us; // of the kernel on a GPU, the ledger's cost with it; 0: it
                   // was not on one
    bool is_timed; // the device modelled time
    LaunchTime time;
    Str compiler;   // environment: "NVRTC 13.0"; empty: it was PTX already
    Str version;    // environment: of clclab
    Str output;     // what the kernel printed, in the first schedule
    Diag *messages; // the compiler's, errors first
    size_t message_count;
} LaunchResult;

#endif
