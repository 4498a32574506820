// SPDX-License-Identifier: Apache-2.0
// Checks that a file is one valid JSON value (RFC 8259) and prints values from
// it: all that the tests need, without another package.
//
//   json-get FILE [PATH...]      FILE `-` is standard input
//
// A PATH is members and indices with dots between: checks.0.points. An element
// of an array can also be named by its "id": checks.rules.status. `checks.#` is
// the number of elements. Each value is printed on its own line: strings
// without quotes and with unchanged escapes, everything else unchanged. A path
// that does not exist gives an empty line. Exit 0; 1 if the JSON is not valid;
// 3 if a path does not exist.
#include "base/base.h"

#include <stdio.h>
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

static void skip_blanks(Reader *reader) {
    while (peek(reader) >= 0 && strchr(" \t\r\n", peek(reader)))
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

// Stores the bytes between the quotes, with escapes as written.
static bool read_string(Reader *reader, Str *out) {
    if (!take(reader, '"'))
        return fail(reader, "a string is missing");
    size_t from = reader->at;
    while (peek(reader) != '"') {
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

static bool print_path(Arena *arena, Str value, const char *path) {
    Str rest = str_from(path);
    while (rest.len) {
        Str name = str_cut(&rest, '.');
        if (!find_member(value, name, &value) &&
            !find_element(arena, value, name, &value)) {
            fprintf(stderr, "json-get: %s: no '%.*s'\n", path, STR_ARG(name));
            return false;
        }
    }
    if (value.len && value.ptr[0] == '"')
        value = str_slice(value, 1, value.len - 1);
    printf("%.*s\n", STR_ARG(value));
    return true;
}

static bool read_file(const char *path, Buf *out) {
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "json-get: cannot open %s\n", path);
        return false;
    }
    char block[4096];
    size_t count;
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        buf_bytes(out, block, count);
    if (!standard)
        fclose(file);
    return true;
}

int main(int argc, char **argv) {
    Arena arena = {0};
    Buf text = {0};
    if (argc < 2 || !read_file(argv[1], &text))
        return 2;
    Reader reader = {.text = buf_view(&text)};
    Str value = value_text(&reader);
    skip_blanks(&reader);
    if (!reader.error && reader.at < reader.text.len)
        fail(&reader, "something follows the value");
    int status = reader.error ? 1 : 0;
    if (reader.error)
        fprintf(stderr, "json-get: %s: byte %zu: %s\n", argv[1], reader.at,
                reader.error);
    for (int i = 2; status != 1 && i < argc; i++)
        if (!print_path(&arena, value, argv[i])) {
            putchar('\n');
            status = 3;
        }
    arena_free(&arena);
    buf_free(&text);
    return status;
}
