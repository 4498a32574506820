// SPDX-License-Identifier: Apache-2.0
// SARIF 2.1.0 (OASIS), which editors and code scanning read: a result for each
// problem, with its place, what happened before, and a fingerprint that stays
// the same while lines above it come and go.
#include "report/internal.h"

#include <stdio.h>

#define SCHEMA                                                            \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/" \
    "sarif-schema-2.1.0.json"

typedef struct Log {
    const Report *report;
    Json *json;
    Str seen[128]; // rules that were written already
    size_t seen_count;
} Log;

static void write_message(Json *json, Str text) {
    json_open_member(json, STR("message"), '{');
    json_text(json, STR("text"), text);
    json_close(json, '}');
}

// ---- places --------------------------------------------------------------

static void write_physical(Json *json, SrcLoc at) {
    Buf uri = {0};
    encode_uri(at.file, &uri);
    json_open_member(json, STR("physicalLocation"), '{');
    json_open_member(json, STR("artifactLocation"), '{');
    json_text(json, STR("uri"), buf_view(&uri));
    json_close(json, '}');
    if (at.line) {
        json_open_member(json, STR("region"), '{');
        json_number(json, STR("startLine"), at.line);
        if (at.col)
            json_number(json, STR("startColumn"), at.col);
        json_close(json, '}');
    }
    json_close(json, '}');
    buf_free(&uri);
}

static void write_location(Json *json, SrcLoc at, Str what) {
    json_item(json);
    json_open(json, '{');
    write_physical(json, at);
    if (what.len)
        write_message(json, what);
    json_close(json, '}');
}

static void write_locations(Json *json, const Cause *cause) {
    json_open_member(json, STR("locations"), '[');
    if (cause->at.file.len)
        write_location(json, cause->at, (Str){0});
    json_close(json, ']');
    json_open_member(json, STR("relatedLocations"), '[');
    for (uint32_t i = 0; i < cause->related_count; i++)
        if (cause->related[i].at.file.len)
            write_location(json, cause->related[i].at, cause->related[i].what);
    json_close(json, ']');
}

// ---- results -------------------------------------------------------------

// Of the rule, the file and the line's text. A second problem of the same rule
// on lines of the same text has the same one, as SARIF allows.
static void write_fingerprint(const Log *log, const Problem *problem) {
    SrcLoc at = problem->cause->at;
    Buf text = {0};
    char digits[17];
    buf_str(&text, problem->rule);
    buf_byte(&text, '\n');
    buf_str(&text, at.file);
    buf_byte(&text, '\n');
    buf_str(&text, str_trim(str_line(log->report->source, at.line)));
    snprintf(digits, sizeof digits, "%016llx",
             (unsigned long long)hash_bytes(0, text.ptr, text.len));
    json_open_member(log->json, STR("partialFingerprints"), '{');
    json_text(log->json, STR("ruleFileAndLine/v1"), str_from(digits));
    json_close(log->json, '}');
    buf_free(&text);
}

static Str level_name(ProblemLevel level) {
    switch (level) {
    case PROBLEM_OURS:
    case PROBLEM_ERROR:
        return STR("error");
    case PROBLEM_WARNING:
        return STR("warning");
    case PROBLEM_ADVISORY:
    case PROBLEM_LEVELS:
        break;
    }
    return STR("note");
}

// What is not the code's fault is no result: take_notification has it.
static void take_result(void *context, const Problem *problem) {
    Log *log = context;
    Json *json = log->json;
    Buf text = {0};
    if (problem->level == PROBLEM_OURS)
        return;
    json_item(json);
    json_open(json, '{');
    json_text(json, STR("ruleId"), problem->rule);
    json_text(json, STR("level"), level_name(problem->level));
    const Cause *cause = problem->cause;
    ReportHelp help = report_help(cause);
    const Str parts[] = {cause_headline(cause), help.text, report_found(cause),
                         cause->missing};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        buf_printf(&text, "%s%.*s", i && parts[i].len ? "\n" : "",
                   STR_ARG(parts[i]));
    if (help.region.len)
        buf_printf(&text, "\n%s: %.*s", help.where, STR_ARG(help.region));
    write_message(json, buf_view(&text));
    write_locations(json, cause);
    write_fingerprint(log, problem);
    json_open_member(json, STR("properties"), '{');
    json_text(json, STR("check"), problem->check);
    json_text_or_null(json, STR("replay"), cause->replay);
    json_close(json, '}');
    json_close(json, '}');
    buf_free(&text);
}

static void take_rule(void *context, const Problem *problem) {
    Log *log = context;
    for (size_t i = 0; i < log->seen_count; i++)
        if (str_equal(log->seen[i], problem->rule))
            return;
    if (log->seen_count == COUNT_OF(log->seen))
        return; // a result needs no entry here
    log->seen[log->seen_count++] = problem->rule;
    json_item(log->json);
    json_open(log->json, '{');
    json_text(log->json, STR("id"), problem->rule);
    if (problem->cause->explain.len) {
        json_open_member(log->json, STR("help"), '{');
        json_text(log->json, STR("text"), problem->cause->explain);
        json_close(log->json, '}');
    }
    json_close(log->json, '}');
}

static void take_notification(void *context, const Problem *problem) {
    Json *json = ((Log *)context)->json;
    if (problem->level != PROBLEM_OURS)
        return;
    json_item(json);
    json_open(json, '{');
    json_text(json, STR("level"), STR("error"));
    write_message(json, cause_headline(problem->cause));
    json_close(json, '}');
}

// ---- the log -------------------------------------------------------------

static void write_tool(Log *log, Str version) {
    Json *json = log->json;
    json_open_member(json, STR("tool"), '{');
    json_open_member(json, STR("driver"), '{');
    json_text(json, STR("name"), STR("clclab"));
    if (version.len)
        json_text(json, STR("version"), version);
    json_open_member(json, STR("rules"), '[');
    problems_each(log->report, take_rule, log);
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, '}');
}

static void write_invocation(Log *log, Verdict verdict) {
    Json *json = log->json;
    json_open_member(json, STR("invocations"), '[');
    json_item(json);
    json_open(json, '{');
    json_truth(json, STR("executionSuccessful"), verdict != VERDICT_ERROR);
    json_open_member(json, STR("toolExecutionNotifications"), '[');
    problems_each(log->report, take_notification, log);
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
}

static void write_score(Json *json, const Report *report) {
    if (report->kind != REPORT_GRADE)
        return;
    json_open_member(json, STR("properties"), '{');
    if (report->grade->verdict != VERDICT_ERROR)
        json_decimal(json, STR("score"), report->grade->score);
    json_decimal(json, STR("maxScore"), report->grade->max_score);
    json_close(json, '}');
}

static void write_run(Log *log) {
    const Report *report = log->report;
    Json *json = log->json;
    bool grade = report->kind == REPORT_GRADE;
    json_item(json);
    json_open(json, '{');
    write_tool(log, grade ? report->grade->version : report->run->version);
    write_invocation(log,
                     grade ? report->grade->verdict : report->run->verdict);
    json_open_member(json, STR("results"), '[');
    problems_each(report, take_result, log);
    json_close(json, ']');
    write_score(json, report);
    json_close(json, '}');
}

void report_sarif(const Report *report, Buf *out) {
    Json json = {.out = out};
    Log log = {.report = report, .json = &json};
    json_open(&json, '{');
    json_text(&json, STR("$schema"), STR(SCHEMA));
    json_text(&json, STR("version"), STR("2.1.0"));
    json_open_member(&json, STR("runs"), '[');
    write_run(&log);
    json_close(&json, ']');
    json_close(&json, '}');
    buf_byte(out, '\n');
}
