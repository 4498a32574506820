// SPDX-License-Identifier: Apache-2.0
// Constant expressions (PTX ISA, section 4.5.3), read by precedence climbing:
// binary() calls unary() calls primary(). Integers are 64 bits wide, signed
// unless written with U or too large; arithmetic wraps. Of floats there are
// literals and their negation, as in ptxas. Not taken: comparisons, && || ?:,
// which no compiler emits.
#include "ptx/parse.h"

static bool constant_binary(Parser *parser, int level, Constant *out);

// ---- arithmetic ----------------------------------------------------------

static const uint64_t SIGN = (uint64_t)1 << 63;

static uint64_t magnitude(uint64_t value) {
    return value & SIGN ? 0 - value : value;
}

// Truncating, as in C; the smallest number by -1 wraps.
static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned) {
    if (is_unsigned)
        return a / b;
    uint64_t quotient = magnitude(a) / magnitude(b);
    return (a ^ b) & SIGN ? 0 - quotient : quotient;
}

static uint64_t shift_right(uint64_t a, uint64_t count, bool is_unsigned) {
    uint64_t fill = !is_unsigned && (a & SIGN) ? UINT64_MAX : 0;
    if (count == 0)
        return a;
    return count > 63 ? fill : (a >> count) | (fill << (64 - count));
}

static uint64_t combine(const char *op, uint64_t a, uint64_t b, bool u) {
    switch (op[0]) {
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '<':
        return b > 63 ? 0 : a << b;
    case '>':
        return shift_right(a, b, u);
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return divide(a, b, u);
    default: // '%'
        return a - divide(a, b, u) * b;
    }
}

// ---- grammar -------------------------------------------------------------

// The binary operators by rising precedence.
static const char *const LEVELS[] = {"|", "^", "&", "<>", "+-", "*/%"};
enum { LEVEL_COUNT = COUNT_OF(LEVELS) };

// Is the token an operator of this level? "<<" and ">>" are two tokens, so
// that "<" can close what it opens in "%r<4>".
static bool at_operator(const Parser *parser, int level) {
    if (parser->token.kind != TOK_PUNCT)
        return false;
    char c = parser->token.punct;
    Str ops = str_from(LEVELS[level]);
    if (str_find(ops, c) == ops.len)
        return false;
    if (c != '<' && c != '>')
        return true;
    Token next = parse_peek(parser);
    return next.kind == TOK_PUNCT && next.punct == c &&
           next.line == parser->token.line && next.col == parser->token.col + 1;
}

// cast := '(' ('.s64' | '.u64') ')'
static bool at_cast(const Parser *parser) {
    return parse_at(parser, '(') && parse_peek(parser).kind == TOK_SUFFIX;
}

static bool constant_cast(Parser *parser, bool *is_unsigned) {
    parse_next(parser);
    *is_unsigned = parse_at_suffix(parser, "u64");
    if (!*is_unsigned && !parse_at_suffix(parser, "s64"))
        return parse_fail(parser, parser->token, "",
                          "A cast is (.s64) or (.u64).");
    parse_next(parser);
    return parse_expect(parser, ')', "a cast");
}

static bool not_constant(Parser *parser) {
    Str found = parse_shown(parser, parser->token);
    return parse_fail(parser, parser->token, "",
                      "Expected a constant, found %.*s.", STR_ARG(found));
}

// primary := integer | float | 'WARP_SZ' | '(' constant ')'
static bool constant_primary(Parser *parser, Constant *out) {
    Token token = parser->token;
    *out = (Constant){PTX_OPND_INT, token.value, token.is_unsigned};
    if (token.kind == TOK_F32)
        out->kind = PTX_OPND_F32;
    else if (token.kind == TOK_F64)
        out->kind = PTX_OPND_F64;
    else if (parse_at_word(parser, "WARP_SZ"))
        out->bits = 32;
    else if (parse_accept(parser, '('))
        return constant_binary(parser, 0, out) &&
               parse_expect(parser, ')', "the expression");
    else if (token.kind != TOK_INT)
        return not_constant(parser);
    parse_next(parser);
    return true;
}

static bool apply_unary(Parser *parser, Token op, Constant *value) {
    if (value->kind == PTX_OPND_INT) {
        value->bits = op.punct == '-'   ? 0 - value->bits
                      : op.punct == '~' ? ~value->bits
                      : op.punct == '!' ? value->bits == 0
                                        : value->bits;
        return true;
    }
    if (op.punct == '-')
        value->bits ^= value->kind == PTX_OPND_F32 ? (uint64_t)1 << 31 : SIGN;
    else if (op.punct != '+')
        return parse_fail(parser, op, "", "'%c' is not for floats.", op.punct);
    return true;
}

// unary := {'-' | '+' | '~' | '!' | cast} primary
static bool constant_unary(Parser *parser, Constant *out) {
    if (!parse_enter(parser))
        return false;
    bool ok = false;
    Token op = parser->token;
    if (at_cast(parser)) {
        bool is_unsigned = false;
        ok = constant_cast(parser, &is_unsigned) && constant_unary(parser, out);
        out->is_unsigned = is_unsigned;
    } else if (parse_accept(parser, '-') || parse_accept(parser, '+') ||
               parse_accept(parser, '~') || parse_accept(parser, '!')) {
        ok = constant_unary(parser, out) && apply_unary(parser, op, out);
    } else {
        ok = constant_primary(parser, out);
    }
    parse_leave(parser);
    return ok;
}

static bool apply_binary(Parser *parser, Token op, Constant *a, Constant b) {
    if (a->kind != PTX_OPND_INT || b.kind != PTX_OPND_INT)
        return parse_fail(parser, op, "Write the result as one number.",
                          "Constant expressions are of integers.");
    if ((op.punct == '/' || op.punct == '%') && b.bits == 0)
        return parse_fail(parser, op, "", "A constant is divided by zero.");
    a->is_unsigned |= b.is_unsigned;
    a->bits = combine(&op.punct, a->bits, b.bits, a->is_unsigned);
    return true;
}

// binary[level] := binary[level + 1] {operator[level] binary[level + 1]}
static bool constant_binary(Parser *parser, int level, Constant *out) {
    if (level == LEVEL_COUNT)
        return constant_unary(parser, out);
    if (!constant_binary(parser, level + 1, out))
        return false;
    while (at_operator(parser, level)) {
        Token op = parser->token;
        Constant right;
        parse_next(parser);
        if (op.punct == '<' || op.punct == '>')
            parse_next(parser);
        if (!constant_binary(parser, level + 1, &right) ||
            !apply_binary(parser, op, out, right))
            return false;
    }
    return true;
}

// ---- what the other files use --------------------------------------------

bool parse_constant(Parser *parser, Constant *out) {
    return constant_binary(parser, 0, out);
}

bool parse_at_constant(const Parser *parser) {
    switch (parser->token.kind) {
    case TOK_INT:
    case TOK_F32:
    case TOK_F64:
        return true;
    case TOK_WORD:
        return parse_at_word(parser, "WARP_SZ");
    case TOK_PUNCT:
        return parse_at(parser, '-') || parse_at(parser, '+') ||
               parse_at(parser, '~') || parse_at(parser, '!') ||
               parse_at(parser, '(');
    case TOK_END:
    case TOK_SUFFIX:
    case TOK_STRING:
    case TOK_BAD:
        return false;
    }
    return false;
}

bool parse_u64(Parser *parser, uint64_t max, const char *what, uint64_t *out) {
    Token at = parser->token;
    Constant value;
    if (!parse_constant(parser, &value))
        return false;
    if (value.kind != PTX_OPND_INT || value.bits > max)
        return parse_fail(parser, at, "", "%s is an integer from 0 to %llu.",
                          what, (unsigned long long)max);
    *out = value.bits;
    return true;
}

bool parse_offset(Parser *parser, uint64_t *out) {
    *out = 0;
    while (parse_at(parser, '+')) {
        Token op = parser->token;
        Constant value;
        parse_next(parser);
        if (!constant_binary(parser, 5, &value))
            return false;
        if (value.kind != PTX_OPND_INT)
            return parse_fail(parser, op, "", "An offset is an integer.");
        *out += value.bits;
    }
    return !parse_at(parser, '-') ||
           parse_fail(parser, parser->token, "Write it as [a+-8].",
                      "An offset begins with '+', even if it is negative.");
}
