// SPDX-License-Identifier: Apache-2.0
// Instructions (PTX ISA, chapter 9): guard, opcode, suffixes, operands, and the
// check of their form against the table of opcodes. Calls and branches, whose
// operands have their own form, are in the middle.
#include "ptx/parse.h"

#include <string.h>

enum { OPCODE_TEXT = 64, OPCODE_PARTS = 6 };

// ---- opcode and suffixes -------------------------------------------------

// The dotted name that begins at the token, up to as many parts as an opcode
// can have.
typedef struct Dotted {
    char text[OPCODE_TEXT];
    size_t ends[OPCODE_PARTS]; // of its prefixes
    size_t count;
} Dotted;

// Appends a word or suffix; false where there is no room.
static bool dotted_add(Dotted *dotted, Str part) {
    size_t len = dotted->count ? dotted->ends[dotted->count - 1] : 0;
    if (dotted->count == OPCODE_PARTS ||
        len + part.len + 1 >= sizeof dotted->text)
        return false;
    if (len)
        dotted->text[len++] = '.';
    memcpy(dotted->text + len, part.ptr, part.len);
    dotted->ends[dotted->count++] = len + part.len;
    return true;
}

static Str dotted_prefix(const Dotted *dotted, size_t parts) {
    return (Str){dotted->text, parts ? dotted->ends[parts - 1] : 0};
}

// Reports an unknown opcode and suggests the opcode that the longest possible
// prefix resembles.
static bool unknown_opcode(Parser *parser, Token at, const Dotted *dotted) {
    Str wrong = at.text, near = {0};
    for (size_t parts = dotted->count; parts > 0 && near.len == 0; parts--) {
        near = words_nearest_op(dotted_prefix(dotted, parts));
        if (near.len)
            wrong = dotted_prefix(dotted, parts);
    }
    Str help = near.len ? str_format(&parser->scratch, "Did you mean '%.*s'?",
                                     STR_ARG(near))
                        : (Str){0};
    return parse_fail(parser, at, str_cstring(&parser->scratch, help),
                      "'%.*s' is not an instruction of PTX.",
                      STR_ARG(str_slice(wrong, 0, 60)));
}

// Finds the longest dotted prefix that is an opcode and moves the parser past
// it.
static bool parse_opcode(Parser *parser, PtxInstr *instr) {
    Token at = parser->token, token = at;
    Lexer ahead = parser->lexer;
    Dotted dotted = {.count = 0};
    while (dotted_add(&dotted, token.text)) {
        Str name = dotted_prefix(&dotted, dotted.count);
        PtxOp op = words_find_op(&parser->words, name);
        token = lex_next(&ahead);
        if (op != PTX_OP_NONE) {
            instr->op = op;
            parser->lexer = ahead;
            parser->token = token;
        }
        if (token.kind != TOK_SUFFIX)
            break;
    }
    return instr->op != PTX_OP_NONE || unknown_opcode(parser, at, &dotted);
}

static bool unknown_suffix(Parser *parser) {
    Str text = parser->token.text;
    Str near = words_nearest_mod(text);
    Str help = near.len ? str_format(&parser->scratch, "Did you mean '.%.*s'?",
                                     STR_ARG(near))
                        : (Str){0};
    return parse_fail(parser, parser->token,
                      str_cstring(&parser->scratch, help),
                      "'.%.*s' is not a suffix that PTX knows.", STR_ARG(text));
}

// suffixes := {'.' name}
static bool parse_suffixes(Parser *parser, PtxInstr *instr) {
    for (; parser->token.kind == TOK_SUFFIX; parse_next(parser)) {
        PtxMod mod = words_find_mod(&parser->words, parser->token.text);
        PtxType type = words_mod_type(mod);
        if (mod == PTX_MOD_NONE)
            return unknown_suffix(parser);
        if (instr->mod_count == PTX_MAX_MODS ||
            (type && instr->type_count == COUNT_OF(instr->types)))
            return parse_fail(parser, parser->token, "",
                              "The instruction has too many suffixes.");
        instr->mods[instr->mod_count++] = mod;
        if (type)
            instr->types[instr->type_count++] = type;
    }
    return true;
}

// guard := '@' ['!'] register
static bool parse_guard(Parser *parser, PtxInstr *instr) {
    uint32_t reg;
    if (!parse_accept(parser, '@'))
        return true;
    instr->guard_negated = parse_accept(parser, '!');
    Token at = parser->token;
    if (!parse_register(parser, &reg))
        return false;
    instr->guard = reg + 1;
    return parser->func->regs[reg].type == PTX_PRED ||
           parse_fail(parser, at, "Declare it with .reg .pred.",
                      "'%.*s' guards an instruction but is no predicate.",
                      STR_ARG(at.text));
}

// ---- calls and branches --------------------------------------------------

// results := ['(' [operand {',' operand}] ')' ',']
static bool parse_results(Parser *parser) {
    PtxOperand results = {.kind = PTX_OPND_LIST};
    if (parse_at(parser, '(') && (!parse_list(parser, '(', ')', &results) ||
                                  !parse_expect(parser, ',', "the results")))
        return false;
    operand_push(parser, results);
    return true;
}

static bool parse_callee(Parser *parser) {
    Token at = parser->token;
    PtxOperand callee = {.kind = PTX_OPND_SINK};
    if (at.kind == TOK_WORD && !parse_operand(parser, &callee))
        return false;
    operand_push(parser, callee);
    return callee.kind == PTX_OPND_REG ||
           (callee.kind == PTX_OPND_SYMBOL &&
            callee.symbol.kind == PTX_SYM_FUNC) ||
           parse_fail(parser, at, "", "'%.*s' is not a function.",
                      STR_ARG(at.text));
}

// call := [results] callee [',' '(' arguments ')'] [',' name]
static bool parse_call(Parser *parser) {
    PtxOperand arguments = {.kind = PTX_OPND_LIST};
    size_t from = parser->stack_count;
    if (!parse_results(parser) || !parse_callee(parser))
        return false;
    bool more = parse_accept(parser, ',');
    if (more && parse_at(parser, '(')) {
        if (!parse_list(parser, '(', ')', &arguments))
            return false;
        more = parse_accept(parser, ',');
    }
    operand_push(parser, arguments);
    bool is_direct = parser->stack[from + 1].kind == PTX_OPND_SYMBOL;
    if (!more)
        return is_direct ||
               parse_fail(parser, parser->token,
                          "Name a .callprototype or .calltargets list.",
                          "A call through a register needs a prototype.");
    LabelUse use = {.kind = LABEL_CALL_FORM};
    use.instr = (uint32_t)parser->func->instr_count;
    if (!parse_name(parser, "the name of a prototype", &use.at))
        return false;
    scope_use_label(parser, use);
    return true;
}

// bra := label. Where the label's number is stored is known only when the
// operands have been copied: see parse_operands.
static bool parse_bra(Parser *parser, Token *label) {
    if (!parse_name(parser, "a label", label))
        return false;
    operand_push(parser, (PtxOperand){.kind = PTX_OPND_LABEL});
    return true;
}

// brx := operand ',' table
static bool parse_brx(Parser *parser) {
    PtxOperand index;
    LabelUse use = {.kind = LABEL_TABLE};
    use.instr = (uint32_t)parser->func->instr_count;
    if (!parse_operand(parser, &index) ||
        !parse_expect(parser, ',', "the index") ||
        !parse_name(parser, "the name of a .branchtargets list", &use.at))
        return false;
    operand_push(parser, index);
    scope_use_label(parser, use);
    return true;
}

// ---- operands ------------------------------------------------------------

// operands := [operand {',' operand}]
static bool parse_plain(Parser *parser, size_t from) {
    if (parse_at(parser, ';'))
        return true;
    do {
        PtxOperand operand;
        if (!parse_operand(parser, &operand))
            return false;
        if (parser->stack_count - from == PTX_MAX_OPERANDS)
            return parse_fail(parser, parser->token, "",
                              "An instruction has at most %d operands.",
                              PTX_MAX_OPERANDS);
        operand_push(parser, operand);
    } while (parse_accept(parser, ','));
    return true;
}

static bool parse_operands(Parser *parser, PtxInstr *instr) {
    size_t from = parser->stack_count;
    uint32_t count;
    LabelUse use = {.kind = LABEL_CODE};
    uint8_t next = PTX_TRAITS[instr->op].next;
    bool ok = next == PTX_NEXT_CALL    ? parse_call(parser)
              : next == PTX_NEXT_JUMP  ? parse_bra(parser, &use.at)
              : next == PTX_NEXT_TABLE ? parse_brx(parser)
                                       : parse_plain(parser, from);
    instr->operands = operand_pop(parser, from, &count);
    instr->operand_count = (uint8_t)count;
    if (ok && next == PTX_NEXT_JUMP) {
        use.place = &instr->operands[0].target;
        scope_use_label(parser, use);
    }
    return ok;
}

// ---- the check of the form -----------------------------------------------

static bool check_count(Parser *parser, Token at, const PtxInstr *instr) {
    const OpRow *row = words_op(instr->op);
    if (instr->operand_count >= row->least && instr->operand_count <= row->most)
        return true;
    Str wanted =
        row->least == row->most
            ? str_format(&parser->scratch, "%u", row->least)
            : str_format(&parser->scratch, "%u to %u", row->least, row->most);
    return parse_fail(parser, at, "", "'%.*s' takes %.*s operand%s, not %u.",
                      STR_ARG(row->name), STR_ARG(wanted),
                      row->most == 1 ? "" : "s", instr->operand_count);
}

static bool check_addresses(Parser *parser, Token at, const PtxInstr *instr) {
    const OpRow *row = words_op(instr->op);
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        bool is_address = instr->operands[i].kind == PTX_OPND_ADDRESS;
        char letter = row->operands[i];
        if (!is_address && letter == 'a')
            return parse_fail(parser, at, "Write it in brackets: [a].",
                              "Operand %u of '%.*s' has to be an address.",
                              i + 1, STR_ARG(row->name));
        if (is_address && letter != 'a' && letter != 'A')
            return parse_fail(
                parser, at,
                i < row->dsts
                    ? "The result comes first; where it may be discarded, "
                      "write '_'."
                    : "Write it without brackets.",
                "Operand %u of '%.*s' cannot be an address.", i + 1,
                STR_ARG(row->name));
    }
    return true;
}

static bool is_writable(const PtxOperand *operand) {
    if (operand->kind == PTX_OPND_REG)
        return !operand->negated;
    for (uint32_t i = 0; i < operand->elem_count; i++)
        if (!is_writable(&operand->elems[i]))
            return false;
    return operand->kind == PTX_OPND_SINK || operand->elem_count > 0;
}

static bool has_sink(const PtxOperand *operand) {
    if (operand->kind != PTX_OPND_PAIR)
        return operand->kind == PTX_OPND_SINK;
    return has_sink(&operand->elems[0]) || has_sink(&operand->elems[1]);
}

static bool check_result(Parser *parser, Token at, const PtxInstr *instr,
                         uint32_t i) {
    Str name = words_op(instr->op)->name;
    if (!is_writable(&instr->operands[i]))
        return parse_fail(parser, at, "The result comes first.",
                          "Operand %u of '%.*s' is written: it has to be a "
                          "register.",
                          i + 1, STR_ARG(name));
    return words_op(instr->op)->may_sink || !has_sink(&instr->operands[i]) ||
           parse_fail(parser, at, "Write a register in place of '_'.",
                      "The result of '%.*s' cannot be discarded.",
                      STR_ARG(name));
}

static bool check_source(Parser *parser, Token at, const PtxInstr *instr,
                         uint32_t i) {
    const PtxOperand *operand = &instr->operands[i];
    Str name = words_op(instr->op)->name;
    if (operand->kind == PTX_OPND_SINK)
        return parse_fail(parser, at, "",
                          "Operand %u of '%.*s' is read: it cannot be '_'.",
                          i + 1, STR_ARG(name));
    bool is_number = operand->kind == PTX_OPND_REG && operand->negated &&
                     parser->func->regs[operand->reg].type != PTX_PRED;
    return !is_number || words_op(instr->op)->operands[i] == 'n' ||
           parse_fail(parser, at, "Use neg, or sub.",
                      "'%.*s' does not take a negated operand.", STR_ARG(name));
}

static bool check_operands(Parser *parser, Token at, const PtxInstr *instr) {
    uint32_t dsts = words_op(instr->op)->dsts;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        bool ok = i < dsts ? check_result(parser, at, instr, i)
                           : check_source(parser, at, instr, i);
        if (!ok)
            return false;
    }
    return true;
}

// ---- ptxas's further checks of some instructions -----------------

// The one-directional fences: a release is restricted to shared::cta, an
// acquire to shared::cluster (PTX ISA, membar / fence, .sync_restrict).
static bool check_sync_restrict(Parser *parser, Token at,
                                const PtxInstr *instr) {
    bool own = ptx_has(instr, PTX_MOD_SYNC_RESTRICT_SHARED_CTA);
    if (own && !ptx_has(instr, PTX_MOD_RELEASE))
        return parse_fail(parser, at,
                          "To acquire: .sync_restrict::shared::cluster.",
                          "'.sync_restrict::shared::cta' goes with '.release' "
                          "alone.");
    bool all = ptx_has(instr, PTX_MOD_SYNC_RESTRICT_SHARED_CLUSTER);
    return !all || ptx_has(instr, PTX_MOD_ACQUIRE) ||
           parse_fail(parser, at, "To release: .sync_restrict::shared::cta.",
                      "'.sync_restrict::shared::cluster' goes with '.acquire' "
                      "alone.");
}

// ---- the whole -----------------------------------------------------------

static void add_instr(Parser *parser, PtxInstr instr) {
    PtxFunc *func = parser->func;
    instr.loc = locs_current(parser);
    arena_grow(parser->arena, func->instrs, func->instr_count,
               func->instr_capacity);
    func->instrs[func->instr_count++] = instr;
}

// Reports a missing ';' on the line that lacks it, not on the next. The
// statement ends there, so that what follows, perhaps a label, is not skipped.
static bool unfinished(Parser *parser, Token at) {
    Str found = parse_shown(parser, parser->token);
    if (parser->token.line == at.line)
        return parse_expect(parser, ';', "an instruction");
    parse_fail(parser, at, "Put a ';' behind the instruction.",
               "Expected ';' after an instruction, found %.*s on line %u.",
               STR_ARG(found), parser->token.line);
    return true;
}

// instruction := [guard] opcode suffixes operands ';'
bool parse_instruction(Parser *parser) {
    PtxInstr instr = {.line = parser->token.line};
    if (!parse_guard(parser, &instr))
        return false;
    Token at = parser->token;
    if (at.kind != TOK_WORD) {
        Str found = parse_shown(parser, at);
        return parse_fail(parser, at, "",
                          "Expected an instruction, found %.*s.",
                          STR_ARG(found));
    }
    if (!parse_opcode(parser, &instr) || !parse_suffixes(parser, &instr) ||
        !parse_operands(parser, &instr))
        return false;
    if (!parse_at(parser, ';'))
        return unfinished(parser, at);
    if (!check_count(parser, at, &instr) ||
        !check_addresses(parser, at, &instr) ||
        !check_operands(parser, at, &instr) ||
        !check_sync_restrict(parser, at, &instr) ||
        !forms_check(parser, at, &instr) || !sizes_check(parser, at, &instr))
        return false;
    add_instr(parser, instr);
    parse_next(parser);
    return true;
}
