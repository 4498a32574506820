// SPDX-License-Identifier: Apache-2.0
// Remedies for who does something: one thread, one of each warp, rank 0's;
// those that a comparison lets through, the others, or all of them.
#include "remedies/rows.h"
#include "remedies/values.h"
#include "remedies/what.h"

// ---- who -----------------------------------------------------------------

typedef enum Who {
    THREAD_0,  // of each block
    RANK_0,    // thread 0 of each cluster
    EACH_WARP, // lane 0
    WHO_COUNT
} Who;

static const FactWord WHO_WORDS[WHO_COUNT] = {
    [THREAD_0] = WORD_FOR_WHOM_THREAD_0,
    [RANK_0] = WORD_FOR_WHOM_RANK_0,
    [EACH_WARP] = WORD_FOR_WHOM_EACH_WARP,
};

static bool is_there(const RemedySite *site, Who who) {
    return (who == THREAD_0 && site->threads > 1) ||
           (who == RANK_0 && site->cluster > 1) ||
           (who == EACH_WARP && site->threads > 32);
}

// In front of *at: a predicate that is true for those.
static uint32_t put_who(Edit *edit, uint32_t *at, Who who) {
    static const PtxSreg of_block[] = {PTX_SREG_TID_X, PTX_SREG_TID_Y,
                                       PTX_SREG_TID_Z,
                                       PTX_SREG_CLUSTER_CTARANK};
    static const PtxMod bits[] = {PTX_MOD_B32, PTX_MOD_NONE};
    static const PtxMod is[] = {PTX_MOD_EQ, PTX_MOD_U32, PTX_MOD_NONE};
    uint32_t terms = who == EACH_WARP ? 1 : who == RANK_0 ? 4 : 3;
    PtxOperand any = edit_put_special(
        edit, at, who == EACH_WARP ? PTX_SREG_LANEID : of_block[0]);
    for (uint32_t i = 1; i < terms; i++) {
        PtxOperand one = edit_put_special(edit, at, of_block[i]);
        const PtxOperand both[] = {any, any, one};
        edit_put(edit, at, PTX_OP_OR, bits, both, 3);
    }
    PtxOperand first = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand compare[] = {first, any, edit_int(0)};
    edit_put(edit, at, PTX_OP_SETP, is, compare, 3);
    return first.reg;
}

static void tell_who(Mending *mending, Who who) {
    mending->fact_count = 0;
    mending_add_fact(mending, FACT(FOR_WHOM, WHO_WORDS[who]));
}

// ---- a condition more ----------------------------------------------------

static bool is_for_one(const PtxInstr *instr) {
    return is_request(instr) || is_arrive(instr) ||
           instr->op == PTX_OP_MBARRIER_INIT ||
           instr->op == PTX_OP_MBARRIER_EXPECT_TX;
}

static bool is_unguarded(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return !instr->guard && is_for_one(instr) && place_is_first(site, at);
}

static bool guard_one(Mending *mending, uint32_t at, uint32_t who) {
    Edit *edit = &mending->edit;
    if (edit->func.instrs[at].guard)
        return false;
    uint32_t first = put_who(edit, &at, (Who)who);
    edit->func.instrs[at].guard = first + 1;
    return true;
}

static bool for_one(Mending *mending, uint32_t at, uint32_t who) {
    tell_who(mending, (Who)who);
    return is_there(mending->site, (Who)who) &&
           mend_copies(mending, at, who, guard_one);
}

// ---- another condition ---------------------------------------------------

static uint32_t target_of(const PtxFunc *func, uint32_t at) {
    return func->labels[func->instrs[at].operands[0].target].target;
}

static bool is_forward(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return instr->op == PTX_OP_BRA && instr->guard &&
           target_of(site->entry, at) > at;
}

enum { MOST_INSIDE = 64 }; // instructions that are looked at

// Round something that one thread does for others.
static bool is_round_one(const RemedySite *site, uint32_t at) {
    if (!is_forward(site, at))
        return false;
    uint32_t end = target_of(site->entry, at);
    for (uint32_t i = at + 1; i < end && i < at + MOST_INSIDE; i++)
        if (is_for_one(&site->entry->instrs[i]))
            return true;
    return false;
}

static bool put_condition(Mending *mending, uint32_t at, Who who) {
    Edit *edit = &mending->edit;
    uint32_t first = put_who(edit, &at, who);
    edit->func.instrs[at].guard = first + 1;
    edit->func.instrs[at].guard_negated = true;
    return true;
}

// Whether both are the same register, or computed in the same way of the same.
static bool is_same_predicate(const RemedySite *site, uint32_t a, uint32_t b) {
    const PtxInstr *one = setter_of(site, a), *two = setter_of(site, b);
    if (a == b || !one || !two)
        return a == b;
    bool same = one->op == two->op && one->operand_count == 3 &&
                two->operand_count == 3 && one->mod_count == two->mod_count;
    for (uint32_t i = 0; same && i < one->mod_count; i++)
        same = one->mods[i] == two->mods[i];
    for (uint32_t i = 1; same && i < 3; i++)
        same = one->operands[i].kind == two->operands[i].kind &&
               one->operands[i].reg == two->operands[i].reg &&
               one->operands[i].imm == two->operands[i].imm;
    return same;
}

// That of the branch, or of all that ask the same and are round such a thing:
// the source may have asked twice, the compiler asks once.
static bool other_condition(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    const PtxInstr *own = &site->entry->instrs[at];
    Who who = (Who)(variant % WHO_COUNT);
    bool all = variant >= WHO_COUNT;
    uint32_t count = 0;
    if (!is_there(site, who))
        return false;
    for (uint32_t i = (uint32_t)site->entry->instr_count; i-- > 0;) {
        const PtxInstr *instr = &site->entry->instrs[i];
        bool same = instr->op == PTX_OP_BRA && instr->guard &&
                    instr->guard_negated == own->guard_negated &&
                    is_same_predicate(site, instr->guard - 1, own->guard - 1);
        if (i == at || (all && same && is_round_one(site, i)))
            count += put_condition(mending, i, who);
    }
    tell_who(mending, who);
    return !all || count > 1;
}

// ---- all, or the others --------------------------------------------------

static bool drop_condition(Mending *mending, uint32_t at, uint32_t variant) {
    (void)variant;
    edit_remove(&mending->edit, at);
    return true;
}

static bool is_condition(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (instr->op == PTX_OP_BRA || is_query(instr)) && instr->guard;
}

// Whether the register hangs on an answer, or on whether a wait is over: as far
// as its definitions are single.
static bool is_of_answer(const RemedySite *site, uint32_t reg, int depth) {
    enum { DEEPEST = 6 };
    const PtxInstr *setter = depth < DEEPEST ? setter_of(site, reg) : NULL;
    if (!setter || is_query(setter) || is_wait(setter))
        return setter != NULL;
    for (uint32_t i = 1; i < setter->operand_count; i++)
        if (setter->operands[i].kind == PTX_OPND_REG &&
            PTX_TRAITS[setter->op].result == PTX_RESULT_PURE &&
            is_of_answer(site, setter->operands[i].reg, depth + 1))
            return true;
    return false;
}

static bool asks_answer(const RemedySite *site, uint32_t at) {
    return is_condition(site, at) &&
           is_of_answer(site, site->entry->instrs[at].guard - 1, 0);
}

static bool asks_other(const RemedySite *site, uint32_t at) {
    return is_condition(site, at) && !asks_answer(site, at);
}

static bool other_way(Mending *mending, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    (void)variant;
    instr->guard_negated = !instr->guard_negated;
    return true;
}

// ---- ways out ------------------------------------------------------------

// Whether the branch leaves the kernel, or a loop: a branch behind it, in front
// of its target, leads back to before it.
static bool leaves(const PtxFunc *func, uint32_t at) {
    uint32_t to = target_of(func, at);
    if (to >= func->instr_count || func->instrs[to].op == PTX_OP_RET ||
        func->instrs[to].op == PTX_OP_EXIT)
        return true;
    for (uint32_t i = at + 1; i < to; i++)
        if (func->instrs[i].op == PTX_OP_BRA && target_of(func, i) <= at)
            return true;
    return false;
}

static bool is_skip(const RemedySite *site, uint32_t at) {
    return is_forward(site, at) && !leaves(site->entry, at);
}

static bool is_way_out(const RemedySite *site, uint32_t at) {
    return is_forward(site, at) && leaves(site->entry, at);
}

static bool is_meeting(const PtxInstr *instr) {
    return is_barrier(instr) || is_wait(instr) || is_query(instr);
}

// Who would leave goes on at the next place where threads meet, or at the one
// behind that.
static bool go_on(Mending *mending, uint32_t at, uint32_t variant) {
    const PtxFunc *entry = mending->site->entry;
    uint32_t to = next_of(entry, at, is_meeting);
    for (; variant > 0 && to < entry->instr_count; variant--)
        to = next_of(entry, to, is_meeting);
    if (to >= entry->instr_count || to >= target_of(entry, at))
        return false;
    uint32_t line = place_line(mending->site, to);
    mending->edit.func.instrs[at].operands[0].target =
        edit_new_label(&mending->edit, to);
    mending_add_fact(mending, FACT(NUMBER, line));
    return line != 0;
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

// A loop's condition is asked at its head and, the other way round, at its end:
// all comparisons of the place are moved.
static bool other_bound(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    const PtxLoc *own = place_loc(site, at);
    for (uint32_t i = 0; i < site->entry->instr_count; i++) {
        const PtxLoc *loc = place_loc(site, i);
        if (site->entry->instrs[i].op == PTX_OP_SETP &&
            loc->line == own->line && loc->col == own->col)
            move_bound(mending, i, variant);
    }
    return true;
}

// ---- a bound that is not asked for ---------------------------------------

static bool is_of_elements(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    uint32_t address = instr->op == PTX_OP_ST ? 0 : 1;
    return (instr->op == PTX_OP_LD || instr->op == PTX_OP_ST) &&
           is_access(instr) && ptx_space(instr) != PTX_SPACE_SHARED &&
           !instr->guard && place_is_first(site, at) &&
           instr->operands[address].base == PTX_BASE_REG;
}

// The index that an address is computed with: a register of 32 bits that is
// multiplied, or shifted. UINT32_MAX: none is found.
static uint32_t index_in(const RemedySite *site, uint32_t address) {
    const PtxInstr *sum = setter_of(site, address);
    if (!sum || sum->op != PTX_OP_ADD)
        return UINT32_MAX;
    for (uint32_t term = 1; term <= 2; term++) {
        const PtxInstr *part = sum->operands[term].kind == PTX_OPND_REG
                                   ? setter_of(site, sum->operands[term].reg)
                                   : NULL;
        if (part && part->op == PTX_OP_SHL &&
            part->operands[1].kind == PTX_OPND_REG) {
            const PtxInstr *wide = setter_of(site, part->operands[1].reg);
            part = wide && wide->op == PTX_OP_CVT ? wide : part;
        }
        bool multiplies =
            part && (part->op == PTX_OP_MUL || part->op == PTX_OP_CVT);
        if (multiplies && part->operands[1].kind == PTX_OPND_REG &&
            ptx_type_size(site->entry->regs[part->operands[1].reg].type) == 4)
            return part->operands[1].reg;
    }
    return UINT32_MAX;
}

// The last parameter of 4 bytes, the one before, ...
static PtxVar *size_param(const PtxFunc *entry, uint32_t number,
                          uint32_t *place) {
    for (size_t i = entry->param_count; i-- > 0;)
        if (entry->params[i]->size == 4 && number-- == 0) {
            *place = (uint32_t)i + 1;
            return entry->params[i];
        }
    return NULL;
}

static uint32_t put_bound(Edit *edit, uint32_t *at, uint32_t index,
                          PtxVar *param) {
    static const PtxMod loads[] = {PTX_MOD_PARAM, PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod less[] = {PTX_MOD_LT, PTX_MOD_S32, PTX_MOD_NONE};
    PtxOperand size = edit_reg(edit_new_reg(edit, PTX_U32));
    PtxOperand inside = edit_reg(edit_new_reg(edit, PTX_PRED));
    const PtxOperand load[] = {size,
                               {.kind = PTX_OPND_ADDRESS,
                                .base = PTX_BASE_SYMBOL,
                                .symbol = {PTX_SYM_VAR, param, NULL}}};
    const PtxOperand compare[] = {inside, edit_reg(index), size};
    edit_put(edit, at, PTX_OP_LD, loads, load, 2);
    edit_put(edit, at, PTX_OP_SETP, less, compare, 3);
    return inside.reg;
}

// Round all accesses to the element.
static bool within_bound(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    const PtxInstr *own = &site->entry->instrs[at];
    uint32_t address = own->operands[own->op == PTX_OP_ST ? 0 : 1].reg;
    uint32_t index = index_in(site, address), place = 0;
    PtxVar *param = size_param(site->entry, variant, &place);
    if (index == UINT32_MAX || !param)
        return false;
    for (uint32_t i = (uint32_t)site->entry->instr_count; i-- > 0;) {
        const PtxInstr *instr = &site->entry->instrs[i];
        if ((instr->op != PTX_OP_LD && instr->op != PTX_OP_ST) ||
            instr->guard || !names_reg(instr, address) ||
            instr->operands[instr->op == PTX_OP_ST ? 0 : 1].reg != address)
            continue;
        uint32_t to = i;
        uint32_t inside = put_bound(&mending->edit, &to, index, param);
        mending->edit.func.instrs[to].guard = inside + 1;
    }
    mending_add_fact(mending, FACT(NTH, place));
    return true;
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
     FOR_RULE(CLC011) | FOR_RULE(LIMIT))
#define FOR_LANES                                                \
    (FOR_RULE(SYNC001) | FOR_RULE(SYNC002) | FOR_RULE(SYNC003) | \
     FOR_RULE(SYNC004) | FOR_RULE(RACE001) | FOR_RULE(DEADLOCK) | FOR_JUDGED)
#define FOR_WAYS                                                           \
    (FOR_JUDGED | FOR_RULE(CLC001) | FOR_RULE(CLC002) | FOR_RULE(CLC009) | \
     FOR_RULE(LIMIT) | FOR_RULE(DEADLOCK) | FOR_RULE(MEM001) |             \
     FOR_RULE(CLC007) | FOR_RULE(CLC006) | FOR_RULE(MEM003) |              \
     FOR_RULE(RACE001) | FOR_RULE(RACE002))

#define FOR_BOUNDS                                                         \
    (FOR_JUDGED | FOR_RULE(MEM001) | FOR_RULE(MEM002) | FOR_RULE(MEM003) | \
     FOR_RULE(LIMIT) | FOR_RULE(DEADLOCK) | FOR_RULE(RACE001) |            \
     FOR_RULE(SYNC001) | FOR_RULE(SYNC002))

static const RemedyRow ROWS[] = {
    {REMEDY_FOR_ONE, FOR_ONE_THREAD, WHO_COUNT, 2, is_unguarded, for_one},
    {REMEDY_OTHER_CONDITION, FOR_ONE_THREAD, 2 * WHO_COUNT, 1, is_round_one,
     other_condition},
    {REMEDY_WITHIN_BOUND, FOR_RULE(MEM001), 3, 6, is_of_elements, within_bound},
    {REMEDY_GO_ON, FOR_ANY, 2, 2, is_way_out, go_on},
    {REMEDY_STAY, FOR_ANY, 1, 3, is_way_out, drop_condition},
    {REMEDY_FOR_ALL, FOR_ANY & ~(FOR_RULE(CLC001) | FOR_RULE(CLC002)), 1, 4,
     is_skip, drop_condition},
    {REMEDY_OTHER_WAY, FOR_WAYS & ~FOR_RULE(CLC001), 1, 1, asks_answer,
     other_way},
    {REMEDY_OTHER_WAY, FOR_RULE(CLC001), 1, 5, asks_answer, other_way},
    {REMEDY_OTHER_WAY, FOR_WAYS, 1, 5, asks_other, other_way},
    {REMEDY_OTHER_BOUND, FOR_BOUNDS, 1, 1, is_comparison, other_bound},
    {REMEDY_ALL_LANES, FOR_LANES, 1, 1, is_lanes_here, all_lanes},
};

const RemedyTable REMEDIES_OF_GUARDS = {ROWS, COUNT_OF(ROWS)};
