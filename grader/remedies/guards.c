// SPDX-License-Identifier: Apache-2.0
// Remedies for who does something, and until when: one thread, all of them,
// the end of a loop, the lanes of a warp.
#include "remedies/rows.h"
#include "remedies/what.h"

// ---- for one thread ------------------------------------------------------

static bool is_for_one(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return !instr->guard && site->threads > 1 && place_is_first(site, at) &&
           (is_request(instr) || is_arrive(instr) ||
            instr->op == PTX_OP_MBARRIER_INIT ||
            instr->op == PTX_OP_MBARRIER_EXPECT_TX);
}

// In front of the instruction.
static void insert(Edit *edit, uint32_t at, PtxOp op, const PtxMod *mods,
                   const PtxOperand *operands, uint32_t count) {
    PtxInstr like = edit->func.instrs[at];
    edit_insert(edit, at, edit_make(edit, &like, op, mods, operands, count));
}

// As a 2-D block needs it: its indices along x, y and z are 0.
static bool guard_one(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod number[] = {PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod bits[] = {PTX_MOD_B32, PTX_MOD_NONE};
    static const PtxMod is[] = {PTX_MOD_EQ, PTX_MOD_U32, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    (void)variant;
    if (edit->func.instrs[at].guard)
        return false;
    PtxOperand any = edit_reg(edit_new_reg(edit, PTX_U32));
    PtxOperand one = edit_reg(edit_new_reg(edit, PTX_U32));
    PtxOperand first = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand compare[] = {first, any, edit_int(0)};
    const PtxOperand both[] = {any, any, one};
    edit->func.instrs[at].guard = first.reg + 1;
    insert(edit, at, PTX_OP_SETP, is, compare, 3);
    for (int axis = 2; axis >= 0; axis--) {
        const PtxOperand take[] = {
            axis ? one : any,
            {.kind = PTX_OPND_SREG, .sreg = PTX_SREG_TID_X + (PtxSreg)axis}};
        if (axis)
            insert(edit, at, PTX_OP_OR, bits, both, 3);
        insert(edit, at, PTX_OP_MOV, number, take, 2);
    }
    return true;
}

static bool for_one(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, guard_one);
}

// ---- for all -------------------------------------------------------------

static bool is_condition(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return instr->op == PTX_OP_BRA && instr->guard &&
           site->entry->labels[instr->operands[0].target].target > at;
}

// What the branch jumps over is done by all.
static bool drop_condition(Mending *mending, uint32_t at, uint32_t variant) {
    (void)variant;
    edit_remove(&mending->edit, at);
    return true;
}

// ---- comparisons ---------------------------------------------------------

static bool is_comparison(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return instr->op == PTX_OP_SETP && place_is_first(site, at) &&
           (ptx_has(instr, PTX_MOD_LT) || ptx_has(instr, PTX_MOD_LE) ||
            ptx_has(instr, PTX_MOD_GT) || ptx_has(instr, PTX_MOD_GE));
}

static bool move_bound(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod pairs[][2] = {{PTX_MOD_LT, PTX_MOD_LE},
                                      {PTX_MOD_LE, PTX_MOD_LT},
                                      {PTX_MOD_GT, PTX_MOD_GE},
                                      {PTX_MOD_GE, PTX_MOD_GT}};
    (void)variant;
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (edit_swap_mod(&mending->edit.func.instrs[at], pairs[i][0],
                          pairs[i][1]))
            return true;
    return false;
}

static bool other_bound(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, move_bound);
}

// ---- lanes ---------------------------------------------------------------

static bool is_lanes_here(const RemedySite *site, uint32_t at) {
    return site->entry->instrs[at].op == PTX_OP_ACTIVEMASK &&
           place_is_first(site, at);
}

static bool name_all_lanes(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    PtxInstr *instr = &mending->edit.func.instrs[at];
    const PtxOperand operands[] = {instr->operands[0], edit_int(UINT32_MAX)};
    (void)variant;
    *instr = edit_make(&mending->edit, instr, PTX_OP_MOV, mods, operands, 2);
    return true;
}

static bool all_lanes(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, name_all_lanes);
}

// ---- the table -----------------------------------------------------------

#define FOR_ONE_THREAD                                           \
    (FOR_RULE(CLC010) | FOR_RULE(CLC001) | FOR_RULE(CLC003) |    \
     FOR_RULE(BAR001) | FOR_RULE(BAR002) | FOR_RULE(BAR003) |    \
     FOR_RULE(CLC005) | FOR_RULE(DEADLOCK) | FOR_RULE(RACE001) | \
     FOR_RULE(LIMIT))
#define FOR_LANES                                                \
    (FOR_RULE(SYNC001) | FOR_RULE(SYNC002) | FOR_RULE(SYNC003) | \
     FOR_RULE(SYNC004) | FOR_RULE(RACE001) | FOR_RULE(DEADLOCK) | FOR_JUDGED)

static const RemedyRow ROWS[] = {
    {REMEDY_FOR_ONE, FOR_ONE_THREAD, 1, 2, is_for_one, for_one},
    {REMEDY_FOR_ALL, FOR_ANY, 1, 4, is_condition, drop_condition},
    {REMEDY_OTHER_BOUND, FOR_ANY, 1, 1, is_comparison, other_bound},
    {REMEDY_ALL_LANES, FOR_LANES, 1, 1, is_lanes_here, all_lanes},
};

const RemedyTable REMEDIES_OF_GUARDS = {ROWS, COUNT_OF(ROWS)};
