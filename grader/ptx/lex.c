// SPDX-License-Identifier: Apache-2.0
// The lexer of PTX (PTX ISA, sections 4.1 to 4.5). Read lex_next at the end;
// above it is one function per kind of token. Every loop advances `at`, so the
// lexer ends on any input. The line markers of a preprocessor (# 1 "kernel.cu")
// are skipped, as in ptxas.
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FLOAT_TEXT = 64 };

Lexer lex_start(Str text) {
    return (Lexer){.text = text, .line = 1};
}

static char peek(const Lexer *lexer, size_t ahead) {
    size_t at = lexer->at + ahead;
    return at < lexer->text.len ? lexer->text.ptr[at] : '\0';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_alpha(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The manual's grammar calls this followsym.
static bool is_follow(char c) {
    return is_alpha(c) || is_digit(c) || c == '_' || c == '$';
}

static bool is_suffix_byte(char c) {
    return is_alpha(c) || is_digit(c) || c == '_';
}

static void skip_newline(Lexer *lexer) {
    lexer->at++;
    lexer->line++;
    lexer->line_start = lexer->at;
}

static void skip_block_comment(Lexer *lexer) {
    lexer->comment = str_slice(lexer->text, lexer->at, lexer->at + 2);
    lexer->comment_line = lexer->line;
    lexer->comment_col = (uint32_t)(lexer->at - lexer->line_start + 1);
    lexer->at += 2;
    while (lexer->at < lexer->text.len) {
        if (peek(lexer, 0) == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            lexer->comment = (Str){0};
            return;
        }
        if (peek(lexer, 0) == '\n')
            skip_newline(lexer);
        else
            lexer->at++;
    }
}

static void skip_line(Lexer *lexer) {
    while (lexer->at < lexer->text.len && peek(lexer, 0) != '\n')
        lexer->at++;
}

static bool at_line_marker(const Lexer *lexer) {
    size_t ahead = 1;
    while (peek(lexer, ahead) == ' ' || peek(lexer, ahead) == '\t')
        ahead++;
    return is_digit(peek(lexer, ahead));
}

static void skip_blanks(Lexer *lexer) {
    while (lexer->at < lexer->text.len) {
        char c = peek(lexer, 0);
        if (c == '\n')
            skip_newline(lexer);
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f')
            lexer->at++;
        else if (c == '/' && peek(lexer, 1) == '/')
            skip_line(lexer);
        else if (c == '/' && peek(lexer, 1) == '*')
            skip_block_comment(lexer);
        else if (c == '#' && at_line_marker(lexer))
            skip_line(lexer);
        else
            return;
    }
}

static void lex_bad(Token *token, const char *problem) {
    token->kind = TOK_BAD;
    token->problem = problem;
}

static void lex_word(Lexer *lexer, Token *token) {
    token->kind = TOK_WORD;
    lexer->at++;
    while (is_follow(peek(lexer, 0)))
        lexer->at++;
}

// suffix := '.' name ('::' name)*
static void lex_suffix(Lexer *lexer, Token *token) {
    token->kind = TOK_SUFFIX;
    lexer->at++;
    token->text.ptr++;
    while (is_suffix_byte(peek(lexer, 0)) ||
           (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' &&
            is_suffix_byte(peek(lexer, 2))))
        lexer->at += peek(lexer, 0) == ':' ? 2 : 1;
    if (lexer->text.ptr + lexer->at == token->text.ptr)
        lex_bad(token, "a '.' is followed by a name, without a blank");
}

static void lex_string(Lexer *lexer, Token *token) {
    token->kind = TOK_STRING;
    lexer->at++;
    while (lexer->at < lexer->text.len && peek(lexer, 0) != '"' &&
           peek(lexer, 0) != '\n')
        lexer->at += peek(lexer, 0) == '\\' && peek(lexer, 1) != '\n' ? 2 : 1;
    if (lexer->at > lexer->text.len)
        lexer->at = lexer->text.len;
    token->text.ptr++;
    size_t end = lexer->at;
    if (peek(lexer, 0) == '"')
        lexer->at++;
    else
        lex_bad(token, "the closing quote is missing");
    token->text.len = (size_t)(lexer->text.ptr + end - token->text.ptr);
}

static unsigned digit_of(char c) {
    if (is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 10;
    return c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 10 : 99;
}

// Reads all of `digits`; false if one is not a digit of the base, or on
// overflow.
static bool digits_to_u64(Str digits, unsigned base, uint64_t *out) {
    uint64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        unsigned digit = digit_of(digits.ptr[i]);
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return digits.len != 0;
}

// integer := decimal | 0 octal | 0x hex | 0b binary, each with an optional U
static void lex_int(Token *token) {
    Str digits = token->text;
    unsigned base = 10;
    token->kind = TOK_INT;
    if (digits.len > 1 && digits.ptr[digits.len - 1] == 'U') {
        token->is_unsigned = true;
        digits.len--;
    }
    char second = digits.len > 1 ? (char)(digits.ptr[1] | 0x20) : '\0';
    if (digits.ptr[0] == '0' && digits.len > 1)
        base = second == 'x' ? 16 : second == 'b' ? 2 : 8;
    if (base == 16 || base == 2)
        digits = str_slice(digits, 2, digits.len);
    if (!digits_to_u64(digits, base, &token->value))
        lex_bad(token, "not a number, or one of more than 64 bits");
    token->is_unsigned |= token->value >> 63 != 0;
}

// float bits := 0f hex{8} | 0d hex{16}
static void lex_float_bits(Token *token) {
    Str digits = str_slice(token->text, 2, token->text.len);
    bool is_single = (token->text.ptr[1] | 0x20) == 'f';
    token->kind = is_single ? TOK_F32 : TOK_F64;
    if (digits.len != (is_single ? 8u : 16u) ||
        !digits_to_u64(digits, 16, &token->value))
        lex_bad(token, is_single ? "0f is followed by 8 hexadecimal digits"
                                 : "0d is followed by 16 hexadecimal digits");
}

static void lex_decimal_float(Token *token) {
    char text[MAX_FLOAT_TEXT];
    char *end = text;
    double value = 0;
    token->kind = TOK_F64;
    if (token->text.len < sizeof text) {
        memcpy(text, token->text.ptr, token->text.len);
        text[token->text.len] = '\0';
        value = strtod(text, &end);
    }
    if (end == text || *end != '\0')
        lex_bad(token, "not a floating-point number");
    memcpy(&token->value, &value, sizeof value);
}

// Takes every byte that could belong to a number, then decides what it is.
static void lex_number(Lexer *lexer, Token *token) {
    bool is_plain = !(peek(lexer, 0) == '0' && is_alpha(peek(lexer, 1)));
    bool is_float = false;
    for (;; lexer->at++) {
        char c = peek(lexer, 0);
        bool is_exponent = is_plain && (c == 'e' || c == 'E');
        if (is_plain && c == '.' && !is_alpha(peek(lexer, 1)))
            is_float = true;
        else if (!is_follow(c))
            break;
        is_float |= is_exponent;
        if (is_exponent && (peek(lexer, 1) == '-' || peek(lexer, 1) == '+'))
            lexer->at++;
    }
    token->text.len = (size_t)(lexer->text.ptr + lexer->at - token->text.ptr);
    char second = token->text.len > 1 ? (char)(token->text.ptr[1] | 0x20) : 0;
    if (is_float)
        lex_decimal_float(token);
    else if (token->text.ptr[0] == '0' && (second == 'f' || second == 'd'))
        lex_float_bits(token);
    else
        lex_int(token);
}

static void lex_punct(Lexer *lexer, Token *token) {
    char c = peek(lexer, 0);
    token->kind = TOK_PUNCT;
    token->punct = c;
    lexer->at++;
    if (c == '\0' || !strchr(",;:{}[]()<>|@!+-*/%&^~=?", c))
        lex_bad(token, "no statement has this character");
}

static Token lex_end(Lexer *lexer, Token token) {
    if (lexer->comment.len) {
        token.text = lexer->comment;
        token.line = lexer->comment_line;
        token.col = lexer->comment_col;
        lex_bad(&token, "the comment is not closed");
        lexer->comment = (Str){0};
    }
    return token;
}

Token lex_next(Lexer *lexer) {
    skip_blanks(lexer);
    Token token = {.line = lexer->line,
                   .col = (uint32_t)(lexer->at - lexer->line_start + 1)};
    if (lexer->at >= lexer->text.len)
        return lex_end(lexer, token);
    const char *start = lexer->text.ptr + lexer->at;
    char c = *start;
    token.text = (Str){start, 1};
    if (c == '%' && !is_follow(peek(lexer, 1)))
        lex_punct(lexer, &token);
    else if (is_alpha(c) || c == '_' || c == '$' || c == '%')
        lex_word(lexer, &token);
    else if (is_digit(c))
        lex_number(lexer, &token);
    else if (c == '.')
        lex_suffix(lexer, &token);
    else if (c == '"')
        lex_string(lexer, &token);
    else
        lex_punct(lexer, &token);
    if (token.kind != TOK_STRING)
        token.text.len = (size_t)(lexer->text.ptr + lexer->at - token.text.ptr);
    return token;
}
