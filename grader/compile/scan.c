// SPDX-License-Identifier: Apache-2.0
// Finds the preprocessor directives of a C++ text without preprocessing it.
//
// This is enough to know which files a source asks for: comments, strings,
// characters and raw strings are skipped, a backslash continues a line, and
// `%:` means `#`. Conditions are not evaluated and macros are not expanded.
//
// scan_start first joins continued lines, and puts the newlines that it removed
// after the joined line, so that later lines keep their numbers.
#include "compile/internal.h"

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

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

Str scan_word(Str text) {
    text = str_trim(text);
    size_t len = 0;
    while (len < text.len && is_word(text.ptr[len]))
        len++;
    return str_slice(text, 0, len);
}

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
    s->at += 2;
    while (!at_end(s) && !(peek(s, 0) == '*' && peek(s, 1) == '/'))
        step(s);
    s->at += 2;
    return true;
}

// Up to the closing mark, or to the end of the line where there is none.
static void skip_quoted(Scanner *s, char mark) {
    step(s);
    while (!at_end(s) && peek(s, 0) != mark && peek(s, 0) != '\n') {
        if (peek(s, 0) == '\\' && peek(s, 1) != '\n')
            step(s);
        step(s);
    }
    if (peek(s, 0) == mark)
        step(s);
}

// Whether the quote at s->at starts a raw string, R"...( )...".
static bool is_raw(const Scanner *s) {
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    size_t start = s->at;
    while (start > 0 && is_word(s->text.ptr[start - 1]))
        start--;
    Str word = str_slice(s->text, start, s->at);
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (str_equal(word, str_from(prefixes[i])))
            return true;
    return false;
}

static void skip_raw(Scanner *s) {
    enum { MAX_DELIMITER = 16 };
    size_t from = s->at + 1, len = 0;
    while (len < MAX_DELIMITER && peek(s, 1 + len) != '(' &&
           from + len < s->text.len)
        len++;
    if (peek(s, 1 + len) != '(') {
        step(s); // malformed: left to the compiler to report
        return;
    }
    Str delimiter = str_slice(s->text, from, from + len);
    while (!at_end(s)) {
        step(s);
        Str rest = str_slice(s->text, s->at, s->text.len);
        if (peek(s, 0) == ')' &&
            str_starts(str_slice(rest, 1, rest.len), delimiter) &&
            peek(s, 1 + len) == '"')
            break;
    }
    s->at += len + 2;
}

// Skips one piece of text that is not a directive.
static void skip_piece(Scanner *s) {
    if (skip_comment(s))
        return;
    char c = peek(s, 0);
    if (c == '\n') {
        s->line_start = true;
        step(s);
        return;
    }
    if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v')
        s->line_start = false;
    bool separator = s->at > 0 && is_word(s->text.ptr[s->at - 1]);
    if (c == '"' && is_raw(s))
        skip_raw(s);
    else if (c == '"' || (c == '\'' && !separator)) // not that of 1'000
        skip_quoted(s, c);
    else
        step(s);
}

static void skip_blanks(Scanner *s) {
    for (;;) {
        bool comment = peek(s, 0) == '/' && peek(s, 1) == '*';
        if (peek(s, 0) == ' ' || peek(s, 0) == '\t')
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

static void read_directive(Scanner *s, Directive *d) {
    s->at += peek(s, 0) == '#' ? 1 : 2;
    s->line_start = false;
    skip_blanks(s);
    *d = (Directive){.line = s->line};
    d->name = scan_word(rest_of_line(s));
    s->at += d->name.len;
    skip_blanks(s);
    d->argument = rest_of_line(s);
    if (names_file(d->name))
        read_file_name(s, d);
}

// The length of the backslash and newline at `at`; 0 if there are none.
static size_t splice_at(Str text, size_t at) {
    if (text.ptr[at] != '\\' || at + 1 == text.len)
        return 0;
    size_t len = text.ptr[at + 1] == '\r' ? 3 : 2;
    bool there = at + len <= text.len && text.ptr[at + len - 1] == '\n';
    return there ? len : 0;
}

Scanner scan_start(Arena *arena, Str text) {
    char *out = arena_new(arena, char, text.len + 1);
    size_t len = 0, owed = 0; // owed: newlines removed from this line
    for (size_t i = 0; i < text.len; i++) {
        size_t splice = splice_at(text, i);
        if (splice) {
            owed++;
            i += splice - 1;
            continue;
        }
        out[len++] = text.ptr[i];
        for (; text.ptr[i] == '\n' && owed; owed--)
            out[len++] = '\n';
    }
    return (Scanner){.text = {out, len}, .line = 1, .line_start = true};
}

bool scan_directive(Scanner *s, Directive *directive) {
    while (!at_end(s)) {
        bool hash =
            peek(s, 0) == '#' || (peek(s, 0) == '%' && peek(s, 1) == ':');
        if (s->line_start && hash) {
            read_directive(s, directive);
            return true;
        }
        skip_piece(s);
    }
    return false;
}
