// SPDX-License-Identifier: Apache-2.0
// A C file, as far as mutation needs to know it: its tokens, matching brackets,
// where statements start, and which function a token is in. It is not a parser:
// if it mistakes something for a statement, the mutant does not compile and is
// not counted.
#ifndef CLCLAB_MUTATE_SOURCE_H
#define CLCLAB_MUTATE_SOURCE_H

#include "base/base.h"

typedef enum TokenKind {
    TOKEN_END,    // behind the last one
    TOKEN_NAME,   // a keyword, too
    TOKEN_NUMBER, // integer or floating
    TOKEN_TEXT,   // a string or a character
    TOKEN_MARK    // an operator, a bracket, punctuation
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Str text;      // a slice of the file
    uint32_t line; // from 1
    size_t pair;   // of a bracket: its other one; else the token's own index
    size_t inside; // the innermost open bracket around it; NOWHERE: none
    bool starts;   // the first of a statement
    bool block;    // of "{": statements are inside, not the values of an object
    bool quiet;    // not to be changed: an assertion, a declaration, a table
} Token;

enum { NOWHERE = -1 };

typedef enum ResultKind {
    RESULT_OTHER, // nothing, a struct, a floating number
    RESULT_BOOL,
    RESULT_INTEGER,
    RESULT_POINTER
} ResultKind;

typedef struct Function {
    Str name;
    ResultKind result;
    size_t open, close; // the tokens of its braces
} Function;

typedef struct Source {
    Str path, text;
    Token *tokens; // `count` of them, then TOKEN_END
    size_t count, capacity;
    Function *functions;
    size_t function_count, function_capacity;
} Source;

// Comments and preprocessor lines give no tokens. `text` must live as long as
// the result.
Source source_read(Arena *arena, Str path, Str text);

// Whether token `index` is this punctuator, or this word.
bool source_is(const Source *source, size_t index, const char *word);

// The function whose body the token is in, or NULL.
const Function *source_function(const Source *source, size_t index);

// From the first token of a statement or expression: the ";" that ends it.
size_t source_end(const Source *source, size_t index);

#endif
