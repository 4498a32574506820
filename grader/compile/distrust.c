// SPDX-License-Identifier: Apache-2.0
// What a source may not say whose author is not the user, besides the includes
// that unit.c refuses.
//
// Only plain includes can be checked by their names. So the preprocessor's
// other ways to a file are closed: __has_include may only be asked about a name
// that is written out, in a condition, or whether it is defined; the names of
// libcu++'s macros that ask it may not appear; and gcc's pragmas that open
// files are refused. Macros can join words, so a text whose words, joined,
// could make one of these is refused as well.
#include "compile/internal.h"

#include <assert.h>
#include <string.h>

static const char *const asking_words[] = {
    "__has_include",     "__has_include_next", "__has_embed",
    "_CCCL_HAS_INCLUDE", "__has_include__",    "__has_include_next__",
};

// The words after `#pragma GCC` with which gcc opens a file.
static const char *const reading_pragmas[] = {"dependency", "pch_preprocess"};

static bool refuse(Diags *diags, SrcLoc at, const char *what,
                   const char *help) {
    diag_add(diags, DIAG_ERROR, at, "%s", what)->help = str_from(help);
    return false;
}

static bool refuse_question(Diags *diags, SrcLoc at) {
    return refuse(diags, at,
                  "A file that is graded may ask only whether a header is "
                  "there that it names.",
                  "Write it like this: #if __has_include(<cuda/ptx>).");
}

static bool refuse_pragma(Diags *diags, SrcLoc at) {
    return refuse(diags, at, "This pragma of gcc opens another file.",
                  "Leave it out: device code has no use for it.");
}

static bool is_one_of(Str word, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (str_equal(word, str_from(list[i])))
            return true;
    return false;
}

bool distrust_asks(Str word) {
    return is_one_of(word, asking_words, COUNT_OF(asking_words));
}

// ---- words that macros could join ----------------------------------------

// Whether `whole` is the words of the list, some of them, one after the other.
static bool can_join(const Distrust *distrust, const char *whole) {
    enum { MOST = 32 };
    bool reached[MOST] = {true};
    size_t len = strlen(whole);
    assert(len < MOST);
    for (size_t at = 0; at < len; at++)
        for (size_t i = 0; reached[at] && i < distrust->count; i++) {
            Str word = distrust->words[i];
            if (str_starts(str_from(whole + at), word))
                reached[at + word.len] = true;
        }
    return reached[len];
}

static bool can_join_any(const Distrust *distrust, const char *const *list,
                         size_t count) {
    for (size_t i = 0; i < count; i++)
        if (can_join(distrust, list[i]))
            return true;
    return false;
}

static bool is_part(Str word, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (memmem(list[i], strlen(list[i]), word.ptr, word.len))
            return true;
    return false;
}

static void keep_word(Arena *arena, Distrust *distrust, Str word) {
    if (!is_part(word, asking_words, COUNT_OF(asking_words)) &&
        !is_part(word, reading_pragmas, COUNT_OF(reading_pragmas)))
        return;
    for (size_t i = 0; i < distrust->count; i++)
        if (str_equal(distrust->words[i], word))
            return;
    arena_grow(arena, distrust->words, distrust->count, distrust->capacity);
    distrust->words[distrust->count++] = word;
}

// ---- one text ------------------------------------------------------------

static bool is_condition(const Scanner *scanner) {
    static const char *const conditions[] = {"if",     "elif",    "ifdef",
                                             "ifndef", "elifdef", "elifndef"};
    return scanner->in_directive &&
           is_one_of(scanner->directive.name, conditions, COUNT_OF(conditions));
}

// Whether it is only asked whether the word is defined: `#ifdef WORD`,
// `defined WORD`, `defined(WORD)`.
static bool asks_for_definition(const Scanner *scanner) {
    if (!str_equal(scanner->directive.name, STR("if")) &&
        !str_equal(scanner->directive.name, STR("elif")))
        return true;
    size_t from = scanner->at - scanner->word.len;
    Str before = str_trim(str_slice(scanner->text, 0, from));
    if (str_ends(before, STR("(")))
        before = str_trim(str_slice(before, 0, before.len - 1));
    return str_ends(before, STR("defined"));
}

bool distrust_word(const Scanner *scanner, SrcLoc at, Arena *arena,
                   Distrust *distrust, Diags *diags) {
    Str word = scanner->word;
    distrust->says_gcc = distrust->says_gcc || str_equal(word, STR("GCC"));
    if (scanner->in_directive &&
        str_equal(scanner->directive.name, STR("pragma")) &&
        is_one_of(word, reading_pragmas, COUNT_OF(reading_pragmas)))
        return refuse_pragma(diags, at);
    if (!distrust_asks(word)) {
        keep_word(arena, distrust, word);
        return true;
    }
    if (!is_condition(scanner))
        return refuse_question(diags, at);
    Scanner ahead = *scanner;
    Directive asked;
    return asks_for_definition(scanner) || scan_asked_file(&ahead, &asked) ||
           refuse_question(diags, at);
}

// _Pragma("GCC dependency \"...\"")
bool distrust_string(const Scanner *scanner, SrcLoc at, Diags *diags) {
    Str text = str_trim(scanner->word);
    if (!str_starts(text, STR("GCC")))
        return true;
    for (size_t i = 0; i < COUNT_OF(reading_pragmas); i++)
        if (memmem(text.ptr, text.len, reading_pragmas[i],
                   strlen(reading_pragmas[i])))
            return refuse_pragma(diags, at);
    return true;
}

bool distrust_end(const Distrust *distrust, SrcLoc at, Diags *diags) {
    if (can_join_any(distrust, asking_words, COUNT_OF(asking_words)))
        return refuse_question(diags, at);
    if (distrust->says_gcc &&
        can_join_any(distrust, reading_pragmas, COUNT_OF(reading_pragmas)))
        return refuse_pragma(diags, at);
    return true;
}
