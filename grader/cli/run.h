// SPDX-License-Identifier: Apache-2.0
// clclab run: its options, and the launch without its report, which the clinic
// uses.
#ifndef CLCLAB_CLI_RUN_H
#define CLCLAB_CLI_RUN_H

#include "cli/internal.h"
#include "cli/meter.h"

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
    bool exhaustive;
    uint64_t max_runs; // of an exhaustive search
    bool debugs;       // goes through the steps around the first mistake
} RunArgs;

static inline const RunArgs *run_own(const Cli *cli) {
    return cli->args.own;
}

// run_args.c: --arg, --dump, --check
typedef enum SpecType {
    SPEC_I32,
    SPEC_U32,
    SPEC_I64,
    SPEC_U64,
    SPEC_F32,
    SPEC_F64,
    SPEC_BUFFER,
    SPEC_BYTES,
} SpecType;
typedef struct RunArgument {
    const char *spec; // as given
    SpecType kind;
    uint64_t bits;         // of a number, two's complement
    LaunchArgument launch; // a value's bytes: see run_match_arguments
    const char *file;      // a buffer's initial contents; NULL: none
    const char *dump;      // file to write it to after the run; NULL: none
} RunArgument;
// All buffers together.
#define RUN_MOST_BUFFER_BYTES (UINT64_C(1) << 31)
// run_spec.c: reads one SPEC, without the file that it names. NULL, or else
// what it takes.
const char *run_parse_spec(Arena *arena, const char *spec,
                           RunArgument *argument);
// Reads the command line's arguments, [argument_count], and their files.
int run_read_arguments(Cli *cli, RunArgument **arguments);
// Checks number, size and kind of the arguments against the kernel's
// parameters. *values: the parameter block.
int run_match_arguments(Cli *cli, const PtxFunc *kernel,
                        const RunArgument *arguments, LaunchArgument **values);
// The list of --check, of the command of that name; NULL: all.
int run_read_check_list(Cli *cli, const char *command, const char *check,
                        uint64_t *unchecked, LaunchCompare *compare);
int run_read_checks(Cli *cli, uint64_t *unchecked, LaunchCompare *compare);

// run.c: the launch that cli->args describes, without its report. Building
// reads the arguments' files and compiles; running needs memory alone, unless
// there are dumps.
typedef struct RunJudged {
    bool keeps; // set by the caller: outputs are wanted
    RunArgument *arguments;
    Build build;
    LaunchResult result; // if there is none, its file is empty
    Str *outputs;        // [argument_count]; may be NULL
    Meter *meter; // is told of the schedules; NULL: none, as in a process that
                  // may do nothing else
} RunJudged;
int run_build(Cli *cli, RunJudged *judged);
int run_judge(Cli *cli, Device *device, RunJudged *judged);

#endif
