// SPDX-License-Identifier: Apache-2.0
// Result -> JSON, schema "clclab/result/v1". The order of the functions is
// bottom-up: the writer, then causes, checks, and the whole. RFC 8259; two
// blanks of indentation; what is not there is null.
#include "report/internal.h"

// ---- the writer ----------------------------------------------------------

typedef struct Json {
    Buf *out;
    uint32_t depth;
    bool filled; // something stands before in the current array or object
} Json;

static void json_line(Json *json) {
    buf_byte(json->out, '\n');
    for (uint32_t i = 0; i < json->depth; i++)
        buf_str(json->out, STR("  "));
}

static void json_open(Json *json, char bracket) {
    buf_byte(json->out, bracket);
    json->depth++;
    json->filled = false;
}

static void json_close(Json *json, char bracket) {
    json->depth--;
    if (json->filled)
        json_line(json);
    buf_byte(json->out, bracket);
    json->filled = true;
}

// The comma and the line before an item.
static void json_item(Json *json) {
    if (json->filled)
        buf_byte(json->out, ',');
    json->filled = true;
    json_line(json);
}

static void json_character(Buf *out, uint32_t code, Str bytes) {
    if (code == '"' || code == '\\')
        buf_printf(out, "\\%c", (char)code);
    else if (code == '\n')
        buf_str(out, STR("\\n"));
    else if (code == '\t')
        buf_str(out, STR("\\t"));
    else if (!utf8_is_printable(code) && code < 0x10000)
        buf_printf(out, "\\u%04x", code);
    else
        buf_str(out, bytes);
}

static void json_string(Json *json, Str s) {
    buf_byte(json->out, '"');
    while (s.len > 0) {
        uint32_t code = 0;
        size_t len = utf8_decode(s, &code);
        if (len == 0)
            buf_str(json->out, STR("\xef\xbf\xbd")); // U+FFFD
        else
            json_character(json->out, code, str_slice(s, 0, len));
        s = str_slice(s, len ? len : 1, s.len);
    }
    buf_byte(json->out, '"');
}

static void json_key(Json *json, Str key) {
    json_item(json);
    json_string(json, key);
    buf_str(json->out, STR(": "));
}

static void json_text(Json *json, Str key, Str value) {
    json_key(json, key);
    json_string(json, value);
}

static void json_text_or_null(Json *json, Str key, Str value) {
    json_key(json, key);
    if (value.len)
        json_string(json, value);
    else
        buf_str(json->out, STR("null"));
}

static void json_number(Json *json, Str key, uint64_t value) {
    json_key(json, key);
    buf_printf(json->out, "%llu", (unsigned long long)value);
}

static void json_number_or_null(Json *json, Str key, uint64_t value) {
    if (value)
        json_number(json, key, value);
    else
        json_text_or_null(json, key, (Str){0});
}

// Points and milliseconds: not negative, at most 3 decimals, by hand because
// printf would use the locale's decimal point.
static void json_decimal(Json *json, Str key, double value) {
    uint64_t thousandths = value > 0 ? (uint64_t)(value * 1000 + 0.5) : 0;
    json_number(json, key, thousandths / 1000);
    uint32_t rest = (uint32_t)(thousandths % 1000);
    if (rest)
        buf_printf(json->out, ".%03u", rest);
}

// ---- causes --------------------------------------------------------------

static void write_related(Json *json, const Cause *cause) {
    json_key(json, STR("related"));
    json_open(json, '[');
    for (uint32_t i = 0; i < cause->related_count; i++) {
        json_item(json);
        json_open(json, '{');
        json_text_or_null(json, STR("file"), cause->related[i].at.file);
        json_number_or_null(json, STR("line"), cause->related[i].at.line);
        json_text(json, STR("what"), cause->related[i].what);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_cause(Json *json, const Cause *cause) {
    json_open(json, '{');
    json_text_or_null(json, STR("code"), cause->code);
    json_text(json, STR("what"), cause->what);
    json_text_or_null(json, STR("expected"), cause->expected);
    json_text_or_null(json, STR("actual"), cause->actual);
    json_text_or_null(json, STR("help"), cause->help);
    json_text_or_null(json, STR("file"), cause->at.file);
    json_number_or_null(json, STR("line"), cause->at.line);
    json_number_or_null(json, STR("column"), cause->at.col);
    write_related(json, cause);
    json_text_or_null(json, STR("replay"), cause->replay);
    json_text_or_null(json, STR("context"), cause->context);
    json_close(json, '}');
}

static void write_causes(Json *json, Str key, const Cause *causes,
                         size_t count) {
    json_key(json, key);
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        json_item(json);
        write_cause(json, &causes[i]);
    }
    json_close(json, ']');
}

// ---- the parts of a result -----------------------------------------------

static Str status_name(CheckStatus status) {
    switch (status) {
    case CHECK_PASS:
        return STR("pass");
    case CHECK_FAIL:
        return STR("fail");
    case CHECK_SKIP:
        return STR("skip");
    case CHECK_ERROR:
        return STR("error");
    }
    return STR("error");
}

static void write_check(Json *json, const CheckResult *check) {
    json_open(json, '{');
    json_text(json, STR("id"), check->id);
    json_text(json, STR("title"), check->title);
    json_decimal(json, STR("points"), check->points);
    json_decimal(json, STR("max_points"), check->max_points);
    json_text(json, STR("status"), status_name(check->status));
    json_key(json, STR("cause"));
    if (check->cause_count > 0)
        write_cause(json, &check->causes[0]);
    else
        buf_str(json->out, STR("null"));
    if (check->cause_count > 1)
        write_causes(json, STR("more_causes"), check->causes + 1,
                     check->cause_count - 1);
    json_close(json, '}');
}

static void write_checks(Json *json, const Result *result) {
    json_key(json, STR("checks"));
    json_open(json, '[');
    for (size_t i = 0; i < result->check_count; i++) {
        json_item(json);
        write_check(json, &result->checks[i]);
    }
    json_close(json, ']');
}

static void write_ledger(Json *json, const Result *result) {
    const LedgerSummary *ledger = &result->ledger;
    if (!result->has_ledger) {
        json_text_or_null(json, STR("ledger"), (Str){0});
        return;
    }
    json_key(json, STR("ledger"));
    json_open(json, '{');
    json_number(json, STR("n"), (uint64_t)ledger->n);
    json_text(json, STR("schedule"), ledger->schedule);
    json_number(json, STR("grid"), ledger->grid);
    json_number(json, STR("started"), ledger->started);
    json_number(json, STR("canceled"), ledger->canceled);
    json_number(json, STR("refused"), ledger->refused);
    json_number(json, STR("lost"), ledger->lost);
    json_number(json, STR("chain_count"), ledger->chain_total);
    json_key(json, STR("chains"));
    json_open(json, '[');
    for (size_t i = 0; i < ledger->chain_count; i++) {
        json_item(json);
        json_string(json, ledger->chains[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_environment(Json *json, const Result *result) {
    json_key(json, STR("environment"));
    json_open(json, '{');
    json_text_or_null(json, STR("clclab"), result->version);
    json_text_or_null(json, STR("compiler"), result->compiler);
    json_close(json, '}');
}

static Str level_name(DiagLevel level) {
    switch (level) {
    case DIAG_ERROR:
        return STR("error");
    case DIAG_WARNING:
        return STR("warning");
    case DIAG_NOTE:
        return STR("note");
    }
    return STR("error");
}

static void write_messages(Json *json, const Result *result) {
    json_key(json, STR("messages"));
    json_open(json, '[');
    for (size_t i = 0; i < result->message_count; i++) {
        const Diag *message = &result->messages[i];
        json_item(json);
        json_open(json, '{');
        json_text(json, STR("level"), level_name(message->level));
        json_text(json, STR("what"), message->what);
        json_text_or_null(json, STR("file"), message->at.file);
        json_number_or_null(json, STR("line"), message->at.line);
        json_number_or_null(json, STR("column"), message->at.col);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static Str verdict_name(Verdict verdict) {
    switch (verdict) {
    case VERDICT_PASS:
        return STR("pass");
    case VERDICT_FAIL:
        return STR("fail");
    case VERDICT_ERROR:
        return STR("error");
    }
    return STR("error");
}

void report_json(const Result *result, Buf *out) {
    Json writer = {.out = out}, *json = &writer;
    json_open(json, '{');
    json_text(json, STR("schema"), STR("clclab/result/v1"));
    json_number(json, STR("lab"), result->lab);
    json_text(json, STR("title"), result->title);
    json_text(json, STR("file"), result->file);
    json_text(json, STR("device"), result->device);
    json_text_or_null(json, STR("gpu_model"), result->gpu_model);
    json_number(json, STR("seed"), result->seed);
    json_number(json, STR("schedules"), result->schedules);
    json_decimal(json, STR("score"), result->score);
    json_decimal(json, STR("max_score"), result->max_score);
    json_text(json, STR("verdict"), verdict_name(result->verdict));
    json_decimal(json, STR("elapsed_ms"), result->elapsed_ms);
    write_checks(json, result);
    write_ledger(json, result);
    write_environment(json, result);
    write_causes(json, STR("advisories"), result->advisories,
                 result->advisory_count);
    json_text(json, STR("output"), result->output);
    write_messages(json, result);
    json_close(json, '}');
    buf_byte(out, '\n');
}
