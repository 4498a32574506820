// SPDX-License-Identifier: Apache-2.0
// Remedies that move what is there: an arrival behind the reads that it
// releases, a store in front of the release, a request elsewhere. What leaves a
// condition takes it along.
#include "remedies/rows.h"
#include "remedies/what.h"

enum {
    MOST_LEVELS = 16,  // of conditions in conditions
    MOST_PASSED = 256, // instructions that are moved past
};

// ---- behind --------------------------------------------------------------

static bool releases(const PtxInstr *instr) {
    bool strong = ptx_has(instr, PTX_MOD_RELEASE) ||
                  ptx_has(instr, PTX_MOD_RELAXED) ||
                  ptx_has(instr, PTX_MOD_VOLATILE);
    return is_arrive(instr) || instr->op == PTX_OP_MBARRIER_EXPECT_TX ||
           is_request(instr) || instr->op == PTX_OP_RED ||
           (instr->op == PTX_OP_ST && strong);
}

static bool is_release(const RemedySite *site, uint32_t at) {
    return releases(&site->entry->instrs[at]) && place_is_first(site, at);
}

static bool is_sync_or_access(const PtxInstr *instr) {
    return is_access(instr) || is_barrier(instr);
}

// The `number`th access or barrier behind it, 0 the next.
static uint32_t nth_behind(const PtxFunc *func, uint32_t at, uint32_t number) {
    uint32_t to = next_of(func, at, is_sync_or_access);
    while (number-- > 0 && to < func->instr_count)
        to = next_of(func, to, is_sync_or_access);
    return to;
}

// Out of the conditions that begin behind `at`.
static uint32_t out_of(const PtxFunc *func, uint32_t at, uint32_t to) {
    uint32_t end = to + 1;
    for (uint32_t level = 0; level < MOST_LEVELS; level++) {
        uint32_t branch = jump_over(func, to, level);
        if (branch == func->instr_count || branch <= at)
            break;
        uint32_t label = func->instrs[branch].operands[0].target;
        if (func->labels[label].target > end)
            end = func->labels[label].target;
    }
    return end;
}

// As if its condition were asked again there.
static bool take_condition_along(const PtxFunc *func, uint32_t at, uint32_t to,
                                 PtxInstr *moved) {
    uint32_t branch = jump_over(func, at, 0);
    if (branch == func->instr_count)
        return true;
    const PtxInstr *jump = &func->instrs[branch];
    if (func->labels[jump->operands[0].target].target >= to)
        return true;
    moved->guard = jump->guard;
    moved->guard_negated = !jump->guard_negated;
    return func->instrs[at].guard == 0;
}

static bool put_behind(Mending *mending, uint32_t at, uint32_t number) {
    const PtxFunc *entry = mending->site->entry;
    Edit *edit = &mending->edit;
    PtxInstr moved = edit->func.instrs[at];
    uint32_t behind = nth_behind(entry, at, number);
    if (!releases(&moved) || behind == entry->instr_count)
        return false;
    if (is_wait(&entry->instrs[behind]))
        behind = end_of_wait(entry, behind);
    uint32_t to = out_of(entry, at, behind);
    uint32_t line = place_line(mending->site, behind);
    if (line == 0 || to >= entry->instr_count ||
        !take_condition_along(entry, at, to, &moved))
        return false;
    if (to == behind + 1)
        edit_insert_behind(edit, behind, moved);
    else
        edit_insert(edit, to, moved);
    edit_remove(edit, at);
    mending->fact_count = 0;
    mending_add_fact(mending, FACT(NUMBER, line));
    return true;
}

static bool later(Mending *mending, uint32_t at, uint32_t number) {
    return mend_copies(mending, at, number, put_behind);
}

// ---- in front ------------------------------------------------------------

static bool moves_up(const PtxInstr *instr) {
    return instr->op == PTX_OP_ST || instr->op == PTX_OP_MBARRIER_INIT ||
           is_arrive(instr) || is_request(instr) || is_fence(instr) ||
           instr->op == PTX_OP_MBARRIER_EXPECT_TX;
}

static bool is_movable(const RemedySite *site, uint32_t at) {
    return moves_up(&site->entry->instrs[at]) && place_is_first(site, at);
}

static bool is_sync(const PtxInstr *instr) {
    return is_barrier(instr) || is_wait(instr) || releases(instr) ||
           instr->op == PTX_OP_MBARRIER_INIT;
}

// In front of what synchronises before it, in the straight line that leads
// here, if nothing on the way sets what it names.
static bool put_in_front(Mending *mending, uint32_t at, uint32_t number) {
    const PtxFunc *entry = mending->site->entry;
    const PtxInstr *moved = &entry->instrs[at];
    if (!moves_up(moved))
        return false;
    for (uint32_t to = at; to-- > 0 && at - to < MOST_PASSED;) {
        const PtxInstr *before = &entry->instrs[to];
        uint32_t line = place_line(mending->site, to);
        bool sets = ptx_written_operands(before) && sets_for(before, moved);
        if (sets || before->op == PTX_OP_BRA || is_target(entry, to + 1))
            return false;
        if (!is_sync(before) || number-- > 0)
            continue;
        edit_move_before(&mending->edit, at, to);
        mending->fact_count = 0;
        mending_add_fact(mending, FACT(NUMBER, line));
        return line != 0;
    }
    return false;
}

static bool earlier(Mending *mending, uint32_t at, uint32_t number) {
    return mend_copies(mending, at, number, put_in_front);
}

// ---- a request, with its condition ---------------------------------------

static bool is_any_request(const RemedySite *site, uint32_t at) {
    return is_request(&site->entry->instrs[at]) && place_is_first(site, at);
}

// The line's first instruction: a loop begins there, if the line is one.
static uint32_t begin_of(const RemedySite *site, uint32_t at) {
    uint32_t line = place_line(site, at);
    while (at > 0 && place_line(site, at - 1) == line)
        at--;
    return at;
}

// In front of the wait or the barrier before it; behind the next one; behind
// the branch on an answer that follows.
static uint32_t other_spot(const RemedySite *site, uint32_t from, uint32_t end,
                           uint32_t spot) {
    const PtxFunc *entry = site->entry;
    uint32_t none = (uint32_t)entry->instr_count, to = from;
    if (spot < 2) {
        Is *is = spot == 0 ? is_wait : is_barrier;
        while (to-- > 0)
            if (is(&entry->instrs[to]))
                return begin_of(site, to);
        return none;
    }
    to = next_of(entry, end - 1,
                 spot == 2   ? is_wait
                 : spot == 3 ? is_barrier
                             : is_query);
    if (to == none)
        return none;
    to = spot == 2 ? end_of_wait(entry, to) : to;
    while (spot == 4 && to < none &&
           (entry->instrs[to].op != PTX_OP_BRA || !entry->instrs[to].guard))
        to++;
    return to < none ? to + 1 : none;
}

enum { SPOTS = 5, LEVELS = 2 };

static bool move_request(Mending *mending, uint32_t at, uint32_t variant) {
    const PtxFunc *entry = mending->site->entry;
    uint32_t none = (uint32_t)entry->instr_count;
    uint32_t from = jump_over(entry, at, variant / SPOTS);
    if (from == none)
        return false;
    uint32_t label = entry->instrs[from].operands[0].target;
    uint32_t end = entry->labels[label].target;
    uint32_t to = other_spot(mending->site, from, end, variant % SPOTS);
    uint32_t line = to < none ? place_line(mending->site, to) : 0;
    if (line == 0 || (to >= from && to <= end))
        return false;
    edit_move_block(&mending->edit, from, end, to);
    mending_add_fact(mending, FACT(NUMBER, line));
    return true;
}

// ---- the table -----------------------------------------------------------

#define FOR_MOVES                                               \
    (FOR_RULE(RACE001) | FOR_RULE(RACE002) | FOR_RULE(CLC001) | \
     FOR_RULE(CLC004) | FOR_RULE(CLC005) | FOR_RULE(CLC006) |   \
     FOR_RULE(CLC007) | FOR_RULE(CLC010) | FOR_RULE(CLC011) |   \
     FOR_RULE(BAR001) | FOR_RULE(BAR002) | FOR_RULE(BAR004) |   \
     FOR_RULE(DEADLOCK) | FOR_RULE(MEM003) | FOR_RULE(MEM004))

static const RemedyRow ROWS[] = {
    {REMEDY_LATER, FOR_MOVES, 5, 2, is_release, later},
    {REMEDY_REQUEST_MOVED, FOR_MOVES | FOR_RULE(CLC009) | FOR_RULE(CLC003),
     SPOTS *LEVELS, 3, is_any_request, move_request},
    {REMEDY_EARLIER, FOR_MOVES, 3, 2, is_movable, earlier},
};

const RemedyTable REMEDIES_OF_MOVES = {ROWS, COUNT_OF(ROWS)};
