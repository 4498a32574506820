// SPDX-License-Identifier: Apache-2.0
// Changes that are not mistakes: by the rules of docs/semantics.md the program
// stays right. Each mutant must keep full marks without any finding, which
// shows that the checker accepts code that is merely unusual.
#include "tests/mutants/operators.h"

static bool fence_before(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod proxy[] = {PTX_MOD_ASYNC, PTX_MOD_NONE};
    static const PtxMod membar[] = {PTX_MOD_SC, PTX_MOD_CLUSTER, PTX_MOD_NONE};
    const PtxInstr *instr = &edit->func.instrs[at];
    if (!is_access(instr) && !is_barrier(instr))
        return false;
    edit_insert(edit, at,
                variant == 0
                    ? edit_make(edit, instr, PTX_OP_FENCE_PROXY, proxy, NULL, 0)
                    : edit_make(edit, instr, PTX_OP_FENCE, membar, NULL, 0));
    return true;
}

static bool fence_twice(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_fence(instr))
        return false;
    edit_insert_behind(edit, at, edit_copy(edit, instr));
    return true;
}

// Repeats a barrier; for a cluster's, both halves.
static bool barrier_twice(Edit *edit, uint32_t at, uint32_t variant) {
    PtxFunc *func = &edit->func;
    PtxInstr *instr = &func->instrs[at];
    (void)variant;
    if (!is_barrier(instr))
        return false;
    if (instr->op != PTX_OP_BARRIER_CLUSTER_WAIT) {
        bool half = instr->op == PTX_OP_BARRIER_CLUSTER_ARRIVE;
        if (!half)
            edit_insert_behind(edit, at, edit_copy(edit, instr));
        return !half;
    }
    for (uint32_t first = at; first-- > 0;)
        if (func->instrs[first].op == PTX_OP_BARRIER_CLUSTER_ARRIVE) {
            PtxInstr arrive = edit_copy(edit, &func->instrs[first]);
            edit_insert_behind(edit, at, edit_copy(edit, instr));
            edit_insert_behind(edit, at, arrive);
            return true;
        }
    return false;
}

// Gives other threads time to come first.
static bool sleep_before(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_U32, PTX_MOD_NONE};
    const PtxInstr *instr = &edit->func.instrs[at];
    const PtxOperand time = edit_int(1000);
    (void)variant;
    if (!is_access(instr) && !is_barrier(instr) && !is_fence(instr))
        return false;
    edit_insert(edit, at,
                edit_make(edit, instr, PTX_OP_NANOSLEEP, mods, &time, 1));
    return true;
}

static bool wider_scope(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    return (is_arrive(instr) || is_wait(instr)) &&
           edit_swap_mod(instr, PTX_MOD_CTA, PTX_MOD_CLUSTER);
}

static bool stronger(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (is_arrive(instr))
        return edit_swap_mod(instr, PTX_MOD_RELAXED, PTX_MOD_RELEASE);
    return is_wait(instr) &&
           edit_swap_mod(instr, PTX_MOD_RELAXED, PTX_MOD_ACQUIRE);
}

// Replaces mbarrier.arrive.expect_tx by expect_tx and then arrive.
static bool split_expect(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_RELAXED, PTX_MOD_CTA,
                                  PTX_MOD_SHARED_CTA, PTX_MOD_B64,
                                  PTX_MOD_NONE};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_arrive(instr) || !ptx_has(instr, PTX_MOD_EXPECT_TX))
        return false;
    PtxInstr expect = edit_make(edit, instr, PTX_OP_MBARRIER_EXPECT_TX, mods,
                                instr->operands + 1, 2);
    expect.guard = instr->guard;
    expect.guard_negated = instr->guard_negated;
    edit_drop_mod(instr, PTX_MOD_EXPECT_TX);
    instr->operand_count = 2;
    edit_insert(edit, at, expect);
    return true;
}

static bool test_for_try(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (instr->op != PTX_OP_MBARRIER_TRY_WAIT && !is_wait(instr))
        return false;
    instr->op = instr->op == PTX_OP_MBARRIER_TRY_WAIT
                    ? PTX_OP_MBARRIER_TEST_WAIT
                    : PTX_OP_MBARRIER_TRY_WAIT;
    return instr->operand_count == 3;
}

// Counts the polls of a wait, for nobody.
static bool count_polls(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_U32, PTX_MOD_NONE};
    const PtxInstr *wait = &edit->func.instrs[at];
    (void)variant;
    if (!is_wait(wait))
        return false;
    PtxOperand polls = edit_reg(edit_new_reg(edit, PTX_U32));
    const PtxOperand operands[] = {polls, polls, edit_int(1)};
    edit_insert_behind(edit, at,
                       edit_make(edit, wait, PTX_OP_ADD, mods, operands, 3));
    return true;
}

static bool volatile_access(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if ((instr->op != PTX_OP_LD && instr->op != PTX_OP_ST) ||
        !is_access(instr) || ptx_has(instr, PTX_MOD_B128))
        return false;
    edit_add_mod(instr, instr->mods[0], PTX_MOD_VOLATILE);
    return true;
}

const Operator SAFE_OPERATORS[] = {
    {"fence-before", fence_before, {"async", "sc"}},
    {"fence-twice", fence_twice, {0}},
    {"barrier-twice", barrier_twice, {0}},
    {"sleep-before", sleep_before, {0}},
    {"wider-scope", wider_scope, {0}},
    {"stronger", stronger, {0}},
    {"split-expect", split_expect, {0}},
    {"test-for-try", test_for_try, {0}},
    {"count-polls", count_polls, {0}},
    {"volatile", volatile_access, {0}},
};
const size_t SAFE_OPERATOR_COUNT = COUNT_OF(SAFE_OPERATORS);
