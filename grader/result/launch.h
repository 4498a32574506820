// SPDX-License-Identifier: Apache-2.0
// The result of clclab run: a kernel that belongs to no lab, launched under one
// schedule or more.
#ifndef CLCLAB_LAUNCH_RESULT_H
#define CLCLAB_LAUNCH_RESULT_H

#include "result/verdict.h"

// One mistake, or advisory, at one place, from all schedules that showed it.
typedef struct LaunchFinding {
    Cause cause; // its context and replay are the first such schedule's
    bool advisory;
    uint64_t schedule, last; // numbers of the first and the latest schedule
                             // that showed it
    uint64_t schedules;      // how many did; 0: it did not build
    uint64_t switches; // context switches that the first is limited to; 0: it
                       // is not limited
    bool out_of_order; // the first was: as in DeviceRun
    bool is_limited;   // the run that the cause tells of was: as in
    uint64_t limit;    // DeviceSchedule, with so many switches
    uint64_t steps;    // the first executed, in instructions of threads
} LaunchFinding;

typedef enum LaunchOutputs {
    OUTPUTS_NOT_COMPARED, // the first schedule, or one that did not finish
    OUTPUTS_SAME,         // bit for bit the same as after the first schedule
    OUTPUTS_DIFFER,
} LaunchOutputs;

typedef struct LaunchSchedule {
    uint64_t number; // 0: the plain schedule
    Str strategy;    // "round-robin", "refuse-early"
    RunStatus status;
    uint64_t errors, advisories; // findings
    uint64_t started, canceled;  // blocks
    uint64_t refused;            // requests
    uint64_t thread_instructions;
    uint64_t cycles; // modelled; 0 where the launch was not timed
    LaunchOutputs outputs;
    PctBound pct; // for this run; depth 0: the strategy is another one
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
    uint64_t schedules_asked;  // if fewer ran, the last one could not go on
    PctBound pct[PCT_DEPTHS];  // by depth - 1
    SearchEnd search;
    uint64_t search_redundant; // runs cut short: equivalent to earlier ones
    Verdict verdict;           // VERDICT_FAIL: there are errors
    uint32_t obey;             // as in Result, and the next two
    AdviceEdit obeyed;
    Str obeyed_what;
    double elapsed_ms;       // not determined by the seed
    LaunchFinding *findings; // in order of schedules and time
    size_t finding_count;
    uint64_t errors, advisories; // all findings, also those beyond the limit
    bool has_ledger;             // the kernel made requests
    // The following are the first schedule's.
    LedgerSummary ledger;
    DeviceCounters counters; // all 0 if the launch was on a GPU
    double gpu_us; // the kernel's time on a GPU, which includes the ledger's
                   // cost; 0: it did not run on one
    bool is_timed; // the device modelled time
    DeviceTimeline time;
    const RunTrace *trace; // of the first finding's run, or else of the first
                           // schedule; NULL: none was asked for
    Str compiler;          // environment: "NVRTC 13.0"; empty: the file was PTX
    Str version;           // environment: of clclab
    Str output;            // what the kernel printed, in the first schedule
    uint64_t output_lost;  // bytes that it printed besides
    Diag *messages;        // the compiler's, errors first
    size_t message_count;
} LaunchResult;

#endif
