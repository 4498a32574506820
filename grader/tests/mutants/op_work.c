// SPDX-License-Identifier: Apache-2.0
// Mistakes in which block does which work, and which most runs do not show:
// they appear in late rounds, in large grids, in another order of launches, in
// the second launch of a module, or to some threads of a block alone. Read
// operators.h first; the table is at the end. Registers that nothing has
// written are 0 at first.
#include "tests/mutants/operators.h"

static bool takes_index(const PtxInstr *instr) {
    return instr->op == PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL &&
           ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_X);
}

static bool asks_whether_granted(const PtxInstr *instr) {
    return instr->op == PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL &&
           ptx_has(instr, PTX_MOD_IS_CANCELED);
}

// Inserts behind instruction *at, which becomes the new one.
static void add(Edit *edit, uint32_t *at, PtxOp op, const PtxMod *mods,
                const PtxOperand *operands, uint32_t count) {
    PtxInstr like = edit->func.instrs[*at];
    edit_insert_behind(edit, *at,
                       edit_make(edit, &like, op, mods, operands, count));
    (*at)++;
}

// result = result `op` value
static void change(Edit *edit, uint32_t *at, PtxOp op, PtxOperand result,
                   PtxOperand value) {
    static const PtxMod bits[] = {PTX_MOD_B32, PTX_MOD_NONE};
    static const PtxMod number[] = {PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod low[] = {PTX_MOD_LO, PTX_MOD_U32, PTX_MOD_NONE};
    const PtxOperand operands[] = {result, result, value};
    bool is_bits = op == PTX_OP_AND || op == PTX_OP_XOR;
    const PtxMod *mods = is_bits ? bits : op == PTX_OP_MUL ? low : number;
    add(edit, at, op, mods, operands, 3);
}

static PtxOperand new_number(Edit *edit) {
    return edit_reg(edit_new_reg(edit, PTX_U32));
}

// A new register with the value of a special register.
static PtxOperand special(Edit *edit, uint32_t *at, PtxSreg sreg) {
    static const PtxMod mods[] = {PTX_MOD_U32, PTX_MOD_NONE};
    PtxOperand value = new_number(edit);
    const PtxOperand operands[] = {value,
                                   {.kind = PTX_OPND_SREG, .sreg = sreg}};
    add(edit, at, PTX_OP_MOV, mods, operands, 2);
    return value;
}

// ---- indices -------------------------------------------------------------

// Who is granted one of a pair works on the other: right where somebody else is
// granted that, and does the same.
static bool swap_pairs(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    if (!takes_index(&edit->func.instrs[at]))
        return false;
    change(edit, &at, PTX_OP_XOR, edit->func.instrs[at].operands[0],
           edit_int(1));
    return true;
}

// The index has so many bits.
static const uint32_t BITS[] = {8, 10, 12, 16, 20};

static void keep_bits(Edit *edit, uint32_t at, uint32_t bits) {
    change(edit, &at, PTX_OP_AND, edit->func.instrs[at].operands[0],
           edit_int((UINT64_C(1) << bits) - 1));
}

static bool narrow_index(Edit *edit, uint32_t at, uint32_t variant) {
    if (!takes_index(&edit->func.instrs[at]))
        return false;
    keep_bits(edit, at, BITS[variant]);
    return true;
}

// The same of the indices along y and z, as where all share a word.
static bool narrow_axis(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    if (instr->op != PTX_OP_CLUSTERLAUNCHCONTROL_QUERY_CANCEL ||
        (!ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Y) &&
         !ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Z)))
        return false;
    keep_bits(edit, at, BITS[variant]);
    return true;
}

// The same of the block's own index.
static bool narrow_start(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    if (instr->op != PTX_OP_MOV || instr->operand_count != 2 ||
        instr->operands[1].kind != PTX_OPND_SREG ||
        instr->operands[1].sreg != PTX_SREG_CTAID_X)
        return false;
    keep_bits(edit, at, BITS[variant]);
    return true;
}

// The index goes through a half.
static bool half_index(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod to[] = {PTX_MOD_RN, PTX_MOD_F16, PTX_MOD_U32,
                                PTX_MOD_NONE};
    static const PtxMod back[] = {PTX_MOD_RNI, PTX_MOD_U32, PTX_MOD_F16,
                                  PTX_MOD_NONE};
    (void)variant;
    if (!takes_index(&edit->func.instrs[at]))
        return false;
    PtxOperand index = edit->func.instrs[at].operands[0];
    PtxOperand half = edit_reg(edit_new_reg(edit, PTX_F16));
    const PtxOperand there[] = {half, index}, again[] = {index, half};
    add(edit, &at, PTX_OP_CVT, to, there, 2);
    add(edit, &at, PTX_OP_CVT, back, again, 2);
    return true;
}

// As if only later blocks could be stolen, which is so where blocks are
// launched in order.
static bool never_lower(Edit *edit, uint32_t at, uint32_t variant) {
    PtxOperand index = edit->func.instrs[at].operands[0];
    (void)variant;
    if (!takes_index(&edit->func.instrs[at]))
        return false;
    PtxOperand own = special(edit, &at, PTX_SREG_CTAID_X);
    change(edit, &at, PTX_OP_MAX, index, own);
    return true;
}

// Some threads of a block, or all of them along one axis, go on with the index
// of their own block.
static bool own_index(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod moves[] = {PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod at_least[] = {PTX_MOD_GE, PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod equals[] = {PTX_MOD_EQ, PTX_MOD_U32, PTX_MOD_NONE};
    enum { ALL, UPPER_THREADS, ONE_THREAD };
    const PtxInstr *instr = &edit->func.instrs[at];
    bool is_y = ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Y);
    bool is_z = ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_Z);
    if (!takes_index(instr) && !is_y && !is_z)
        return false;
    PtxOperand index = instr->operands[0];
    PtxOperand own = special(edit, &at,
                             is_y   ? PTX_SREG_CTAID_Y
                             : is_z ? PTX_SREG_CTAID_Z
                                    : PTX_SREG_CTAID_X);
    const PtxOperand move[] = {index, own};
    if (variant == ALL) {
        add(edit, &at, PTX_OP_MOV, moves, move, 2);
        return true;
    }
    PtxOperand thread = special(edit, &at, PTX_SREG_TID_X);
    PtxOperand keeps = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand compare[] = {keeps, thread,
                                  edit_int(variant == ONE_THREAD ? 1 : 8)};
    add(edit, &at, PTX_OP_SETP, variant == ONE_THREAD ? equals : at_least,
        compare, 3);
    add(edit, &at, PTX_OP_MOV, moves, move, 2);
    edit->func.instrs[at].guard = keeps.reg + 1;
    return true;
}

// ---- late rounds ---------------------------------------------------------

static const uint64_t ROUNDS[] = {4, 16, 64, 256};

// A predicate that is true unless this is round number `round`.
static PtxOperand not_in_round(Edit *edit, uint32_t *at, uint64_t round) {
    static const PtxMod differs[] = {PTX_MOD_NE, PTX_MOD_U32, PTX_MOD_NONE};
    PtxOperand rounds = new_number(edit);
    PtxOperand other = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand compare[] = {other, rounds, edit_int(round)};
    change(edit, at, PTX_OP_ADD, rounds, edit_int(1));
    add(edit, at, PTX_OP_SETP, differs, compare, 3);
    return other;
}

// One grant counts as a refusal.
static bool late_refusal(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_PRED, PTX_MOD_NONE};
    if (!asks_whether_granted(&edit->func.instrs[at]))
        return false;
    PtxOperand granted = edit->func.instrs[at].operands[0];
    PtxOperand other = not_in_round(edit, &at, ROUNDS[variant]);
    const PtxOperand operands[] = {granted, granted, other};
    add(edit, &at, PTX_OP_AND, mods, operands, 3);
    return true;
}

// One granted index is another.
static bool late_index(Edit *edit, uint32_t at, uint32_t variant) {
    if (!takes_index(&edit->func.instrs[at]))
        return false;
    PtxOperand index = edit->func.instrs[at].operands[0];
    PtxOperand other = not_in_round(edit, &at, ROUNDS[variant]);
    change(edit, &at, PTX_OP_ADD, index, edit_int(1));
    edit->func.instrs[at].guard = other.reg + 1;
    edit->func.instrs[at].guard_negated = true;
    return true;
}

// ---- launches ------------------------------------------------------------

static PtxOperand address_of(PtxVar *var) {
    return (PtxOperand){.kind = PTX_OPND_ADDRESS,
                        .base = PTX_BASE_SYMBOL,
                        .symbol = {PTX_SYM_VAR, var, NULL}};
}

// Each thread of the grid's first block, if that is launched, adds 1 to the
// variable. Returns how many instructions that takes.
static uint32_t count_launches(Edit *edit, PtxVar *var) {
    static const PtxMod bits[] = {PTX_MOD_B32, PTX_MOD_NONE};
    static const PtxMod is[] = {PTX_MOD_EQ, PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod counts[] = {PTX_MOD_RELAXED, PTX_MOD_GPU,
                                    PTX_MOD_GLOBAL,  PTX_MOD_ADD,
                                    PTX_MOD_U32,     PTX_MOD_NONE};
    uint32_t at = 0;
    PtxOperand place = special(edit, &at, PTX_SREG_CTAID_X);
    PtxOperand y = special(edit, &at, PTX_SREG_CTAID_Y);
    const PtxOperand with_y[] = {place, place, y};
    add(edit, &at, PTX_OP_OR, bits, with_y, 3);
    PtxOperand z = special(edit, &at, PTX_SREG_CTAID_Z);
    const PtxOperand with_z[] = {place, place, z};
    add(edit, &at, PTX_OP_OR, bits, with_z, 3);
    PtxOperand is_first = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand compare[] = {is_first, place, edit_int(0)};
    add(edit, &at, PTX_OP_SETP, is, compare, 3);
    const PtxOperand count[] = {address_of(var), edit_int(1)};
    add(edit, &at, PTX_OP_RED, counts, count, 2);
    edit->func.instrs[at].guard = is_first.reg + 1;
    return at;
}

// A variable is expected to be zero at first. In a second launch of the module,
// indices are others.
static bool second_launch(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod reads[] = {PTX_MOD_RELAXED, PTX_MOD_GPU, PTX_MOD_GLOBAL,
                                   PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod exceeds[] = {PTX_MOD_GT, PTX_MOD_U32, PTX_MOD_NONE};
    (void)variant;
    if (!takes_index(&edit->func.instrs[at]))
        return false;
    PtxOperand index = edit->func.instrs[at].operands[0];
    PtxVar *var = edit_new_var(edit);
    at += count_launches(edit, var);
    PtxOperand counted = new_number(edit);
    const PtxOperand read[] = {counted, address_of(var)};
    add(edit, &at, PTX_OP_LD, reads, read, 2);
    PtxOperand threads = special(edit, &at, PTX_SREG_NTID_X);
    change(edit, &at, PTX_OP_MUL, threads, special(edit, &at, PTX_SREG_NTID_Y));
    PtxOperand again = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand compare[] = {again, counted, threads};
    add(edit, &at, PTX_OP_SETP, exceeds, compare, 3);
    change(edit, &at, PTX_OP_ADD, index, edit_int(1));
    edit->func.instrs[at].guard = again.reg + 1;
    return true;
}

// ---- the table -----------------------------------------------------------

const Operator WORK_OPERATORS[] = {
    {"swap-pairs", swap_pairs, {0}},
    {"narrow-index", narrow_index, {"8", "10", "12", "16", "20"}},
    {"narrow-axis", narrow_axis, {"8", "10", "12"}},
    {"narrow-start", narrow_start, {"8", "10", "12", "16", "20"}},
    {"half-index", half_index, {0}},
    {"never-lower", never_lower, {0}},
    {"own-index", own_index, {"all", "upper-threads", "one-thread"}},
    {"late-refusal", late_refusal, {"4", "16", "64", "256"}},
    {"late-index", late_index, {"4", "16", "64", "256"}},
    {"second-launch", second_launch, {0}},
};
const size_t WORK_OPERATOR_COUNT = COUNT_OF(WORK_OPERATORS);
