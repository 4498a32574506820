// SPDX-License-Identifier: Apache-2.0
// The lexer of PTX: text -> tokens, one at a time. A Lexer is a plain value:
// to look ahead, copy it and lex from the copy. Private to ptx/.
#ifndef CLCLAB_PTX_LEX_H
#define CLCLAB_PTX_LEX_H

#include "base/base.h"

typedef enum TokenKind {
    TOK_END,    // end of the text
    TOK_WORD,   // mov  %r1  _Z1kPf  $L__BB0_1  _
    TOK_SUFFIX, // .u32  .shared::cta  .reg: text is without the dot
    TOK_INT,    // 12  0x1F  017  0b101  12U: value
    TOK_F32,    // 0f3F800000: value is the 32 bits
    TOK_F64,    // 0d3FF0000000000000, 1.5, 1e3: value is the 64 bits
    TOK_STRING, // "...": text is without the quotes, escapes unchanged
    TOK_PUNCT,  // one byte of , ; : { } [ ] ( ) < > | @ ! + - * / % & ^ ~ = ?
    TOK_BAD,    // what cannot be lexed: problem says why
} TokenKind;

typedef struct Token {
    TokenKind kind;
    char punct;       // TOK_PUNCT
    bool is_unsigned; // TOK_INT: written with U, or too large for 63 bits
    Str text;
    uint64_t value;
    const char *problem; // TOK_BAD
    uint32_t line, col;  // from 1; col counts bytes
} Token;

typedef struct Lexer {
    Str text;
    size_t at;         // next byte
    size_t line_start; // where the line begins
    uint32_t line;     // from 1
    Str comment;       // an unterminated "/*"; empty: there is none
    uint32_t comment_line, comment_col;
} Lexer;

Lexer lex_start(Str text);
Token lex_next(Lexer *lexer);

#endif
