// SPDX-License-Identifier: Apache-2.0
// For the tests of report/: a parser that only says whether a text is valid
// JSON (RFC 8259, except for forms of numbers that reports never have).
#ifndef CLCLAB_JSON_SCAN_H
#define CLCLAB_JSON_SCAN_H

#include "base/base.h"

#include <string.h>

typedef struct Scan {
    const unsigned char *at, *end;
} Scan;

static inline void scan_blanks(Scan *s) {
    while (s->at < s->end && strchr(" \n\r\t", *s->at) && *s->at)
        s->at++;
}

static inline bool scan_byte(Scan *s, char byte) {
    scan_blanks(s);
    if (s->at >= s->end || *s->at != (unsigned char)byte)
        return false;
    s->at++;
    return true;
}

static inline bool scan_utf8_tail(Scan *s, unsigned char lead) {
    int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : -1;
    for (int i = 0; i < more; i++, s->at++)
        if (s->at >= s->end || (*s->at & 0xc0) != 0x80)
            return false;
    return more > 0;
}

static inline bool scan_escape(Scan *s) {
    if (s->at >= s->end)
        return false;
    unsigned char kind = *s->at++;
    if (kind != 'u')
        return kind && strchr("\"\\/bfnrt", kind);
    for (int i = 0; i < 4; i++, s->at++)
        if (s->at >= s->end || !*s->at ||
            !strchr("0123456789abcdefABCDEF", *s->at))
            return false;
    return true;
}

static inline bool scan_string(Scan *s) {
    if (!scan_byte(s, '"'))
        return false;
    while (s->at < s->end) {
        unsigned char c = *s->at++;
        if (c == '"')
            return true;
        bool right = c == '\\'   ? scan_escape(s)
                     : c >= 0x80 ? scan_utf8_tail(s, c)
                                 : c >= 0x20;
        if (!right)
            return false;
    }
    return false;
}

static inline bool scan_digits(Scan *s) {
    const unsigned char *from = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > from;
}

static inline bool scan_value(Scan *s);

static inline bool scan_items(Scan *s, char close, bool keys) {
    if (scan_byte(s, close))
        return true;
    do {
        if (keys && !(scan_string(s) && scan_byte(s, ':')))
            return false;
        if (!scan_value(s))
            return false;
    } while (scan_byte(s, ','));
    return scan_byte(s, close);
}

static inline bool scan_word(Scan *s) {
    static const char *const words[] = {"null", "true", "false"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t len = strlen(words[i]);
        if ((size_t)(s->end - s->at) < len || memcmp(s->at, words[i], len) != 0)
            continue;
        s->at += len;
        return true;
    }
    return false;
}

static inline bool scan_value(Scan *s) {
    scan_blanks(s);
    if (s->at >= s->end)
        return false;
    if (*s->at == '"')
        return scan_string(s);
    if (scan_byte(s, '{'))
        return scan_items(s, '}', true);
    if (scan_byte(s, '['))
        return scan_items(s, ']', false);
    if (scan_word(s))
        return true;
    bool right = scan_digits(s);
    if (right && s->at < s->end && *s->at == '.') {
        s->at++;
        right = scan_digits(s);
    }
    return right;
}

static inline bool is_json(Str text) {
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    Scan s = {bytes, bytes + text.len};
    bool right = scan_value(&s);
    scan_blanks(&s);
    return right && s.at == s.end;
}

#endif
