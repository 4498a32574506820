// SPDX-License-Identifier: Apache-2.0
// A report for programs is there and valid whatever happens. Where nothing was
// judged - something is missing, the disk is full, the grader was killed - it
// says so, with the verdict "error" and without a score:
//
//   unfinished_begin  writes such a report to --out before anything is judged;
//                     a grade that ends writes its own over it
//   unfinished_end    makes one if the command ends without a report
//
// Reports for persons are none: standard error has said it.
#include "cli/internal.h"

#include <string.h>

static Cause cause_of(Str what) {
    return (Cause){.what = what,
                   .help = STR("Nothing was judged, and this is no zero: mend "
                               "what it says, or grade again.")};
}

static Str file_of(const Cli *cli, ReportKind kind) {
    size_t word = kind == REPORT_GRADE ? 1 : 0;
    return cli->args.word_count > word ? str_from(cli->args.words[word])
                                       : (Str){0};
}

static uint32_t lab_of(const Cli *cli) {
    if (cli->args.word_count == 0)
        return 0;
    Str name = str_from(cli->args.words[0]);
    uint64_t number;
    return str_to_u64(name, &number) && number < 10000 ? (uint32_t)number
                                                       : course_number(name);
}

static void add_grade(Cli *cli, Cause *cause, Buf *out) {
    CheckResult check = {
        .id = STR("grader"),
        .title = STR("There is something to grade, and it is graded."),
        .status = CHECK_ERROR,
        .causes = cause,
        .cause_count = 1};
    Result result = {.lab = lab_of(cli),
                     .file = file_of(cli, REPORT_GRADE),
                     .device = STR("vm"),
                     .verdict = VERDICT_ERROR,
                     .version = STR(CLI_VERSION),
                     .is_seed_hidden = true,
                     .checks = &check,
                     .check_count = 1};
    Report report = {.kind = REPORT_GRADE, .grade = &result};
    shared_add_report(cli, &report, out);
}

static void add_run(Cli *cli, const Cause *cause, Buf *out) {
    LaunchFinding finding = {.cause = *cause};
    LaunchResult result = {.file = file_of(cli, REPORT_RUN),
                           .device = STR("vm"),
                           .verdict = VERDICT_ERROR,
                           .version = STR(CLI_VERSION),
                           .findings = &finding,
                           .finding_count = 1};
    Report report = {.kind = REPORT_RUN, .run = &result};
    shared_add_report(cli, &report, out);
}

static void add(Cli *cli, ReportKind kind, Str what, Buf *out) {
    Cause cause = cause_of(what);
    if (kind == REPORT_GRADE)
        add_grade(cli, &cause, out);
    else
        add_run(cli, &cause, out);
}

int unfinished_begin(Cli *cli, ReportKind kind) {
    Buf out = {0};
    if (!cli->args.out || shared_is_for_a_person(cli, kind))
        return CLI_FULL_MARKS;
    add(cli, kind, STR("clclab was ended before it had judged the file."),
        &out);
    int code = shared_write_report(cli, buf_view(&out));
    buf_free(&out);
    return code;
}

void unfinished_end(Cli *cli, ReportKind kind, Buf *out) {
    if (out->len || shared_is_for_a_person(cli, kind))
        return;
    add(cli, kind,
        cli->said.len ? cli->said : STR("clclab ended without a report."), out);
}
