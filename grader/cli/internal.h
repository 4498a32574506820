// SPDX-License-Identifier: Apache-2.0
// What the files of cli/ share. Read in this order:
//
//   cli.c         cli_main: commands, and what each of them needs
//   args.c        the command line -> Args
//   usage.c       the texts of help
//   output.c      to file descriptors and files, with errors noticed
//   files.c       reading files that may be anything
//   course.c      where labs/ and solutions/ are; which lab is meant
//   submission.c  a file -> Submission (compile and parse)
//   shared.c, replay.c  what grade and run share
//   grade.c, explain.c, quiz.c, ptx.c, show.c  the commands
//   run.c, run_args.c  clclab run; clinic.c stands on it
//   doctor_lines.c, doctor_gpu.c, doctor.c  clclab doctor
//   compare.c     clclab compare; compare_card.c: its figures from a GPU
//
// Every function that fails has printed why, and gives the exit code.
#ifndef CLCLAB_CLI_INTERNAL_H
#define CLCLAB_CLI_INTERNAL_H

#include "base/base.h"
#include "check/check.h"
#include "check/clinic.h"
#include "check/quiz.h"
#include "cli/cli.h"
#include "cli/labs.h"
#include "report/report.h"

// ---- arguments -----------------------------------------------------------

typedef enum CliColor { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } CliColor;
typedef enum CliFormat { FORMAT_TEXT, FORMAT_JSON } CliFormat;
typedef enum CliCompareFormat {
    COMPARE_AS_TEXT,
    COMPARE_AS_CSV,
    COMPARE_AS_SVG,
    COMPARE_AS_JSON,
} CliCompareFormat;
typedef enum CliDevice { DEVICE_AUTO, DEVICE_VM, DEVICE_GPU } CliDevice;
typedef enum CliCompiler {
    COMPILER_ANY,
    COMPILER_NVRTC,
    COMPILER_NVCC,
} CliCompiler;

enum {
    CLI_MAX_WORDS = 4,
    CLI_MAX_FLAGS = 16,
    CLI_MAX_SCHEDULES = 100000,
    CLI_DEFAULT_SCHEDULES = 64,
    CLI_DEFAULT_RUNS = 10000,
    CLI_MAX_RUNS = 1000000,
    CLI_DEFAULT_SEED = 1,
    CLI_MAX_DEADLINE = 3600,  // seconds of a kernel on a GPU
    CLI_MAX_ARGUMENTS = 512,  // of a kernel
    CLI_MAX_SOURCE = 1 << 20, // bytes of a submission
    CLI_MAX_PTX = 1 << 26,    // bytes of a .ptx file
};
// clclab run: thread-instructions of a schedule, some minutes of work.
#define CLI_DEFAULT_STEPS (UINT64_C(1) << 36)

typedef struct Args {
    const char *words[CLI_MAX_WORDS]; // what is no option
    size_t word_count;
    CliDevice device;
    CliColor color;
    CliFormat format;
    CliCompiler compiler;
    const char *gpu_model;            // "mini"
    const char *out;                  // NULL: standard output
    const char *root, *labs;          // NULL: to be found
    const char *flags[CLI_MAX_FLAGS]; // --compile-flag
    size_t flag_count;
    uint64_t seed, schedules;
    const char *target; // clclab ptx; NULL: as it was compiled
    bool ledger;        // clclab ptx
    // clclab run
    const char *kernel;                       // NULL: the only one there is
    uint32_t grid[3], block[3], cluster[3];   // [0] == 0: not given
    uint64_t dynamic_smem;                    // bytes
    const char *arguments[CLI_MAX_ARGUMENTS]; // --arg
    size_t argument_count;
    const char *dumps[CLI_MAX_ARGUMENTS]; // --dump
    size_t dump_count;
    const char *check;    // NULL: all
    uint64_t max_steps;   // 0: no limit
    bool keeps_index;     // --emulation claimed
    uint64_t deadline;    // seconds of a kernel on a GPU; 0: the default
    bool time_model;      // launches are timed
    const char *prologue; // NULL: none is watched
    const char *time_sets[CLI_MAX_ARGUMENTS]; // --time-set
    size_t time_set_count;
    uint64_t only_schedule; // if has_only_schedule
    bool has_only_schedule;
    uint64_t switches; // if has_switches
    bool has_switches;
    bool exhaustive;
    uint64_t max_runs; // exhaustive
    CliCompareFormat compare_format;
    const char *chart; // compare --chart; NULL: not given
    int32_t elements;  // compare --size; 0: not given
    bool has_size;     // grade --only-schedule: `size` alone
    LabSize size;      // as in lab.conf
    bool solutions;    // grade the file of solutions/
    bool no_time;      // elapsed_ms stays 0
    bool help;
    uint64_t seen; // bit by option
} Args;

typedef struct Cli {
    Arena arena;
    Args args;
    bool color_out, color_err; // of text on 1 and 2
    uint32_t width;
} Cli;

typedef enum CliCommandId {
    COMMAND_GRADE,
    COMMAND_RUN,
    COMMAND_PTX,
    COMMAND_LIST,
    COMMAND_HINT,
    COMMAND_EXPLAIN,
    COMMAND_QUIZ,
    COMMAND_CLINIC,
    COMMAND_DOCTOR,
    COMMAND_COMPARE,
    COMMAND_VERSION,
    COMMAND_HELP,
    COMMAND_COUNT,
} CliCommandId;

typedef struct CliCommand {
    const char *name;
    const char *summary;
    const char *words; // "LAB [FILE]"
    size_t least_words, most_words;
    int (*run)(Cli *cli);
} CliCommand;

// cli.c
extern const CliCommand CLI_COMMANDS[COMMAND_COUNT];
const CliCommand *cli_find_command(const char *name); // or NULL

// args.c: parses what stands behind the command's name. False: *message.
bool args_parse(Arena *arena, CliCommandId command, int argc, char **argv,
                Args *args, Str *message);
// The candidate that `word` was probably meant to be; NULL: none is near.
const char *args_suggest(const char *word, const char *const *candidates,
                         size_t count);

// usage.c
void usage_all(Buf *out);
void usage_command(CliCommandId command, Buf *out);
void usage_options(CliCommandId command, Buf *out); // args.c has the table

// output.c
// Writes all of it to the descriptor: false where an error was met (a closed
// pipe is none: the reader has had enough).
bool output_write(int descriptor, Str text);
// Writes to a temporary file in the same folder, fsyncs, renames.
// `option`: which one named the path, for messages.
int output_file(Cli *cli, const char *option, const char *path, Str text);
int output_stdout(Cli *cli, Str text);
// "clclab: ..." to standard error; the text is escaped. Gives `code`.
int output_error(Cli *cli, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void output_diags(Cli *cli, const Diags *diags, Str source);
void output_init(Cli *cli);

// files.c
typedef enum FileRead {
    FILE_READ,      // *text is the file
    FILE_TOO_LARGE, // there is more than `limit` bytes
    FILE_UNREADABLE // *why: "No such file or directory", "it is a directory"
} FileRead;
FileRead file_read(Arena *arena, const char *path, size_t limit, Str *text,
                   Str *why);
bool file_exists(const char *path); // of any kind

// course.c
typedef struct Course {
    Str root;   // "" (the current folder), or a path that ends in "/"
    Str labs;   // the folder of the labs, without a "/" at the end
    Str common; // the folder of lab.h
    bool given; // --labs
} Course;

// The place of the course; prints an error and gives false where there is none.
bool course_find(Cli *cli, Course *course, int *code);
// The same, but a course that is not there is none: *course is empty.
bool course_find_any(Cli *cli, Course *course, int *code);
// Reads the lab.conf of the lab that the user named. CLI_FULL_MARKS: *lab is
// filled in.
int course_lab(Cli *cli, const Course *course, const char *name, Lab *lab);
// The names of the labs' folders, sorted.
size_t course_list(Cli *cli, const Course *course, Str **folders);
int course_read_conf(Cli *cli, const Course *course, Str folder, Lab *lab);
uint32_t course_number(Str folder); // 4 of "04-cluster-clc"; 0: none

// submission.c
// Reads, compiles and parses. CLI_FULL_MARKS: *submission can be graded.
// `lab` may be NULL (clclab ptx).
typedef struct Build {
    Submission submission;
    Str ptx; // its text; empty where it did not compile
} Build;
int submission_build(Cli *cli, const Course *course, const Lab *lab, Str path,
                     Build *build);

// The same for a kernel of no lab, .cu or .ptx; what the file's own folder
// holds can be included. `course` may be empty.
int submission_build_own(Cli *cli, const Course *course, Str path,
                         Build *build);
Str submission_cache(Arena *arena); // the folder; empty: none

// replay.c: each appends a blank first, and quotes for a shell.
void replay_option(Buf *out, const char *name, const char *value); // NULL: none
void replay_file(Buf *out, Str file);
void replay_build_options(Buf *out, const Args *args); // and the model

// shared.c
double shared_now_ms(void);
int shared_open_model(Cli *cli, Device **device); // the virtual machine
// The GPU. is_plain: kernels run as they are, without a ledger.
int shared_open_card(Cli *cli, bool is_plain, Device **card);
// The GPU that --device asks for; NULL: none, which is no error.
int shared_find_card(Cli *cli, Device **card);
ReportStyle shared_style(const Cli *cli);
int shared_write_report(Cli *cli, Str report);
int shared_verdict_code(Verdict verdict);
// For the code of a Diag that says what a device lacks, or how it failed.
int shared_fault_code(Str fault, int otherwise);
int shared_check_switches(Cli *cli); // --switches has its schedule

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
    const char *file;      // that a buffer starts with; NULL: none
    const char *dump;      // where it goes after the run; NULL: nowhere
} RunArgument;
// [argument_count] of the command line; files are read.
int run_read_arguments(Cli *cli, RunArgument **arguments);
// Number, size and kind against the kernel's parameters. *values: as laid out.
int run_match_arguments(Cli *cli, const PtxFunc *kernel,
                        const RunArgument *arguments, LaunchArgument **values);
int run_read_checks(Cli *cli, uint64_t *unchecked, bool *compare);

// run.c: the launch that cli->args describes, without its report.
typedef struct RunJudged {
    bool keeps; // in: outputs are wanted
    Build build;
    LaunchResult result; // file is empty where there is none
    Str *outputs;        // [argument_count]; may be NULL
} RunJudged;
int run_judge(Cli *cli, Device *device, RunJudged *judged);

// the commands
int command_grade(Cli *cli);
int command_run(Cli *cli);
int command_ptx(Cli *cli);
int command_list(Cli *cli);
int command_hint(Cli *cli);
int command_explain(Cli *cli);
int command_quiz(Cli *cli);
int command_clinic(Cli *cli);
int command_doctor(Cli *cli);
int command_compare(Cli *cli);
int command_version(Cli *cli);
int command_help(Cli *cli);

#define CLI_VERSION "0.1.0"
// What marks the regions that a learner fills in. In two parts, because lint
// looks for the whole word, which in our own sources would be something
// forgotten.
// clang-format off
#define CLI_REGION "TO" "DO"
// clang-format on

#endif
