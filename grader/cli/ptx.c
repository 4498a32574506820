// SPDX-License-Identifier: Apache-2.0
// clclab ptx: the PTX of a file as it was compiled, or as a GPU would get it.
#include "cli/internal.h"
#include "gpu/gpu.h"

#include <string.h>

static const char EMULATE[] = "emulate";

// ---- the target ----------------------------------------------------------

enum { MOST_NAMES = 64 };

static int unknown_target(Cli *cli) {
    const char *names[MOST_NAMES] = {EMULATE};
    Str list = str_from(EMULATE);
    size_t count = 1;
    for (; gpu_target_name(count - 1); count++) {
        names[count] = gpu_target_name(count - 1);
        list = str_format(&cli->arena, "%.*s, %s", STR_ARG(list), names[count]);
    }
    const char *meant = args_suggest(cli->args.target, names, count);
    if (meant)
        return output_error(cli, CLI_USAGE,
                            "there is no target \"%s\"; did you mean %s?",
                            cli->args.target, meant);
    return output_error(cli, CLI_USAGE,
                        "there is no target \"%s\"; there are %.*s",
                        cli->args.target, STR_ARG(list));
}

static int read_target(Cli *cli, GpuRewrite *how) {
    const Args *args = &cli->args;
    *how =
        (GpuRewrite){.ledger = args->ledger, .keeps_index = args->keeps_index};
    how->emulate = args->target && strcmp(args->target, EMULATE) == 0;
    if (!args->target && args->ledger)
        return output_error(cli, CLI_USAGE,
                            "--ledger is for what a GPU gets: add --target");
    if (args->target)
        how->target = how->emulate ? STR("sm_90a") : str_from(args->target);
    if (args->target && !gpu_target_find(how->target))
        return unknown_target(cli);
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

int command_ptx(Cli *cli) {
    Course course;
    GpuRewrite how;
    Build build;
    Str path = str_from(cli->args.words[0]);
    int code = read_target(cli, &how);
    if (code != CLI_FULL_MARKS || !course_find(cli, &course, &code))
        return code;
    code = how.target.len ? submission_build_own(cli, &course, path, &build)
                          : submission_build(cli, &course, NULL, path, &build);
    if (code != CLI_FULL_MARKS)
        return code;
    show_messages(cli, &build.submission);
    if (how.target.len && build.submission.module)
        return show_rewritten(cli, &build.submission, &how);
    if (build.ptx.len > 0 && how.target.len == 0)
        code = output_stdout(cli, build.ptx);
    return code != CLI_FULL_MARKS || build.submission.module ? code : CLI_BELOW;
}
