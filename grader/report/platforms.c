// SPDX-License-Identifier: Apache-2.0
// A grade for the platforms that run graders themselves: Gradescope's
// results.json, and the last lines of what Autolab reads. If the grader itself
// failed there are no scores in either: nobody gets a zero for that.
#include "report/internal.h"

static bool is_final(const Result *result) {
    return result->verdict != VERDICT_ERROR;
}

// ---- Gradescope ----------------------------------------------------------

// What is about the submission as a whole.
static void write_output(Json *json, const Report *report) {
    const Result *result = report->grade;
    Buf text = {0};
    report_foot(result, report->source, &text);
    json_text(json, STR("output"), str_trim(buf_view(&text)));
    buf_free(&text);
}

static void write_test(Json *json, const Report *report, size_t index) {
    const CheckResult *check = &report->grade->checks[index];
    Buf text = {0};
    json_item(json);
    json_open(json, '{');
    if (is_final(report->grade))
        json_decimal(json, STR("score"), check->points);
    json_decimal(json, STR("max_score"), check->max_points);
    json_text(json, STR("status"),
              check->status == CHECK_PASS ? STR("passed") : STR("failed"));
    buf_printf(&text, "%.*s: %.*s", STR_ARG(check->id), STR_ARG(check->title));
    json_text(json, STR("name"), buf_view(&text));
    text.len = 0;
    buf_printf(&text, "%zu", index + 1);
    json_text(json, STR("number"), buf_view(&text));
    text.len = 0;
    check_text(report, check, &text);
    json_text(json, STR("output"), buf_view(&text));
    json_text(json, STR("output_format"), STR("text"));
    json_texts(json, STR("tags"), NULL, 0);
    json_text(json, STR("visibility"), STR("visible"));
    json_close(json, '}');
    buf_free(&text);
}

static void write_extra(Json *json, const Result *result) {
    json_open_member(json, STR("extra_data"), '{');
    json_text(json, STR("clclab"), result->version);
    json_text_or_null(json, STR("submission_sha256"),
                      result->provenance.submission);
    json_text_or_null(json, STR("grader_sha256"), result->provenance.grader);
    json_close(json, '}');
}

void report_gradescope(const Report *report, Buf *out) {
    const Result *result = report->grade;
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    if (is_final(result))
        json_decimal(json, STR("score"), result->score);
    json_decimal(json, STR("execution_time"), result->elapsed_ms / 1e3);
    write_output(json, report);
    json_text(json, STR("visibility"), STR("visible"));
    json_text(json, STR("stdout_visibility"), STR("hidden"));
    write_extra(json, result);
    json_open_member(json, STR("tests"), '[');
    for (size_t i = 0; i < result->check_count; i++)
        write_test(json, report, i);
    json_close(json, ']');
    json_close(json, '}');
    buf_byte(out, '\n');
}

// ---- Autolab -------------------------------------------------------------

// One line: Autolab reads the last two.
static void on_one_line(Buf *document, Buf *out) {
    Str text = buf_view(document);
    while (text.len) {
        Str line = str_trim(str_cut(&text, '\n'));
        buf_str(out, line);
    }
    buf_byte(out, '\n');
    document->len = 0;
}

static void write_stage_check(Json *json, const CheckResult *check) {
    json_open_member(json, check->id, '{');
    json_truth(json, STR("passed"), check->status == CHECK_PASS);
    if (check->status != CHECK_PASS && check->cause_count)
        json_text(json, STR("hint"), cause_headline(&check->causes[0]));
    json_close(json, '}');
}

// Whether the file compiles, then all that is judged.
static void write_stages(const Result *result, Buf *document) {
    static const Str names[] = {{"Build", 5}, {"Test", 4}};
    Json writer = {.out = document}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("_presentation"), STR("semantic"));
    json_texts(json, STR("stages"), names, COUNT_OF(names));
    for (size_t stage = 0; stage < COUNT_OF(names); stage++) {
        json_open_member(json, names[stage], '{');
        for (size_t i = 0; i < result->check_count; i++) {
            Str id = result->checks[i].id;
            if ((stage == 0) == str_equal(id, STR("builds")))
                write_stage_check(json, &result->checks[i]);
        }
        json_close(json, '}');
    }
    json_close(json, '}');
}

// Autolab's problems have the names of the checks.
static void write_scores(const Result *result, Buf *document) {
    Json writer = {.out = document}, *json = &writer;
    json_open(json, '{');
    json_open_member(json, STR("scores"), '{');
    for (size_t i = 0; i < result->check_count && is_final(result); i++)
        json_decimal(json, result->checks[i].id, result->checks[i].points);
    json_close(json, '}');
    if (is_final(result)) {
        json_open_member(json, STR("scoreboard"), '[');
        char score[DECIMAL_TEXT];
        json_item(json);
        buf_str(document, decimal_text(score, result->score));
        json_close(json, ']');
    }
    json_close(json, '}');
}

// The report for a person comes first: students see all that is printed.
void report_autolab(const Report *report, Buf *out) {
    const Result *result = report->grade;
    Buf document = {0};
    report_text(result, report->source, (ReportStyle){.width = 80}, out);
    buf_byte(out, '\n');
    write_stages(result, &document);
    on_one_line(&document, out);
    write_scores(result, &document);
    on_one_line(&document, out);
    buf_free(&document);
}
