// SPDX-License-Identifier: Apache-2.0
// What ptxas asks of registers: their size, by operand (PTX ISA, section 9.4
// and the instructions). What is written by hand, in asm, no compiler has
// checked before. Instructions that have no row, and forms with other types
// than a row is for, are not checked.
#include "ptx/parse.h"

// ---- rows ----------------------------------------------------------------

// A letter for each operand:
//   t, s   the size of the first type, of the second
//   T, S   that size, or a larger one
//   w      twice the first type's
//   u, l, q   32, 64, 128 bits
//   p      a predicate
//   -      not checked
// Of a pair a|b it is for a: b is a predicate. Of a vector, for its elements.
typedef struct SizeRow {
    uint8_t types;    // how many types the form has; 0: it does not matter
    char operands[8]; // those beyond: not checked
} SizeRow;

static const SizeRow ROWS[PTX_OP_COUNT] = {
    [PTX_OP_ABS] = {1, "tt"},
    [PTX_OP_ADD] = {1, "ttt"},
    [PTX_OP_ADDC] = {1, "ttt"},
    [PTX_OP_AND] = {1, "ttt"},
    [PTX_OP_BFE] = {1, "ttuu"},
    [PTX_OP_BFI] = {1, "tttuu"},
    [PTX_OP_BFIND] = {1, "ut"},
    [PTX_OP_BREV] = {1, "tt"},
    [PTX_OP_CLZ] = {1, "ut"},
    [PTX_OP_CNOT] = {1, "tt"},
    [PTX_OP_COPYSIGN] = {1, "ttt"},
    [PTX_OP_COS] = {1, "tt"},
    [PTX_OP_DIV] = {1, "ttt"},
    [PTX_OP_EX2] = {1, "tt"},
    [PTX_OP_FMA] = {1, "tttt"},
    [PTX_OP_LG2] = {1, "tt"},
    [PTX_OP_LOP3] = {1, "tttt-p"},
    [PTX_OP_MAD] = {1, "tttt"},
    [PTX_OP_MAD24] = {1, "tttt"},
    [PTX_OP_MADC] = {1, "tttt"},
    [PTX_OP_MAX] = {1, "tttt"},
    [PTX_OP_MIN] = {1, "tttt"},
    [PTX_OP_MUL] = {1, "ttt"},
    [PTX_OP_MUL24] = {1, "ttt"},
    [PTX_OP_NEG] = {1, "tt"},
    [PTX_OP_NOT] = {1, "tt"},
    [PTX_OP_OR] = {1, "ttt"},
    [PTX_OP_POPC] = {1, "ut"},
    [PTX_OP_PRMT] = {1, "tttt"},
    [PTX_OP_RCP] = {1, "tt"},
    [PTX_OP_REM] = {1, "ttt"},
    [PTX_OP_RSQRT] = {1, "tt"},
    [PTX_OP_SAD] = {1, "tttt"},
    [PTX_OP_SELP] = {1, "tttp"},
    [PTX_OP_SET] = {2, "tssp"},
    [PTX_OP_SETP] = {1, "pttp"},
    [PTX_OP_SHF] = {1, "tttu"},
    [PTX_OP_SHL] = {1, "ttu"},
    [PTX_OP_SHR] = {1, "ttu"},
    [PTX_OP_SIN] = {1, "tt"},
    [PTX_OP_SLCT] = {2, "ttts"},
    [PTX_OP_SQRT] = {1, "tt"},
    [PTX_OP_SUB] = {1, "ttt"},
    [PTX_OP_SUBC] = {1, "ttt"},
    [PTX_OP_TANH] = {1, "tt"},
    [PTX_OP_TESTP] = {1, "pt"},
    [PTX_OP_XOR] = {1, "ttt"},
    [PTX_OP_CVT] = {2, "TS"},
    [PTX_OP_CVTA] = {1, "tt"},
    [PTX_OP_LD] = {1, "T-"},
    [PTX_OP_MAPA] = {1, "ttu"},
    [PTX_OP_MOV] = {1, "tt"},
    [PTX_OP_ST] = {1, "-T"},
    [PTX_OP_ACTIVEMASK] = {1, "t"},
    [PTX_OP_ATOM] = {1, "t-t"},
    [PTX_OP_ELECT] = {0, "uu"},
    [PTX_OP_RED] = {1, "-t"},
    [PTX_OP_REDUX] = {1, "ttu"},
    [PTX_OP_SHFL] = {1, "tuuu"},
    [PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL] = {0, "uq"},
    [PTX_OP_MBARRIER_INIT] = {0, "-u"},
    [PTX_OP_MBARRIER_ARRIVE] = {0, "l-u"},
    [PTX_OP_MBARRIER_ARRIVE_DROP] = {0, "l-u"},
    [PTX_OP_MBARRIER_TEST_WAIT] = {0, "p-l"},
    [PTX_OP_MBARRIER_TRY_WAIT] = {0, "p-lu"},
};

static bool is_wait(const PtxInstr *instr) {
    return instr->op == PTX_OP_MBARRIER_TEST_WAIT ||
           instr->op == PTX_OP_MBARRIER_TRY_WAIT;
}

// Where suffixes change it.
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
    return ROWS[instr->op];
}

// ---- the check -----------------------------------------------------------

enum { ANY_SIZE, PREDICATE = 1 }; // else bits

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
    if (want.bits == ANY_SIZE || operand->kind != PTX_OPND_REG ||
        operand->select != PTX_MOD_NONE)
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
