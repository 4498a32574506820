// SPDX-License-Identifier: Apache-2.0
// What a job on GitHub prints: workflow commands, which become annotations in
// the changed files, and the result of a GitHub Classroom test.
#include "report/internal.h"

// GitHub shows ten annotations of a kind for a step and drops the others.
enum { MOST_ANNOTATIONS = 10 };

// ---- annotations ---------------------------------------------------------

// In a property ':' and ',' end the value; in both a '%' begins an escape.
static void write_escaped(Str text, bool is_property, Buf *out) {
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        bool escape = byte == '%' || byte == '\r' || byte == '\n' ||
                      (is_property && (byte == ':' || byte == ','));
        if (escape)
            buf_printf(out, "%%%02X", (uint8_t)byte);
        else
            buf_byte(out, byte);
    }
}

// Bytes of a student's are made harmless first; a line's end in our own text
// stays one.
static void write_text(Str text, bool is_property, Buf *out) {
    Buf safe = {0};
    utf8_escape(text, &safe);
    write_escaped(buf_view(&safe), is_property, out);
    buf_free(&safe);
}

typedef struct Annotations {
    const Report *report;
    uint32_t counts[PROBLEM_LEVELS], left[PROBLEM_LEVELS];
    Buf *out;
} Annotations;

static const char *const COMMANDS[PROBLEM_LEVELS] = {
    [PROBLEM_OURS] = "error",
    [PROBLEM_ERROR] = "error",
    [PROBLEM_WARNING] = "warning",
    [PROBLEM_ADVISORY] = "notice",
};

static void write_properties(const Problem *problem, Buf *out) {
    SrcLoc at = problem->cause->at;
    buf_str(out, STR(" "));
    if (at.file.len) {
        buf_str(out, STR("file="));
        write_text(at.file, true, out);
        if (at.line)
            buf_printf(out, ",line=%u", at.line);
        if (at.line && at.col)
            buf_printf(out, ",col=%u", at.col);
        buf_byte(out, ',');
    }
    buf_str(out, STR("title="));
    write_text(problem->rule, true, out);
    if (problem->level == PROBLEM_OURS)
        buf_str(out, STR(" (the grader's own fault)"));
}

static void write_part(const char *label, Str text, Buf *out) {
    if (text.len == 0)
        return;
    buf_str(out, STR("%0A"));
    write_escaped(str_from(label), false, out);
    buf_str(out, STR(": "));
    write_text(text, false, out);
}

static void take_problem(void *context, const Problem *problem) {
    Annotations *all = context;
    const Cause *cause = problem->cause;
    Buf *out = all->out;
    // The grader's own faults are errors to GitHub, too.
    ProblemLevel kind =
        problem->level == PROBLEM_OURS ? PROBLEM_ERROR : problem->level;
    if (all->counts[kind]++ >= MOST_ANNOTATIONS) {
        all->left[kind]++;
        return;
    }
    buf_printf(out, "::%s", COMMANDS[problem->level]);
    write_properties(problem, out);
    buf_str(out, STR("::"));
    ReportHelp help = report_help(cause);
    write_text(cause_headline(cause), false, out);
    write_part(help.label, help.text, out);
    write_part(help.where, help.region, out);
    write_part("found", report_found(cause), out);
    write_part("expected", cause->expected, out);
    write_part("actual", cause->actual, out);
    write_part("missing", cause->missing, out);
    write_part("replay", cause->replay, out);
    buf_byte(out, '\n');
}

// Words of ours, behind which no command can hide: it would have to begin the
// line.
static void write_summary(const Annotations *all, Buf *out) {
    const Report *report = all->report;
    char score[DECIMAL_TEXT], most[DECIMAL_TEXT];
    for (int kind = 0; kind < PROBLEM_LEVELS; kind++)
        if (all->left[kind])
            buf_printf(out, "and %u more of kind %s\n", all->left[kind],
                       COMMANDS[kind]);
    if (report->kind == REPORT_RUN) {
        buf_printf(out, "%llu errors, %llu advisories\n",
                   (unsigned long long)report->run->errors,
                   (unsigned long long)report->run->advisories);
        return;
    }
    const Result *result = report->grade;
    bool final = result->verdict != VERDICT_ERROR;
    Str points = final ? decimal_text(score, result->score) : STR("none");
    Str all_points = decimal_text(most, result->max_score);
    buf_printf(out, "Lab %u: score %.*s/%.*s%s\n", result->lab, STR_ARG(points),
               STR_ARG(all_points),
               final ? "" : ": the grader itself failed; grade it again");
}

void report_github(const Report *report, Buf *out) {
    Annotations all = {.report = report, .out = out};
    problems_each(report, take_problem, &all);
    write_summary(&all, out);
}

// ---- GitHub Classroom ----------------------------------------------------

static Str status_name(CheckStatus status) {
    return status == CHECK_PASS    ? STR("pass")
           : status == CHECK_ERROR ? STR("error")
                                   : STR("fail");
}

static void write_test(Json *json, const Report *report,
                       const CheckResult *check) {
    const Result *result = report->grade;
    Buf name = {0}, text = {0};
    buf_printf(&name, "%.*s: %.*s", STR_ARG(check->id), STR_ARG(check->title));
    check_text(report, check, &text);
    const Cause *cause = check->cause_count ? &check->causes[0] : NULL;
    json_item(json);
    json_open(json, '{');
    json_text(json, STR("name"), buf_view(&name));
    json_text(json, STR("status"), status_name(check->status));
    json_decimal(json, STR("score"), check->points);
    json_text(json, STR("message"), buf_view(&text));
    name.len = 0;
    buf_printf(&name, "make grade LAB=%u", result->lab);
    json_text(json, STR("test_code"), buf_view(&name));
    json_text(json, STR("filename"), cause ? cause->at.file : STR(""));
    json_number(json, STR("line_no"), cause ? cause->at.line : 0);
    json_number(json, STR("duration"), 0);
    json_close(json, '}');
    buf_free(&name);
    buf_free(&text);
}

static Str verdict_name(Verdict verdict) {
    return verdict == VERDICT_PASS   ? STR("pass")
           : verdict == VERDICT_FAIL ? STR("fail")
                                     : STR("error");
}

// The line that a step appends to $GITHUB_OUTPUT.
void report_classroom(const Report *report, Buf *out) {
    const Result *result = report->grade;
    Buf document = {0};
    Json writer = {.out = &document}, *json = &writer;
    json_open(json, '{');
    json_number(json, STR("version"), 1);
    json_text(json, STR("status"), verdict_name(result->verdict));
    json_decimal(json, STR("max_score"), result->max_score);
    json_open_member(json, STR("tests"), '[');
    for (size_t i = 0; i < result->check_count; i++)
        write_test(json, report, &result->checks[i]);
    json_close(json, ']');
    json_close(json, '}');
    buf_str(out, STR("result="));
    encode_base64(buf_view(&document), out);
    buf_byte(out, '\n');
    buf_free(&document);
}
