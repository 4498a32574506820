// SPDX-License-Identifier: Apache-2.0
// clclab exec: runs a whole CUDA program, whose kernels run on the virtual
// machine. The program loads our library instead of NVIDIA's (runtime/), which
// says in a journal what it saw; afterwards this shows it.
#include "cli/options.h"
#include "cli/program.h"
#include "cli/run.h"
#include "runtime/core/journal.h"
#include "runtime/core/options.h"
#include "trials/trials.h"
#include "vm/vm.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_JOURNAL = 1 << 30, // bytes
    MOST_EXIT = 255,
};

// A whole program's launches may be long, and one that comes nowhere is told
// before (vm/engine/livelock.c).
#define EXEC_STEPS (UINT64_C(1) << 40)

typedef struct ExecArgs {
    ScheduleArgs schedule;
    const char *launches; // "3-5"; NULL: all
    const char *kernels;  // a pattern; NULL: all
    const char *check;    // NULL: all
    const char *model;    // NULL: the default
    uint64_t max_steps;   // 0: no limit
    uint64_t first, last; // of `launches`
    uint64_t jobs;        // schedules at a time; 0: one for each processor
    GrantOrder grants;
    RuntimeUnwritten unwritten;
    CliNumber exit_code; // of a program with errors
    bool stops;
    ProgramAbout about; // found out
} ExecArgs;

static ExecArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- options -------------------------------------------------------------

static int bad_launches(Cli *cli) {
    return output_error(cli, CLI_USAGE,
                        "exec: --launches %s: write the numbers of the first "
                        "and the last one to check, such as 3-5, or of one",
                        own(cli)->launches);
}

static int read_launches(Cli *cli) {
    ExecArgs *args = own(cli);
    args->first = 1;
    args->last = UINT64_MAX;
    if (!args->launches)
        return CLI_FULL_MARKS;
    Str rest = str_from(args->launches);
    bool is_range = str_find(rest, '-') < rest.len;
    if (!str_to_u64(str_cut(&rest, '-'), &args->first))
        return bad_launches(cli);
    if (!is_range)
        args->last = args->first;
    else if (rest.len && !str_to_u64(rest, &args->last))
        return bad_launches(cli);
    bool fits = args->first >= 1 && args->first <= args->last;
    return fits ? CLI_FULL_MARKS : bad_launches(cli);
}

static int read_pattern(Cli *cli) {
    char why[128];
    regex_t pattern;
    const char *kernels = own(cli)->kernels;
    if (!kernels)
        return CLI_FULL_MARKS;
    int error = regcomp(&pattern, kernels, REG_EXTENDED | REG_NOSUB);
    if (error == 0) {
        regfree(&pattern);
        return CLI_FULL_MARKS;
    }
    regerror(error, &pattern, why, sizeof why);
    return output_error(cli, CLI_USAGE, "exec: --kernels %s: %s", kernels, why);
}

static const char *model_of(const Cli *cli) {
    return own(cli)->model ? own(cli)->model : RUNTIME_DEFAULT_MODEL;
}

static int check_model(Cli *cli) {
    if (vm_model_find(str_from(model_of(cli))))
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "--gpu-model: there is no model \"%s\"; the models "
                        "are mini, b200 and rtx5090",
                        model_of(cli));
}

// ---- the program's environment -------------------------------------------

static void set_number(const char *variable, uint64_t value) {
    char text[24];
    Buf out = {0};
    buf_printf(&out, "%llu", (unsigned long long)value);
    str_fill(text, sizeof text, buf_view(&out));
    buf_free(&out);
    setenv(variable, text, 1);
}

static void set_or_not(const char *variable, const char *value) {
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

// With --only-schedule, there are as many as that needs.
static uint64_t schedules_of(const ExecArgs *args) {
    const CliNumber *only = &args->schedule.only;
    if (only->given && only->value == 0)
        return 1;
    return only->given && only->value >= args->schedule.schedules
               ? only->value + 1
               : args->schedule.schedules;
}

static int set_options(Cli *cli) {
    const ExecArgs *args = own(cli);
    LaunchCompare compare;
    RuntimeOptions options = {.schedules = schedules_of(args),
                              .only = args->schedule.only.value,
                              .seed = args->schedule.seed,
                              .jobs = shared_workers(args->jobs),
                              .in_order = args->grants == GRANTS_IN_ORDER,
                              .first = args->first,
                              .last = args->last,
                              .unwritten = args->unwritten,
                              .steps = args->max_steps,
                              .stops = args->stops};
    int code = run_read_check_list(cli, "exec", args->check, &options.unchecked,
                                   &compare);
#define SET_NUMBER(field, variable, value) set_number(variable, options.field);
    RUNTIME_NUMBERS(SET_NUMBER)
#undef SET_NUMBER
    set_or_not(RUNTIME_MODEL_VARIABLE, model_of(cli));
    set_or_not(RUNTIME_KERNELS_VARIABLE, args->kernels);
    return code;
}

static void preload(Cli *cli, Str folder, const char *library) {
    const char *others = getenv("LD_PRELOAD");
    Str all = str_format(&cli->arena, "%.*s/%s%s%s", STR_ARG(folder), library,
                         others ? ":" : "", others ? others : "");
    setenv("LD_PRELOAD", all.ptr, 1);
}

// The folder of the libraries: beside this program, where make builds them.
static int set_libraries(Cli *cli) {
    const ProgramAbout *about = &own(cli)->about;
    Str program = str_from(cli->program);
    while (program.len && program.ptr[program.len - 1] != '/')
        program.len--;
    Str folder = str_format(&cli->arena, "%.*sruntime", STR_ARG(program));
    Str library =
        str_format(&cli->arena, "%.*s/libcudart.so.13", STR_ARG(folder));
    if (access(library.ptr, R_OK) != 0)
        return output_error(cli, CLI_MISSING,
                            "exec: %.*s is not there; make builds it",
                            STR_ARG(library));
    const char *others = getenv("LD_LIBRARY_PATH");
    Str path = str_format(&cli->arena, "%.*s%s%s", STR_ARG(folder),
                          others ? ":" : "", others ? others : "");
    setenv("LD_LIBRARY_PATH", path.ptr, 1);
    if (about->has_rpath && about->kind == PROGRAM_SHARED)
        preload(cli, folder,
                about->is_cuda12 ? "libcudart.so.12" : "libcudart.so.13");
    if (about->uses_nvrtc)
        preload(cli, folder, "libclclab-nvrtc.so");
    return CLI_FULL_MARKS;
}

// ---- the result ----------------------------------------------------------

static void add_message(Cli *cli, ExecResult *result, DiagLevel level,
                        const char *what, const char *help) {
    arena_grow(&cli->arena, result->messages, result->message_count,
               result->message_capacity);
    result->messages[result->message_count++] =
        (Diag){.level = level, .what = str_from(what), .help = str_from(help)};
}

// The command again, with that launch alone checked, under the schedule that
// showed the finding.
static Str replay_command(Cli *cli, const ExecFinding *finding) {
    Arena *arena = &cli->arena;
    Trial trial = {.seed = own(cli)->schedule.seed,
                   .number = finding->schedule};
    Buf out = {0};
    Str base = str_format(arena, "clclab exec --launches %llu",
                          (unsigned long long)finding->launch);
    buf_str(&out, finding->schedule ? replay_trial(arena, base, &trial, STR(""))
                                    : base);
    replay_options(&out, &cli->args, &EXEC_COMMAND);
    replay_file(&out, str_from(cli->args.words[0]));
    for (char **word = cli->args.rest; *word; word++)
        replay_word(&out, str_from(*word));
    Str command = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return command;
}

static void add_replays(Cli *cli, ExecResult *result) {
    for (size_t i = 0; i < result->finding_count; i++)
        result->findings[i].cause.replay =
            replay_command(cli, &result->findings[i]);
}

// Texts of the files that findings are in, for excerpts.
static void read_sources(Cli *cli, ExecResult *result) {
    Str why;
    for (size_t i = 0; i < result->finding_count; i++) {
        ExecFinding *finding = &result->findings[i];
        SrcLoc at = finding->cause.at;
        for (size_t k = 0; k < i && finding->source.len == 0; k++)
            if (str_equal(result->findings[k].cause.at.file, at.file))
                finding->source = result->findings[k].source;
        if (at.line && finding->source.len == 0)
            file_read(&cli->arena, str_cstring(&cli->arena, at.file),
                      CLI_MAX_SOURCE, &finding->source, &why);
    }
}

static void judge(Cli *cli, ExecResult *result) {
    result->verdict = result->errors ? VERDICT_FAIL : VERDICT_PASS;
    for (size_t i = 0; i < result->finding_count; i++)
        if (result->findings[i].is_ours)
            result->verdict = VERDICT_ERROR;
    for (size_t i = 0; i < result->message_count; i++)
        if (result->messages[i].level == DIAG_ERROR)
            result->verdict = VERDICT_ERROR;
    if (result->processes == 0)
        add_message(cli, result, DIAG_WARNING,
                    "The program did not use a device through CUDA's shared "
                    "runtime library.",
                    "If it should have, build it with clclab nvcc, or with "
                    "nvcc -cudart shared. A script that sets LD_LIBRARY_PATH "
                    "must keep what is in it.");
    else if (result->is_incomplete)
        add_message(cli, result, DIAG_WARNING,
                    "A process was ended before it could sum up: there may "
                    "have been a few launches more.",
                    "What it had found until then is above.");
}

static int show(Cli *cli, const ExecResult *result) {
    Buf out = {0};
    Report report = {.kind = REPORT_EXEC, .exec = result};
    int code = CLI_FULL_MARKS;
    cli->color_out = cli->color_err;
    shared_add_report(cli, &report, &out);
    if (cli->args.out)
        code = output_file(cli, "--out", cli->args.out, buf_view(&out));
    else if (!output_write(STDERR_FILENO, buf_view(&out)))
        code = CLI_TRY_LATER;
    buf_free(&out);
    return code;
}

static int exit_code(const Cli *cli, const ExecResult *result) {
    const ExecArgs *args = own(cli);
    if (result->verdict == VERDICT_ERROR)
        return CLI_OURS;
    if (result->errors && args->exit_code.given)
        return (int)args->exit_code.value;
    return result->exit_code;
}

static int report(Cli *cli, Str journal, ProgramEnd end, double start) {
    ExecResult result = {.program = str_from(cli->args.words[0]),
                         .device = STR("vm"),
                         .gpu_model = str_from(model_of(cli)),
                         .seed = own(cli)->schedule.seed,
                         .schedules = own(cli)->schedule.only.value
                                          ? 2 // and the plain one
                                          : schedules_of(own(cli)),
                         .exit_code = end.exit_code,
                         .signal = end.signal,
                         .version = STR(CLI_VERSION)};
    journal_read(&cli->arena, journal, &result);
    judge(cli, &result);
    read_sources(cli, &result);
    add_replays(cli, &result);
    if (!own(cli)->schedule.no_time)
        result.elapsed_ms = clock_ms() - start;
    int code = show(cli, &result);
    return code ? code : exit_code(cli, &result);
}

// ---- the command ---------------------------------------------------------

static int check_program(Cli *cli) {
    Arena scratch = {0};
    const char *name = cli->args.words[0];
    Str path = program_find(&scratch, name);
    bool is_there = path.len > 0;
    if (is_there)
        own(cli)->about = program_about(&scratch, path);
    arena_free(&scratch);
    if (!is_there)
        return output_error(cli, CLI_USAGE,
                            "exec: there is no program %s that can be run",
                            name);
    if (own(cli)->about.kind != PROGRAM_STATIC)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_MISSING,
                        "exec: %s has CUDA's runtime linked into it, which "
                        "needs a driver and a GPU; build it with clclab nvcc, "
                        "or with nvcc -cudart shared",
                        name);
}

static int run_with(Cli *cli, char *journal) {
    ProgramEnd end;
    Str text, why;
    size_t count = 0;
    double start = clock_ms();
    while (cli->args.rest[count])
        count++;
    char **argv = arena_new(&cli->arena, char *, count + 2);
    argv[0] = str_cstring(&cli->arena, str_from(cli->args.words[0]));
    memcpy(argv + 1, cli->args.rest, count * sizeof *argv);
    setenv(JOURNAL_VARIABLE, journal, 1);
    int code = program_run(cli, argv, &end);
    if (code)
        return code;
    if (file_read(&cli->arena, journal, MOST_JOURNAL, &text, &why) != FILE_READ)
        return output_error(cli, CLI_TRY_LATER, "exec: %s: %.*s", journal,
                            STR_ARG(why));
    return report(cli, text, end, start);
}

static int run_journaled(Cli *cli) {
    const char *folder = getenv("TMPDIR");
    char *path = str_cstring(&cli->arena,
                             str_format(&cli->arena, "%s/clclab-exec-XXXXXX",
                                        folder && folder[0] ? folder : "/tmp"));
    int journal = mkstemp(path);
    if (journal < 0)
        return output_error(cli, CLI_TRY_LATER, "exec: %s: %s", path,
                            strerror(errno));
    close(journal);
    int code = run_with(cli, path);
    unlink(path);
    return code;
}

static int exec_command(Cli *cli) {
    int code = read_launches(cli);
    if (!code)
        code = read_pattern(cli);
    if (!code)
        code = check_model(cli);
    if (!code)
        code = check_program(cli);
    if (!code)
        code = set_options(cli);
    if (!code)
        code = set_libraries(cli);
    return code ? code : run_journaled(cli);
}

static const ExecArgs DEFAULTS = {
    .schedule = {.seed = CLI_DEFAULT_SEED, .schedules = 1},
    .max_steps = EXEC_STEPS,
};

static const Option OPTIONS[] = {
    OPTION_SCHEDULES(ExecArgs, schedule,
                     "of each launch, from the same memory (default: 1)"),
    OPTION_SEED(ExecArgs, schedule, "of these schedules (default: 1)"),
    {"--only-schedule", "N", "the plain one and this one alone",
     args_take_optional, OWN(ExecArgs, schedule.only),
     .most = CLI_MAX_SCHEDULES - 1, .is_not_replayed = true},
    {"--grants", "in-order|any",
     "with in-order, these keep the order of blocks (default: any)",
     args_take_choice, OWN(ExecArgs, grants),
     .names = CHOICES("any", "in-order")},
    {"--launches", "A-B", "check these alone, counted from 1", args_take_text,
     OWN(ExecArgs, launches), .is_not_replayed = true},
    {"--kernels", "REGEX", "check kernels with such names alone",
     args_take_name, OWN(ExecArgs, kernels)},
    {"--stop-at-first", NULL, "end the program after a launch with an error",
     args_take_flag, OWN(ExecArgs, stops), .is_not_replayed = true},
    {"--check", "all|none|LIST", "which rules: CLC,MEM001 (default: all)",
     args_take_text, OWN(ExecArgs, check)},
    {"--unwritten", "tell|error|off",
     "reads of global memory that nobody has written (default: tell)",
     args_take_choice, OWN(ExecArgs, unwritten),
     .names = CHOICES("tell", "error", "off")},
    {"--max-steps", "N", "thread-instructions of a launch; 0: no limit",
     args_take_number, OWN(ExecArgs, max_steps), .most = UINT64_MAX},
    {"--gpu-model", "mini|b200|rtx5090",
     "the GPU that the virtual machine plays (default: b200)", args_take_text,
     OWN(ExecArgs, model)},
    {"--error-exitcode", "N", "exit status if there are errors",
     args_take_optional, OWN(ExecArgs, exit_code), .most = MOST_EXIT,
     .is_not_replayed = true},
    OPTION_FORMAT("of the summary"),
    OPTION_OUT,
    OPTION_FRAMES,
    OPTION_JOBS(ExecArgs, jobs, "schedules at a time"),
    OPTION_NO_TIME(ExecArgs, schedule),
    OPTIONS_OF_ALL,
};

const CliCommand EXEC_COMMAND = {
    .name = "exec",
    .summary = "Run a CUDA program, with its kernels checked",
    .example = "clclab exec --error-exitcode 1 ./saxpy 1000",
    .words = "PROGRAM [ARGS]",
    .least_words = 1,
    .most_words = 1,
    .takes_rest = true,
    .more = "No GPU is needed: the program's kernels run on the virtual "
            "machine, and every launch is checked by all rules. The program "
            "must use CUDA's shared runtime library: build it with clclab "
            "nvcc, or nvcc -cudart shared. A summary follows on standard "
            "error. Exit status: the program's own; 69 it has the runtime "
            "linked into it; 70 a kernel could not be run here.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .report = REPORT_EXEC,
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = exec_command,
};
