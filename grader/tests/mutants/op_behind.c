// SPDX-License-Identifier: Apache-2.0
// A statement that belongs before the next release comes behind it: a store, a
// fence, an announcement; a read with all that is computed of it on the way.
// What computes the address and the value of a store stays where it is.
//
// The variant `relaxed` makes all accesses to shared memory relaxed, too: no
// race tells of the mistake then, but what it does alone.
//
// The statement may be the body of an if, or a part of that, and so may be the
// release: then it takes the condition along, and goes behind the end of the
// release's if. The way from its place, or from the branch that guards it, to
// the new one is entered at the top alone and left at the bottom alone, holds
// no wait, and sets nothing that the statement needs.
//
// Weak accesses to global memory are left: in the labs that is the data, which
// nobody else looks at before the kernel's end. So is a thread's own memory.
#include "tests/mutants/operators.h"

enum { MOST_MOVED = 12 };

// The statement, in the order of the text, and where it goes: in front of
// instruction `to`, behind its labels (`is_join`) or before them.
typedef struct Move {
    uint32_t at[MOST_MOVED], count;
    uint32_t top; // the branch around it, or itself
    uint32_t to;
    bool is_join;
} Move;

static bool is_branch(const PtxInstr *instr) {
    return instr->op == PTX_OP_BRA;
}

static uint32_t target_of(const PtxFunc *func, const PtxInstr *branch) {
    return func->labels[branch->operands[0].target].target;
}

// ---- what is moved -------------------------------------------------------

// Arrivals and fence.mbarrier_init have operators of their own.
static bool is_moved(const PtxInstr *instr) {
    bool is_plain = instr->op == PTX_OP_LD || instr->op == PTX_OP_ST;
    PtxSpace space = is_plain ? ptx_space(instr) : PTX_SPACE_GENERIC;
    bool is_own = space == PTX_SPACE_LOCAL ||
                  (space == PTX_SPACE_GLOBAL && !is_release(instr) &&
                   !ptx_has(instr, PTX_MOD_ACQUIRE));
    return (is_access(instr) || is_fence(instr)) && !is_own &&
           !is_wait(instr) && !is_request(instr) && !is_arrive(instr) &&
           instr->op != PTX_OP_MBARRIER_INIT &&
           instr->op != PTX_OP_FENCE_MBARRIER_INIT;
}

// An ordinary load or store of a scalar in shared memory.
static bool is_weak_shared(const PtxInstr *instr) {
    return (instr->op == PTX_OP_LD || instr->op == PTX_OP_ST) &&
           ptx_has(instr, PTX_MOD_SHARED) && !ptx_has(instr, PTX_MOD_V2) &&
           !ptx_has(instr, PTX_MOD_V4) && !is_release(instr) &&
           !ptx_has(instr, PTX_MOD_ACQUIRE);
}

static bool is_memory_fence(const PtxInstr *instr) {
    return instr->op == PTX_OP_FENCE || instr->op == PTX_OP_MEMBAR;
}

static bool is_relaxed(const PtxInstr *instr) {
    return ptx_has(instr, PTX_MOD_RELAXED) || ptx_has(instr, PTX_MOD_VOLATILE);
}

// The next instruction that publishes what `at` does; instr_count: none. A
// relaxed one does that behind a fence of memory, which may be `at` itself.
static uint32_t next_release(const PtxFunc *func, uint32_t at) {
    bool fenced = false;
    uint32_t i = at;
    for (; i < func->instr_count; i++) {
        const PtxInstr *instr = &func->instrs[i];
        if (i > at && is_release(instr) && (fenced || !is_relaxed(instr)))
            break;
        fenced |= is_memory_fence(instr);
    }
    return i;
}

// The conditional branch over the straight line that holds `at`; `at`: none.
static uint32_t branch_over(const PtxFunc *func, uint32_t at) {
    for (uint32_t i = at; i > 0 && !is_target(func, i); i--) {
        const PtxInstr *instr = &func->instrs[i - 1];
        if (!is_branch(instr))
            continue;
        return instr->guard && target_of(func, instr) > at ? i - 1 : at;
    }
    return at;
}

// What follows on the way and uses what has been moved so far goes along.
// False: it cannot.
static bool take_along(const PtxFunc *func, Move *move) {
    for (uint32_t i = move->at[0] + 1; i < move->to; i++) {
        const PtxInstr *next = &func->instrs[i];
        bool uses = false;
        for (uint32_t k = 0; k < move->count; k++) {
            const PtxInstr *moved = &func->instrs[move->at[k]];
            uses |= sets_for(moved, next);
        }
        if (!uses)
            continue;
        bool is_elsewhere =
            move->top != move->at[0] &&
            (next->guard || i >= target_of(func, &func->instrs[move->top]));
        if (is_branch(next) || is_access(next) || is_release(next) ||
            is_elsewhere || move->count == MOST_MOVED)
            return false;
        move->at[move->count++] = i;
    }
    return true;
}

static bool is_moved_along(const Move *move, uint32_t at) {
    for (uint32_t k = 0; k < move->count; k++)
        if (move->at[k] == at)
            return true;
    return false;
}

// ---- where to ------------------------------------------------------------

// Behind the next release, and behind the ends of all branches that lead from
// the way over it. False: there is none.
static bool find_place(const PtxFunc *func, Move *move) {
    uint32_t to = next_release(func, move->at[0]);
    if (to++ == func->instr_count)
        return false;
    for (uint32_t i = move->top; i < to; i++) {
        if (!is_branch(&func->instrs[i]))
            continue;
        uint32_t end = target_of(func, &func->instrs[i]);
        if (end >= to) {
            move->is_join = true;
            to = end;
        }
    }
    move->to = to;
    return to < func->instr_count;
}

// Whether the way has one entry and one end.
static bool is_way(const PtxFunc *func, const Move *move) {
    for (uint32_t i = 0; i < func->instr_count; i++) {
        const PtxInstr *instr = &func->instrs[i];
        bool inside = i >= move->top && i < move->to;
        if (inside && (instr->op == PTX_OP_RET || instr->op == PTX_OP_EXIT ||
                       is_wait(instr)))
            return false;
        if (!is_branch(instr))
            continue;
        uint32_t end = target_of(func, instr);
        bool ends_inside =
            end > move->top &&
            (end < move->to || (end == move->to && move->is_join));
        if (ends_inside != inside)
            return false;
    }
    return true;
}

// Whether all that stays on the way leaves the registers of what is moved as
// they are. (The registers of a condition: from the branch on.)
static bool keeps_registers(const PtxFunc *func, const Move *move,
                            const PtxInstr *guarded) {
    for (uint32_t i = move->top; i < move->to; i++) {
        const PtxInstr *stays = &func->instrs[i];
        const PtxInstr condition = {.guard = guarded->guard};
        if (is_moved_along(move, i))
            continue;
        if (sets_for(stays, &condition))
            return false;
        for (uint32_t k = 0; k < move->count && i > move->at[0]; k++)
            if (sets_for(stays, &func->instrs[move->at[k]]))
                return false;
    }
    return true;
}

// ---- the operator --------------------------------------------------------

static void carry_out(Edit *edit, const Move *move, const PtxInstr *guarded) {
    PtxInstr moved[MOST_MOVED];
    uint32_t to = move->to - move->count;
    for (uint32_t k = move->count; k-- > 0;) {
        moved[k] = edit->func.instrs[move->at[k]];
        if (move->top != move->at[0]) {
            moved[k].guard = guarded->guard;
            moved[k].guard_negated = guarded->guard_negated;
        }
        edit_remove(edit, move->at[k]);
    }
    for (uint32_t k = 0; k < move->count; k++, to++)
        if (move->is_join && k == 0)
            edit_insert(edit, to, moved[k]);
        else
            edit_insert_behind(edit, to - 1, moved[k]);
}

// Strong enough not to race, and to order nothing: so that what others see
// depends on when they look, and not on what is ordered.
static void relax_shared(Edit *edit) {
    for (uint32_t i = 0; i < edit->func.instr_count; i++) {
        PtxInstr *instr = &edit->func.instrs[i];
        if (!is_weak_shared(instr))
            continue;
        edit_add_mod(instr, PTX_MOD_SHARED, PTX_MOD_RELAXED);
        edit_add_mod(instr, PTX_MOD_SHARED, PTX_MOD_CLUSTER);
    }
}

bool behind_release(Edit *edit, uint32_t at, uint32_t variant) {
    enum { AS_IT_IS, RELAXED };
    const PtxFunc *func = &edit->func;
    Move move = {.at = {at}, .count = 1};
    if (!is_moved(&func->instrs[at]) ||
        (variant == RELAXED && !is_weak_shared(&func->instrs[at])))
        return false;
    move.top = branch_over(func, at);
    PtxInstr guarded = func->instrs[move.top];
    if (move.top != at) {
        if (func->instrs[at].guard)
            return false;
        guarded.guard_negated = !guarded.guard_negated;
    }
    if (!find_place(func, &move) || !is_way(func, &move) ||
        !take_along(func, &move) || !keeps_registers(func, &move, &guarded))
        return false;
    carry_out(edit, &move, &guarded);
    if (variant == RELAXED)
        relax_shared(edit);
    return true;
}
