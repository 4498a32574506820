// SPDX-License-Identifier: Apache-2.0
// clclab run: its options, and the launch without its report, which the clinic
// uses.
#ifndef CLCLAB_CLI_RUN_H
#define CLCLAB_CLI_RUN_H

#include "cli/internal.h"
#include "cli/run/arguments.h"
#include "cli/screen/meter.h"

// Thread-instructions per schedule: some minutes of work.
#define CLI_DEFAULT_STEPS (UINT64_C(1) << 36)

typedef enum GrantOrder { GRANTS_ANY, GRANTS_IN_ORDER } GrantOrder;

typedef struct RunArgs {
    ScheduleArgs schedule;
    uint32_t grid[3], block[3], cluster[3]; // [0] == 0: not given
    uint64_t dynamic_smem;                  // bytes
    CliValues arguments;                    // --arg
    CliValues dumps;
    const char *check;    // NULL: all
    uint64_t max_steps;   // 0: no limit
    bool time_model;      // see run_is_timed
    const char *prologue; // NULL: none is watched
    CliValues time_sets;
    uint32_t grants; // GrantOrder
    bool cooperative;
    bool large_clusters; // of more than 8 blocks
    bool exhaustive;
    uint64_t max_runs; // of an exhaustive search
    uint64_t jobs;     // schedules at a time; 0: one for each processor
    bool no_advice;
    uint64_t obey; // 0: the file is judged as it is
    bool debugs;   // goes through the steps around the first mistake
} RunArgs;

static inline const RunArgs *run_own(const Cli *cli) {
    return cli->args.own;
}

// run.c: the launch that cli->args describes, without its report. Building
// reads the arguments' files and compiles; running needs memory alone, unless
// there are dumps.
typedef struct RunJudged {
    bool keeps; // set by the caller: outputs are wanted
    RunArguments arguments;
    Build build;
    LaunchResult result; // if there is none, its file is empty
    Str *outputs;        // [arguments.count]; may be NULL
    Meter *meter; // is told of the schedules; NULL: none, as in a process that
                  // may do nothing else
} RunJudged;
int run_build(Cli *cli, RunJudged *judged);
int run_judge(Cli *cli, Device *device, RunJudged *judged);

#endif
