// SPDX-License-Identifier: Apache-2.0
// Constant expressions (PTX ISA, section 4.5.3), read by precedence climbing:
// parse_constant() calls binary(), unary(), primary(). Integers are 64 bits
// wide, signed unless written with U or too large; arithmetic wraps. Decimal
// floats have + - * / and comparisons; 0f... and 0d... take only a sign. Where
// the manual leaves a choice, this does as ptxas does: '%' is unsigned, shift
// counts are taken modulo 64, and ?: has the type of the operand it selects.
#include "ptx/parse.h"

#include <string.h>

static bool constant_binary(Parser *parser, int level, Constant *out);

// ---- arithmetic ----------------------------------------------------------

static const uint64_t SIGN = (uint64_t)1 << 63;

static uint64_t magnitude(uint64_t value) {
    return value & SIGN ? 0 - value : value;
}

// Truncates as in C; the smallest number divided by -1 wraps.
static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned) {
    if (is_unsigned)
        return a / b;
    uint64_t quotient = magnitude(a) / magnitude(b);
    return (a ^ b) & SIGN ? 0 - quotient : quotient;
}

static uint64_t shift_right(uint64_t a, uint64_t count, bool is_unsigned) {
    uint64_t fill = !is_unsigned && (a & SIGN) ? UINT64_MAX : 0;
    return count == 0 ? a : (a >> count) | (fill << (64 - count));
}

static bool is_less(uint64_t a, uint64_t b, bool is_unsigned) {
    return is_unsigned ? a < b : (a ^ SIGN) < (b ^ SIGN);
}

typedef enum Operator {
    BINARY_NONE,
    BINARY_OR_ELSE,
    BINARY_AND_THEN,
    BINARY_OR,
    BINARY_XOR,
    BINARY_AND,
    BINARY_EQ,
    BINARY_NE,
    BINARY_LT,
    BINARY_LE,
    BINARY_GT,
    BINARY_GE,
    BINARY_SHL,
    BINARY_SHR,
    BINARY_ADD,
    BINARY_SUB,
    BINARY_MUL,
    BINARY_DIV,
    BINARY_REM,
} Operator;

static bool is_comparison(Operator op) {
    return op >= BINARY_EQ && op <= BINARY_GE;
}

static uint64_t combine(Operator op, uint64_t a, uint64_t b, bool u) {
    switch (op) {
    case BINARY_OR_ELSE:
        return a || b;
    case BINARY_AND_THEN:
        return a && b;
    case BINARY_OR:
        return a | b;
    case BINARY_XOR:
        return a ^ b;
    case BINARY_AND:
        return a & b;
    case BINARY_EQ:
        return a == b;
    case BINARY_NE:
        return a != b;
    case BINARY_LT:
        return is_less(a, b, u);
    case BINARY_LE:
        return !is_less(b, a, u);
    case BINARY_GT:
        return is_less(b, a, u);
    case BINARY_GE:
        return !is_less(a, b, u);
    case BINARY_SHL:
        return a << (b & 63);
    case BINARY_SHR:
        return shift_right(a, b & 63, u);
    case BINARY_ADD:
        return a + b;
    case BINARY_SUB:
        return a - b;
    case BINARY_MUL:
        return a * b;
    case BINARY_DIV:
        return divide(a, b, u);
    case BINARY_REM:
        return a % b;
    case BINARY_NONE:
        break;
    }
    return 0;
}

static bool compare_floats(Operator op, double a, double b) {
    return op == BINARY_EQ   ? a == b
           : op == BINARY_NE ? a != b
           : op == BINARY_LT ? a < b
           : op == BINARY_LE ? a <= b
           : op == BINARY_GT ? a > b
                             : a >= b;
}

// Combines two decimal floats; false if they have no such operator.
static bool combine_floats(Operator op, Constant *a, Constant b) {
    double x, y;
    memcpy(&x, &a->bits, sizeof x);
    memcpy(&y, &b.bits, sizeof y);
    if (is_comparison(op)) {
        *a = (Constant){PTX_OPND_INT, compare_floats(op, x, y), false};
        return true;
    }
    if (op != BINARY_ADD && op != BINARY_SUB && op != BINARY_MUL &&
        op != BINARY_DIV)
        return false;
    x = op == BINARY_ADD   ? x + y
        : op == BINARY_SUB ? x - y
        : op == BINARY_MUL ? x * y
                           : x / y;
    memcpy(&a->bits, &x, sizeof x);
    return true;
}

// ---- grammar -------------------------------------------------------------

// The binary operators by rising precedence. Those of two characters are two
// tokens, so that "<" can close what it opens in "%r<4>".
enum { LEVEL_SHIFT = 7, LEVEL_PRODUCT = 9, LEVEL_COUNT = 10 };
static const struct {
    char text[3];
    uint8_t level;
    uint8_t op;
} OPERATORS[] = {
    {"||", 0, BINARY_OR_ELSE},
    {"&&", 1, BINARY_AND_THEN},
    {"==", 5, BINARY_EQ},
    {"!=", 5, BINARY_NE},
    {"<<", LEVEL_SHIFT, BINARY_SHL},
    {">>", LEVEL_SHIFT, BINARY_SHR},
    {"<=", 6, BINARY_LE},
    {">=", 6, BINARY_GE},
    {"|", 2, BINARY_OR},
    {"^", 3, BINARY_XOR},
    {"&", 4, BINARY_AND},
    {"<", 6, BINARY_LT},
    {">", 6, BINARY_GT},
    {"+", 8, BINARY_ADD},
    {"-", 8, BINARY_SUB},
    {"*", LEVEL_PRODUCT, BINARY_MUL},
    {"/", LEVEL_PRODUCT, BINARY_DIV},
    {"%", LEVEL_PRODUCT, BINARY_REM},
};

static bool at_text(const Parser *parser, const char *text) {
    if (!parse_at(parser, text[0]))
        return false;
    if (text[1] == '\0')
        return true;
    Token next = parse_peek(parser);
    return next.kind == TOK_PUNCT && next.punct == text[1] &&
           next.line == parser->token.line && next.col == parser->token.col + 1;
}

// Takes an operator of this level, if there is one.
static Operator accept_operator(Parser *parser, int level) {
    if (parser->token.kind != TOK_PUNCT)
        return BINARY_NONE;
    for (size_t i = 0; i < COUNT_OF(OPERATORS); i++) {
        if (!at_text(parser, OPERATORS[i].text))
            continue;
        if (OPERATORS[i].level != level)
            return BINARY_NONE;
        parse_next(parser);
        if (OPERATORS[i].text[1])
            parse_next(parser);
        return (Operator)OPERATORS[i].op;
    }
    return BINARY_NONE;
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
        return parse_constant(parser, out) &&
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

static bool apply_binary(Parser *parser, Token at, Operator op, Constant *a,
                         Constant b) {
    if (a->kind == PTX_OPND_F64 && b.kind == PTX_OPND_F64 &&
        combine_floats(op, a, b))
        return true;
    if (a->kind != PTX_OPND_INT || b.kind != PTX_OPND_INT)
        return parse_fail(parser, at, "Write the result as one number.",
                          "Constant expressions are of integers, or of "
                          "decimal floats.");
    if ((op == BINARY_DIV || op == BINARY_REM) && b.bits == 0)
        return parse_fail(parser, at, "", "A constant is divided by zero.");
    bool is_unsigned = a->is_unsigned || b.is_unsigned;
    a->bits = combine(op, a->bits, b.bits, is_unsigned);
    a->is_unsigned = is_unsigned && !is_comparison(op) && op > BINARY_AND_THEN;
    return true;
}

// binary[level] := binary[level + 1] {operator[level] binary[level + 1]}
static bool constant_binary(Parser *parser, int level, Constant *out) {
    if (level == LEVEL_COUNT)
        return constant_unary(parser, out);
    if (!constant_binary(parser, level + 1, out))
        return false;
    for (;;) {
        Token at = parser->token;
        Constant right;
        Operator op = accept_operator(parser, level);
        if (op == BINARY_NONE)
            return true;
        if (!constant_binary(parser, level + 1, &right) ||
            !apply_binary(parser, at, op, out, right))
            return false;
    }
}

// choice := '?' constant ':' constant
static bool constant_choice(Parser *parser, Constant *out) {
    Token at = parser->token;
    Constant yes, no;
    parse_next(parser);
    bool ok = parse_enter(parser);
    if (!ok)
        return false;
    ok = parse_constant(parser, &yes) &&
         parse_expect(parser, ':', "a choice") && parse_constant(parser, &no);
    parse_leave(parser);
    if (!ok)
        return false;
    if (out->kind != PTX_OPND_INT || yes.kind != PTX_OPND_INT ||
        no.kind != PTX_OPND_INT)
        return parse_fail(parser, at, "Write the result as one number.",
                          "'?:' chooses between integers.");
    *out = out->bits ? yes : no;
    return true;
}

// ---- what the other files use --------------------------------------------

// constant := binary[0] [choice]
bool parse_constant(Parser *parser, Constant *out) {
    return constant_binary(parser, 0, out) &&
           (!parse_at(parser, '?') || constant_choice(parser, out));
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

static bool as_u64(Parser *parser, Token at, Constant value, uint64_t max,
                   const char *what, uint64_t *out) {
    if (value.kind != PTX_OPND_INT || value.bits > max)
        return parse_fail(parser, at, "", "%s is an integer from 0 to %llu.",
                          what, (unsigned long long)max);
    *out = value.bits;
    return true;
}

bool parse_u64(Parser *parser, uint64_t max, const char *what, uint64_t *out) {
    Token at = parser->token;
    Constant value;
    return parse_constant(parser, &value) &&
           as_u64(parser, at, value, max, what, out);
}

bool parse_range_size(Parser *parser, uint64_t *out) {
    Token at = parser->token;
    Constant value;
    return constant_binary(parser, LEVEL_SHIFT + 1, &value) &&
           as_u64(parser, at, value, PARSE_MAX_RANGE,
                  "The size of a register range", out);
}

bool parse_offset(Parser *parser, uint64_t *out) {
    *out = 0;
    while (parse_at(parser, '+')) {
        Token op = parser->token;
        Constant value;
        parse_next(parser);
        if (!constant_binary(parser, LEVEL_PRODUCT, &value))
            return false;
        if (value.kind != PTX_OPND_INT)
            return parse_fail(parser, op, "", "An offset is an integer.");
        *out += value.bits;
    }
    return !parse_at(parser, '-') ||
           parse_fail(parser, parser->token, "Write it as [a+-8].",
                      "An offset begins with '+', even if it is negative.");
}
