// SPDX-License-Identifier: Apache-2.0
// UTF-8, by the table of RFC 3629 (no overlong forms, no surrogates), and bytes
// that somebody else chose made harmless: invalid UTF-8 and whatever a terminal
// would act on are escaped.
#include "base/base.h"

// The lowest code point of a sequence of 2, 3 and 4 bytes.
static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};

static size_t sequence_length(uint8_t lead) {
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead < 0xe0)
        return 2;
    if (lead >= 0xe0 && lead < 0xf0)
        return 3;
    return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

size_t utf8_decode(Str s, uint32_t *code) {
    uint8_t lead = (uint8_t)s.ptr[0];
    size_t len = sequence_length(lead);
    if (len == 0 || len > s.len)
        return 0;
    *code = len == 1 ? lead : lead & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        uint8_t byte = (uint8_t)s.ptr[i];
        if ((byte & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (byte & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code < 0xe000;
    if (*code < LEAST[len] || *code > 0x10ffff || surrogate)
        return 0;
    return len;
}

bool utf8_is_printable(uint32_t code) {
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    bool direction = code == 0x200e || code == 0x200f || code == 0x061c ||
                     (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
    bool line_break = code == 0x2028 || code == 0x2029;
    return !control && !direction && !line_break;
}

static void escape_one(uint32_t code, Buf *out) {
    if (code == '\n')
        buf_str(out, STR("\\n"));
    else if (code == '\t')
        buf_str(out, STR("\\t"));
    else if (code < 0x100)
        buf_printf(out, "\\x%02x", code);
    else
        buf_printf(out, "\\u{%x}", code);
}

void utf8_escape(Str s, Buf *out) {
    while (s.len > 0) {
        uint32_t code = (uint8_t)s.ptr[0];
        size_t len = utf8_decode(s, &code);
        if (len > 0 && utf8_is_printable(code))
            buf_bytes(out, s.ptr, len);
        else
            escape_one(len ? code : (uint8_t)s.ptr[0], out);
        s = str_slice(s, len ? len : 1, s.len);
    }
}
