// SPDX-License-Identifier: Apache-2.0
// Checks the size of each operand's register, as ptxas does (PTX ISA, section
// 9.4 and the instructions): no compiler has checked inline asm before. The
// letters in instructions.h say which operands are checked; forms with another
// number of types than the row's are not checked.
#include "ptx/parse.h"

// ---- rows ----------------------------------------------------------------

// One letter is only used here: w is twice the first type's size.
typedef struct SizeRow {
    uint8_t types;        // how many types the form has; 0: any number
    const char *operands; // their letters, or only those of the checked ones
} SizeRow;

static bool is_wait(const PtxInstr *instr) {
    const PtxTraits *traits = &PTX_TRAITS[instr->op];
    return traits->object == PTX_OBJECT_MBARRIER &&
           traits->access == PTX_ACCESS_READS;
}

// The opcode's row, except where suffixes change it.
static SizeRow row_of(const PtxInstr *instr) {
    bool is_wide = ptx_has(instr, PTX_MOD_WIDE);
    if (instr->op == PTX_OP_MUL && is_wide)
        return (SizeRow){1, "wtt"};
    if (instr->op == PTX_OP_MAD && is_wide)
        return (SizeRow){1, "wttw"};
    if (instr->op == PTX_OP_ATOM && ptx_has(instr, PTX_MOD_CAS))
        return (SizeRow){1, "t-tt"};
    if (instr->op == PTX_OP_CVT && instr->operand_count > 2)
        return (SizeRow){2, "tssu"};
    if (is_wait(instr) && ptx_has(instr, PTX_MOD_PARITY))
        return (SizeRow){0, "p-uu"};
    if (ptx_has(instr, PTX_MOD_IS_CANCELED))
        return (SizeRow){0, "pq"};
    const OpRow *row = words_op(instr->op);
    return (SizeRow){row->types, row->operands};
}

// ---- the check -----------------------------------------------------------

enum { ANY_SIZE, PREDICATE = 1 }; // any other value is a number of bits

typedef struct Wanted {
    uint32_t bits;
    bool or_more;
} Wanted;

static uint32_t type_bits(PtxType type) {
    return type == PTX_PRED ? PREDICATE : ptx_type_size(type) * 8;
}

static Wanted wanted(const PtxInstr *instr, char letter) {
    switch (letter) {
    case 't':
    case 'T':
        return (Wanted){type_bits(instr->types[0]), letter == 'T'};
    case 's':
    case 'S':
        return (Wanted){type_bits(instr->types[1]), letter == 'S'};
    case 'w':
        return (Wanted){2 * type_bits(instr->types[0]), false};
    case 'u':
        return (Wanted){32, false};
    case 'l':
        return (Wanted){64, false};
    case 'q':
        return (Wanted){128, false};
    case 'p':
        return (Wanted){PREDICATE, false};
    default:
        return (Wanted){ANY_SIZE, false};
    }
}

static const char *help_for(const PtxInstr *instr, uint32_t i) {
    if (is_wait(instr) && i == 2)
        return "With .parity behind its name it takes a parity, in 32 bits; "
               "without, the state that an arrival gave, in 64.";
    return "In asm, \"h\" is a register of 16 bits, \"r\" of 32, \"l\" of 64, "
           "\"q\" of 128.";
}

static bool check_reg(Parser *parser, Token at, const PtxInstr *instr,
                      uint32_t i, const PtxOperand *operand, Wanted want) {
    if (operand->kind != PTX_OPND_REG || operand->select != PTX_MOD_NONE)
        return true;
    Str name = words_op(instr->op)->name;
    const PtxReg *reg = &parser->func->regs[operand->reg];
    uint32_t bits = type_bits(reg->type);
    if (bits == want.bits ||
        (want.or_more && want.bits != PREDICATE && bits > want.bits))
        return true;
    if (want.bits == PREDICATE || bits == PREDICATE)
        return parse_fail(
            parser, at, "", "Operand %u of '%.*s' %s be a predicate.", i + 1,
            STR_ARG(name), bits == PREDICATE ? "cannot" : "has to");
    return parse_fail(parser, at, help_for(instr, i),
                      "Operand %u of '%.*s' takes %u bits%s: '%.*s' has %u.",
                      i + 1, STR_ARG(name), want.bits,
                      want.or_more ? " or more" : "", STR_ARG(reg->name), bits);
}

static bool check_operand(Parser *parser, Token at, const PtxInstr *instr,
                          uint32_t i, Wanted want) {
    const PtxOperand *operand = &instr->operands[i];
    if (want.bits == ANY_SIZE)
        return true;
    if (operand->kind == PTX_OPND_PAIR)
        return check_reg(parser, at, instr, i, &operand->elems[0], want) &&
               check_reg(parser, at, instr, i, &operand->elems[1],
                         (Wanted){PREDICATE, false});
    if (operand->kind != PTX_OPND_VECTOR)
        return check_reg(parser, at, instr, i, operand, want);
    bool are_parts = instr->op == PTX_OP_MOV && ptx_vector(instr) == 1;
    if (are_parts && operand->elem_count)
        want.bits /= operand->elem_count;
    for (uint32_t k = 0; k < operand->elem_count; k++)
        if (!check_reg(parser, at, instr, i, &operand->elems[k], want))
            return false;
    return true;
}

bool sizes_check(Parser *parser, Token at, const PtxInstr *instr) {
    SizeRow row = row_of(instr);
    if (row.types && instr->type_count != row.types)
        return true;
    for (uint32_t i = 0; i < instr->operand_count && row.operands[i]; i++)
        if (!check_operand(parser, at, instr, i,
                           wanted(instr, row.operands[i])))
            return false;
    return true;
}
