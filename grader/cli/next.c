// SPDX-License-Identifier: Apache-2.0
// clclab next: the lab that the learner is at, and what to type. clclab alone
// says the same, below how far she has come; clclab list has each lab's points.
#include "cli/options.h"
#include "cli/progress/progress.h"

#include <string.h>

// ---- parts ---------------------------------------------------------------

static void add_path(Buf *out, const char *what, const Course *course,
                     const Lab *lab, Str file) {
    buf_printf(out, "  %-7s", what);
    utf8_escape(course->labs, out);
    buf_byte(out, '/');
    utf8_escape(lab->folder, out);
    buf_byte(out, '/');
    utf8_escape(file, out);
    buf_byte(out, '\n');
}

void next_add_points(Buf *out, const LabProgress *done) {
    buf_printf(out, "%.6g/%.6g", done->best, done->most);
}

static void add_lab(Buf *out, const Course *course, const Lab *lab,
                    const LabProgress *done) {
    buf_printf(out, "Lab %u: ", lab->number);
    utf8_escape(lab->title, out);
    if (done) {
        buf_str(out, STR(" (your best: "));
        next_add_points(out, done);
        buf_byte(out, ')');
    }
    buf_byte(out, '\n');
    add_path(out, "read", course, lab, STR("README.md"));
    add_path(out, "edit", course, lab, lab->file);
    buf_printf(out, "  grade  clclab grade %u\n", lab->number);
    if (lab->has_hints)
        buf_printf(out, "  hint   clclab hint %u\n", lab->number);
}

// The first lab whose quiz has not all points; 1 if all have.
static uint32_t next_quiz(Cli *cli, const Course *course,
                          const Progress *progress) {
    Str *folders;
    size_t count = course_list(cli, course, &folders);
    for (size_t i = 0; i < count; i++)
        if (!progress_is_full(
                progress_of(progress, progress_quiz(&cli->arena, folders[i]))))
            return course_number(folders[i]);
    return 1;
}

static int add_next(Cli *cli, const Course *course, const Progress *progress,
                    Buf *out) {
    Str folder;
    Lab lab;
    if (!progress_at(cli, course, progress, &folder)) {
        buf_printf(out,
                   "All labs have full marks. There is more: the "
                   "quizzes (clclab quiz %u)\nand the clinic of kernels "
                   "with a bug (clclab clinic).\n",
                   next_quiz(cli, course, progress));
        return CLI_FULL_MARKS;
    }
    int code = course_read_conf(cli, course, folder, &lab);
    if (code == CLI_FULL_MARKS)
        add_lab(out, course, &lab, progress_of(progress, folder));
    return code;
}

static void add_count(Cli *cli, const Course *course, const Progress *progress,
                      Buf *out) {
    size_t count;
    size_t full = progress_count(cli, course, progress, &count);
    size_t quizzes = progress_quizzes(progress);
    size_t cases = progress_cases(progress);
    buf_printf(out, "CLC Labs: %zu of %zu labs have full marks.\n", full,
               count);
    if (quizzes || cases)
        buf_printf(out,
                   "Quizzes with all points: %zu. Healed in the clinic: "
                   "%zu.\n",
                   quizzes, cases);
    buf_byte(out, '\n');
}

// ---- the commands --------------------------------------------------------

static int print(Cli *cli, int code, Buf *out) {
    int printed = output_stdout(cli, buf_view(out));
    buf_free(out);
    return code ? code : printed;
}

void next_add_call(const Cli *cli, Buf *out) {
    bool is_path = cli->called && strchr(cli->called, '/');
    if (!is_path || cli->called[0] == '/')
        return;
    buf_str(out, STR("For clclab type "));
    utf8_escape(str_from(cli->called), out);
    buf_str(out, STR(", from this folder.\n"));
}

int next_alone(Cli *cli, bool *found) {
    Course course;
    Buf out = {0};
    int code;
    *found = course_find_any(cli, &course, &code) && course.labs.len;
    if (!*found || code != CLI_FULL_MARKS)
        return code;
    Progress progress = progress_read(cli, &course);
    add_count(cli, &course, &progress, &out);
    code = add_next(cli, &course, &progress, &out);
    buf_str(&out, STR("\nclclab list has all labs, clclab --help all "
                      "commands.\n"));
    next_add_call(cli, &out);
    progress_tell(cli);
    return print(cli, code, &out);
}

static int next(Cli *cli) {
    Course course;
    Buf out = {0};
    int code;
    if (!course_find(cli, &course, &code))
        return code;
    Progress progress = progress_read(cli, &course);
    code = add_next(cli, &course, &progress, &out);
    progress_tell(cli);
    return print(cli, code, &out);
}

static const Option OPTIONS[] = {OPTION_ROOT, OPTION_LABS, OPTIONS_OF_ALL};

const CliCommand NEXT_COMMAND = {
    .name = "next",
    .summary = "Say which lab comes next",
    .example = "clclab next",
    .words = "",
    .more = "It is the lab that you graded last, until it has full marks; "
            "then the first one\nwithout. Grades of the labs' own files "
            "count.\n",
    .options = OPTIONS,
    .option_count = COUNT_OF(OPTIONS),
    .run = next,
};
