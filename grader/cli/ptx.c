// SPDX-License-Identifier: Apache-2.0
// clclab ptx: prints a file's PTX as compiled, or as a GPU would get it.
#include "cli/options.h"
#include "cli/source/kernels.h"
#include "gpu/gpu.h"

#include <string.h>

static const char EMULATE[] = "emulate";

typedef struct PtxArgs {
    const char *target; // NULL: as it was compiled
    bool ledger;
} PtxArgs;

static const PtxArgs *own(const Cli *cli) {
    return cli->args.own;
}

// ---- the target ----------------------------------------------------------

enum { MOST_NAMES = 64 };

static int unknown_target(Cli *cli, const char *target) {
    const char *names[MOST_NAMES] = {EMULATE};
    Str list = str_from(EMULATE);
    size_t count = 1;
    for (; gpu_target_name(count - 1); count++) {
        names[count] = gpu_target_name(count - 1);
        list = str_format(&cli->arena, "%.*s, %s", STR_ARG(list), names[count]);
    }
    const char *meant = args_suggest(target, names, count);
    if (meant)
        return output_error(cli, CLI_USAGE,
                            "there is no target \"%s\"; did you mean %s?",
                            target, meant);
    return output_error(cli, CLI_USAGE,
                        "there is no target \"%s\"; there are %.*s", target,
                        STR_ARG(list));
}

static int read_target(Cli *cli, GpuRewrite *how) {
    const PtxArgs *args = own(cli);
    *how =
        (GpuRewrite){.ledger = args->ledger,
                     .keeps_index = cli->args.emulation == EMULATION_CLAIMED};
    how->emulate = args->target && strcmp(args->target, EMULATE) == 0;
    if (!args->target && args->ledger)
        return output_error(cli, CLI_USAGE,
                            "--ledger is for what a GPU gets: add --target");
    if (args->target)
        how->target = how->emulate ? STR("sm_90a") : str_from(args->target);
    if (args->target && !gpu_target_find(how->target))
        return unknown_target(cli, args->target);
    return CLI_FULL_MARKS;
}

// ---- the command ---------------------------------------------------------

static void show_messages(Cli *cli, const Submission *submission) {
    Diags diags = {.items = submission->messages,
                   .count = submission->message_count};
    output_diags(cli, &diags, submission->source);
    if (submission->reject.what.len > 0) {
        Diags reject = {.items = (Diag *)&submission->reject, .count = 1};
        output_diags(cli, &reject, (Str){0});
    }
}

static int show_rewritten(Cli *cli, const Submission *submission,
                          const GpuRewrite *how) {
    Diags diags = diags_new(&cli->arena);
    Str ptx;
    if (gpu_rewrite(&cli->arena, submission->module, how, &ptx, &diags))
        return output_stdout(cli, ptx);
    output_diags(cli, &diags, submission->source);
    return CLI_BELOW;
}

// Where there are several modules, or a kernel is named, its module is meant.
static int build_file(Cli *cli, const Course *course, Str path, Build *build) {
    const PtxFunc *kernel;
    int code = submission_build_own(cli, course, path, build);
    bool chooses = cli->args.kernel || build->module_count > 1;
    if (code != CLI_FULL_MARKS || !build->submission.module || !chooses)
        return code;
    return kernels_find(cli, build, &kernel);
}

static int ptx_command(Cli *cli) {
    Course course;
    GpuRewrite how;
    Build build;
    Str path = str_from(cli->args.words[0]);
    int code = read_target(cli, &how);
    if (code == CLI_FULL_MARKS && cli->args.labs)
        course_find(cli, &course, &code);
    else if (code == CLI_FULL_MARKS)
        course_find_any(cli, &course, &code);
    if (code != CLI_FULL_MARKS)
        return code;
    code = build_file(cli, &course, path, &build);
    if (code != CLI_FULL_MARKS)
        return code;
    show_messages(cli, &build.submission);
    if (how.target.len && build.submission.module)
        return show_rewritten(cli, &build.submission, &how);
    if (build.ptx.len > 0 && how.target.len == 0)
        code = output_stdout(cli, build.ptx);
    return code != CLI_FULL_MARKS || build.submission.module ? code : CLI_BELOW;
}

static const PtxArgs DEFAULTS = {0};

static const Option OPTIONS[] = {
    OPTION_EMULATION,
    // Only gpu/ knows the targets: read_target looks the name up.
    {"--target", "NAME", "what the PTX is for: sm_100a, ..., or emulate",
     args_take_text, OWN(PtxArgs, target)},
    {"--ledger", NULL, "with what records starts and grants on a GPU",
     args_take_flag, OWN(PtxArgs, ledger)},
    OPTION_KERNEL,
    OPTIONS_OF_BUILD,
    OPTION_ARCH,
    OPTION_COMPILER,
    OPTION_FLAG,
    OPTION_ROOT,
    OPTION_LABS,
    OPTIONS_OF_ALL,
};

const CliCommand PTX_COMMAND = {
    .name = "ptx",
    .summary = "Print a file's PTX",
    .example = "clclab ptx mine.cu --target sm_90a",
    .words = "FILE",
    .least_words = 1,
    .most_words = 1,
    .more = "FILE is as of run. "
            "The PTX is for compute_100a, as the grader sees it; that of a "
            "program is what it has. With "
            "--target it is what a GPU\nwould get: "
            "NAME is an architecture that\n"
            "ptxas knows (sm_90a, sm_100a, sm_120f, ...), or emulate: "
            "for Hopper (sm_90a), with\nCluster Launch Control "
            "replaced by other instructions. Exit status: 1 the file "
            "does\nnot compile, or needs what the target lacks.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .defaults = &DEFAULTS,
    .own_size = sizeof DEFAULTS,
    .run = ptx_command,
};
