// SPDX-License-Identifier: Apache-2.0
// JUnit's XML, which every continuous integration shows: a grade as a suite
// whose cases are the checks, a run as a suite whose cases are its findings.
// A student's mistake is a <failure>, what is ours or the machine's an <error>.
// JUnit has no points: they are properties of the suite.
#include "report/internal.h"

#include <stdio.h>

typedef struct Totals {
    uint64_t tests, failures, errors, skipped;
} Totals;

// ---- parts ---------------------------------------------------------------

static void write_seconds(const char *name, double ms, Buf *out) {
    uint64_t whole = ms > 0 ? (uint64_t)(ms + 0.5) : 0;
    buf_printf(out, " %s=\"%llu.%03u\"", name, (unsigned long long)whole / 1000,
               (uint32_t)(whole % 1000));
}

static void open_suite(Str name, const Totals *counts, double ms, Buf *out) {
    for (int i = 0; i < 2; i++) {
        buf_str(out, i ? STR("  <testsuite") : STR("<testsuites"));
        encode_xml_attribute("name", i ? name : STR("clclab"), out);
        buf_printf(out,
                   " tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" "
                   "skipped=\"%llu\"",
                   (unsigned long long)counts->tests,
                   (unsigned long long)counts->failures,
                   (unsigned long long)counts->errors,
                   (unsigned long long)counts->skipped);
        write_seconds("time", ms, out);
        buf_str(out, STR(">\n"));
    }
}

static void write_property(const char *name, Str value, Buf *out) {
    buf_str(out, STR("      <property"));
    encode_xml_attribute("name", str_from(name), out);
    encode_xml_attribute("value", value, out);
    buf_str(out, STR("/>\n"));
}

static void write_points(const char *name, double points, Buf *out) {
    char text[DECIMAL_TEXT];
    write_property(name, decimal_text(text, points), out);
}

static void open_case(Str suite, Str name, Buf *out) {
    buf_str(out, STR("    <testcase"));
    encode_xml_attribute("classname", suite, out);
    encode_xml_attribute("name", name, out);
    buf_str(out, STR(" time=\"0\""));
}

// `element`: failure, error or skipped. The case is open.
static void close_case(const char *element, Str type, Str message, Str text,
                       Buf *out) {
    buf_printf(out, ">\n      <%s", element);
    encode_xml_attribute("message", message, out);
    if (type.len)
        encode_xml_attribute("type", type, out);
    buf_byte(out, '>');
    encode_xml(text, out);
    buf_printf(out, "</%s>\n    </testcase>\n", element);
}

static void close_suite(Str output, Buf *out) {
    if (output.len) {
        buf_str(out, STR("    <system-out>"));
        encode_xml(output, out);
        buf_str(out, STR("</system-out>\n"));
    }
    buf_str(out, STR("  </testsuite>\n</testsuites>\n"));
}

static const char *const ELEMENTS[] = {[CHECK_PASS] = "",
                                       [CHECK_FAIL] = "failure",
                                       [CHECK_SKIP] = "skipped",
                                       [CHECK_ERROR] = "error"};

// ---- a grade -------------------------------------------------------------

static Totals count_checks(const Result *result) {
    Totals counts = {.tests = result->check_count};
    for (size_t i = 0; i < result->check_count; i++) {
        CheckStatus status = result->checks[i].status;
        counts.failures += status == CHECK_FAIL;
        counts.errors += status == CHECK_ERROR;
        counts.skipped += status == CHECK_SKIP;
    }
    return counts;
}

static void write_check(const Report *report, const CheckResult *check,
                        Buf *out) {
    Buf name = {0}, text = {0};
    char suite[16];
    snprintf(suite, sizeof suite, "lab%02u", report->grade->lab);
    buf_printf(&name, "%.*s: %.*s", STR_ARG(check->id), STR_ARG(check->title));
    open_case(str_from(suite), buf_view(&name), out);
    const Cause *cause = check->cause_count ? &check->causes[0] : NULL;
    check_text(report, check, &text);
    if (check->status == CHECK_PASS)
        buf_str(out, STR("/>\n"));
    else
        close_case(ELEMENTS[check->status],
                   cause && cause->code.len ? cause->code : check->id,
                   cause ? cause_headline(cause) : check->title,
                   buf_view(&text), out);
    buf_free(&name);
    buf_free(&text);
}

static void write_grade_properties(const Result *result, Buf *out) {
    char text[32];
    buf_str(out, STR("    <properties>\n"));
    if (result->verdict != VERDICT_ERROR)
        write_points("score", result->score, out);
    write_points("max_score", result->max_score, out);
    if (!result->is_seed_hidden) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)result->seed);
        write_property("seed", str_from(text), out);
    }
    for (size_t i = 0; i < result->check_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "points.%.*s",
                 STR_ARG(str_slice(result->checks[i].id, 0, 40)));
        if (result->verdict != VERDICT_ERROR)
            write_points(name, result->checks[i].points, out);
    }
    buf_str(out, STR("    </properties>\n"));
}

static void write_grade(const Report *report, Buf *out) {
    const Result *result = report->grade;
    Totals counts = count_checks(result);
    Buf name = {0};
    buf_printf(&name, "Lab %u: %.*s", result->lab, STR_ARG(result->title));
    open_suite(buf_view(&name), &counts, result->elapsed_ms, out);
    buf_free(&name);
    write_grade_properties(result, out);
    for (size_t i = 0; i < result->check_count; i++)
        write_check(report, &result->checks[i], out);
    close_suite(result->output, out);
}

// ---- a run ---------------------------------------------------------------

typedef struct Cases {
    const Report *report;
    Totals counts;
    Buf *out; // NULL: they are only counted
} Cases;

static Str kernel_name(const LaunchResult *run) {
    return run->kernel.len ? run->kernel : run->file;
}

static void take_problem(void *context, const Problem *problem) {
    Cases *cases = context;
    bool ours = problem->level == PROBLEM_OURS;
    if (!ours && problem->level != PROBLEM_ERROR)
        return;
    cases->counts.tests++;
    cases->counts.errors += ours;
    cases->counts.failures += !ours;
    if (!cases->out)
        return;
    Buf name = {0}, text = {0};
    SrcLoc at = problem->cause->at;
    buf_printf(&name, "%.*s", STR_ARG(problem->rule));
    if (at.line)
        buf_printf(&name, " at %.*s:%u", STR_ARG(at.file), at.line);
    open_case(kernel_name(cases->report->run), buf_view(&name), cases->out);
    problem_text(cases->report, problem, &text);
    close_case(ELEMENTS[ours ? CHECK_ERROR : CHECK_FAIL], problem->rule,
               cause_headline(problem->cause), buf_view(&text), cases->out);
    buf_free(&name);
    buf_free(&text);
}

// A run without errors is one case that passed.
static void write_run(const Report *report, Buf *out) {
    const LaunchResult *run = report->run;
    Cases cases = {.report = report};
    problems_each(report, take_problem, &cases);
    bool clean = cases.counts.tests == 0;
    cases.counts.tests += clean;
    open_suite(run->file, &cases.counts, run->elapsed_ms, out);
    cases.out = out;
    problems_each(report, take_problem, &cases);
    if (clean) {
        open_case(kernel_name(run), STR("no findings"), out);
        buf_str(out, STR("/>\n"));
    }
    close_suite(run->output, out);
}

void report_junit(const Report *report, Buf *out) {
    buf_str(out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
    if (report->kind == REPORT_GRADE)
        write_grade(report, out);
    else
        write_run(report, out);
}
