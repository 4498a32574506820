// SPDX-License-Identifier: Apache-2.0
// Texts as other formats than a terminal and JSON need them: XML, base64, URIs,
// and points. Each takes any bytes and gives valid text.
#include "report/internal.h"

#include <stdio.h>
#include <string.h>

// ---- CSV -----------------------------------------------------------------

void encode_csv(Str text, Buf *out) {
    buf_byte(out, '"');
    // A spreadsheet would take it for a formula.
    if (text.len > 0 && memchr("=+-@", text.ptr[0], 4))
        buf_byte(out, '\'');
    while (text.len > 0) {
        uint32_t code = 0;
        size_t len = utf8_decode(text, &code);
        if (len == 0)
            buf_str(out, STR("\xef\xbf\xbd")); // U+FFFD
        else if (code < ' ')
            buf_byte(out, ' ');
        else
            buf_str(out, str_slice(text, 0, len));
        if (code == '"')
            buf_byte(out, '"');
        text = str_slice(text, len ? len : 1, text.len);
    }
    buf_byte(out, '"');
}

// ---- XML -----------------------------------------------------------------

// XML 1.0, section 2.2: which characters a document may hold. (In a text, a
// terminal's control characters are escaped before they come here.)
static bool is_xml_character(uint32_t code) {
    if (code < 0x20)
        return code == '\t' || code == '\n';
    return code != 0x7f && code != 0xfffe && code != 0xffff;
}

static void xml_character(uint32_t code, Str bytes, Buf *out) {
    switch (code) {
    case '&':
        buf_str(out, STR("&amp;"));
        return;
    case '<':
        buf_str(out, STR("&lt;"));
        return;
    case '>':
        buf_str(out, STR("&gt;"));
        return;
    case '"':
        buf_str(out, STR("&quot;"));
        return;
    }
    if (is_xml_character(code))
        buf_str(out, bytes);
}

void encode_xml(Str text, Buf *out) {
    while (text.len > 0) {
        uint32_t code = 0;
        size_t len = utf8_decode(text, &code);
        if (len == 0)
            buf_str(out, STR("\xef\xbf\xbd")); // U+FFFD
        else
            xml_character(code, str_slice(text, 0, len), out);
        text = str_slice(text, len ? len : 1, text.len);
    }
}

void encode_html(Str text, Buf *out) {
    Buf safe = {0};
    utf8_escape(text, &safe);
    encode_xml(buf_view(&safe), out);
    buf_free(&safe);
}

// A line's end in an attribute is a blank to whoever reads it.
void encode_xml_attribute(const char *name, Str value, Buf *out) {
    buf_printf(out, " %s=\"", name);
    while (value.len > 0) {
        size_t end = str_find(value, '\n');
        encode_xml(str_slice(value, 0, end), out);
        if (end < value.len)
            buf_str(out, STR("&#10;"));
        value = str_slice(value, end + 1, value.len);
    }
    buf_byte(out, '"');
}

// ---- base64 (RFC 4648, section 4) -----------------------------------------

void encode_base64(Str bytes, Buf *out) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)(uint8_t)bytes.ptr[i] << 16;
        if (left > 1)
            group |= (uint32_t)(uint8_t)bytes.ptr[i + 1] << 8;
        if (left > 2)
            group |= (uint8_t)bytes.ptr[i + 2];
        buf_byte(out, digits[group >> 18]);
        buf_byte(out, digits[group >> 12 & 63]);
        buf_byte(out, left > 1 ? digits[group >> 6 & 63] : '=');
        buf_byte(out, left > 2 ? digits[group & 63] : '=');
    }
}

// ---- URIs (RFC 3986) ------------------------------------------------------

static bool is_unreserved(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (byte && strchr("-._~/", byte));
}

// A path that begins with a name and a colon would be read as a scheme: the
// colon is not among the characters that stay as they are.
void encode_uri(Str path, Buf *out) {
    if (path.len && path.ptr[0] == '/')
        buf_str(out, STR("file://"));
    for (size_t i = 0; i < path.len; i++)
        if (is_unreserved(path.ptr[i]))
            buf_byte(out, path.ptr[i]);
        else
            buf_printf(out, "%%%02X", (uint8_t)path.ptr[i]);
}
