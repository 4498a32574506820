// SPDX-License-Identifier: Apache-2.0
// Reads JSON (RFC 8259) from files that may hold anything: checks that a text
// is one valid value, and finds values in it by path. Nothing is copied: a
// value is a slice of the text.
#include "base/base.h"

#include <string.h>

enum { MAX_DEPTH = 100 };

typedef struct Reader {
    Str text;
    size_t at;
    const char *error; // NULL: none so far
} Reader;

static int peek(const Reader *reader) {
    if (reader->error || reader->at >= reader->text.len)
        return -1;
    return (unsigned char)reader->text.ptr[reader->at];
}

static bool fail(Reader *reader, const char *error) {
    if (!reader->error)
        reader->error = error;
    return false;
}

static bool is_blank(int byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static void skip_blanks(Reader *reader) {
    while (is_blank(peek(reader)))
        reader->at++;
}

static bool take(Reader *reader, char byte) {
    skip_blanks(reader);
    if (peek(reader) != byte)
        return false;
    reader->at++;
    return true;
}

static bool take_word(Reader *reader, Str word) {
    Str rest = str_slice(reader->text, reader->at, reader->text.len);
    if (!str_starts(rest, word))
        return fail(reader, "an unknown word");
    reader->at += word.len;
    return true;
}

static bool is_digit(int byte) {
    return byte >= '0' && byte <= '9';
}

static bool read_digits(Reader *reader) {
    if (!is_digit(peek(reader)))
        return fail(reader, "a digit is missing");
    while (is_digit(peek(reader)))
        reader->at++;
    return true;
}

// number = ["-"] ("0" | 1-9 digits) ["." digits] [("e"|"E") ["+"|"-"] digits]
static bool read_number(Reader *reader) {
    if (peek(reader) == '-')
        reader->at++;
    if (peek(reader) == '0')
        reader->at++;
    else if (!read_digits(reader))
        return false;
    if (peek(reader) == '.') {
        reader->at++;
        if (!read_digits(reader))
            return false;
    }
    if (peek(reader) == 'e' || peek(reader) == 'E') {
        reader->at++;
        if (peek(reader) == '+' || peek(reader) == '-')
            reader->at++;
        return read_digits(reader);
    }
    return true;
}

static bool read_escape(Reader *reader) {
    int kind = peek(reader);
    reader->at++;
    if (kind != 'u')
        return (kind > 0 && strchr("\"\\/bfnrt", kind)) ||
               fail(reader, "a bad escape");
    for (int i = 0; i < 4; i++, reader->at++) {
        int digit = peek(reader);
        if (digit < 0 || !strchr("0123456789abcdefABCDEF", digit))
            return fail(reader, "a bad \\u escape");
    }
    return true;
}

// Length of the UTF-8 sequence that starts here; 0 if it is not one. Overlong
// forms and surrogates are not checked.
static size_t utf8_length(const Reader *reader) {
    int lead = peek(reader);
    size_t length = lead < 0x80   ? 1
                    : lead < 0xC2 ? 0
                    : lead < 0xE0 ? 2
                    : lead < 0xF0 ? 3
                    : lead < 0xF5 ? 4
                                  : 0;
    if (reader->at + length > reader->text.len)
        return 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)reader->text.ptr[reader->at + i] & 0xC0) != 0x80)
            return 0;
    return length;
}

// Skips bytes that stand for themselves: printable ASCII but for the quote and
// the backslash. Strings are most of a text, and these most of a string.
static void skip_plain(Reader *reader) {
    const char *end = reader->text.ptr + reader->text.len;
    const char *at = reader->text.ptr + reader->at;
    while (at < end && *at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    reader->at = (size_t)(at - reader->text.ptr);
}

// Stores the bytes between the quotes, with escapes as written.
static bool read_string(Reader *reader, Str *out) {
    if (!take(reader, '"'))
        return fail(reader, "a string is missing");
    size_t from = reader->at;
    for (skip_plain(reader); peek(reader) != '"'; skip_plain(reader)) {
        int byte = peek(reader);
        if (byte < 0)
            return fail(reader, "a string without an end");
        if (byte < 0x20)
            return fail(reader, "a control byte in a string");
        size_t length = utf8_length(reader);
        if (length == 0)
            return fail(reader, "a string that is not UTF-8");
        reader->at += length;
        if (byte == '\\' && !read_escape(reader))
            return false;
    }
    *out = str_slice(reader->text, from, reader->at);
    reader->at++;
    return true;
}

static bool read_value(Reader *reader, int depth);

static bool read_members(Reader *reader, int depth) {
    if (take(reader, '}'))
        return true;
    do {
        Str name;
        if (!read_string(reader, &name))
            return false;
        if (!take(reader, ':'))
            return fail(reader, "a ':' is missing");
        if (!read_value(reader, depth))
            return false;
    } while (take(reader, ','));
    return take(reader, '}') || fail(reader, "a '}' is missing");
}

static bool read_elements(Reader *reader, int depth) {
    if (take(reader, ']'))
        return true;
    do {
        if (!read_value(reader, depth))
            return false;
    } while (take(reader, ','));
    return take(reader, ']') || fail(reader, "a ']' is missing");
}

// Skips one value.
static bool read_value(Reader *reader, int depth) {
    if (depth > MAX_DEPTH)
        return fail(reader, "it is nested too deeply");
    skip_blanks(reader);
    Str text;
    int byte = peek(reader);
    switch (byte) {
    case '{':
        reader->at++;
        return read_members(reader, depth + 1);
    case '[':
        reader->at++;
        return read_elements(reader, depth + 1);
    case '"':
        return read_string(reader, &text);
    case 't':
        return take_word(reader, STR("true"));
    case 'f':
        return take_word(reader, STR("false"));
    case 'n':
        return take_word(reader, STR("null"));
    default:
        return byte == '-' || is_digit(byte)
                   ? read_number(reader)
                   : fail(reader, "a value is missing");
    }
}

// Returns the text of the value at `reader`, and moves past it.
static Str value_text(Reader *reader) {
    skip_blanks(reader);
    size_t from = reader->at;
    read_value(reader, 0);
    return str_slice(reader->text, from, reader->at);
}

static bool find_member(Str object, Str name, Str *out) {
    Reader reader = {.text = object};
    if (!take(&reader, '{') || take(&reader, '}'))
        return false;
    do {
        Str here;
        read_string(&reader, &here);
        take(&reader, ':');
        Str value = value_text(&reader);
        if (str_equal(here, name)) {
            *out = value;
            return true;
        }
    } while (take(&reader, ','));
    return false;
}

static bool element_matches(Str element, uint64_t index, Str name) {
    uint64_t number;
    if (str_to_u64(name, &number))
        return number == index;
    Str id;
    return find_member(element, STR("id"), &id) && id.len >= 2 &&
           str_equal(str_slice(id, 1, id.len - 1), name);
}

// Finds the element with that index or id; "#" is the number of elements.
static bool find_element(Arena *arena, Str array, Str name, Str *out) {
    Reader reader = {.text = array};
    uint64_t index = 0;
    if (!take(&reader, '['))
        return false;
    if (!take(&reader, ']')) {
        do {
            Str element = value_text(&reader);
            if (element_matches(element, index, name)) {
                *out = element;
                return true;
            }
            index++;
        } while (take(&reader, ','));
    }
    if (!str_equal(name, STR("#")))
        return false;
    *out = str_format(arena, "%llu", (unsigned long long)index);
    return true;
}

bool json_find(Arena *arena, Str value, const char *path, Str *out) {
    Str rest = str_from(path);
    while (rest.len) {
        Str name = str_cut(&rest, '.');
        if (!find_member(value, name, &value) &&
            !find_element(arena, value, name, &value))
            return false;
    }
    *out = value;
    return true;
}

bool json_next(Str *rest, Str *element) {
    Reader reader = {.text = *rest};
    if (!take(&reader, '[') && !take(&reader, ','))
        return false;
    skip_blanks(&reader);
    *element = value_text(&reader);
    *rest = str_slice(*rest, reader.at, rest->len);
    return !reader.error;
}

bool json_next_member(Str *rest, Str *name, Str *item) {
    Reader reader = {.text = *rest};
    if (!take(&reader, '{') && !take(&reader, ','))
        return false;
    skip_blanks(&reader);
    if (peek(&reader) != '"' || !read_string(&reader, name) ||
        !take(&reader, ':'))
        return false;
    *item = value_text(&reader);
    *rest = str_slice(*rest, reader.at, rest->len);
    return !reader.error;
}

bool json_check(Str text, Str *value, size_t *at, const char **error) {
    Reader reader = {.text = text};
    *value = value_text(&reader);
    skip_blanks(&reader);
    if (!reader.error && reader.at < reader.text.len)
        fail(&reader, "something follows the value");
    *at = reader.at;
    *error = reader.error;
    return !reader.error;
}

// ---- strings -------------------------------------------------------------

static uint32_t hex_value(Str digits) {
    uint32_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        uint32_t c = (unsigned char)digits.ptr[i];
        value = value << 4 | (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
}

static void put_utf8(Buf *out, uint32_t code) {
    if (code < 0x80) {
        buf_byte(out, (char)code);
    } else if (code < 0x800) {
        buf_byte(out, (char)(0xC0 | code >> 6));
        buf_byte(out, (char)(0x80 | (code & 0x3F)));
    } else {
        buf_byte(out, (char)(0xE0 | code >> 12));
        buf_byte(out, (char)(0x80 | (code >> 6 & 0x3F)));
        buf_byte(out, (char)(0x80 | (code & 0x3F)));
    }
}

// Appends what the escape at the start of *rest stands for, and takes it off.
static void put_escape(Buf *out, Str *rest) {
    static const char letters[] = "bfnrt", values[] = "\b\f\n\r\t";
    char kind = rest->ptr[1];
    const char *letter = strchr(letters, kind);
    if (kind == 'u')
        put_utf8(out, hex_value(str_slice(*rest, 2, 6)));
    else
        buf_byte(out, letter ? values[letter - letters] : kind);
    *rest = str_slice(*rest, kind == 'u' ? 6 : 2, rest->len);
}

bool json_string_value(Arena *arena, Str value, Str *out) {
    if (value.len < 2 || value.ptr[0] != '"')
        return false;
    Buf text = {0};
    for (Str rest = str_slice(value, 1, value.len - 1); rest.len;) {
        if (rest.ptr[0] == '\\') {
            put_escape(&text, &rest);
            continue;
        }
        buf_byte(&text, rest.ptr[0]);
        rest = str_slice(rest, 1, rest.len);
    }
    *out = str_copy(arena, buf_view(&text));
    buf_free(&text);
    return true;
}

Str json_find_text(Arena *arena, Str value, const char *path) {
    Str found, text;
    if (!json_find(arena, value, path, &found) ||
        !json_string_value(arena, found, &text))
        return (Str){0};
    return text;
}

bool json_find_number(Arena *arena, Str value, const char *path,
                      uint64_t *number) {
    Str found;
    return json_find(arena, value, path, &found) && str_to_u64(found, number);
}
