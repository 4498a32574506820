// SPDX-License-Identifier: Apache-2.0
// What the tokens of a C file mean, as far as mutation needs to know: see
// source.h. The file is in the order of the passes: brackets, functions,
// blocks, statements, what is not mutated.
#include "tests/mutate-grader/source.h"
#include "tests/mutate-grader/tokens.h"

bool source_is(const Source *source, size_t index, const char *word) {
    const Token *token = &source->tokens[index];
    return index < source->count && token->kind != TOKEN_TEXT &&
           str_equal(token->text, str_from(word));
}

static bool is_any(const Source *source, size_t index, const char *const *words,
                   size_t count) {
    for (size_t i = 0; i < count; i++)
        if (source_is(source, index, words[i]))
            return true;
    return false;
}

static bool is_name(const Source *source, size_t index) {
    return index < source->count && source->tokens[index].kind == TOKEN_NAME;
}

static bool opens(const Source *source, size_t index) {
    static const char *const open[] = {"(", "[", "{"};
    return is_any(source, index, open, COUNT_OF(open));
}

static bool closes(const Source *source, size_t index) {
    static const char *const close[] = {")", "]", "}"};
    return is_any(source, index, close, COUNT_OF(close));
}

static void pair_brackets(Source *source) {
    size_t around = (size_t)NOWHERE;
    for (size_t i = 0; i < source->count; i++) {
        Token *token = &source->tokens[i];
        if (closes(source, i) && around != (size_t)NOWHERE) {
            token->pair = around;
            source->tokens[around].pair = i;
            around = source->tokens[around].inside;
        }
        token->inside = around;
        if (opens(source, i))
            around = i;
    }
}

size_t source_end(const Source *source, size_t index) {
    size_t around = source->tokens[index].inside;
    while (index < source->count && !(source_is(source, index, ";") &&
                                      source->tokens[index].inside == around))
        index++;
    return index;
}

// ---- functions -----------------------------------------------------------

// What a function returns, by the words before its name.
static ResultKind result_kind(const Source *source, size_t name) {
    static const char *const integers[] = {
        "int",      "unsigned", "size_t",   "long",    "char",
        "uint8_t",  "uint16_t", "uint32_t", "int64_t", "int8_t",
        "uint64_t", "int32_t",  "int16_t",  "ssize_t"};
    if (name > 0 && source_is(source, name - 1, "*"))
        return RESULT_POINTER;
    for (size_t i = name; i-- > 0 && is_name(source, i);) {
        if (source_is(source, i, "bool"))
            return RESULT_BOOL;
        if (is_any(source, i, integers, COUNT_OF(integers)))
            return RESULT_INTEGER;
    }
    return RESULT_OTHER;
}

// NAME ( ... ) { at file scope.
static bool is_function(const Source *source, size_t brace) {
    if (!source_is(source, brace, "{") || brace < 3 ||
        source->tokens[brace].inside != (size_t)NOWHERE ||
        !source_is(source, brace - 1, ")"))
        return false;
    size_t open = source->tokens[brace - 1].pair;
    return open > 0 && is_name(source, open - 1);
}

static void find_functions(Arena *arena, Source *source) {
    for (size_t i = 0; i < source->count; i++) {
        if (!is_function(source, i))
            continue;
        size_t name = source->tokens[i - 1].pair - 1;
        arena_grow(arena, source->functions, source->function_count,
                   source->function_capacity);
        source->functions[source->function_count++] =
            (Function){source->tokens[name].text, result_kind(source, name), i,
                       source->tokens[i].pair};
        source->tokens[i].block = true;
    }
}

const Function *source_function(const Source *source, size_t index) {
    for (size_t i = 0; i < source->function_count; i++)
        if (source->functions[i].open < index &&
            index < source->functions[i].close)
            return &source->functions[i];
    return NULL;
}

// ---- statements ----------------------------------------------------------

// Whether the token is the ")" of if (...), for (...), while (...), switch
// (...).
static bool ends_condition(const Source *source, size_t index) {
    static const char *const words[] = {"if", "for", "while", "switch"};
    size_t open = source->tokens[index].pair;
    return source_is(source, index, ")") && open > 0 &&
           is_any(source, open - 1, words, COUNT_OF(words));
}

// The ":" of case VALUE: and default:, not that of a conditional expression.
static bool ends_label(const Source *source, size_t index) {
    if (!source_is(source, index, ":"))
        return false;
    for (size_t i = index; i-- > 0;) {
        if (source_is(source, i, "case") || source_is(source, i, "default"))
            return true;
        if (source_is(source, i, ";") || source_is(source, i, "{") ||
            source_is(source, i, "}") || source_is(source, i, "?"))
            return false;
    }
    return false;
}

// Whether a statement can start after this token.
static bool ends_something(const Source *source, size_t index) {
    const Token *token = &source->tokens[index];
    if (source_is(source, index, "{"))
        return token->block;
    if (source_is(source, index, "}"))
        return source->tokens[token->pair].block;
    return source_is(source, index, ";") || source_is(source, index, "else") ||
           source_is(source, index, "do") || ends_condition(source, index) ||
           ends_label(source, index);
}

static bool in_block(const Source *source, size_t index) {
    size_t around = source->tokens[index].inside;
    return around != (size_t)NOWHERE && source->tokens[around].block;
}

static void find_statements(Source *source) {
    for (size_t i = 1; i < source->count; i++) {
        bool starts = in_block(source, i) && ends_something(source, i - 1);
        Token *token = &source->tokens[i];
        token->starts = starts && !closes(source, i);
        if (starts && source_is(source, i, "{"))
            token->block = true;
    }
}

// ---- what is left alone --------------------------------------------------

static void set_quiet(Source *source, size_t from, size_t to, bool quiet) {
    for (size_t i = from; i < to; i++)
        source->tokens[i].quiet = quiet;
}

// Outside functions, tables, types and prototypes stay as they are. The values
// of an enum do not: they are bounds.
static void quiet_outside(Source *source) {
    set_quiet(source, 0, source->count, true);
    for (size_t i = 0; i < source->function_count; i++)
        set_quiet(source, source->functions[i].open,
                  source->functions[i].close + 1, false);
    for (size_t i = 1; i < source->count; i++) {
        bool named = i >= 2 && source_is(source, i - 2, "enum");
        if (source_is(source, i, "{") &&
            (named || source_is(source, i - 1, "enum")))
            set_quiet(source, i, source->tokens[i].pair, false);
    }
}

static size_t skip_qualifiers(const Source *source, size_t index) {
    static const char *const words[] = {
        "static", "const", "volatile", "struct", "union",  "unsigned",
        "signed", "long",  "short",    "int",    "double", "char"};
    while (is_any(source, index, words, COUNT_OF(words)))
        index++;
    if (source_is(source, index, "{")) // the members of a type without a name
        index = source->tokens[index].pair + 1;
    return index;
}

// TYPE NAME, TYPE *NAME, TYPE *const NAME; and then "=", ",", "[" or ";".
static bool is_declaration(const Source *source, size_t start) {
    static const char *const behind[] = {"=", ",", "[", ";"};
    size_t i = skip_qualifiers(source, start);
    if (is_name(source, i) &&
        (is_name(source, i + 1) || source_is(source, i + 1, "*")))
        i++; // the type's name
    while (source_is(source, i, "*") || source_is(source, i, "const"))
        i++;
    bool named = i > start && is_name(source, start) && is_name(source, i);
    return named && is_any(source, i + 1, behind, COUNT_OF(behind));
}

// Of a declaration all before its first value: sizes of arrays are too often
// larger than needed for a mutation of one to say anything.
static void quiet_declaration(Source *source, size_t start) {
    size_t end = source_end(source, start), i = start;
    while (i < end &&
           !(source_is(source, i, "=") &&
             source->tokens[i].inside == source->tokens[start].inside))
        i++;
    set_quiet(source, start, i, true);
}

static void quiet_inside(Source *source) {
    static const char *const assertions[] = {"assert", "static_assert",
                                             "_Static_assert"};
    static const char *const statements[] = {"return", "goto", "else", "case"};
    for (size_t i = 0; i < source->count; i++) {
        if (!source->tokens[i].starts)
            continue;
        if (is_any(source, i, assertions, COUNT_OF(assertions)))
            set_quiet(source, i, source_end(source, i), true);
        else if (!is_any(source, i, statements, COUNT_OF(statements)) &&
                 is_declaration(source, i))
            quiet_declaration(source, i);
    }
}

Source source_read(Arena *arena, Str path, Str text) {
    Source source = {.path = path, .text = text};
    tokens_read(arena, &source);
    pair_brackets(&source);
    find_functions(arena, &source);
    find_statements(&source);
    quiet_outside(&source);
    quiet_inside(&source);
    return source;
}
