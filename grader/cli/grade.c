// SPDX-License-Identifier: Apache-2.0
// clclab grade: the lab, the file, the device, the report, the exit code.
#include "cli/internal.h"
#include "vm/vm.h"

#include <string.h>
#include <time.h>

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

static bool needs_quotes(Str word) {
    static const char plain[] = "_-./=,:@%+";
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9');
        if (!letter && !(c && strchr(plain, c)))
            return true;
    }
    return word.len == 0;
}

// Appends " word", quoted for a shell.
static void add_word(Buf *out, Str word) {
    buf_byte(out, ' ');
    if (!needs_quotes(word)) {
        buf_str(out, word);
        return;
    }
    buf_byte(out, '\'');
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] == '\'')
            buf_str(out, STR("'\\''"));
        else
            buf_byte(out, word.ptr[i]);
    buf_byte(out, '\'');
}

static void add_option(Buf *out, const char *name, const char *value) {
    if (!value)
        return;
    add_word(out, str_from(name));
    add_word(out, str_from(value));
}

// The command again, but for what does not change the verdict, and for --seed
// and --schedules, which check/ appends.
static Str replay_command(Cli *cli, const Lab *lab, Str file) {
    const Args *args = &cli->args;
    Buf out = {0};
    buf_printf(&out, "clclab grade %u", lab->number);
    if (file.ptr[0] == '-')
        add_word(&out, STR("--"));
    add_word(&out, file);
    if (strcmp(args->gpu_model, "mini") != 0)
        add_option(&out, "--gpu-model", args->gpu_model);
    if (args->compiler != COMPILER_ANY)
        add_option(&out, "--compiler",
                   args->compiler == COMPILER_NVCC ? "nvcc" : "nvrtc");
    for (size_t i = 0; i < args->flag_count; i++)
        add_option(&out, "--compile-flag", args->flags[i]);
    add_option(&out, "--root", args->root);
    add_option(&out, "--labs", args->labs);
    Str command = str_copy(&cli->arena, buf_view(&out));
    buf_free(&out);
    return command;
}

// ---- the report ----------------------------------------------------------

static int write_report(Cli *cli, const Result *result, Str source) {
    bool to_file = cli->args.out != NULL;
    bool color = to_file ? cli->args.color == COLOR_ALWAYS : cli->color_out;
    Buf out = {0};
    switch (cli->args.format) {
    case FORMAT_TEXT:
        report_text(result, source, (ReportStyle){color, cli->width}, &out);
        break;
    case FORMAT_JSON:
        report_json(result, &out);
        break;
    }
    int code = to_file ? output_file(cli, cli->args.out, buf_view(&out))
                       : output_stdout(cli, buf_view(&out));
    buf_free(&out);
    return code;
}

static int verdict_code(Verdict verdict) {
    switch (verdict) {
    case VERDICT_PASS:
        return CLI_FULL_MARKS;
    case VERDICT_FAIL:
        return CLI_BELOW;
    case VERDICT_ERROR:
        break;
    }
    return CLI_OURS;
}

// ---- the command ---------------------------------------------------------

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int find_device(Cli *cli, const VmModel **model) {
    const Args *args = &cli->args;
    if (args->device == DEVICE_GPU)
        return output_error(cli, CLI_MISSING,
                            "this build cannot grade on a GPU yet; --device vm "
                            "grades on the virtual machine");
    *model = vm_model_find(str_from(args->gpu_model));
    if (*model)
        return CLI_FULL_MARKS;
    return output_error(cli, CLI_USAGE,
                        "--gpu-model: there is no model \"%s\"; the models are "
                        "mini, b200 and rtx5090",
                        args->gpu_model);
}

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

static void run_checks(Cli *cli, const Lab *lab, const Build *build,
                       const VmModel *model, Result *result) {
    GradeOptions options = {
        .seed = cli->args.seed,
        .schedules = cli->args.schedules,
        .replay = replay_command(cli, lab, build->submission.file),
    };
    Device *device = vm_open(model);
    check_grade(&cli->arena, lab, &build->submission, device, &options, result);
    device->ops->close(device);
    result->version = STR(CLI_VERSION);
}

int command_grade(Cli *cli) {
    double start = now_ms();
    Course course;
    Lab lab;
    Str file;
    const VmModel *model;
    Build build;
    Result result;
    int code = find_device(cli, &model);
    if (code == CLI_FULL_MARKS)
        code = find_lab(cli, &course, &lab, &file);
    if (code == CLI_FULL_MARKS)
        code = submission_build(cli, &course, &lab, file, &build);
    if (code != CLI_FULL_MARKS)
        return code;
    run_checks(cli, &lab, &build, model, &result);
    if (!cli->args.no_time)
        result.elapsed_ms = now_ms() - start;
    code = write_report(cli, &result, build.submission.source);
    return code != CLI_FULL_MARKS ? code : verdict_code(result.verdict);
}
