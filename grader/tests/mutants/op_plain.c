// SPDX-License-Identifier: Apache-2.0
// Mistakes that have nothing to do with CLC: in branches, numbers, addresses,
// loads and stores. Read operators.h first; the table is at the end.
#include "tests/mutants/operators.h"

// ---- branches and guards -------------------------------------------------

static bool drop_branch(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    if (edit->func.instrs[at].op != PTX_OP_BRA)
        return false;
    edit_remove(edit, at);
    return true;
}

static bool drop_guard(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!instr->guard)
        return false;
    instr->guard = 0;
    instr->guard_negated = false;
    return true;
}

static bool negate_guard(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!instr->guard)
        return false;
    instr->guard_negated = !instr->guard_negated;
    return true;
}

static bool boundary(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod pairs[][2] = {{PTX_MOD_LT, PTX_MOD_LE},
                                      {PTX_MOD_LE, PTX_MOD_LT},
                                      {PTX_MOD_GT, PTX_MOD_GE},
                                      {PTX_MOD_GE, PTX_MOD_GT}};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (instr->op != PTX_OP_SETP)
        return false;
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (edit_swap_mod(instr, pairs[i][0], pairs[i][1]))
            return true;
    return false;
}

// Returns before a barrier or a wait.
static bool early_exit(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_NONE};
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_barrier(instr) && !is_wait(instr))
        return false;
    edit_insert(edit, at, edit_make(edit, instr, PTX_OP_RET, mods, NULL, 0));
    return true;
}

// ---- numbers -------------------------------------------------------------

static bool is_arithmetic(const PtxInstr *instr) {
    switch ((int)instr->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_MOV:
        return true;
    case PTX_OP_SETP: // "is it zero" is what negate-guard is for
        return !ptx_has(instr, PTX_MOD_EQ) && !ptx_has(instr, PTX_MOD_NE);
    }
    return false;
}

// The first operand after the result that is a number.
static bool constant(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (!is_arithmetic(instr))
        return false;
    for (uint32_t i = 1; i < instr->operand_count; i++) {
        if (instr->operands[i].kind != PTX_OPND_INT)
            continue;
        instr->operands[i].imm += variant == 0 ? 1 : UINT64_MAX;
        return true;
    }
    return false;
}

// Leaves only one of the terms: a sum without an addend, a product without a
// factor.
static bool drop_term(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (instr->op != PTX_OP_ADD && instr->op != PTX_OP_MUL &&
        instr->op != PTX_OP_SUB)
        return false;
    if (ptx_has(instr, PTX_MOD_WIDE) || instr->type_count != 1 ||
        instr->operands[1 + variant].kind != PTX_OPND_REG)
        return false;
    const PtxMod mods[] = {(PtxMod)instr->types[0], PTX_MOD_NONE};
    const PtxOperand operands[] = {instr->operands[0],
                                   instr->operands[1 + variant]};
    *instr = edit_make(edit, instr, PTX_OP_MOV, mods, operands, 2);
    return true;
}

// a * b + c: without c, without a, without b.
static bool split_mad(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (instr->op != PTX_OP_MAD || !ptx_has(instr, PTX_MOD_LO))
        return false;
    const PtxMod low[] = {PTX_MOD_LO, (PtxMod)instr->types[0], PTX_MOD_NONE};
    const PtxOperand *o = instr->operands;
    const PtxOperand sum[] = {o[0], o[variant], o[3]};
    *instr = variant == 0 ? edit_make(edit, instr, PTX_OP_MUL, low, o, 3)
                          : edit_make(edit, instr, PTX_OP_ADD, low + 1, sum, 3);
    return true;
}

static bool other_operation(Edit *edit, uint32_t at, uint32_t variant) {
    static const struct {
        PtxOp from, to;
    } pairs[] = {{PTX_OP_ADD, PTX_OP_SUB}, {PTX_OP_SUB, PTX_OP_ADD},
                 {PTX_OP_MIN, PTX_OP_MAX}, {PTX_OP_MAX, PTX_OP_MIN},
                 {PTX_OP_DIV, PTX_OP_REM}, {PTX_OP_SHL, PTX_OP_SHR},
                 {PTX_OP_AND, PTX_OP_OR},  {PTX_OP_OR, PTX_OP_AND}};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (instr->op == pairs[i].from) {
            instr->op = pairs[i].to;
            return true;
        }
    return false;
}

// Replaces a special register by one that it is often confused with.
static bool other_register(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxSreg pairs[][2] = {
        {PTX_SREG_TID_X, PTX_SREG_TID_Y},
        {PTX_SREG_TID_X, PTX_SREG_LANEID},
        {PTX_SREG_NTID_X, PTX_SREG_NCTAID_X},
        {PTX_SREG_NTID_X, PTX_SREG_NTID_Y},
        {PTX_SREG_CTAID_X, PTX_SREG_CTAID_Y},
        {PTX_SREG_CTAID_X, PTX_SREG_CLUSTER_CTAID_X},
        {PTX_SREG_NCTAID_X, PTX_SREG_NTID_X},
        {PTX_SREG_NCTAID_X, PTX_SREG_NCLUSTERID_Y},
        {PTX_SREG_CLUSTER_CTARANK, PTX_SREG_CLUSTER_CTAID_Y},
        {PTX_SREG_CLUSTER_CTARANK, PTX_SREG_CTAID_X},
        {PTX_SREG_CLUSTER_CTAID_X, PTX_SREG_CLUSTER_CTAID_Y},
        {PTX_SREG_CLUSTER_CTAID_X, PTX_SREG_CTAID_X},
    };
    PtxInstr *instr = &edit->func.instrs[at];
    if (instr->op != PTX_OP_MOV || instr->operands[1].kind != PTX_OPND_SREG)
        return false;
    for (size_t i = variant; i < COUNT_OF(pairs); i += 2)
        if (instr->operands[1].sreg == pairs[i][0]) {
            instr->operands[1].sreg = pairs[i][1];
            return true;
        }
    return false;
}

// ---- addresses -----------------------------------------------------------

// Address operand number `which` of an access.
static bool move_address(Edit *edit, uint32_t at, uint32_t which,
                         uint64_t bytes) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (!is_access(instr))
        return false;
    for (uint32_t i = 0; i < instr->operand_count; i++) {
        if (instr->operands[i].kind != PTX_OPND_ADDRESS || which-- > 0)
            continue;
        instr->operands[i].imm += bytes;
        return true;
    }
    return false;
}

static bool offset(Edit *edit, uint32_t at, uint32_t variant) {
    static const uint64_t bytes[] = {4, 8, 16};
    return move_address(edit, at, 0, bytes[variant]);
}

static bool offset_second(Edit *edit, uint32_t at, uint32_t variant) {
    static const uint64_t bytes[] = {4, 8, 16};
    return move_address(edit, at, 1, bytes[variant]);
}

static bool has_symbol(const PtxInstr *instr) {
    for (uint32_t i = 0; i < instr->operand_count; i++)
        if (instr->operands[i].kind == PTX_OPND_ADDRESS &&
            instr->operands[i].base == PTX_BASE_SYMBOL)
            return true;
    return false;
}

// Uses an address as one of another state space. (For global memory the generic
// address is the same number.)
static bool other_space(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    bool shared = ptx_space(instr) == PTX_SPACE_SHARED;
    if (!is_access(instr) || (shared && has_symbol(instr)) ||
        (instr->op != PTX_OP_LD && instr->op != PTX_OP_ST))
        return false;
    if (!shared)
        return edit_swap_mod(instr, PTX_MOD_GLOBAL,
                             variant == 0 ? PTX_MOD_SHARED : PTX_MOD_LOCAL);
    return edit_swap_mod(instr, PTX_MOD_SHARED,
                         variant == 0 ? PTX_MOD_GLOBAL : PTX_MOD_LOCAL);
}

// ---- loads, stores, atomics ----------------------------------------------

static bool drop_store(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if ((instr->op != PTX_OP_ST && instr->op != PTX_OP_RED) ||
        !is_access(instr))
        return false;
    edit_remove(edit, at);
    return true;
}

static PtxInstr zero(Edit *edit, const PtxInstr *like, PtxOperand result,
                     PtxType type) {
    const PtxMod mods[] = {(PtxMod)type, PTX_MOD_NONE};
    PtxOperand value = edit_int(0);
    if (ptx_type_is_float(type))
        value.kind = PTX_OPND_F32;
    if (type == PTX_F64)
        value.kind = PTX_OPND_F64;
    const PtxOperand operands[] = {result, value};
    return edit_make(edit, like, PTX_OP_MOV, mods, operands, 2);
}

// Zeros instead of what is in memory.
static bool drop_load(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (instr->op != PTX_OP_LD || !is_access(instr) ||
        ptx_has(instr, PTX_MOD_B128))
        return false;
    PtxInstr old = *instr;
    PtxOperand *result = &old.operands[0];
    edit_remove(edit, at);
    if (result->kind == PTX_OPND_REG)
        edit_insert(edit, at, zero(edit, &old, *result, old.types[0]));
    for (uint32_t i = 0; i < result->elem_count; i++)
        if (result->elems[i].kind == PTX_OPND_REG)
            edit_insert(edit, at,
                        zero(edit, &old, result->elems[i], old.types[0]));
    return true;
}

// Half of the bytes.
static bool narrow(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod pairs[][2] = {
        {PTX_MOD_U64, PTX_MOD_U32}, {PTX_MOD_B64, PTX_MOD_B32},
        {PTX_MOD_F32, PTX_MOD_B16}, {PTX_MOD_U32, PTX_MOD_U16},
        {PTX_MOD_B32, PTX_MOD_B16}, {PTX_MOD_S32, PTX_MOD_S16}};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if ((instr->op != PTX_OP_LD && instr->op != PTX_OP_ST) || !is_access(instr))
        return false;
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (edit_swap_mod(instr, pairs[i][0], pairs[i][1]))
            return true;
    return false;
}

// Whether instruction `at` may stand in front of `to` as far as its registers
// are known there.
static bool can_move_up(const PtxFunc *func, uint32_t at, uint32_t to) {
    const PtxInstr *instr = &func->instrs[at];
    for (uint32_t i = to; i < at; i++) {
        const PtxInstr *other = &func->instrs[i];
        if (other->operand_count && ptx_op_results(other->op) &&
            other->operands[0].kind == PTX_OPND_REG &&
            names_reg(instr, other->operands[0].reg))
            return false;
    }
    return true;
}

// In front of the barrier or the wait that it has to stand behind.
static bool early_access(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if ((instr->op != PTX_OP_LD && instr->op != PTX_OP_ST) || !is_access(instr))
        return false;
    for (uint32_t to = at; to-- > 0;) {
        const PtxInstr *before = &edit->func.instrs[to];
        if (!is_barrier(before) && !is_wait(before))
            continue;
        if (!can_move_up(&edit->func, at, to))
            return false;
        edit_move_before(edit, at, to);
        return true;
    }
    return false;
}

static bool late_access(Edit *edit, uint32_t at, uint32_t variant) {
    PtxFunc *func = &edit->func;
    (void)variant;
    if (func->instrs[at].op != PTX_OP_ST || !is_access(&func->instrs[at]))
        return false;
    for (uint32_t to = at + 1; to < func->instr_count; to++)
        if (is_barrier(&func->instrs[to])) {
            edit_move_behind(edit, at, to);
            return true;
        }
    return false;
}

// Load, add, store.
static bool plain_atomic(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr old = edit->func.instrs[at];
    (void)variant;
    bool result = old.op == PTX_OP_ATOM;
    if ((!result && old.op != PTX_OP_RED) || !ptx_has(&old, PTX_MOD_ADD) ||
        old.type_count != 1)
        return false;
    PtxMod type = (PtxMod)old.types[0], space = PTX_MOD_NONE;
    if (ptx_space(&old) == PTX_SPACE_GLOBAL)
        space = PTX_MOD_GLOBAL;
    if (ptx_space(&old) == PTX_SPACE_SHARED)
        space = PTX_MOD_SHARED;
    const PtxMod spaced[] = {space, type, PTX_MOD_NONE};
    const PtxMod *mods = spaced + (space == PTX_MOD_NONE);
    const PtxMod bare[] = {type, PTX_MOD_NONE};
    PtxOperand was = edit_reg(edit_new_reg(edit, old.types[0]));
    PtxOperand sum = edit_reg(edit_new_reg(edit, old.types[0]));
    const PtxOperand *o = old.operands + result;
    const PtxOperand load[] = {was, o[0]}, add[] = {sum, was, o[1]};
    const PtxOperand store[] = {o[0], sum}, give[] = {old.operands[0], was};
    edit_remove(edit, at);
    if (result)
        edit_insert(edit, at, edit_make(edit, &old, PTX_OP_MOV, bare, give, 2));
    edit_insert(edit, at, edit_make(edit, &old, PTX_OP_ST, mods, store, 2));
    edit_insert(edit, at, edit_make(edit, &old, PTX_OP_ADD, bare, add, 3));
    edit_insert(edit, at, edit_make(edit, &old, PTX_OP_LD, mods, load, 2));
    return true;
}

// ---- calls ---------------------------------------------------------------

static bool call_twice(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (instr->op != PTX_OP_CALL)
        return false;
    edit_insert_behind(edit, at, edit_copy(edit, instr));
    return true;
}

// Zero instead of its result.
static bool drop_call(Edit *edit, uint32_t at, uint32_t variant) {
    PtxFunc *func = &edit->func;
    (void)variant;
    if (func->instrs[at].op != PTX_OP_CALL || at + 1 == func->instr_count)
        return false;
    PtxInstr *load = &func->instrs[at + 1];
    if (load->op != PTX_OP_LD || ptx_space(load) != PTX_SPACE_PARAM)
        return false;
    *load = zero(edit, load, load->operands[0], load->types[0]);
    edit_remove(edit, at);
    return true;
}

// ---- the table -----------------------------------------------------------

const Operator PLAIN_OPERATORS[] = {
    {"drop-branch", drop_branch, {0}},
    {"drop-guard", drop_guard, {0}},
    {"negate-guard", negate_guard, {0}},
    {"boundary", boundary, {0}},
    {"early-exit", early_exit, {0}},
    {"constant", constant, {"+1", "-1"}},
    {"drop-term", drop_term, {"second", "first"}},
    {"split-mad", split_mad, {"addend", "second", "first"}},
    {"other-operation", other_operation, {0}},
    {"other-register", other_register, {"a", "b"}},
    {"offset", offset, {"+4", "+8", "+16"}},
    {"offset-second", offset_second, {"+4", "+8", "+16"}},
    {"other-space", other_space, {"a", "b"}},
    {"drop-store", drop_store, {0}},
    {"drop-load", drop_load, {0}},
    {"narrow", narrow, {0}},
    {"early-access", early_access, {0}},
    {"late-access", late_access, {0}},
    {"plain-atomic", plain_atomic, {0}},
    {"call-twice", call_twice, {0}},
    {"drop-call", drop_call, {0}},
};
const size_t PLAIN_OPERATOR_COUNT = COUNT_OF(PLAIN_OPERATORS);
