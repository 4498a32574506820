// SPDX-License-Identifier: Apache-2.0
// Finds the preprocessor directives of a C++ text without preprocessing it.
//
// This is enough to know which files a source asks for: comments, strings,
// characters and raw strings are skipped, a backslash continues a line, and
// `%:` means `#`. Conditions are not evaluated and macros are not expanded.
//
// The compilers do not agree on everything: ScanReading has what only gcc, the
// preprocessor of nvcc, takes for the end of a line or of a raw string. Who
// wants to be sure of what a text asks for reads it in both ways.
//
// scan_start first joins continued lines, and puts the newlines that it removed
// after the joined line, so that later lines keep their numbers. Raw strings
// are not joined, so they are looked up in the text as it was.
#include "compile/internal.h"

#include <string.h>

static char peek(const Scanner *s, size_t ahead) {
    size_t at = s->at + ahead;
    return at < s->text.len ? s->text.ptr[at] : '\0';
}

static bool at_end(const Scanner *s) {
    return s->at >= s->text.len;
}

static void step(Scanner *s) {
    s->line += peek(s, 0) == '\n';
    s->at++;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Both compilers let names hold $ and letters beyond ASCII.
static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

Str scan_word(Str text) {
    text = str_trim(text);
    size_t len = 0;
    while (len < text.len && is_word(text.ptr[len]))
        len++;
    return str_slice(text, 0, len);
}

// ---- what is skipped -----------------------------------------------------

// For the compilers a directive may follow a comment that began on an earlier
// line, whatever stands before that comment.
static bool skip_comment(Scanner *s) {
    if (peek(s, 0) != '/')
        return false;
    if (peek(s, 1) == '/') {
        while (!at_end(s) && peek(s, 0) != '\n')
            step(s);
        return true;
    }
    if (peek(s, 1) != '*')
        return false;
    uint32_t line = s->line;
    s->at += 2;
    while (!at_end(s) && !(peek(s, 0) == '*' && peek(s, 1) == '/'))
        step(s);
    s->at += 2;
    s->line_start = s->line_start || s->line != line;
    return true;
}

// Up to the closing mark, or to the end of the line where there is none.
static void skip_quoted(Scanner *s, char mark) {
    size_t from = s->at + 1;
    step(s);
    while (!at_end(s) && peek(s, 0) != mark && peek(s, 0) != '\n') {
        if (peek(s, 0) == '\\' && peek(s, 1) != '\n')
            step(s);
        step(s);
    }
    s->word = str_slice(s->text, from, s->at);
    if (peek(s, 0) == mark)
        step(s);
}

// Where the raw string whose text starts at `from` ends, in s->whole.
static size_t raw_end(const Scanner *s, size_t from, Str delimiter) {
    bool one_line = s->in_directive && s->reading == SCAN_GCC;
    for (size_t at = from; at < s->whole.len; at++) {
        char c = s->whole.ptr[at];
        Str rest = str_slice(s->whole, at + 1, s->whole.len);
        if (one_line && c == '\n')
            return at;
        if (c == ')' && str_starts(rest, delimiter) &&
            rest.len > delimiter.len && rest.ptr[delimiter.len] == '"')
            return at + delimiter.len + 2;
    }
    return s->whole.len;
}

// R"...( )...", from its quote.
static void skip_raw(Scanner *s) {
    enum { MAX_DELIMITER = 16 };
    size_t from = s->origin[s->at] + (size_t)1, len = 0;
    while (len <= MAX_DELIMITER && from + len < s->whole.len &&
           s->whole.ptr[from + len] != '(')
        len++;
    step(s);
    if (len > MAX_DELIMITER || from + len >= s->whole.len)
        return; // malformed: left to the compiler to report
    size_t end =
        raw_end(s, from + len + 1, str_slice(s->whole, from, from + len));
    s->word = str_slice(s->whole, from + len + 1, end);
    while (!at_end(s) && s->origin[s->at] < end)
        step(s);
}

// A number may hold quotes between its digits, and signs: 1'000, 0x1p+3.
static void skip_number(Scanner *s) {
    for (;;) {
        char c = peek(s, 0), next = peek(s, 1);
        bool exponent = c && strchr("eEpP", c) && (next == '+' || next == '-');
        if (exponent || (c == '\'' && is_word(next)))
            s->at += 2;
        else if (is_word(c) || c == '.')
            s->at++;
        else
            return;
    }
}

// A name, or the prefix of a raw string, which is skipped with it. The prefix
// of another literal needs no care: its quote comes next.
static ScanPiece take_word(Scanner *s) {
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    size_t from = s->at;
    while (is_word(peek(s, 0)))
        s->at++;
    s->word = str_slice(s->text, from, s->at);
    if (peek(s, 0) != '"')
        return SCAN_WORD;
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (str_equal(s->word, str_from(prefixes[i]))) {
            skip_raw(s);
            return SCAN_STRING;
        }
    return SCAN_WORD;
}

// Takes one piece of text that is not a directive.
static ScanPiece take_piece(Scanner *s) {
    if (skip_comment(s))
        return SCAN_OTHER;
    char c = peek(s, 0);
    if (c == '\n') {
        s->line_start = true;
        s->in_directive = false;
        step(s);
        return SCAN_OTHER;
    }
    if (!is_blank(c) && c != '\r')
        s->line_start = false;
    if (is_digit(c) || (c == '.' && is_digit(peek(s, 1)))) {
        skip_number(s);
    } else if (is_word(c)) {
        return take_word(s);
    } else if (c == '"' || c == '\'') {
        skip_quoted(s, c);
        return SCAN_STRING;
    } else {
        step(s);
    }
    return SCAN_OTHER;
}

// ---- directives ----------------------------------------------------------

static void skip_blanks(Scanner *s) {
    for (;;) {
        bool comment = peek(s, 0) == '/' && peek(s, 1) == '*';
        if (is_blank(peek(s, 0)) || peek(s, 0) == '\r')
            step(s);
        else if (!comment || !skip_comment(s))
            return;
    }
}

static Str rest_of_line(const Scanner *s) {
    Str rest = str_slice(s->text, s->at, s->text.len);
    return str_trim(str_slice(rest, 0, str_find(rest, '\n')));
}

static void read_file_name(Scanner *s, Directive *d) {
    char mark = peek(s, 0);
    if (mark != '"' && mark != '<')
        return;
    Str line = str_slice(rest_of_line(s), 1, COMPILE_MAX_SOURCE);
    size_t end = str_find(line, mark == '<' ? '>' : '"');
    if (end == line.len)
        return;
    d->mark = mark;
    d->argument = str_slice(line, 0, end);
    s->at += end + 2;
}

static bool names_file(Str directive) {
    return str_equal(directive, STR("include")) ||
           str_equal(directive, STR("include_next")) ||
           str_equal(directive, STR("import")) ||
           str_equal(directive, STR("embed"));
}

static void read_directive(Scanner *s) {
    s->at += peek(s, 0) == '#' ? 1 : 2;
    s->in_directive = true;
    skip_blanks(s);
    s->line_start = false;
    Directive *d = &s->directive;
    *d = (Directive){.line = s->line};
    d->name = scan_word(rest_of_line(s));
    s->at += d->name.len;
    skip_blanks(s);
    d->argument = rest_of_line(s);
    if (names_file(d->name))
        read_file_name(s, d);
}

bool scan_asked_file(Scanner *s, Directive *asked) {
    *asked = (Directive){.name = s->directive.name, .line = s->line};
    skip_blanks(s);
    if (peek(s, 0) != '(')
        return false;
    step(s);
    skip_blanks(s);
    read_file_name(s, asked);
    return asked->mark != 0;
}

// ---- a text --------------------------------------------------------------

// The length of the end of a line at `at`; 0 if there is none.
static size_t newline_at(Str text, size_t at, ScanReading reading) {
    if (at >= text.len || (text.ptr[at] != '\n' && text.ptr[at] != '\r'))
        return 0;
    if (text.ptr[at] == '\n')
        return 1;
    if (at + 1 < text.len && text.ptr[at + 1] == '\n')
        return 2;
    return reading == SCAN_GCC;
}

// The length of the backslash and newline at `at`; 0 if there are none.
static size_t splice_at(Str text, size_t at, ScanReading reading) {
    if (text.ptr[at] != '\\')
        return 0;
    size_t end = at + 1;
    while (reading == SCAN_GCC && end < text.len && is_blank(text.ptr[end]))
        end++;
    size_t newline = newline_at(text, end, reading);
    return newline ? end + newline - at : 0;
}

Scanner scan_start(Arena *arena, Str text, ScanReading reading) {
    char *out = arena_new(arena, char, text.len + 1);
    uint32_t *origin = arena_new(arena, uint32_t, text.len + 1);
    size_t len = 0, owed = 0; // owed: newlines removed from this line
    for (size_t i = 0; i < text.len; i++) {
        size_t splice = splice_at(text, i, reading);
        if (splice) {
            owed++;
            i += splice - 1;
            continue;
        }
        bool newline = newline_at(text, i, reading) == 1;
        for (size_t n = 0; n < 1 + (newline ? owed : 0); n++) {
            origin[len] = (uint32_t)i;
            out[len++] = newline ? '\n' : text.ptr[i];
        }
        owed = newline ? 0 : owed;
    }
    return (Scanner){.text = {out, len},
                     .whole = text,
                     .origin = origin,
                     .reading = reading,
                     .line = 1,
                     .line_start = true};
}

ScanPiece scan_next(Scanner *s) {
    while (!at_end(s)) {
        bool hash =
            peek(s, 0) == '#' || (peek(s, 0) == '%' && peek(s, 1) == ':');
        if (s->line_start && hash) {
            read_directive(s);
            return SCAN_DIRECTIVE;
        }
        ScanPiece piece = take_piece(s);
        if (piece != SCAN_OTHER)
            return piece;
    }
    return SCAN_END;
}
