// SPDX-License-Identifier: Apache-2.0
// The table of formats: the name of each, and the results that it can show. A
// new format is a function and a row.
#include "report/internal.h"

#include <string.h>

// ---- results as text -----------------------------------------------------

static void grade_text(const Report *report, Buf *out) {
    report_text(report->grade, report->source, report->style, out);
}

static void run_text(const Report *report, Buf *out) {
    report_run_text(report->run, report->source, report->style, out);
}

static void exec_text(const Report *report, Buf *out) {
    report_exec_text(report->exec, report->style, out);
}

// The questions, if the answers cannot be graded, and the result.
static void quiz_text(const Report *report, Buf *out) {
    const QuizResult *result = report->quiz;
    bool has_answers = result->file.len > 0;
    if (!has_answers || !result->key)
        report_quiz_questions(result->quiz, report->style, out);
    if (!has_answers)
        return;
    if (!result->key)
        buf_byte(out, '\n');
    report_quiz_text(result, report->source, report->style, out);
}

static void case_text(const Report *report, Buf *out) {
    report_clinic_case(report->cases.items, report->source, report->style, out);
}

static void cases_text(const Report *report, Buf *out) {
    report_clinic(report->cases.items, report->cases.count, report->style, out);
}

static void compare_text(const Report *report, Buf *out) {
    report_compare_text(report->compare, report->style, out);
}

static void doctor_text(const Report *report, Buf *out) {
    report_doctor_text(report->doctor, report->style, out);
}

static void rule_text(const Report *report, Buf *out) {
    report_explain(report->rule.markdown, report->style, out);
}

static void rules_text(const Report *report, Buf *out) {
    report_rules_text(report->rules.lines, report->rules.count, out);
}

// ---- for programs --------------------------------------------------------

static void grade_json(const Report *report, Buf *out) {
    report_json(report->grade, out);
}

static void run_json(const Report *report, Buf *out) {
    report_run_json(report->run, out);
}

static void exec_json(const Report *report, Buf *out) {
    report_exec_json(report->exec, out);
}

static void exec_as_run(const Report *report, Buf *out,
                        void (*write)(const Report *report, Buf *out)) {
    Arena arena = {0};
    LaunchResult run;
    report_exec_run(&arena, report->exec, &run);
    write(&(Report){.kind = REPORT_RUN, .run = &run, .style = report->style},
          out);
    arena_free(&arena);
}

static void exec_junit(const Report *report, Buf *out) {
    exec_as_run(report, out, report_junit);
}

static void exec_sarif(const Report *report, Buf *out) {
    exec_as_run(report, out, report_sarif);
}

static void exec_github(const Report *report, Buf *out) {
    exec_as_run(report, out, report_github);
}

static void quiz_json(const Report *report, Buf *out) {
    report_quiz_json(report->quiz, out);
}

static void quiz_qti(const Report *report, Buf *out) {
    if (report->quiz->key)
        report_quiz_qti(report->quiz, out);
}

static void cases_json(const Report *report, Buf *out) {
    report_clinic_json(report->cases.items, report->cases.count, out);
}

static void compare_csv(const Report *report, Buf *out) {
    report_compare_csv(report->compare, out);
}

static void compare_svg(const Report *report, Buf *out) {
    report_compare_svg(report->compare, out);
}

static void compare_json(const Report *report, Buf *out) {
    report_compare_json(report->compare, out);
}

static void doctor_json(const Report *report, Buf *out) {
    report_doctor_json(report->doctor, out);
}

static void rule_json(const Report *report, Buf *out) {
    report_explain_json(report->rule.code, report->rule.markdown, out);
}

static void rules_json(const Report *report, Buf *out) {
    report_rules_json(report->rules.lines, report->rules.count, out);
}

// ---- the table -----------------------------------------------------------

// The first format of each kind is its default.
static const ReportFormat FORMATS[] = {
    {"text", 1 << REPORT_GRADE, READER_PERSON, grade_text},
    {"text", 1 << REPORT_RUN, READER_PERSON, run_text},
    {"text", 1 << REPORT_EXEC, READER_PERSON, exec_text},
    {"text", 1 << REPORT_QUIZ, READER_PERSON, quiz_text},
    {"text", 1 << REPORT_CASE, READER_PERSON, case_text},
    {"text", 1 << REPORT_CASES, READER_PERSON, cases_text},
    {"text", 1 << REPORT_COMPARE, READER_PERSON, compare_text},
    {"text", 1 << REPORT_DOCTOR, READER_PERSON, doctor_text},
    {"text", 1 << REPORT_RULE, READER_PERSON, rule_text},
    {"text", 1 << REPORT_RULES, READER_PERSON, rules_text},
    {"csv", 1 << REPORT_COMPARE, READER_PROGRAM, compare_csv},
    {"svg", 1 << REPORT_COMPARE, READER_PROGRAM, compare_svg},
    {"json", 1 << REPORT_GRADE, READER_PROGRAM, grade_json},
    {"json", 1 << REPORT_RUN, READER_PROGRAM, run_json},
    {"json", 1 << REPORT_EXEC, READER_PROGRAM, exec_json},
    {"json", 1 << REPORT_QUIZ, READER_PROGRAM, quiz_json},
    {"qti", 1 << REPORT_QUIZ, READER_PROGRAM, quiz_qti},
    {"json", 1 << REPORT_CASE | 1 << REPORT_CASES, READER_PROGRAM, cases_json},
    {"json", 1 << REPORT_COMPARE, READER_PROGRAM, compare_json},
    {"json", 1 << REPORT_DOCTOR, READER_PROGRAM, doctor_json},
    {"json", 1 << REPORT_RULE, READER_PROGRAM, rule_json},
    {"json", 1 << REPORT_RULES, READER_PROGRAM, rules_json},
    {"junit", 1 << REPORT_GRADE | 1 << REPORT_RUN, READER_PROGRAM,
     report_junit},
    {"sarif", 1 << REPORT_GRADE | 1 << REPORT_RUN, READER_PROGRAM,
     report_sarif},
    {"junit", 1 << REPORT_EXEC, READER_PROGRAM, exec_junit},
    {"sarif", 1 << REPORT_EXEC, READER_PROGRAM, exec_sarif},
    {"github", 1 << REPORT_EXEC, READER_PROGRAM, exec_github},
    {"github", 1 << REPORT_GRADE | 1 << REPORT_RUN, READER_PROGRAM,
     report_github},
    {"gradescope", 1 << REPORT_GRADE, READER_PLATFORM, report_gradescope},
    {"classroom", 1 << REPORT_GRADE, READER_PROGRAM, report_classroom},
    {"autolab", 1 << REPORT_GRADE, READER_PROGRAM, report_autolab},
    {"html", 1 << REPORT_GRADE | 1 << REPORT_RUN | REPORT_TRACED,
     READER_PROGRAM, report_html},
    {"trace", 1 << REPORT_GRADE | 1 << REPORT_RUN | REPORT_TRACED,
     READER_PERSON, report_trace},
    {"svg", 1 << REPORT_GRADE | 1 << REPORT_RUN | REPORT_TRACED, READER_PROGRAM,
     report_trace_svg},
};

static bool shows(const ReportFormat *format, ReportKind kind) {
    return format->kinds >> kind & 1;
}

const ReportFormat *report_format(ReportKind kind, const char *name) {
    for (size_t i = 0; i < COUNT_OF(FORMATS); i++)
        if (shows(&FORMATS[i], kind) &&
            (!name || strcmp(FORMATS[i].name, name) == 0))
            return &FORMATS[i];
    return NULL;
}

Str report_format_names(Arena *arena, ReportKind kind, const char *between) {
    Str names = STR("");
    for (size_t i = 0; i < COUNT_OF(FORMATS); i++)
        if (shows(&FORMATS[i], kind))
            names = str_format(arena, "%.*s%s%s", STR_ARG(names),
                               names.len ? between : "", FORMATS[i].name);
    return names;
}
