// SPDX-License-Identifier: Apache-2.0
// Writes JSON (RFC 8259; indented by two blanks; an absent value is null), and
// the parts that all documents have: causes, the compiler's messages, the
// environment, the ledger. json.c and run_json.c assemble documents.
#include "report/internal.h"

static void json_line(Json *json) {
    buf_byte(json->out, '\n');
    for (uint32_t i = 0; i < json->depth; i++)
        buf_str(json->out, STR("  "));
}

void json_open(Json *json, char bracket) {
    buf_byte(json->out, bracket);
    json->depth++;
    json->filled = false;
}

void json_close(Json *json, char bracket) {
    json->depth--;
    if (json->filled)
        json_line(json);
    buf_byte(json->out, bracket);
    json->filled = true;
}

void json_item(Json *json) {
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

void json_string(Json *json, Str s) {
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

void json_key(Json *json, Str key) {
    json_item(json);
    json_string(json, key);
    buf_str(json->out, STR(": "));
}

void json_text(Json *json, Str key, Str value) {
    json_key(json, key);
    json_string(json, value);
}

void json_open_member(Json *json, Str key, char bracket) {
    json_key(json, key);
    json_open(json, bracket);
}

void json_null(Json *json, Str key) {
    json_key(json, key);
    buf_str(json->out, STR("null"));
}

void json_text_or_null(Json *json, Str key, Str value) {
    if (value.len)
        json_text(json, key, value);
    else
        json_null(json, key);
}

void json_texts(Json *json, Str key, const Str *texts, size_t count) {
    json_open_member(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        json_item(json);
        json_string(json, texts[i]);
    }
    json_close(json, ']');
}

void json_truth(Json *json, Str key, bool value) {
    json_key(json, key);
    buf_str(json->out, value ? STR("true") : STR("false"));
}

void json_number(Json *json, Str key, uint64_t value) {
    json_key(json, key);
    buf_printf(json->out, "%llu", (unsigned long long)value);
}

void json_number_or_null(Json *json, Str key, uint64_t value) {
    if (value)
        json_number(json, key, value);
    else
        json_null(json, key);
}

// Points and milliseconds: not negative, with at most 3 decimals. Not by
// printf, which would use the locale's decimal point.
void json_decimal(Json *json, Str key, double value) {
    char text[ENCODED_POINTS];
    json_key(json, key);
    buf_str(json->out, encode_points(text, value));
}

// ---- causes --------------------------------------------------------------

static void write_related(Json *json, const Cause *cause) {
    json_open_member(json, STR("related"), '[');
    for (uint32_t i = 0; i < cause->related_count; i++) {
        json_item(json);
        json_open(json, '{');
        json_text_or_null(json, STR("file"), cause->related[i].at.file);
        json_number_or_null(json, STR("line"), cause->related[i].at.line);
        json_number_or_null(json, STR("called"),
                            report_called_line(&cause->related[i]));
        json_text(json, STR("what"), cause->related[i].what);
        json_close(json, '}');
    }
    json_close(json, ']');
}

// The calls that led to the line, the innermost first.
static void write_called(Json *json, const Cause *cause) {
    json_open_member(json, STR("called"), '[');
    for (uint32_t i = 0; i < cause->caller_count; i++) {
        json_item(json);
        json_open(json, '{');
        json_text_or_null(json, STR("file"), cause->callers[i].file);
        json_number_or_null(json, STR("line"), cause->callers[i].line);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void json_cause_members(Json *json, const Cause *cause) {
    json_text_or_null(json, STR("code"), cause->code);
    json_text(json, STR("what"), cause->what);
    json_text_or_null(json, STR("expected"), cause->expected);
    json_text_or_null(json, STR("actual"), cause->actual);
    json_text_or_null(json, STR("help"), cause->help);
    json_text_or_null(json, STR("file"), cause->at.file);
    json_number_or_null(json, STR("line"), cause->at.line);
    json_number_or_null(json, STR("column"), cause->at.col);
    write_called(json, cause);
    write_related(json, cause);
    json_text_or_null(json, STR("replay"), cause->replay);
    json_text_or_null(json, STR("context"), cause->context);
    json_text_or_null(json, STR("who"), cause->who);
    json_text_or_null(json, STR("missing"), cause->missing);
    json_text_or_null(json, STR("region"), cause->region);
    json_text_or_null(json, STR("mend"), cause->mend);
    json_text_or_null(json, STR("explain"), cause->explain);
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

void json_messages(Json *json, const Diag *messages, size_t count) {
    json_open_member(json, STR("messages"), '[');
    for (size_t i = 0; i < count; i++) {
        const Diag *message = &messages[i];
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

void json_environment(Json *json, Str version, Str compiler) {
    json_open_member(json, STR("environment"), '{');
    json_text_or_null(json, STR("clclab"), version);
    json_text_or_null(json, STR("compiler"), compiler);
    json_close(json, '}');
}

void json_pct(Json *json, const PctBound *bound) {
    json_open(json, '{');
    json_number(json, STR("depth"), bound->depth);
    json_number(json, STR("runs"), bound->runs);
    json_number(json, STR("warps"), bound->warps);
    json_number(json, STR("steps"), bound->steps);
    json_number(json, STR("one_in"), bound->one_in);
    json_number(json, STR("all_one_in"), bound->all_one_in);
    json_close(json, '}');
}

void json_pct_list(Json *json, const PctBound bounds[PCT_DEPTHS]) {
    json_open_member(json, STR("pct"), '[');
    for (size_t i = 0; i < PCT_DEPTHS; i++) {
        if (bounds[i].runs == 0)
            continue;
        json_item(json);
        json_pct(json, &bounds[i]);
    }
    json_close(json, ']');
}

void json_ledger_members(Json *json, const LedgerSummary *ledger) {
    const LedgerTotals *totals = &ledger->totals;
    json_text(json, STR("schedule"), ledger->schedule);
    json_number(json, STR("grid"), totals->grid);
    json_number(json, STR("started"), totals->started);
    json_number(json, STR("canceled"), totals->granted);
    json_number(json, STR("refused"), totals->refused);
    json_number(json, STR("lost"), totals->lost);
    json_number(json, STR("chain_count"), totals->started);
    json_texts(json, STR("chains"), ledger->chains, ledger->chain_count);
}
