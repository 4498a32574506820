// SPDX-License-Identifier: Apache-2.0
// Writes JSON (RFC 8259), indented by two blanks; an absent value is null. What
// a terminal would act on is escaped, and invalid UTF-8 becomes U+FFFD.
#include "base/base.h"

#include <stdio.h>

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

// Not by printf's %f, which would use the locale's decimal point.
Str decimal_text(char text[DECIMAL_TEXT], double points) {
    uint64_t thousandths = points > 0 ? (uint64_t)(points * 1000 + 0.5) : 0;
    uint32_t rest = (uint32_t)(thousandths % 1000);
    int len = snprintf(text, DECIMAL_TEXT, rest ? "%llu.%03u" : "%llu",
                       (unsigned long long)(thousandths / 1000), rest);
    return (Str){text, (size_t)len};
}

void json_decimal(Json *json, Str key, double value) {
    char text[DECIMAL_TEXT];
    json_key(json, key);
    buf_str(json->out, decimal_text(text, value));
}
