// SPDX-License-Identifier: Apache-2.0
// The text of a C file cut into tokens; nothing is known yet of what they mean.
#include "tests/mutate-grader/tokens.h"

#include <ctype.h>
#include <string.h>

typedef struct Reader {
    Str text;
    size_t at;
    uint32_t line;
    bool fresh; // nothing but blanks so far in this line
} Reader;

static char byte_at(const Reader *reader, size_t offset) {
    size_t at = reader->at + offset;
    return at < reader->text.len ? reader->text.ptr[at] : '\0';
}

static bool sees(const Reader *reader, const char *text) {
    Str rest = str_slice(reader->text, reader->at, reader->text.len);
    return str_starts(rest, str_from(text));
}

static void skip(Reader *reader, size_t count) {
    for (; count > 0 && reader->at < reader->text.len; count--, reader->at++) {
        char byte = byte_at(reader, 0);
        if (byte == '\n') {
            reader->line++;
            reader->fresh = true;
        } else if (!isspace((unsigned char)byte)) {
            reader->fresh = false;
        }
    }
}

static bool at_end(const Reader *reader) {
    return reader->at >= reader->text.len;
}

static void skip_to(Reader *reader, const char *end) {
    while (!at_end(reader) && !sees(reader, end))
        skip(reader, 1);
}

// A line ends at a newline without a backslash before it.
static void skip_line(Reader *reader) {
    while (!at_end(reader) && !sees(reader, "\n"))
        skip(reader, sees(reader, "\\\n") ? 2 : 1);
}

static bool skip_one_gap(Reader *reader) {
    if (isspace((unsigned char)byte_at(reader, 0))) {
        skip(reader, 1);
    } else if (sees(reader, "//") ||
               (reader->fresh && byte_at(reader, 0) == '#')) {
        skip_line(reader);
    } else if (sees(reader, "/*")) {
        skip(reader, 2);
        skip_to(reader, "*/");
        skip(reader, 2);
    } else {
        return false;
    }
    return true;
}

static size_t name_length(const Reader *reader) {
    size_t length = 0;
    while (isalnum((unsigned char)byte_at(reader, length)) ||
           byte_at(reader, length) == '_')
        length++;
    return length;
}

// Signs belong to a number behind the "e" of 1e-3 and the "p" of 0x1p-3.
static size_t number_length(const Reader *reader) {
    size_t length = 0;
    for (;; length++) {
        char byte = byte_at(reader, length);
        bool hex = byte_at(reader, 1) == 'x' || byte_at(reader, 1) == 'X';
        char before = length ? byte_at(reader, length - 1) : '\0';
        bool sign = (byte == '+' || byte == '-') && before != '\0' &&
                    strchr(hex ? "pP" : "eE", before);
        if (!isalnum((unsigned char)byte) && byte != '.' && !sign)
            return length;
    }
}

static size_t text_length(const Reader *reader) {
    char quote = byte_at(reader, 0);
    size_t length = 1;
    while (reader->at + length < reader->text.len &&
           byte_at(reader, length) != quote)
        length += byte_at(reader, length) == '\\' ? 2 : 1;
    return length + 1;
}

static size_t mark_length(const Reader *reader) {
    static const char *const marks[] = {
        "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (sees(reader, marks[i]))
            return strlen(marks[i]);
    return 1;
}

static TokenKind next_token(const Reader *reader, size_t *length) {
    unsigned char first = (unsigned char)byte_at(reader, 0);
    if (isalpha(first) || first == '_') {
        *length = name_length(reader);
        return TOKEN_NAME;
    }
    bool point = first == '.' && isdigit((unsigned char)byte_at(reader, 1));
    if (isdigit(first) || point) {
        *length = number_length(reader);
        return TOKEN_NUMBER;
    }
    if (first == '"' || first == '\'') {
        *length = text_length(reader);
        return TOKEN_TEXT;
    }
    *length = mark_length(reader);
    return TOKEN_MARK;
}

static void add_token(Arena *arena, Source *source, Token token) {
    arena_grow(arena, source->tokens, source->count, source->capacity);
    token.pair = source->count;
    token.inside = (size_t)NOWHERE;
    source->tokens[source->count++] = token;
}

void tokens_read(Arena *arena, Source *source) {
    Reader reader = {.text = source->text, .line = 1, .fresh = true};
    for (;;) {
        while (skip_one_gap(&reader))
            continue;
        if (at_end(&reader))
            break;
        Token token = {.line = reader.line};
        size_t length;
        token.kind = next_token(&reader, &length);
        token.text = str_slice(reader.text, reader.at, reader.at + length);
        add_token(arena, source, token);
        skip(&reader, length);
    }
    Str end = str_slice(reader.text, reader.text.len, reader.text.len);
    add_token(arena, source, (Token){.text = end, .line = reader.line});
    source->count--;
}
