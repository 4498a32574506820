// SPDX-License-Identifier: Apache-2.0
// Finds places in the learner's file. If the device knows a place, it is used.
// Otherwise the place is the first use of a name in the source text: a small
// scanner skips comments, strings and character constants, which is enough to
// point at a definition.
#include "check/internal.h"

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

// Bytes of the comment, string, character constant or word at the start of s
// (at least 1).
static size_t token_length(Str s) {
    if (str_starts(s, STR("//")))
        return str_find(s, '\n');
    size_t i = 1;
    if (str_starts(s, STR("/*"))) {
        while (i + 1 < s.len &&
               !(i > 2 && s.ptr[i - 1] == '*' && s.ptr[i] == '/'))
            i++;
        return i + 1;
    }
    if (s.ptr[0] == '"' || s.ptr[0] == '\'') {
        while (i < s.len && s.ptr[i] != s.ptr[0] && s.ptr[i] != '\n')
            i += s.ptr[i] == '\\' ? 2 : 1;
        return i + 1;
    }
    while (is_word(s.ptr[0]) && i < s.len && is_word(s.ptr[i]))
        i++;
    return i;
}

// Takes one token, which may be a blank or a comment.
static Str take_token(Str *text, SrcLoc *next) {
    size_t len = token_length(*text);
    Str token = str_slice(*text, 0, len);
    for (size_t i = 0; i < token.len; i++) {
        next->line += token.ptr[i] == '\n';
        next->col = token.ptr[i] == '\n' ? 1 : next->col + 1;
    }
    *text = str_slice(*text, len, text->len);
    return token;
}

Str place_token(Str *text, SrcLoc *next, SrcLoc *at) {
    while (text->len > 0) {
        *at = *next;
        Str token = take_token(text, next);
        bool comment =
            str_starts(token, STR("//")) || str_starts(token, STR("/*"));
        if (!comment && str_trim(token).len > 0)
            return token;
    }
    *at = *next;
    return (Str){0};
}

bool place_is_mark(Str token, char mark) {
    return token.len == 1 && token.ptr[0] == mark;
}

bool place_is_name(Str token) {
    char c = token.len ? token.ptr[0] : '0';
    return is_word(c) && (c < '0' || c > '9');
}

bool place_is_short(const Submission *submission) {
    enum { MOST = 64 * 1024 };
    return submission->source.len <= MOST;
}

SrcLoc place_find_name(const Submission *submission, Str name) {
    Str text = submission->source, token;
    SrcLoc next = {submission->file, 1, 1}, at;
    while ((token = place_token(&text, &next, &at)).len > 0)
        if (str_equal(token, name))
            return at;
    return (SrcLoc){submission->file, 0, 0};
}

SrcLoc place_find_narrow(const Submission *submission, uint32_t bits) {
    static const char *const names[2][3] = {{"char", "uint8_t", "int8_t"},
                                            {"short", "uint16_t", "int16_t"}};
    SrcLoc first = {0};
    for (uint32_t i = 0; i < COUNT_OF(names[0]); i++) {
        SrcLoc at = place_find_name(submission, str_from(names[bits > 8][i]));
        if (at.line && (!first.line || at.line < first.line))
            first = at;
    }
    return first;
}

SrcLoc place_as_given(const Submission *submission, SrcLoc at) {
    if (at.line &&
        str_equal(str_base_name(at.file), str_base_name(submission->file)))
        at.file = submission->file;
    return at;
}
