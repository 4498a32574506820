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
    bool cooperative;
    bool large_clusters; // of more than 8 blocks
    bool exhaustive;
    uint64_t max_runs; // of an exhaustive search
    uint64_t jobs;     // schedules at a time; 0: one for each processor
    bool debugs;       // goes through the steps around the first mistake
} RunArgs;

static inline const RunArgs *run_own(const Cli *cli) {
    return cli->args.own;
}

// run_args.c: --arg, --dump, --check
typedef enum SpecType {
    SPEC_NUMBER,
    SPEC_BUFFER,
    SPEC_BYTES,
    SPEC_STRUCT,   // or a list: what its items lay out
    SPEC_FUNCTION, // its address
} SpecType;
typedef struct NpyForm { // of the elements of a .npy file, as its header says
    Str type;            // "'<f4'", or a list of a structure's members
    Str shape;           // "(3, 4)"
    uint64_t size;       // bytes of an element
    ElementType element; // for comparing them
} NpyForm;
typedef struct RunArgument {
    const char *spec; // as given; NULL: it is within another one
    SpecType kind;
    ElementType element;   // of a number
    uint64_t bits;         // of a number, two's complement
    LaunchArgument launch; // a value's bytes: see run_match_arguments
    bool is_sized;         // a buffer: launch.size is given
    const char *file;      // a buffer's initial contents; NULL: none
    NpyForm form;          // a buffer's, from its file; type empty: none
    const char *dump;      // file to write it to after the run; NULL: none
    NpyForm dumped;        // how it is written; type empty: as bytes
} RunArgument;
// First those of the command line, then the buffers within them.
typedef struct RunArguments {
    RunArgument *items;
    size_t given; // how many are of the command line
    size_t count, capacity;
    RunArgument *inner; // until run_join_arguments
    size_t inner_count, inner_capacity;
} RunArguments;
// All buffers together.
#define RUN_MOST_BUFFER_BYTES (UINT64_C(1) << 31)
// run_spec.c: reads one SPEC, without the file that it names; `folder`: where
// its relative paths begin; NULL: the current one. Adds it to `all`. NULL, or
// else what it takes.
const char *run_parse_spec(Arena *arena, const char *spec, const char *folder,
                           RunArguments *all);
// After the last one: puts the buffers within others behind all.
void run_join_arguments(Arena *arena, RunArguments *all);
// False: its elements are no floats, and it asks for close ones.
bool run_compares_floats(const LaunchArgument *launch);
// run_json.c: adds the arguments that a file has.
int run_read_json(Cli *cli, const char *path, RunArguments *all);
// run_npy.c: reads a .npy file. False: *why.
bool npy_read(Arena *arena, Str file, NpyForm *form, Str *data, Str *why);
void npy_write(Buf *out, const NpyForm *form, Str data);
// The form of `bytes` bytes of that type in a row. False: NumPy has no such
// type, or they are no whole number of elements.
bool npy_form(Arena *arena, ElementType type, uint64_t bytes, NpyForm *form);
bool npy_is_name(const char *path); // ends in .npy
// Reads the command line's arguments and their files.
int run_read_arguments(Cli *cli, RunArguments *arguments);
// What --dump writes of a buffer that ended as `bytes`.
Str run_dump_text(Arena *arena, const RunArgument *argument, Str bytes);
// Checks number, size and kind of the arguments against the kernel's
// parameters. *values, [arguments->count]: what is launched.
int run_match_arguments(Cli *cli, const PtxModule *module,
                        const PtxFunc *kernel, const RunArguments *arguments,
                        LaunchArgument **values);
// The list of --check, of the command of that name; NULL: all.
int run_read_check_list(Cli *cli, const char *command, const char *check,
                        uint64_t *unchecked, LaunchCompare *compare);
int run_read_checks(Cli *cli, uint64_t *unchecked, LaunchCompare *compare);

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
