// SPDX-License-Identifier: Apache-2.0
// What the files of cli/ share. Read in this order:
//
//   cli.c         cli_main: the commands
//   args.c        the command line -> Args, by the command's table of options
//   options.h     the options that several commands have
//   usage.c       what --help prints, from that table
//   output.c      writes to descriptors and files, and notices errors
//   course.c      where labs/ and solutions/ are; which lab is meant
//   submission.c  a file -> Submission (compile and parse)
//   binary.c      the PTX in a program; database.c: compile_commands.json
//   kernels.c     which kernel of a file is meant
//   handed_in.c   a folder in place of a file
//   untrusted.c   whether a stranger's file may be judged here
//   shared.c, replay.c  what grade and run share; unfinished.c: their
//                 reports if nothing was judged
//   grade.c, explain.c, quiz.c, ptx.c, show.c  the commands, each with its
//                 table of options
//   run.c, run_args.c  clclab run; clinic.c uses it; run_spec.c, run_json.c,
//                 run_npy.c: one argument, a list of them, an array
//   exec.c        clclab exec; program.c: runs the program; nvcc.c: builds it
//   progress.c, next.c  how far a learner has come, and what comes next
//   completion.c  scripts for shells
//   reset.c       the starter again
//   meter.c       how far long work is, on a terminal
//   debug.c       goes through the steps around a mistake; see debug.h
//   ways.c        three ways to do the same work, for a page of a grade
//   watch.c       grades on each save; watch.h lists its files
//   batch.c       has a class graded; batch.h lists its files
//   doctor.c, doctor_gpu.c, doctor_lines.c  clclab doctor
//   compare.c     clclab compare; compare_card.c: its figures from a GPU
//
// Every function that fails has printed why and returns the exit code.
#ifndef CLCLAB_CLI_INTERNAL_H
#define CLCLAB_CLI_INTERNAL_H

#include "base/base.h"
#include "check/check.h"
#include "check/clinic.h"
#include "check/quiz.h"
#include "cli/cli.h"
#include "cli/labs.h"
#include "report/report.h"
#include "sandbox/paths.h"

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

// usage.c
void usage_all(const CliCommand *const *commands, size_t count, Buf *out);
void usage_command(const CliCommand *command, Buf *out);

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

// course.c
typedef struct Course {
    Str root;   // "" (the current folder), or a path that ends in "/"
    Str labs;   // the folder of the labs, without a "/" at the end
    Str common; // the folder of lab.h
    bool given; // by --root, CLCLAB_ROOT or --labs
} Course;

// Finds the course; if there is none, prints an error and returns false.
bool course_find(Cli *cli, Course *course, int *code);
// The same, but if there is no course *course is empty, without an error.
bool course_find_any(Cli *cli, Course *course, int *code);
// Reads the lab.conf of the lab that the user named. CLI_FULL_MARKS: *lab is
// filled in.
int course_lab(Cli *cli, const Course *course, const char *name, Lab *lab);
// The names of the labs' folders, sorted.
size_t course_list(Cli *cli, const Course *course, Str **folders);
int course_read_conf(Cli *cli, const Course *course, Str folder, Lab *lab);
const LabEntry *course_find_entry(Str folder); // NULL: it is not built in
uint32_t course_number(Str folder);            // 4 of "04-cluster-clc"; 0: none
const char *course_hints(Cli *cli, const Course *course, const Lab *lab);
// The lab's reference.c is compiled in: an error if the course's is another
// one, since grades would be of what is no longer asked.
int course_check_reference(Cli *cli, const Course *course, const Lab *lab);

// submission.c
// Reads, compiles and parses. CLI_FULL_MARKS: *submission can be graded.
// `lab` may be NULL (clclab ptx).
typedef struct Build {
    Submission submission;
    Str ptx;    // its text; empty if it did not compile
    Str kernel; // what --kernel names, if the compiler has found it
    // Of a program: the PTX of its sources; else none.
    struct BuildText {
        Str ptx;
        bool is_part; // linked with the other parts
    } * texts;
    size_t text_count, text_capacity;
    PtxModule **modules; // of a kernel of no lab: where it may be
    size_t module_count;
    Diags diags;       // of the compiler and the parser
    GuardsNote guards; // of the compiler
} Build;
typedef struct BuildText BuildText;
// The two halves of submission_build: what the compiler makes, and what the PTX
// says. Parsing a stranger's PTX is bounded work (bounded.h).
int submission_compile(Cli *cli, const Course *course, const Lab *lab, Str path,
                       Build *build);
void submission_parse(Cli *cli, Build *build);
int submission_build(Cli *cli, const Course *course, const Lab *lab, Str path,
                     Build *build);

// The same for a kernel that belongs to no lab, .cu or .ptx. It can include
// files of its own folder. `course` may be empty.
int submission_compile_own(Cli *cli, const Course *course, Str path,
                           Build *build);
void submission_parse_own(Cli *cli, Build *build);
int submission_build_own(Cli *cli, const Course *course, Str path,
                         Build *build);
Str submission_cache(Arena *arena); // the folder; empty: none

// database.c: the flags of --compile-commands for the file, behind those that
// there are; none without that option.
int database_flags(Cli *cli, Str path, CliValues *flags);

// handed_in.c: where *file is a folder, the source in it takes its place.
int handed_in_find(Cli *cli, const Lab *lab, Str *file);

// untrusted.c: whether the file may be judged on this machine, by --untrusted
// and --allow-weak-sandbox. A stranger's file goes to a GPU only if one is
// asked for.
int untrusted_check(Cli *cli);

// replay.c: appends the options, with their values, under which the command ran
// and which are not the usual ones. `command` may be another than the one that
// runs: then the options that all commands have the fields of.
void replay_options(Buf *out, const Args *args, const CliCommand *command);
ArgsGive replay_give_size; // uint32_t[3]: X[,Y[,Z]]
ArgsGive replay_give_device;
// Whether there is a way to give the option.
bool replay_can_give(const Option *option);

// shared.c
double shared_now_ms(void);
// Processors of this machine: 1 at least, `most` at most.
size_t shared_processors(size_t most);
// For --jobs; 0: one for each processor.
size_t shared_workers(uint64_t jobs);
// Whether the machine gives a process fewer addresses than a judge is given.
bool shared_is_short_of_memory(void);
int shared_open_model(Cli *cli, Device **device); // the virtual machine
// One more for each of the crew's workers but the first; NULL: it failed.
Device **shared_open_helpers(Cli *cli);
// For the bars of a lab in modelled time: the virtual machine's small model
// with slow memory, so that a block's work takes longer than a request. NULL:
// the lab has no bars, or there is no machine at all.
Device *shared_open_timed(Arena *arena, const Lab *lab);
// The GPU. is_plain: kernels run as they are, without a ledger.
int shared_open_card(Cli *cli, bool is_plain, Device **card);
// The GPU that --device asks for; NULL: none, which is no error.
int shared_find_card(Cli *cli, Device **card);

// card.c: that the machine's GPUs have no Cluster Launch Control, kept in the
// cache, as to ask the driver takes a third of a second. `proc`: the folder of
// NVIDIA's kernel module; the key is empty where that says nothing.
Str card_key(Arena *arena, Str proc);
bool card_is_remembered(Arena *arena, Str key);
void card_remember(Arena *arena, Str key);
ReportStyle shared_style(const Cli *cli);
int shared_write_report(Cli *cli, Str report);
// Appends the report in the format that was asked for, and fills in its style.
void shared_add_report(Cli *cli, Report *report, Buf *out);
int shared_report(Cli *cli, Report *report); // to --out or standard output
// Whether the format that was asked for, for reports of this kind, is meant for
// a person.
bool shared_is_for_a_person(const Cli *cli, ReportKind kind);
// Whether the run has to be recorded: for --trace, or for the format.
bool shared_is_traced(const Cli *cli, ReportKind kind);
// Writes the file of --trace, if it is given. Before anything is judged, with
// an empty text, it writes a trace of nothing.
int shared_write_trace(Cli *cli, Str text);
int shared_verdict_code(Verdict verdict);
// The exit code of a command that has written a report: `code`, or 0 if that is
// what the format's readers want.
int shared_exit_code(const Cli *cli, ReportKind kind, int code);
// The exit code for the code of a Diag about what a device lacks or how it
// failed.
int shared_fault_code(Str fault, int otherwise);
// Checks that --switches comes with the schedule that it needs.
int shared_check_switches(Cli *cli, const ScheduleArgs *schedule);

// unfinished.c: kind is REPORT_GRADE or REPORT_RUN. _end appends to *out,
// unless there is a report in it.
int unfinished_begin(Cli *cli, ReportKind kind);
void unfinished_end(Cli *cli, ReportKind kind, Buf *out);

// the commands
extern const CliCommand GRADE_COMMAND, TRACE_COMMAND, RUN_COMMAND, PTX_COMMAND,
    LIST_COMMAND, HINT_COMMAND, EXPLAIN_COMMAND, QUIZ_COMMAND, CLINIC_COMMAND,
    DOCTOR_COMMAND, COMPARE_COMMAND, VERSION_COMMAND, VERIFY_COMMAND,
    NEXT_COMMAND, COMPLETION_COMMAND, WATCH_COMMAND, RESET_COMMAND,
    BATCH_COMMAND, DEBUG_COMMAND, EXEC_COMMAND, NVCC_COMMAND;
// next.c: clclab without a command. *found: there is a course.
int next_alone(Cli *cli, bool *found);

#define CLI_VERSION "0.1.0"
// What marks the regions that a learner fills in. In two parts, because lint
// looks for the whole word, which in our own sources would be something
// forgotten.
// clang-format off
#define CLI_REGION "TO" "DO"
// clang-format on

#endif
