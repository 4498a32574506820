// SPDX-License-Identifier: Apache-2.0
// The arguments of a kernel, from --arg and its files to what is launched; and
// what --dump and --check name.
//
//   args.c  all of them, and how they fit to the kernel's parameters
//   spec.c  one SPEC; list.c: a file with a list of them; npy.c: an array
#ifndef CLCLAB_CLI_RUN_ARGUMENTS_H
#define CLCLAB_CLI_RUN_ARGUMENTS_H

#include "check/check.h"
#include "cli/core/core.h"

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
// spec.c: reads one SPEC, without the file that it names; `folder`: where
// its relative paths begin; NULL: the current one. Adds it to `all`. NULL, or
// else what it takes.
const char *run_parse_spec(Arena *arena, const char *spec, const char *folder,
                           RunArguments *all);
// After the last one: puts the buffers within others behind all.
void run_join_arguments(Arena *arena, RunArguments *all);
// False: its elements are no floats, and it asks for close ones.
bool run_compares_floats(const LaunchArgument *launch);
// list.c: adds the arguments that a file has.
int run_read_json(Cli *cli, const char *path, RunArguments *all);
// npy.c: reads a .npy file. False: *why.
bool npy_read(Arena *arena, Str file, NpyForm *form, Str *data, Str *why);
void npy_write(Buf *out, const NpyForm *form, Str data);
// The form of `bytes` bytes of that type in a row. False: NumPy has no such
// type, or they are no whole number of elements.
bool npy_form(Arena *arena, ElementType type, uint64_t bytes, NpyForm *form);
bool npy_is_name(const char *path); // ends in .npy
// args.c: reads the command line's arguments and their files.
int run_read_arguments(Cli *cli, const CliValues *specs, const CliValues *dumps,
                       RunArguments *arguments);
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

#endif
