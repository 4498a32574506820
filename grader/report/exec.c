// SPDX-License-Identifier: Apache-2.0
// ExecResult -> text for a person, and JSON, schema "clclab/exec/v1". Read
// report_exec_text: each finding as clclab run shows one, then what the program
// did, and the verdict.
#include "report/internal.h"

enum { MOST_FINDINGS = 24, MOST_CALLS = 16 };

typedef unsigned long long Whole; // for printf

// ---- findings ------------------------------------------------------------

static void write_finding(const ExecFinding *finding, ReportStyle style,
                          Buf *out) {
    Cause cause = finding->cause;
    Buf context = {0};
    Page page = page_open(cause.at.file, finding->source, style, out);
    buf_printf(&context, "kernel %.*s, %.*s", STR_ARG(finding->kernel),
               STR_ARG(cause.context));
    if (finding->launches > 1)
        buf_printf(&context, ", and %llu more launch%s",
                   (Whole)finding->launches - 1,
                   finding->launches == 2 ? "" : "es");
    cause.context = buf_view(&context);
    if (finding->advisory)
        page_cause(&page, "advisory", TONE_LABEL, &cause, cause.code);
    else if (finding->is_ours)
        page_cause(&page, "not run here", TONE_ODD, &cause, cause.code);
    else
        page_cause(&page, "error", TONE_BAD, &cause, cause.code);
    page_flush_replay(&page, cause.replay);
    page_flush_replay(&page, (Str){0});
    buf_free(&context);
}

static bool has_place(const ExecResult *result) {
    for (size_t i = 0; i < result->finding_count; i++)
        if (result->findings[i].cause.at.line == 0)
            return false;
    return true;
}

static void write_findings(const ExecResult *result, ReportStyle style,
                           Buf *out) {
    size_t shown = result->finding_count < MOST_FINDINGS ? result->finding_count
                                                         : MOST_FINDINGS;
    for (size_t i = 0; i < shown; i++)
        write_finding(&result->findings[i], style, out);
    if (shown < result->finding_count)
        buf_printf(out, "\nand %zu more\n", result->finding_count - shown);
    if (!has_place(result))
        buf_str(out, STR("\nTo see source lines, build the program with "
                         "-lineinfo (clclab nvcc does).\n"));
}

// ---- what the program did ------------------------------------------------

static void write_messages(const ExecResult *result, ReportStyle style,
                           Buf *out) {
    for (size_t i = 0; i < result->message_count; i++) {
        buf_byte(out, '\n');
        report_diag(&result->messages[i], (Str){0}, style, out);
    }
}

static void write_calls(const ExecResult *result, Buf *out) {
    size_t shown =
        result->call_count < MOST_CALLS ? result->call_count : MOST_CALLS;
    if (shown)
        buf_str(out, STR("\nCalls that returned an error:\n"));
    for (size_t i = 0; i < shown; i++) {
        const ExecCall *call = &result->calls[i];
        buf_str(out, STR("  "));
        utf8_escape(call->name, out);
        buf_str(out, STR(": "));
        utf8_escape(call->error, out);
        if (call->count > 1)
            buf_printf(out, ", %llu times", (Whole)call->count);
        buf_str(out, call->is_missing ? STR(": clclab exec does not have it\n")
                                      : STR("\n"));
    }
    if (shown < result->call_count)
        buf_printf(out, "  and %zu more\n", result->call_count - shown);
}

static void add_count(Buf *out, uint64_t count, const char *one,
                      const char *many) {
    buf_printf(out, "%llu %s", (Whole)count, count == 1 ? one : many);
}

static void write_end(Page *page, const ExecResult *result) {
    Buf line = {0};
    buf_str(&line, result->program);
    buf_printf(&line, " on %.*s:%.*s: ", STR_ARG(result->device),
               STR_ARG(result->gpu_model));
    add_count(&line, result->launches, "launch", "launches");
    if (result->unchecked)
        buf_printf(&line, ", %llu of them unchecked", (Whole)result->unchecked);
    if (result->schedules > 1)
        buf_printf(&line, ", each under %llu schedules",
                   (Whole)result->schedules);
    if (result->processes > 1)
        buf_printf(&line, ", %llu processes", (Whole)result->processes);
    if (result->signal)
        buf_printf(&line, "; ended by signal %u", result->signal);
    else
        buf_printf(&line, "; exit status %d", result->exit_code);
    buf_byte(page->out, '\n');
    page_wrapped(page, buf_view(&line), 0, 2);
    buf_free(&line);
}

static void write_verdict(const ExecResult *result, ReportStyle style,
                          Buf *out) {
    Buf line = {0};
    add_count(&line, result->errors, "error", "errors");
    buf_str(&line, STR(", "));
    add_count(&line, result->advisories, "advisory", "advisories");
    if (result->verdict == VERDICT_ERROR)
        buf_str(&line, STR("; not everything could be run here"));
    buf_str(out, STR("clclab exec: "));
    tone_text(style,
              result->verdict == VERDICT_PASS    ? TONE_GOOD
              : result->verdict == VERDICT_ERROR ? TONE_ODD
                                                 : TONE_BAD,
              buf_view(&line), out);
    buf_byte(out, '\n');
    buf_free(&line);
}

void report_exec_text(const ExecResult *result, ReportStyle style, Buf *out) {
    Page page = page_open(result->program, (Str){0}, style, out);
    write_findings(result, page.style, out);
    write_messages(result, page.style, out);
    write_calls(result, out);
    write_end(&page, result);
    write_verdict(result, page.style, out);
}

// ---- for programs --------------------------------------------------------

static Str verdict_name(Verdict verdict) {
    switch (verdict) {
    case VERDICT_PASS:
        return STR("clean");
    case VERDICT_FAIL:
        return STR("findings");
    case VERDICT_ERROR:
        break;
    }
    return STR("error");
}

static void json_findings(Json *json, const ExecResult *result) {
    json_open_member(json, STR("findings"), '[');
    for (size_t i = 0; i < result->finding_count; i++) {
        const ExecFinding *finding = &result->findings[i];
        json_item(json);
        json_open(json, '{');
        json_text(json, STR("level"),
                  finding->advisory ? STR("advisory") : STR("error"));
        json_text(json, STR("kernel"), finding->kernel);
        json_number(json, STR("launch"), finding->launch);
        json_number(json, STR("launches"), finding->launches);
        json_cause_members(json, &finding->cause);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_calls(Json *json, const ExecResult *result) {
    json_open_member(json, STR("calls"), '[');
    for (size_t i = 0; i < result->call_count; i++) {
        const ExecCall *call = &result->calls[i];
        json_item(json);
        json_open(json, '{');
        json_text(json, STR("name"), call->name);
        json_text(json, STR("error"), call->error);
        json_number(json, STR("count"), call->count);
        json_truth(json, STR("missing"), call->is_missing);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void report_exec_json(const ExecResult *result, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/exec/v1"));
    json_text(json, STR("program"), result->program);
    json_text(json, STR("device"), result->device);
    json_text(json, STR("gpu_model"), result->gpu_model);
    json_number(json, STR("seed"), result->seed);
    json_number(json, STR("schedules"), result->schedules);
    json_text(json, STR("verdict"), verdict_name(result->verdict));
    json_number(json, STR("exit_code"), (uint64_t)result->exit_code);
    json_number(json, STR("signal"), result->signal);
    json_number(json, STR("processes"), result->processes);
    json_number(json, STR("launches"), result->launches);
    json_number(json, STR("unchecked"), result->unchecked);
    json_number(json, STR("thread_instructions"), result->instructions);
    json_number(json, STR("errors"), result->errors);
    json_number(json, STR("advisories"), result->advisories);
    json_decimal(json, STR("elapsed_ms"), result->elapsed_ms);
    json_findings(json, result);
    json_calls(json, result);
    json_messages(json, result->messages, result->message_count);
    json_close(json, '}');
    buf_byte(out, '\n');
}

void report_exec_run(Arena *arena, const ExecResult *result,
                     LaunchResult *run) {
    *run = (LaunchResult){.file = result->program,
                          .device = result->device,
                          .gpu_model = result->gpu_model,
                          .seed = result->seed,
                          .verdict = result->verdict,
                          .elapsed_ms = result->elapsed_ms,
                          .errors = result->errors,
                          .advisories = result->advisories,
                          .version = result->version,
                          .messages = result->messages,
                          .message_count = result->message_count};
    run->findings = arena_new(arena, LaunchFinding, result->finding_count + 1);
    for (size_t i = 0; i < result->finding_count; i++) {
        const ExecFinding *finding = &result->findings[i];
        run->findings[run->finding_count++] =
            (LaunchFinding){.cause = finding->cause,
                            .advisory = finding->advisory,
                            .schedules = finding->launches};
    }
}
