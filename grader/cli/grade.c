// SPDX-License-Identifier: Apache-2.0
// clclab grade: the lab, the file, the device, the report, the exit code.
#include "cli/internal.h"

// ---- the file and how to say it again ------------------------------------

static Str default_file(Cli *cli, const Course *course, const Lab *lab) {
    Arena *arena = &cli->arena;
    if (cli->args.solutions)
        return str_format(arena, "%.*ssolutions/%.*s/%.*s",
                          STR_ARG(course->root), STR_ARG(lab->folder),
                          STR_ARG(lab->file));
    return str_format(arena, "%.*s/%.*s/%.*s", STR_ARG(course->labs),
                      STR_ARG(lab->folder), STR_ARG(lab->file));
}

// The command again, but for what does not change the verdict, and for the seed
// and the schedules, which check/ appends.
static Str replay_command(Cli *cli, const Lab *lab, Str file) {
    const Args *args = &cli->args;
    Buf out = {0};
    buf_printf(&out, "clclab grade %u", lab->number);
    replay_file(&out, file);
    replay_build_options(&out, args);
    replay_option(&out, "--labs", args->labs);
    Str command = str_copy(&cli->arena, buf_view(&out));
    buf_free(&out);
    return command;
}

// ---- the command ---------------------------------------------------------

typedef struct Devices {
    Device *model;
    Device *card; // NULL: none
} Devices;

static int find_lab(Cli *cli, Course *course, Lab *lab, Str *file) {
    const Args *args = &cli->args;
    int code;
    if (args->solutions && args->word_count > 1)
        return output_error(cli, CLI_USAGE,
                            "--solutions names the file already: leave out "
                            "\"%s\"",
                            args->words[1]);
    if (!course_find(cli, course, &code))
        return code;
    code = course_lab(cli, course, args->words[0], lab);
    if (code == CLI_FULL_MARKS)
        *file = args->word_count > 1 ? str_from(args->words[1])
                                     : default_file(cli, course, lab);
    return code;
}

static int write_report(Cli *cli, const Result *result, Str source) {
    Buf out = {0};
    switch (cli->args.format) {
    case FORMAT_TEXT:
        report_text(result, source, shared_style(cli), &out);
        break;
    case FORMAT_JSON:
        report_json(result, &out);
        break;
    }
    int code = shared_write_report(cli, buf_view(&out));
    buf_free(&out);
    return code;
}

static void run_checks(Cli *cli, const Lab *lab, const Build *build,
                       const Devices *devices, Result *result) {
    GradeOptions options = {
        .seed = cli->args.seed,
        .schedules = cli->args.schedules,
        .is_single = cli->args.has_only_schedule,
        .single = cli->args.only_schedule,
        .is_limited = cli->args.has_switches,
        .switches = cli->args.switches,
        .has_size = cli->args.has_size,
        .size = cli->args.size,
        .replay = replay_command(cli, lab, build->submission.file),
    };
    check_grade(&cli->arena, lab, &build->submission, devices->model, &options,
                result);
    if (devices->card)
        check_on_card(&cli->arena, lab, &build->submission, devices->card,
                      &options, result);
    result->version = STR(CLI_VERSION);
}

// An error may be over the next time.
static int result_code(const Result *result) {
    int code = shared_verdict_code(result->verdict);
    for (size_t i = 0; i < result->check_count && code == CLI_OURS; i++)
        if (result->checks[i].status == CHECK_ERROR)
            return shared_fault_code(result->checks[i].causes[0].code, code);
    return code;
}

static int grade(Cli *cli, const Devices *devices) {
    double start = shared_now_ms();
    Course course;
    Lab lab;
    Str file;
    Build build;
    Result result;
    int code = find_lab(cli, &course, &lab, &file);
    if (code == CLI_FULL_MARKS && cli->args.has_size &&
        !check_fits_size(&lab, cli->args.size))
        code = output_error(cli, CLI_USAGE,
                            "grade: --size: this lab's sizes are one number");
    if (code == CLI_FULL_MARKS)
        code = submission_build(cli, &course, &lab, file, &build);
    if (code != CLI_FULL_MARKS)
        return code;
    run_checks(cli, &lab, &build, devices, &result);
    if (!cli->args.no_time)
        result.elapsed_ms = shared_now_ms() - start;
    code = write_report(cli, &result, build.submission.source);
    return code != CLI_FULL_MARKS ? code : result_code(&result);
}

static int check_options(Cli *cli) {
    const Args *args = &cli->args;
    if (args->has_size && !args->has_only_schedule)
        return output_error(cli, CLI_USAGE,
                            "grade: --size goes with --only-schedule");
    return shared_check_switches(cli);
}

int command_grade(Cli *cli) {
    Devices devices;
    int code = check_options(cli);
    if (code == CLI_FULL_MARKS)
        code = shared_open_model(cli, &devices.model);
    if (code != CLI_FULL_MARKS)
        return code;
    code = shared_find_card(cli, &devices.card);
    if (code == CLI_FULL_MARKS)
        code = grade(cli, &devices);
    if (devices.card)
        devices.card->ops->close(devices.card);
    devices.model->ops->close(devices.model);
    return code;
}
