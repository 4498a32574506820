// SPDX-License-Identifier: Apache-2.0
// What the points of a class depend on, but for the submissions: the lab, the
// grader, the toolkit, the compiler's flags.
#include "cli/batch.h"
#include "sandbox/toolkit.h"

#include <limits.h>
#include <stdlib.h>

static int find_toolkit(Batch *batch) {
    Cli *cli = batch->cli;
    ToolkitSearch search = toolkit_search_environment();
    Toolkit toolkit;
    Diags diags = diags_new(&cli->arena);
    if (!toolkit_find(&cli->arena, &search, &toolkit, &diags)) {
        output_diags(cli, &diags, (Str){0});
        return CLI_MISSING;
    }
    batch->parts[BATCH_PART_TOOLKIT] =
        toolkit_version_name(&cli->arena, toolkit.version);
    return CLI_FULL_MARKS;
}

static void find_parts(Batch *batch) {
    Cli *cli = batch->cli;
    GradeArgs none = {0};
    Build build = {0};
    cli->args.own = &none;
    Provenance from = provenance_of(cli, &batch->course, &batch->lab, &build);
    cli->args.own = (void *)batch->args;
    batch->parts[BATCH_PART_LAB] = from.lab;
    batch->parts[BATCH_PART_HEADER] = from.header;
    batch->parts[BATCH_PART_REFERENCE] = from.reference;
    batch->parts[BATCH_PART_GRADER] = from.grader;
}

// Answers are graded without a compiler, and with no seed.
static int find_quiz(Batch *batch) {
    batch->lab.file = STR("quiz-answers.txt");
    batch->lab.seeds = 1;
    return quiz_check_key(batch->cli, &batch->course, &batch->lab,
                          &batch->parts[BATCH_PART_LAB]);
}

// Children work in other folders.
static void make_absolute(Cli *cli, const char **path) {
    char absolute[PATH_MAX];
    if (*path && realpath(*path, absolute))
        *path = str_cstring(&cli->arena, str_from(absolute));
}

int batch_find_lab(Batch *batch) {
    Cli *cli = batch->cli;
    int code;
    make_absolute(cli, &cli->args.root);
    make_absolute(cli, &cli->args.labs);
    if (!course_find(cli, &batch->course, &code))
        return code;
    code = course_lab(cli, &batch->course, cli->args.words[0], &batch->lab);
    if (code == CLI_FULL_MARKS)
        code = course_check_reference(cli, &batch->course, &batch->lab);
    if (code != CLI_FULL_MARKS)
        return code;
    batch->lab.folder = str_copy(&cli->arena, batch->lab.folder);
    find_parts(batch);
    return batch->args->is_quiz ? find_quiz(batch) : find_toolkit(batch);
}

// A flag that is refused is refused for all: nothing has to be graded to see
// it. The starter is compiled with it, as what the compiler says counts.
int batch_check_flags(Batch *batch) {
    Cli *cli = batch->cli;
    Lab *lab = &batch->lab;
    Build build;
    if (cli->args.flags.count == 0 || batch->args->is_quiz)
        return CLI_FULL_MARKS;
    Str path = str_format(&cli->arena, "%.*s/%.*s/starter/%.*s",
                          STR_ARG(batch->course.labs), STR_ARG(lab->folder),
                          STR_ARG(lab->file));
    return submission_compile(cli, &batch->course, lab, path, &build);
}
