// SPDX-License-Identifier: Apache-2.0
// Mistakes in synchronisation. Read operators.h first; the table is at the end.
// What an instruction is, is in remedies/what.h.
#include "tests/mutants/operators.h"

// ---- what an instruction is ----------------------------------------------

// A strong store, and what a thread arrives by.
bool is_release(const PtxInstr *instr) {
    bool strong = ptx_has(instr, PTX_MOD_RELEASE) ||
                  ptx_has(instr, PTX_MOD_RELAXED) ||
                  ptx_has(instr, PTX_MOD_VOLATILE);
    return is_arrive(instr) || is_cta_barrier(instr) ||
           (is_half_barrier(instr) &&
            instr->op != PTX_OP_BARRIER_CLUSTER_WAIT) ||
           instr->op == PTX_OP_ATOM || instr->op == PTX_OP_RED ||
           (instr->op == PTX_OP_ST && strong);
}

// ---- neighbours ----------------------------------------------------------

static bool is_sync(const PtxInstr *instr) {
    return is_barrier(instr) || is_wait(instr) || is_arrive(instr);
}

static bool is_event(const PtxInstr *instr) {
    return is_barrier(instr) || is_access(instr);
}

static bool move_down(Edit *edit, uint32_t at, Is *is) {
    uint32_t to = next_of(&edit->func, at, is);
    if (to == edit->func.instr_count)
        return false;
    if (is_wait(&edit->func.instrs[to]))
        to = end_of_wait(&edit->func, to);
    edit_move_behind(edit, at, to);
    return true;
}

static bool move_up(Edit *edit, uint32_t at, Is *is) {
    for (uint32_t to = at; to-- > 0;)
        if (is(&edit->func.instrs[to])) {
            edit_move_before(edit, at, to);
            return true;
        }
    return false;
}

static bool drop(Edit *edit, uint32_t at) {
    edit_remove(edit, at);
    return true;
}

static bool twice(Edit *edit, uint32_t at) {
    edit_insert_behind(edit, at, edit_copy(edit, &edit->func.instrs[at]));
    return true;
}

// Makes a predicate always true (or false) in its result register.
static PtxInstr known_predicate(Edit *edit, const PtxInstr *like,
                                const PtxOperand *result, bool value) {
    const PtxMod mods[] = {value ? PTX_MOD_EQ : PTX_MOD_NE, PTX_MOD_S32,
                           PTX_MOD_NONE};
    const PtxOperand operands[] = {*result, edit_int(0), edit_int(0)};
    return edit_make(edit, like, PTX_OP_SETP, mods, operands, 3);
}

// ---- fences --------------------------------------------------------------

static bool drop_fence(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return is_fence(&edit->func.instrs[at]) && drop(edit, at);
}

static bool move_fence(Edit *edit, uint32_t at, uint32_t variant) {
    if (!is_fence(&edit->func.instrs[at]))
        return false;
    return variant == 0 ? move_down(edit, at, is_sync)
                        : move_up(edit, at, is_sync);
}

static bool is_async_fence(const PtxInstr *instr) {
    return instr->op == PTX_OP_FENCE_PROXY &&
           (ptx_has(instr, PTX_MOD_ASYNC) ||
            ptx_has(instr, PTX_MOD_ASYNC_GENERIC));
}

static bool other_fence(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod membar[] = {PTX_MOD_ACQ_REL, PTX_MOD_CLUSTER,
                                    PTX_MOD_NONE};
    static const PtxMod alias[] = {PTX_MOD_ALIAS, PTX_MOD_NONE};
    static const PtxMod global[] = {PTX_MOD_ASYNC, PTX_MOD_GLOBAL,
                                    PTX_MOD_NONE};
    PtxInstr *instr = &edit->func.instrs[at];
    if (!is_async_fence(instr))
        return false;
    *instr = variant == 0
                 ? edit_make(edit, instr, PTX_OP_FENCE, membar, NULL, 0)
                 : edit_make(edit, instr, PTX_OP_FENCE_PROXY,
                             variant == 1 ? alias : global, NULL, 0);
    return true;
}

static bool other_half(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (instr->op != PTX_OP_FENCE_PROXY)
        return false;
    if (edit_swap_mod(instr, PTX_MOD_ACQUIRE, PTX_MOD_RELEASE))
        return edit_swap_mod(instr, PTX_MOD_SYNC_RESTRICT_SHARED_CLUSTER,
                             PTX_MOD_SYNC_RESTRICT_SHARED_CTA);
    return edit_swap_mod(instr, PTX_MOD_RELEASE, PTX_MOD_ACQUIRE) &&
           edit_swap_mod(instr, PTX_MOD_SYNC_RESTRICT_SHARED_CTA,
                         PTX_MOD_SYNC_RESTRICT_SHARED_CLUSTER);
}

// ---- barriers ------------------------------------------------------------

static bool drop_barrier(Edit *edit, uint32_t at, uint32_t variant) {
    PtxFunc *func = &edit->func;
    const PtxInstr *instr = &func->instrs[at];
    (void)variant;
    if (is_cta_barrier(instr) || instr->op == PTX_OP_BAR_WARP_SYNC)
        return drop(edit, at);
    if (instr->op != PTX_OP_BARRIER_CLUSTER_ARRIVE)
        return false;
    uint32_t wait = next_of(func, at, is_half_barrier);
    if (wait == func->instr_count ||
        func->instrs[wait].op != PTX_OP_BARRIER_CLUSTER_WAIT)
        return false;
    edit_remove(edit, wait);
    return drop(edit, at);
}

static bool drop_half(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return is_half_barrier(&edit->func.instrs[at]) && drop(edit, at);
}

static bool move_barrier(Edit *edit, uint32_t at, uint32_t variant) {
    if (!is_barrier(&edit->func.instrs[at]))
        return false;
    return variant == 0 ? move_down(edit, at, is_event)
                        : move_up(edit, at, is_event);
}

static PtxInstr warp_barrier(Edit *edit, const PtxInstr *like) {
    const PtxMod mods[] = {PTX_MOD_NONE};
    const PtxOperand mask = edit_int(UINT64_MAX);
    return edit_make(edit, like, PTX_OP_BAR_WARP_SYNC, mods, &mask, 1);
}

static PtxInstr block_barrier(Edit *edit, const PtxInstr *like) {
    const PtxMod mods[] = {PTX_MOD_NONE};
    const PtxOperand zero = edit_int(0);
    return edit_make(edit, like, PTX_OP_BAR_SYNC, mods, &zero, 1);
}

// Replaces a barrier by that of the next smaller group: a cluster's by a CTA's,
// a CTA's by a warp's.
static bool smaller_barrier(Edit *edit, uint32_t at, uint32_t variant) {
    PtxFunc *func = &edit->func;
    PtxInstr old = func->instrs[at];
    if (is_cta_barrier(&old)) {
        func->instrs[at] = warp_barrier(edit, &old);
        return true;
    }
    if (old.op != PTX_OP_BARRIER_CLUSTER_ARRIVE ||
        !drop_barrier(edit, at, variant))
        return false;
    edit_insert(edit, at, block_barrier(edit, &old));
    return true;
}

static bool relaxed_barrier(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (instr->op != PTX_OP_BARRIER_CLUSTER_ARRIVE ||
        ptx_has(instr, PTX_MOD_RELAXED))
        return false;
    edit_drop_mod(instr, PTX_MOD_RELEASE);
    edit_add_mod(instr, PTX_MOD_ALIGNED, PTX_MOD_RELAXED);
    return true;
}

static bool barrier_threads(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (!is_cta_barrier(instr))
        return false;
    PtxOperand threads = edit_int(variant == 0 ? 32 : 256);
    const PtxOperand operands[] = {instr->operands[0], threads};
    PtxMod mods[PTX_MAX_MODS + 1] = {0};
    for (uint32_t i = 0; i < instr->mod_count; i++)
        mods[i] = instr->mods[i];
    *instr = edit_make(edit, instr, instr->op, mods, operands, 2);
    return true;
}

// ---- mbarriers -----------------------------------------------------------

static bool drop_init(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return edit->func.instrs[at].op == PTX_OP_MBARRIER_INIT && drop(edit, at);
}

static bool move_init(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return edit->func.instrs[at].op == PTX_OP_MBARRIER_INIT &&
           move_down(edit, at, is_sync);
}

static bool init_twice(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return edit->func.instrs[at].op == PTX_OP_MBARRIER_INIT && twice(edit, at);
}

// Adds to a number that an instruction reads.
static void add_to(Edit *edit, uint32_t at, uint32_t operand, uint64_t addend) {
    static const PtxMod mods[] = {PTX_MOD_S32, PTX_MOD_NONE};
    PtxInstr *instr = &edit->func.instrs[at];
    PtxOperand sum = edit_reg(edit_new_reg(edit, PTX_B32));
    const PtxOperand operands[] = {sum, instr->operands[operand],
                                   edit_int(addend)};
    PtxInstr add = edit_make(edit, instr, PTX_OP_ADD, mods, operands, 3);
    if (instr->operands[operand].kind == PTX_OPND_INT) {
        instr->operands[operand].imm += addend;
        return;
    }
    instr->operands[operand] = sum;
    edit_insert(edit, at, add);
}

static bool init_count(Edit *edit, uint32_t at, uint32_t variant) {
    static const uint64_t by[] = {1, UINT64_MAX, 127};
    if (edit->func.instrs[at].op != PTX_OP_MBARRIER_INIT)
        return false;
    add_to(edit, at, 1, by[variant]);
    return true;
}

// The wait is over at once: its predicate is true.
static bool drop_wait(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_wait(instr))
        return false;
    *instr = known_predicate(edit, instr, &instr->operands[0], true);
    return true;
}

// One try, whatever it gives.
static bool wait_once(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    if (!is_wait(&edit->func.instrs[at]))
        return false;
    uint32_t end = end_of_wait(&edit->func, at);
    if (end == at)
        return false;
    return drop(edit, end);
}

// The loop of a wait ends when all its polls together are this many. (Another
// register starts with 0.)
static bool bound_wait(Edit *edit, uint32_t at, uint32_t variant) {
    static const uint64_t most[] = {10, 100, 1000, 100000};
    static const PtxMod add[] = {PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod reaches[] = {PTX_MOD_GE, PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod either[] = {PTX_MOD_PRED, PTX_MOD_NONE};
    const PtxInstr *wait = &edit->func.instrs[at];
    if (!is_wait(wait) || end_of_wait(&edit->func, at) == at)
        return false;
    PtxInstr like = *wait;
    PtxOperand met = like.operands[0];
    PtxOperand polls = edit_reg(edit_new_reg(edit, PTX_U32));
    PtxOperand over = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand count[] = {polls, polls, edit_int(1)};
    const PtxOperand compare[] = {over, polls, edit_int(most[variant])};
    const PtxOperand ends[] = {met, met, over};
    edit_insert_behind(edit, at,
                       edit_make(edit, &like, PTX_OP_OR, either, ends, 3));
    edit_insert_behind(
        edit, at, edit_make(edit, &like, PTX_OP_SETP, reaches, compare, 3));
    edit_insert_behind(edit, at,
                       edit_make(edit, &like, PTX_OP_ADD, add, count, 3));
    return true;
}

static bool move_wait(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return is_wait(&edit->func.instrs[at]) && move_down(edit, at, is_access);
}

static bool other_parity(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_wait(instr) || !ptx_has(instr, PTX_MOD_PARITY))
        return false;
    PtxOperand parity = edit_reg(edit_new_reg(edit, PTX_B32));
    const PtxOperand operands[] = {parity, instr->operands[2], edit_int(1)};
    PtxInstr flip = edit_make(edit, instr, PTX_OP_XOR, mods, operands, 3);
    instr->operands[2] = parity;
    edit_insert(edit, at, flip);
    return true;
}

static bool known_parity(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (!is_wait(instr) || !ptx_has(instr, PTX_MOD_PARITY))
        return false;
    instr->operands[2] = edit_int(variant);
    return true;
}

static bool drop_flip(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    return instr->op == PTX_OP_XOR && instr->operands[2].kind == PTX_OPND_INT &&
           instr->operands[2].imm == 1 && drop(edit, at);
}

static bool drop_arrive(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    return (is_arrive(instr) || instr->op == PTX_OP_MBARRIER_EXPECT_TX) &&
           drop(edit, at);
}

// An arrival for two.
static bool arrive_count(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_arrive(instr) || ptx_has(instr, PTX_MOD_EXPECT_TX) ||
        instr->operand_count != 2)
        return false;
    instr->operands[instr->operand_count++] = edit_int(2);
    return true;
}

static bool arrive_twice(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return is_arrive(&edit->func.instrs[at]) && twice(edit, at);
}

static bool move_arrive(Edit *edit, uint32_t at, uint32_t variant) {
    if (!is_arrive(&edit->func.instrs[at]))
        return false;
    return variant == 0 ? move_down(edit, at, is_event)
                        : move_up(edit, at, is_event);
}

// Arrives, and announces nothing.
static bool drop_expect(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_arrive(instr) || !edit_drop_mod(instr, PTX_MOD_EXPECT_TX))
        return false;
    instr->operand_count = 2;
    return true;
}

// Announces, and does not arrive.
static bool only_expect(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_RELAXED, PTX_MOD_CTA,
                                  PTX_MOD_SHARED_CTA, PTX_MOD_B64,
                                  PTX_MOD_NONE};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_arrive(instr) || !ptx_has(instr, PTX_MOD_EXPECT_TX))
        return false;
    *instr = edit_make(edit, instr, PTX_OP_MBARRIER_EXPECT_TX, mods,
                       instr->operands + 1, 2);
    return true;
}

static bool tx_bytes(Edit *edit, uint32_t at, uint32_t variant) {
    static const uint64_t bytes[] = {0, 8, 15, 32};
    PtxInstr *instr = &edit->func.instrs[at];
    bool arrive = is_arrive(instr) && ptx_has(instr, PTX_MOD_EXPECT_TX);
    if (!arrive && instr->op != PTX_OP_MBARRIER_EXPECT_TX)
        return false;
    instr->operands[arrive ? 2 : 1] = edit_int(bytes[variant]);
    return true;
}

// ---- requests and answers ------------------------------------------------

static bool drop_request(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return is_request(&edit->func.instrs[at]) && drop(edit, at);
}

static bool request_twice(Edit *edit, uint32_t at, uint32_t variant) {
    (void)variant;
    return is_request(&edit->func.instrs[at]) && twice(edit, at);
}

static bool move_request(Edit *edit, uint32_t at, uint32_t variant) {
    if (!is_request(&edit->func.instrs[at]))
        return false;
    if (variant == 0)
        return move_down(edit, at, is_wait);
    return variant == 1 ? move_down(edit, at, is_event)
                        : move_up(edit, at, is_event);
}

static bool multicast(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_request(instr))
        return false;
    if (!edit_drop_mod(instr, PTX_MOD_MULTICAST_CLUSTER_ALL))
        edit_add_mod(instr, PTX_MOD_B128, PTX_MOD_MULTICAST_CLUSTER_ALL);
    return true;
}

static bool negate_answer(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_PRED, PTX_MOD_NONE};
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_query(instr) || !ptx_has(instr, PTX_MOD_IS_CANCELED))
        return false;
    const PtxOperand operands[] = {instr->operands[0], instr->operands[0]};
    edit_insert_behind(edit, at,
                       edit_make(edit, instr, PTX_OP_NOT, mods, operands, 2));
    return true;
}

static bool known_answer(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (!is_query(instr) || !ptx_has(instr, PTX_MOD_IS_CANCELED))
        return false;
    *instr = known_predicate(edit, instr, &instr->operands[0], variant == 0);
    return true;
}

static bool other_axis(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    if (!is_query(instr))
        return false;
    PtxMod axis =
        variant == 0 ? PTX_MOD_GET_FIRST_CTAID_Y : PTX_MOD_GET_FIRST_CTAID_Z;
    if (edit_swap_mod(instr, PTX_MOD_GET_FIRST_CTAID_X, axis))
        return true;
    if (!ptx_has(instr, PTX_MOD_GET_FIRST_CTAID))
        return false;
    PtxOperand *ctaid = instr->operands[0].elems;
    PtxOperand x = ctaid[0];
    ctaid[0] = ctaid[variant + 1];
    ctaid[variant + 1] = x;
    return true;
}

static bool index_off(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_S32, PTX_MOD_NONE};
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_query(instr) || !ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_X))
        return false;
    const PtxOperand operands[] = {instr->operands[0], instr->operands[0],
                                   edit_int(1)};
    edit_insert_behind(edit, at,
                       edit_make(edit, instr, PTX_OP_ADD, mods, operands, 3));
    return true;
}

// A granted 0 becomes 1, as if the first block were never stolen: which is so
// as long as blocks are launched in order.
static bool never_zero(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_S32, PTX_MOD_NONE};
    const PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (!is_query(instr) || !ptx_has(instr, PTX_MOD_GET_FIRST_CTAID_X))
        return false;
    const PtxOperand operands[] = {instr->operands[0], instr->operands[0],
                                   edit_int(1)};
    edit_insert_behind(edit, at,
                       edit_make(edit, instr, PTX_OP_MAX, mods, operands, 3));
    return true;
}

// ---- order, scope and space ----------------------------------------------

// Not of a fence: a relaxed fence is none.
static bool relax(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod stronger[] = {PTX_MOD_RELEASE, PTX_MOD_ACQUIRE,
                                      PTX_MOD_ACQ_REL, PTX_MOD_SC};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (is_fence(instr) || is_barrier(instr))
        return false;
    for (size_t i = 0; i < COUNT_OF(stronger); i++)
        if (edit_swap_mod(instr, stronger[i], PTX_MOD_RELAXED))
            return true;
    bool implied = (is_wait(instr) || is_arrive(instr)) &&
                   !ptx_has(instr, PTX_MOD_RELAXED) &&
                   !ptx_has(instr, PTX_MOD_NOCOMPLETE);
    if (!implied)
        return false;
    PtxMod space = ptx_has(instr, PTX_MOD_SHARED_CTA) ? PTX_MOD_SHARED_CTA
                   : ptx_has(instr, PTX_MOD_SHARED_CLUSTER)
                       ? PTX_MOD_SHARED_CLUSTER
                   : ptx_has(instr, PTX_MOD_SHARED) ? PTX_MOD_SHARED
                                                    : PTX_MOD_B64;
    edit_add_mod(instr, space, PTX_MOD_RELAXED);
    edit_add_mod(instr, space, PTX_MOD_CTA);
    return true;
}

static bool narrow_scope(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod wider[] = {PTX_MOD_CLUSTER, PTX_MOD_GPU, PTX_MOD_SYS,
                                   PTX_MOD_GL};
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    if (instr->op == PTX_OP_FENCE_MBARRIER_INIT ||
        instr->op == PTX_OP_FENCE_PROXY)
        return false;
    for (size_t i = 0; i < COUNT_OF(wider); i++)
        if (edit_swap_mod(instr, wider[i], PTX_MOD_CTA))
            return true;
    return false;
}

static bool own_space(Edit *edit, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &edit->func.instrs[at];
    (void)variant;
    return !is_fence(instr) &&
           edit_swap_mod(instr, PTX_MOD_SHARED_CLUSTER, PTX_MOD_SHARED_CTA);
}

// The fields of a mask: the first lane alone, half of the lanes.
static bool other_mask(Edit *edit, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    PtxInstr *instr = &edit->func.instrs[at];
    PtxOperand mask = edit_int(variant == 0 ? 0xFFFF : UINT32_MAX);
    if (instr->op == PTX_OP_ACTIVEMASK) {
        const PtxOperand operands[] = {instr->operands[0], mask};
        *instr = edit_make(edit, instr, PTX_OP_MOV, mods, operands, 2);
        return true;
    }
    if (instr->op != PTX_OP_BAR_WARP_SYNC && instr->op != PTX_OP_ELECT &&
        instr->op != PTX_OP_SHFL && instr->op != PTX_OP_VOTE)
        return false;
    PtxOperand *old = &instr->operands[instr->operand_count - 1];
    bool same =
        old->kind == PTX_OPND_INT && (uint32_t)old->imm == (uint32_t)mask.imm;
    *old = mask;
    return !same;
}

// The predicate of an election: everybody's, nobody's.
static bool known_election(Edit *edit, uint32_t at, uint32_t variant) {
    const PtxInstr *instr = &edit->func.instrs[at];
    if (instr->op != PTX_OP_ELECT)
        return false;
    edit_insert_behind(edit, at,
                       known_predicate(edit, instr,
                                       &instr->operands[0].elems[1],
                                       variant == 0));
    return true;
}

// ---- the table -----------------------------------------------------------

const Operator SYNC_OPERATORS[] = {
    {"drop-fence", drop_fence, {0}},
    {"move-fence", move_fence, {"down", "up"}},
    {"other-fence", other_fence, {"acq_rel", "alias", "async.global"}},
    {"other-half", other_half, {0}},
    {"drop-barrier", drop_barrier, {0}},
    {"drop-half-barrier", drop_half, {0}},
    {"move-barrier", move_barrier, {"down", "up"}},
    {"smaller-barrier", smaller_barrier, {0}},
    {"relaxed-barrier", relaxed_barrier, {0}},
    {"barrier-threads", barrier_threads, {"32", "256"}},
    {"drop-init", drop_init, {0}},
    {"move-init", move_init, {0}},
    {"init-twice", init_twice, {0}},
    {"init-count", init_count, {"+1", "-1", "+127"}},
    {"drop-wait", drop_wait, {0}},
    {"wait-once", wait_once, {0}},
    {"bound-wait", bound_wait, {"10", "100", "1000", "100000"}},
    {"move-wait", move_wait, {0}},
    {"other-parity", other_parity, {0}},
    {"known-parity", known_parity, {"0", "1"}},
    {"drop-phase-flip", drop_flip, {0}},
    {"drop-arrive", drop_arrive, {0}},
    {"arrive-count", arrive_count, {0}},
    {"arrive-twice", arrive_twice, {0}},
    {"move-arrive", move_arrive, {"down", "up"}},
    {"drop-expect", drop_expect, {0}},
    {"only-expect", only_expect, {0}},
    {"tx-bytes", tx_bytes, {"0", "8", "15", "32"}},
    {"drop-request", drop_request, {0}},
    {"request-twice", request_twice, {0}},
    {"move-request", move_request, {"behind-wait", "down", "up"}},
    {"multicast", multicast, {0}},
    {"negate-answer", negate_answer, {0}},
    {"known-answer", known_answer, {"granted", "refused"}},
    {"other-axis", other_axis, {"y", "z"}},
    {"index-off", index_off, {0}},
    {"never-zero", never_zero, {0}},
    {"relax", relax, {0}},
    {"narrow-scope", narrow_scope, {0}},
    {"own-space", own_space, {0}},
    {"behind-release", behind_release, {"weak", "relaxed"}},
    {"other-mask", other_mask, {"half", "all"}},
    {"known-election", known_election, {"all", "none"}},
};
const size_t SYNC_OPERATOR_COUNT = COUNT_OF(SYNC_OPERATORS);
