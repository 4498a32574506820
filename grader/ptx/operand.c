// SPDX-License-Identifier: Apache-2.0
// Operands (PTX ISA, chapter 6). Operands are collected on parser->stack, so
// that a list of any length is copied into the module only once.
#include "ptx/parse.h"

#include <string.h>

void operand_push(Parser *parser, PtxOperand operand) {
    arena_grow(&parser->scratch, parser->stack, parser->stack_count,
               parser->stack_capacity);
    parser->stack[parser->stack_count++] = operand;
}

PtxOperand *operand_pop(Parser *parser, size_t from, uint32_t *count) {
    *count = (uint32_t)(parser->stack_count - from);
    PtxOperand *copy = arena_new(parser->arena, PtxOperand, *count);
    if (*count)
        memcpy(copy, parser->stack + from, *count * sizeof *copy);
    parser->stack_count = from;
    return copy;
}

// ---- names ---------------------------------------------------------------

static bool undeclared(Parser *parser, Token at) {
    if (words_find_op(&parser->words, at.text) != PTX_OP_NONE)
        return parse_fail(parser, at, "The statement before it has no ';'.",
                          "Expected an operand, found the instruction '%.*s'.",
                          STR_ARG(at.text));
    const char *help =
        at.text.ptr[0] == '%'
            ? "Declare it with .reg, or check its spelling."
            : "In inline asm, write %0, %1, ... for the C++ operands, and "
              "declare what else you name.";
    return parse_fail(parser, at, help, "'%.*s' is not declared here.",
                      STR_ARG(at.text));
}

// parts := '.b' two to four of 0...7 | '.h' two of 0...3
static bool parse_parts(Parser *parser, PtxOperand *out) {
    Str text = parser->token.text;
    bool bytes = text.ptr[0] == 'b';
    if (text.len < 3 || text.len > (bytes ? 5 : 3) ||
        (!bytes && text.ptr[0] != 'h'))
        return false;
    uint32_t parts = 1;
    for (size_t i = 1; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > (bytes ? '7' : '3'))
            return false;
        parts = parts << 4 | (uint32_t)(text.ptr[i] - '0');
    }
    out->select = bytes ? PTX_MOD_B0 : PTX_MOD_H0;
    out->parts = parts;
    parse_next(parser);
    return true;
}

// select := '.x' | '.y' | '.z' | '.w' | '.b0' ... '.b3' | '.h0' | '.h1' | ...
//         | parts
static void parse_select(Parser *parser, PtxOperand *out) {
    if (parser->token.kind != TOK_SUFFIX || parse_parts(parser, out))
        return;
    PtxMod mod = words_find_mod(&parser->words, parser->token.text);
    bool is_vector = mod >= PTX_MOD_X && mod <= PTX_MOD_A;
    bool is_part = mod >= PTX_MOD_B0 && mod <= PTX_MOD_H1;
    if (!is_vector && !is_part)
        return; // a ';' is missing, as the caller will say
    out->select = mod;
    parse_next(parser);
}

// sreg := '%' name ['.' ('x' | 'y' | 'z')]
static bool parse_sreg(Parser *parser, Token at, PtxOperand *out) {
    Str whole = at.text;
    if (parser->token.kind == TOK_SUFFIX) {
        whole = str_format(&parser->scratch, "%.*s.%.*s", STR_ARG(at.text),
                           STR_ARG(parser->token.text));
        parse_next(parser);
    }
    out->kind = PTX_OPND_SREG;
    return words_find_sreg(&parser->words, whole, &out->sreg) ||
           undeclared(parser, at);
}

static PtxSymbol name_symbol(const Name *name) {
    return name->kind == NAME_VAR
               ? (PtxSymbol){.kind = PTX_SYM_VAR, .var = name->var}
               : (PtxSymbol){.kind = PTX_SYM_FUNC, .func = name->func};
}

// Replaces a whole vector register by the vector of its components.
static void expand_vector(Parser *parser, PtxOperand *out) {
    uint32_t count = parser->func->regs[out->reg].vector;
    if (count < 2 || out->select != PTX_MOD_NONE)
        return;
    size_t from = parser->stack_count;
    for (uint32_t i = 0; i < count; i++)
        operand_push(parser, (PtxOperand){.kind = PTX_OPND_REG,
                                          .reg = out->reg,
                                          .select = (PtxMod)(PTX_MOD_X + i)});
    *out = (PtxOperand){.kind = PTX_OPND_VECTOR};
    out->elems = operand_pop(parser, from, &out->elem_count);
}

// named := register [select] | sreg | symbol offset
static bool parse_named(Parser *parser, PtxOperand *out) {
    Token at = parser->token;
    uint32_t reg = 0;
    const Name *name = scope_find(parser, at.text, &reg);
    parse_next(parser);
    if (!name)
        return at.text.ptr[0] == '%' ? parse_sreg(parser, at, out)
                                     : undeclared(parser, at);
    if (name->kind == NAME_REG || name->kind == NAME_RANGE) {
        *out = (PtxOperand){.kind = PTX_OPND_REG, .reg = reg};
        parse_select(parser, out);
        expand_vector(parser, out);
        return true;
    }
    if (name->kind == NAME_VAR && name->var->space == PTX_SPACE_REG) {
        *out = (PtxOperand){.kind = PTX_OPND_REG, .reg = name->var->reg};
        return true;
    }
    *out = (PtxOperand){.kind = PTX_OPND_SYMBOL, .symbol = name_symbol(name)};
    return parse_offset(parser, &out->imm);
}

static bool not_a_register(Parser *parser, Token at) {
    Str found = parse_shown(parser, at);
    return parse_fail(parser, at, "", "Expected a register, found %.*s.",
                      STR_ARG(found));
}

bool parse_register(Parser *parser, uint32_t *out) {
    Token at = parser->token;
    PtxOperand operand = {.kind = PTX_OPND_SINK};
    if (at.kind == TOK_WORD && !parse_named(parser, &operand))
        return false;
    *out = operand.reg;
    bool is_reg =
        operand.kind == PTX_OPND_REG && operand.select == PTX_MOD_NONE;
    return is_reg || not_a_register(parser, at);
}

static bool parse_literal(Parser *parser, PtxOperand *out) {
    Constant value;
    if (!parse_constant(parser, &value))
        return false;
    *out = (PtxOperand){.kind = value.kind, .imm = value.bits};
    return true;
}

// ---- what holds operands -------------------------------------------------

static bool parse_elements(Parser *parser, char close, PtxOperand *out) {
    size_t from = parser->stack_count;
    bool ok = true;
    if (!parse_at(parser, close))
        do {
            PtxOperand element;
            ok = parse_operand(parser, &element);
            if (ok && parser->stack_count - from >= PARSE_MAX_ELEMS)
                ok = parse_fail(parser, parser->token, "",
                                "More than %d operands in a list.",
                                PARSE_MAX_ELEMS);
            if (ok)
                operand_push(parser, element);
        } while (ok && parse_accept(parser, ','));
    out->elems = operand_pop(parser, from, &out->elem_count);
    return ok && parse_expect(parser, close, "a list of operands");
}

// list := open [operand {',' operand}] close
bool parse_list(Parser *parser, char open, char close, PtxOperand *out) {
    *out = (PtxOperand){.kind = open == '{' ? PTX_OPND_VECTOR : PTX_OPND_LIST};
    return parse_expect(parser, open, "the operand before it") &&
           parse_elements(parser, close, out);
}

// As in ptxas: an integer or untyped bits, at most 64 of them.
static bool can_be_base(const Parser *parser, const PtxOperand *operand) {
    const PtxReg *reg = &parser->func->regs[operand->reg];
    return operand->select == PTX_MOD_NONE && reg->type != PTX_PRED &&
           !ptx_type_is_float(reg->type) && ptx_type_size(reg->type) <= 8;
}

// base := (register | symbol | constant) offset
static bool parse_base(Parser *parser, PtxOperand *out) {
    Token at = parser->token;
    PtxOperand base = {.kind = PTX_OPND_SINK};
    if (parse_at_constant(parser)) {
        if (!parse_literal(parser, &base))
            return false;
    } else if (at.kind != TOK_WORD) {
        Str found = parse_shown(parser, at);
        return parse_fail(parser, at, "", "Expected an address, found %.*s.",
                          STR_ARG(found));
    } else if (!parse_named(parser, &base)) {
        return false;
    }
    out->imm = base.imm;
    if (base.kind == PTX_OPND_REG && can_be_base(parser, &base)) {
        out->base = PTX_BASE_REG;
        out->reg = base.reg;
        return parse_offset(parser, &out->imm);
    }
    if (base.kind == PTX_OPND_SYMBOL) {
        out->base = PTX_BASE_SYMBOL;
        out->symbol = base.symbol;
        return true;
    }
    return base.kind == PTX_OPND_INT ||
           parse_fail(parser, at, "",
                      "'%.*s' cannot be the base of an address.",
                      STR_ARG(at.text));
}

// address := '[' base {',' operand} ']' ['.unified']
static bool parse_address(Parser *parser, PtxOperand *out) {
    *out = (PtxOperand){.kind = PTX_OPND_ADDRESS};
    parse_next(parser);
    if (!parse_base(parser, out))
        return false;
    if (parse_accept(parser, ','))
        return parse_elements(parser, ']', out);
    if (!parse_expect(parser, ']', "an address"))
        return false;
    parse_accept_suffix(parser, "unified"); // no effect: one address space
    return true;
}

// negated := '!' predicate | '-' register [select]
static bool parse_negated(Parser *parser, PtxOperand *out) {
    Token at = parser->token;
    parse_next(parser);
    Token name = parser->token;
    if (!parse_named(parser, out))
        return false;
    bool is_reg = out->kind == PTX_OPND_REG;
    bool is_pred = is_reg && parser->func->regs[out->reg].type == PTX_PRED;
    if (!is_reg || (is_pred && out->select != PTX_MOD_NONE))
        return not_a_register(parser, name);
    out->negated = true;
    return is_pred == (at.punct == '!') ||
           parse_fail(parser, at, "",
                      "'!' is for predicates, '-' for numbers.");
}

static bool at_negated(const Parser *parser) {
    if (!parse_at(parser, '!') && !parse_at(parser, '-'))
        return false;
    Token next = parse_peek(parser);
    return next.kind == TOK_WORD && !str_equal(next.text, STR("WARP_SZ"));
}

// single := '_' | vector | address | negated | constant | named
static bool parse_single(Parser *parser, PtxOperand *out) {
    *out = (PtxOperand){.kind = PTX_OPND_SINK};
    if (parse_at(parser, '{'))
        return parse_list(parser, '{', '}', out);
    if (parse_at(parser, '['))
        return parse_address(parser, out);
    if (at_negated(parser))
        return parse_negated(parser, out);
    if (parse_at_constant(parser))
        return parse_literal(parser, out);
    if (parse_at_word(parser, "_")) {
        parse_next(parser);
        return true;
    }
    if (parser->token.kind == TOK_WORD)
        return parse_named(parser, out);
    Str found = parse_shown(parser, parser->token);
    return parse_fail(parser, parser->token,
                      "Check the commas and the ';' of the line.",
                      "Expected an operand, found %.*s.", STR_ARG(found));
}

// pair := single '|' single
static bool parse_pair(Parser *parser, PtxOperand *out) {
    size_t from = parser->stack_count;
    PtxOperand second;
    if (!parse_single(parser, &second))
        return false;
    operand_push(parser, *out);
    operand_push(parser, second);
    *out = (PtxOperand){.kind = PTX_OPND_PAIR};
    out->elems = operand_pop(parser, from, &out->elem_count);
    return true;
}

// operand := single | pair
bool parse_operand(Parser *parser, PtxOperand *out) {
    if (!parse_enter(parser))
        return false;
    bool ok = parse_single(parser, out) &&
              (!parse_accept(parser, '|') || parse_pair(parser, out));
    parse_leave(parser);
    return ok;
}
