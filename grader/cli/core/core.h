// SPDX-License-Identifier: Apache-2.0
// What every part of cli/ stands on: the command line and what is said.
//
//   args.c    the command line -> Args, by the command's table of options
//   output.c  writes to descriptors and files, and notices errors
//
// Every function that fails has printed why and returns the exit code.
#ifndef CLCLAB_CLI_CORE_H
#define CLCLAB_CLI_CORE_H

#include "base/base.h"
#include "report/report.h"
#include "sandbox/paths.h"

// The exit codes, which the man page documents. What the machine lacks, a GPU
// or a compiler, never gives a student zero points.
typedef enum CliExit {
    CLI_FULL_MARKS = 0,
    CLI_BELOW = 1,     // below full marks, or a check that was asked for failed
    CLI_USAGE = 2,     // the command line, or a file that it names
    CLI_MISSING = 69,  // something needed is not there
    CLI_OURS = 70,     // the grader's own fault
    CLI_TRY_LATER = 75 // disk full, output closed, ...
} CliExit;

#define CLI_VERSION "0.1.0"
// What marks the regions that a learner fills in. In two parts, because lint
// looks for the whole word, which in our own sources would be something
// forgotten.
// clang-format off
#define CLI_REGION "TO" "DO"
// clang-format on

// ---- arguments -----------------------------------------------------------

typedef enum CliColor { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } CliColor;
typedef enum CliDevice { DEVICE_AUTO, DEVICE_VM, DEVICE_GPU } CliDevice;
typedef enum CliEmulation { EMULATION_DRAWN, EMULATION_CLAIMED } CliEmulation;
typedef enum CliCompiler {
    COMPILER_NVRTC,
    COMPILER_NVCC,
    COMPILER_ANY,
} CliCompiler;

// Of a process that judges. Arrays that are not used take addresses and no
// memory.
#define CLI_ADDRESS_SPACE ((uint64_t)16 << 30)

enum {
    CLI_MAX_WORDS = 4,
    CLI_MAX_FLAGS = 16,
    CLI_MAX_SCHEDULES = 100000,
    CLI_MAX_WORKERS = 16, // that share out runs
    CLI_DEFAULT_SCHEDULES = 64,
    CLI_DEFAULT_RUNS = 10000,
    CLI_MAX_RUNS = 1000000,
    CLI_DEFAULT_SEED = 1,
    CLI_MAX_DEADLINE = 3600,  // seconds for a kernel on a GPU
    CLI_MAX_ARGUMENTS = 512,  // of a kernel
    CLI_MAX_SOURCE = 1 << 20, // bytes of a submission
    CLI_MAX_PTX = 1 << 26,    // bytes of a .ptx file
};

// The values of an option that may be repeated.
typedef struct CliValues {
    const char *items[CLI_MAX_ARGUMENTS];
    size_t count;
} CliValues;

typedef struct CliNumber {
    bool given;
    uint64_t value; // if given
} CliNumber;

// The options that several commands have (options.h). An enum's field is a
// uint32_t so that args_take_choice can store it.
typedef struct Args {
    const char *words[CLI_MAX_WORDS]; // the arguments that are not options
    size_t word_count;
    char **rest; // of a command that takes them: a program's arguments, to NULL
    uint32_t device;         // CliDevice
    uint32_t color;          // CliColor
    uint32_t compiler;       // CliCompiler
    uint32_t emulation;      // CliEmulation
    const char *format;      // NULL: the default
    const char *gpu_model;   // "mini"
    const char *out;         // NULL: standard output
    const char *trace;       // where the trace is written; NULL: nowhere
    const char *root, *labs; // NULL: to be searched for
    CliValues flags;         // --compile-flag, -I, -D and their like
    const char *kernel;      // NULL: the file's only one
    const char *arch;        // of the PTX in a program; NULL: the best
    const char *database;    // compile_commands.json; NULL: none
    bool follow;             // a submission may be a symbolic link
    bool untrusted;          // it is a stranger's
    bool frames;             // reports name the lines of headers, too
    bool allow_weak;         // it is judged even so in a sandbox with gaps
    uint64_t deadline;       // seconds for a kernel on a GPU; 0: the default
    bool help;
    uint64_t seen; // a bit for each of the command's options that was given
    void *own;     // the command's own options, a struct of its file
} Args;

// A part of the own options of each command that runs schedules.
typedef struct ScheduleArgs {
    uint64_t seed, schedules;
    CliNumber only;     // --only-schedule
    CliNumber switches; // --switches, of that schedule
    bool no_time;       // elapsed_ms stays 0
} ScheduleArgs;

typedef struct Option Option;
typedef struct CliCommand CliCommand;

// Appends to a command the option that fills this field; `usual`: the field
// where the option is not given.
typedef void ArgsGive(Buf *out, const CliCommand *command, const Option *option,
                      const void *field, const void *usual);

typedef struct Cli {
    const char *program; // as in cli_main
    const char *called;  // what was typed for it: "build/clclab"
    Arena arena;
    Args args;
    bool color_out, color_err; // whether text on 1 and 2 is coloured
    uint32_t width;
    bool has_screen; // reports are read at once, on a terminal so wide
    const CliCommand *const *commands; // in the order of --help
    size_t command_count;
    Str said;         // the last error that was printed; empty: none
    Crew *crew;       // in the process that judges; NULL: it works alone
    bool never_waits; // as in CompileRequest
} Cli;

// A command line that is being parsed.
typedef struct ArgsParse {
    Arena *arena;
    const CliCommand *command;
    Args *args;
    Str message; // says what the mistake is
} ArgsParse;

// Stores an option's value in its field; false: *parse has the message.
typedef bool ArgsTake(ArgsParse *parse, const Option *option, const char *value,
                      void *field);

struct Option {
    const char *name;  // with its dashes
    const char *value; // the name of its value; NULL: it has none
    const char *help;
    ArgsTake *take;
    size_t offset; // of its field: in Args, or in the command's own options
    bool is_own;
    bool repeats;
    bool is_attached;     // its value may follow at once: -DNAME
    uint64_t most;        // the largest number, or the most values
    const char *not_zero; // why a number must not be 0; NULL: it may be
    // No part of a replay: nothing that is found depends on it, or the part
    // that names the schedule says it.
    bool is_not_replayed;
    ArgsGive *give; // NULL: as values of its kind are given (replay.c)
    const char *const *names; // choices in the order of the enum, then NULL
};

struct CliCommand {
    const char *name;
    const char *summary;
    const char *words; // "LAB [FILE]"
    size_t least_words, most_words;
    bool takes_rest;       // what follows the last word is a program's own
    const char *more;      // in --help, after the summary; NULL: nothing. Its
                           // paragraphs are wrapped, but for lines with two
                           // blanks in a row
    const char *example;   // a command line
    const Option *options; // in the order of --help; at most 64
    size_t option_count;
    ReportKind report;    // decides its formats, if --format is an option
    const void *defaults; // of its own options; NULL: it has none
    size_t own_size;      // bytes of its own options
    int (*run)(Cli *cli);
};

// args.c: parses what follows the command's name. False, with *message.
bool args_parse(Arena *arena, const CliCommand *command, int argc, char **argv,
                Args *args, Str *message);
Args args_default(Arena *arena, const CliCommand *command); // none is given
// The candidate that `word` is probably a misspelling of; NULL if none is near.
const char *args_suggest(const char *word, const char *const *candidates,
                         size_t count);
// For an ArgsTake: stores the message and returns false.
bool args_mistake(ArgsParse *parse, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
ArgsTake args_take_flag;     // bool
ArgsTake args_take_number;   // uint64_t, up to option->most
ArgsTake args_take_optional; // the same, as a CliNumber
ArgsTake args_take_choice;   // uint32_t
ArgsTake args_take_text;     // const char *
ArgsTake args_take_name;     // the same; not empty
ArgsTake args_take_path;     // likewise
ArgsTake args_take_list;     // CliValues, up to option->most of them
ArgsTake args_take_flagged;  // CliValues: the option with its value, in a word
ArgsTake args_take_format;   // const char *: of a ReportFormat of the command

// output.c
// Writes the whole text to the descriptor; false on an error. A closed pipe is
// not an error, as the reader has read what it wants.
bool output_write(int descriptor, Str text);
// Writes a temporary file in the same folder, calls fsync, and renames it.
// `option`: the option that named the path, for messages.
int output_file(Cli *cli, const char *option, const char *path, Str text);
int output_stdout(Cli *cli, Str text);
// Prints "clclab: ..." to standard error, escaped. Returns `code`.
int output_error(Cli *cli, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void output_diags(Cli *cli, const Diags *diags, Str source);
void output_init(Cli *cli);

#endif
