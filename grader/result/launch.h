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
    RunStatus status;
    uint64_t errors, advisories; // findings
    uint64_t started, canceled;  // blocks
    uint64_t refused;            // requests
    uint64_t thread_instructions;
    uint64_t cycles; // modelled; 0 where the launch was not timed
    LaunchOutputs outputs;
    PctBound pct; // of this run; depth 0: of another strategy
} LaunchSchedule;

typedef struct LaunchResult {
    Str file;      // as given
    Str kernel;    // its name in the PTX
    Str device;    // "vm"
    Str gpu_model; // "mini"
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_smem; // bytes
    Dialect dialect;       // of the file
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
    // All of the first schedule:
    LedgerSummary ledger;
    DeviceCounters counters; // without figures where the launch was on a GPU
    double gpu_us; // of the kernel on a GPU, the ledger's cost with it; 0: it
                   // was not on one
    bool is_timed; // the device modelled time
    DeviceTimeline time;
    Str compiler;   // environment: "NVRTC 13.0"; empty: it was PTX already
    Str version;    // environment: of clclab
    Str output;     // what the kernel printed, in the first schedule
    Diag *messages; // the compiler's, errors first
    size_t message_count;
} LaunchResult;

#endif
