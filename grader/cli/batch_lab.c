// SPDX-License-Identifier: Apache-2.0
// What the points of a class depend on, but for the submissions: the lab, the
// grader, the toolkit, the options.
#include "cli/batch.h"
#include "cli/grade.h"
#include "cli/quiz.h"
#include "sandbox/toolkit.h"

#include <limits.h>
#include <stdlib.h>

static int find_toolkit(Class *class, BatchRequest *request) {
    Cli *cli = class->cli;
    ToolkitSearch search = toolkit_search_environment();
    Toolkit toolkit;
    Diags diags = diags_new(&cli->arena);
    if (!toolkit_find(&cli->arena, &search, &toolkit, &diags)) {
        output_diags(cli, &diags, (Str){0});
        return CLI_MISSING;
    }
    request->parts[BATCH_PART_TOOLKIT] =
        toolkit_version_name(&cli->arena, toolkit.version);
    return CLI_FULL_MARKS;
}

static void find_parts(Class *class, BatchRequest *request) {
    Cli *cli = class->cli;
    GradeArgs none = {0};
    Build build = {0};
    cli->args.own = &none;
    Provenance from = provenance_of(cli, &class->course, &class->lab, &build);
    cli->args.own = (void *)class->args;
    request->parts[BATCH_PART_LAB] = from.lab;
    request->parts[BATCH_PART_HEADER] = from.header;
    request->parts[BATCH_PART_REFERENCE] = from.reference;
    request->parts[BATCH_PART_GRADER] = from.grader;
}

// Answers are graded without a compiler, and with no seed.
static int find_quiz(Class *class, BatchRequest *request) {
    request->file = STR("quiz-answers.txt");
    request->seeds = 1;
    return quiz_check_key(class->cli, &class->course, &class->lab,
                          &request->parts[BATCH_PART_LAB]);
}

static Str options_of(const Class *class) {
    Buf text = {0};
    const Args *args = &class->cli->args;
    buf_printf(&text, "; schedules %llu; model %s; compiler %u; feedback %u",
               (unsigned long long)class->args->schedule.schedules,
               args->gpu_model ? args->gpu_model : "mini", args->compiler,
               class->args->feedback);
    for (size_t i = 0; i < args->flags.count; i++)
        buf_printf(&text, "; flag %s", args->flags.items[i]);
    if (class->args->on_gpu)
        buf_str(&text, STR("; on a GPU"));
    Str options = str_copy(&class->cli->arena, buf_view(&text));
    buf_free(&text);
    return options;
}

// Children work in other folders.
static void make_absolute(Cli *cli, const char **path) {
    char absolute[PATH_MAX];
    if (*path && realpath(*path, absolute))
        *path = str_cstring(&cli->arena, str_from(absolute));
}

int class_find_lab(Class *class, BatchRequest *request) {
    Cli *cli = class->cli;
    Lab *lab = &class->lab;
    int code;
    make_absolute(cli, &cli->args.root);
    make_absolute(cli, &cli->args.labs);
    if (!course_find(cli, &class->course, &code))
        return code;
    code = course_lab(cli, &class->course, cli->args.words[0], lab);
    if (code == CLI_FULL_MARKS)
        code = course_check_reference(cli, &class->course, lab);
    if (code != CLI_FULL_MARKS)
        return code;
    lab->folder = str_copy(&cli->arena, lab->folder);
    request->exercise = str_format(&cli->arena, "%.*s%s", STR_ARG(lab->folder),
                                   class->args->is_quiz ? " (quiz)" : "");
    request->file = lab->file;
    request->seeds = lab->seeds;
    request->is_mean = lab->seeds_mean;
    request->options = options_of(class);
    find_parts(class, request);
    return class->args->is_quiz ? find_quiz(class, request)
                                : find_toolkit(class, request);
}

static Str starter_of(const Class *class) {
    return str_format(&class->cli->arena, "%.*s/%.*s/starter/%.*s",
                      STR_ARG(class->course.labs), STR_ARG(class->lab.folder),
                      STR_ARG(class->lab.file));
}

// A flag that is refused is refused for all: nothing has to be graded to see
// it. The starter is compiled with it, as what the compiler says counts.
int class_check_flags(Class *class) {
    Cli *cli = class->cli;
    Build build;
    if (cli->args.flags.count == 0 || class->args->is_quiz)
        return CLI_FULL_MARKS;
    return submission_compile(cli, &class->course, &class->lab,
                              starter_of(class), &build);
}

void class_read_known(Class *class, BatchRequest *request) {
    Arena *arena = &class->cli->arena;
    const Course *course = &class->course;
    const Lab *lab = &class->lab;
    Str paths[] = {starter_of(class),
                   str_format(arena, "%.*ssolutions/%.*s/%.*s",
                              STR_ARG(course->root), STR_ARG(lab->folder),
                              STR_ARG(lab->file)),
                   str_format(arena, "%.*s/lab.h", STR_ARG(course->common))};
    Str *known = arena_new(arena, Str, COUNT_OF(paths)), why;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        request->known_count +=
            file_read(arena, paths[i].ptr, CLI_MAX_SOURCE,
                      &known[request->known_count], &why) == FILE_READ;
    request->known = known;
}
