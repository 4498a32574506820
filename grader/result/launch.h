// SPDX-License-Identifier: Apache-2.0
// The result of clclab run: a kernel that belongs to no lab, launched under one
// schedule or more.
#ifndef CLCLAB_LAUNCH_RESULT_H
#define CLCLAB_LAUNCH_RESULT_H

#include "result/verdict.h"

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
