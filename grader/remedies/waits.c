// SPDX-License-Identifier: Apache-2.0
// Remedies for waits: until it is true, in front of what it is for, with the
// right parity. The parity of a wait may come from anywhere in the PTX; one of
// the thread's own, which is flipped behind the wait, can take its place.
#include "remedies/rows.h"
#include "remedies/values.h"
#include "remedies/what.h"

enum { MBARRIER = 8, MOST_RINGS = 8 }; // bytes; waits

static bool is_any_wait(const RemedySite *site, uint32_t at) {
    return is_wait(&site->entry->instrs[at]) && place_is_first(site, at);
}

static bool is_wait_of_parity(const RemedySite *site, uint32_t at) {
    return is_any_wait(site, at) &&
           ptx_has(&site->entry->instrs[at], PTX_MOD_PARITY);
}

// ---- until it is true ----------------------------------------------------

static bool is_once(const RemedySite *site, uint32_t at) {
    return is_any_wait(site, at) && end_of_wait(site->entry, at) == at &&
           site->entry->instrs[at].operands[0].kind == PTX_OPND_REG;
}

// One that is given up after a while.
static bool is_repeated(const RemedySite *site, uint32_t at) {
    return is_any_wait(site, at) && !is_once(site, at) &&
           site->entry->instrs[at].operands[0].kind == PTX_OPND_REG;
}

static bool put_loop(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod none[] = {PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    PtxInstr wait = edit->func.instrs[at];
    (void)variant;
    if (!is_wait(&wait) || wait.operands[0].kind != PTX_OPND_REG)
        return false;
    const PtxOperand to = {.kind = PTX_OPND_LABEL,
                           .target = edit_new_label(edit, at)};
    PtxInstr repeat = edit_make(edit, &wait, PTX_OP_BRA, none, &to, 1);
    repeat.guard = wait.operands[0].reg + 1;
    repeat.guard_negated = true;
    edit_insert_behind(edit, at, repeat);
    return true;
}

static bool loop(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_loop);
}

// ---- one more, like another ----------------------------------------------

static bool begins_line(const RemedySite *site, uint32_t at) {
    return place_begins_line(site, at);
}

// The `number`th wait of the kernel, each place in the source once.
static uint32_t nth_wait(const RemedySite *site, uint32_t number) {
    for (uint32_t i = 0; i < site->entry->instr_count; i++)
        if (is_any_wait(site, i) && number-- == 0)
            return i;
    return (uint32_t)site->entry->instr_count;
}

// Its address, if that is known, does not hang on registers that are set
// between here and there.
static bool put_wait(Mending *mending, uint32_t at, uint32_t from) {
    const PtxFunc *entry = mending->site->entry;
    Edit *edit = &mending->edit;
    PtxInstr wait = edit_copy(edit, &entry->instrs[from]);
    Place place;
    if (place_of(mending->site, &wait.operands[1], &place) && !place.varies)
        wait.operands[1] = (PtxOperand){.kind = PTX_OPND_ADDRESS,
                                        .base = PTX_BASE_SYMBOL,
                                        .symbol = {PTX_SYM_VAR, place.var, 0},
                                        .imm = place.offset};
    wait.operands[0] = edit_reg(edit_new_reg(edit, PTX_PRED));
    wait.guard = 0;
    wait.loc = edit->func.instrs[at].loc;
    edit_insert(edit, at, wait);
    return put_loop(mending, at, 0);
}

static bool wait_like(Mending *mending, uint32_t at, uint32_t variant) {
    uint32_t from = nth_wait(mending->site, variant);
    if (from == mending->site->entry->instr_count ||
        place_line(mending->site, from) == place_line(mending->site, at))
        return false; // that would be a loop round it
    mending_add_fact(mending, FACT(NUMBER, place_line(mending->site, from)));
    return mend_lines(mending, at, from, put_wait);
}

// ---- one that is not there -----------------------------------------------

static PtxInstr flip(Edit *edit, const PtxInstr *like, uint32_t to,
                     const PtxOperand *from) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    const PtxOperand operands[] = {edit_reg(to), *from, edit_int(1)};
    return edit_make(edit, like, PTX_OP_XOR, mods, operands, 3);
}

// Sets the register before the kernel's first instruction.
static void begin_with(Edit *edit, uint32_t reg, uint64_t value) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    const PtxOperand operands[] = {edit_reg(reg), edit_int(value)};
    PtxInstr like = edit->func.instrs[0];
    edit_insert(edit, 0, edit_make(edit, &like, PTX_OP_MOV, mods, operands, 2));
}

// A wait for the mbarrier of a request, with a parity of its own.
typedef struct Answer {
    PtxOperand mbarrier;
    uint32_t parity; // register
} Answer;

static bool find_answer(const RemedySite *site, uint32_t number, Answer *answer,
                        Place *place) {
    const PtxFunc *entry = site->entry;
    for (uint32_t i = 0; i < entry->instr_count; i++) {
        const PtxInstr *instr = &entry->instrs[i];
        if (!is_request(instr) || number-- > 0)
            continue;
        answer->mbarrier =
            (PtxOperand){.kind = PTX_OPND_ADDRESS, .base = PTX_BASE_SYMBOL};
        if (!place_of(site, &instr->operands[1], place) || place->varies)
            return false;
        answer->mbarrier.symbol = (PtxSymbol){PTX_SYM_VAR, place->var, NULL};
        answer->mbarrier.imm = place->offset;
        return true;
    }
    return false;
}

static void put_answer(Edit *edit, uint32_t at, const Answer *answer) {
    static const PtxMod mods[] = {PTX_MOD_PARITY, PTX_MOD_SHARED_CTA,
                                  PTX_MOD_B64, PTX_MOD_NONE};
    PtxInstr like = edit->func.instrs[at];
    PtxOperand parity = edit_reg(answer->parity);
    const PtxOperand operands[] = {edit_reg(edit_new_reg(edit, PTX_PRED)),
                                   answer->mbarrier, parity};
    edit_insert(edit, at, flip(edit, &like, answer->parity, &parity));
    edit_insert(
        edit, at,
        edit_make(edit, &like, PTX_OP_MBARRIER_TRY_WAIT, mods, operands, 3));
}

// At one place: a copy would need a parity of its own.
static bool wait_for_answer(Mending *mending, uint32_t at, uint32_t number) {
    Answer answer;
    Place place;
    if (!find_answer(mending->site, number, &answer, &place))
        return false;
    size_t before = mending->edit.func.instr_count;
    answer.parity = edit_new_reg(&mending->edit, PTX_B32);
    put_answer(&mending->edit, at, &answer);
    put_loop(mending, at, 0);
    mend_loop_head(mending, at, before);
    begin_with(&mending->edit, answer.parity, 0);
    Str name = ptx_plain_name(place.var->name);
    mending->fact_count = 0;
    if (place.var->size > 8)
        name = str_format(mending->edit.arena, "%.*s[%llu]", STR_ARG(name),
                          (unsigned long long)place.offset / 8);
    mending_add_fact(mending, FACT_STR(NAME, name));
    return true;
}

// ---- parities ------------------------------------------------------------

static bool put_other_parity(Mending *mending, uint32_t at, uint32_t variant) {
    Edit *edit = &mending->edit;
    PtxInstr *wait = &edit->func.instrs[at];
    PtxOperand old = wait->operands[2];
    (void)variant;
    if (old.kind == PTX_OPND_INT) {
        wait->operands[2].imm ^= 1;
        return true;
    }
    uint32_t parity = edit_new_reg(edit, PTX_B32);
    wait->operands[2] = edit_reg(parity);
    edit_insert(edit, at, flip(edit, wait, parity, &old));
    return true;
}

static bool other_parity(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_other_parity);
}

// Those that name the same parity, or any that is a number: a parity that is
// flipped twice in a round, or never, is none other to the compiler.
static bool is_one_of(const RemedySite *site, const PtxInstr *wait,
                      const PtxOperand *parity, bool all) {
    uint64_t value;
    if (!is_wait(wait) || !ptx_has(wait, PTX_MOD_PARITY))
        return false;
    const PtxOperand *own = &wait->operands[2];
    return (own->kind == parity->kind && own->reg == parity->reg &&
            own->imm == parity->imm) ||
           (all && value_of(site, own, &value) &&
            value_of(site, parity, &value));
}

// Each wait has a parity of its own: behind one that is not passed the first
// time, another one's is not to change.
static bool own_parity(Mending *mending, uint32_t at, uint32_t variant) {
    const PtxFunc *entry = mending->site->entry;
    Edit *edit = &mending->edit;
    const PtxOperand old = entry->instrs[at].operands[2];
    uint32_t fresh[8];
    uint64_t first = variant;
    size_t count = 0;
    for (uint32_t i = (uint32_t)entry->instr_count; i-- > 0;) {
        if (!is_one_of(mending->site, &entry->instrs[i], &old,
                       mending->kind == REMEDY_OWN_PARITIES))
            continue;
        if (count == COUNT_OF(fresh))
            return false;
        uint32_t parity = fresh[count++] = edit_new_reg(edit, PTX_B32);
        PtxOperand own = edit_reg(parity);
        PtxInstr *wait = &edit->func.instrs[i];
        wait->operands[2] = own;
        PtxInstr like = *wait;
        edit_insert_behind(edit, end_of_wait(&edit->func, i),
                           flip(edit, &like, parity, &own));
    }
    if (count == 1 && mending->kind == REMEDY_OWN_PARITIES)
        return false;
    for (size_t i = 0; i < count; i++)
        begin_with(edit, fresh[i], first);
    mending_add_fact(mending, FACT(PARITY, first));
    return true;
}

// ---- of a ring -----------------------------------------------------------

// The parity of a wait that goes round a ring of mbarriers: it flips each time
// that the ring has been gone round.
static bool put_ring_parity(Mending *mending, uint32_t at, uint64_t stages,
                            uint64_t first) {
    static const PtxMod u32[] = {PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod b32[] = {PTX_MOD_B32, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    PtxOperand waits = edit_reg(edit_new_reg(edit, PTX_U32));
    PtxOperand rounds = edit_reg(edit_new_reg(edit, PTX_U32));
    PtxOperand parity = edit_reg(edit_new_reg(edit, PTX_B32));
    const PtxOperand divide[] = {rounds, waits, edit_int(stages)};
    const PtxOperand low[] = {parity, rounds, edit_int(1)};
    const PtxOperand next[] = {waits, waits, edit_int(1)};
    PtxInstr like = edit->func.instrs[at];
    edit_insert_behind(edit, end_of_wait(&edit->func, at),
                       edit_make(edit, &like, PTX_OP_ADD, u32, next, 3));
    edit->func.instrs[at].operands[2] = parity;
    edit_put(edit, &at, PTX_OP_DIV, u32, divide, 3);
    edit_put(edit, &at, PTX_OP_AND, b32, low, 3);
    begin_with(edit, waits.reg, first * stages);
    return true;
}

static bool is_round_ring(const RemedySite *site, uint32_t at,
                          uint64_t stages) {
    Place place;
    return is_wait(&site->entry->instrs[at]) &&
           ptx_has(&site->entry->instrs[at], PTX_MOD_PARITY) &&
           place_of(site, &site->entry->instrs[at].operands[1], &place) &&
           place.varies && place.var->size >= MBARRIER * stages;
}

// Of the wait alone; or of all that go round a ring, where the others begin
// with the other parity: who waits for what is empty, and who for what is full.
static bool ring_parity(Mending *mending, uint32_t at, uint32_t variant) {
    static const uint64_t stages[] = {2, 4, 3, 8};
    const RemedySite *site = mending->site;
    uint64_t count = stages[variant / 2], first = variant % 2;
    uint32_t begun = 0, others = 0, before = 0;
    if (!is_round_ring(site, at, count))
        return false;
    for (uint32_t i = 0; i < site->entry->instr_count; i++) {
        bool is_other = !place_is_copy(site, at, i);
        if (!is_round_ring(site, i, count) ||
            (is_other && mending->kind == REMEDY_RING_PARITY))
            continue;
        if (++begun == MOST_RINGS)
            return false;
        others += is_other;
        before = (uint32_t)(mending->edit.func.instr_count -
                            site->entry->instr_count);
        put_ring_parity(mending, i + before, count,
                        is_other ? 1 - first : first);
    }
    mending_add_fact(mending, FACT(PARITY, first));
    mending_add_fact(mending, FACT(COUNT, count));
    return others > 0 || mending->kind == REMEDY_RING_PARITY;
}

static bool is_flip(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return instr->op == PTX_OP_XOR && instr->operands[2].kind == PTX_OPND_INT &&
           instr->operands[2].imm == 1 && place_is_first(site, at);
}

static bool take_flip_out(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    PtxInstr *instr = &mending->edit.func.instrs[at];
    (void)variant;
    if (instr->op != PTX_OP_XOR)
        return false;
    *instr =
        edit_make(&mending->edit, instr, PTX_OP_MOV, mods, instr->operands, 2);
    return true;
}

static bool flip_less(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, take_flip_out);
}

// ---- of each thread itself -----------------------------------------------

static const PtxVar *var_of(const PtxInstr *instr) {
    bool loads = instr->op == PTX_OP_LD, stores = instr->op == PTX_OP_ST;
    if (!loads && !stores)
        return NULL;
    const PtxOperand *address = &instr->operands[loads ? 1 : 0];
    const PtxVar *var =
        address->base == PTX_BASE_SYMBOL && address->symbol.kind == PTX_SYM_VAR
            ? address->symbol.var
            : NULL;
    return var && var->space == PTX_SPACE_SHARED && !var->is_array &&
                   address->imm == 0 && ptx_vector(instr) == 1
               ? var
               : NULL;
}

// A shared variable of 4 bytes, whose address nobody takes.
static bool is_own_by_right(const RemedySite *site, uint32_t at) {
    const PtxVar *var = var_of(&site->entry->instrs[at]);
    if (!var || var->size != 4)
        return false;
    for (uint32_t i = 0; i < site->entry->instr_count; i++) {
        const PtxInstr *instr = &site->entry->instrs[i];
        for (uint32_t k = 0; k < instr->operand_count; k++)
            if (instr->operands[k].symbol.var == var && var_of(instr) != var)
                return false;
    }
    return true;
}

static bool own_variable(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    PtxFunc *func = &edit->func;
    const PtxVar *var = var_of(&func->instrs[at]);
    uint32_t own = edit_new_reg(edit, var->type);
    for (uint32_t i = 0; i < func->instr_count; i++) {
        PtxInstr *instr = &func->instrs[i];
        if (var_of(instr) != var)
            continue;
        PtxOperand operands[] = {edit_reg(own), instr->operands[1]};
        if (instr->op == PTX_OP_LD) {
            operands[0] = instr->operands[0];
            operands[1] = edit_reg(own);
        }
        PtxInstr move = edit_make(edit, instr, PTX_OP_MOV, mods, operands, 2);
        move.guard = instr->guard;
        move.guard_negated = instr->guard_negated;
        *instr = move;
    }
    begin_with(edit, own, variant);
    mending_add_fact(mending, FACT_STR(NAME, ptx_plain_name(var->name)));
    mending_add_fact(mending, FACT(COUNT, variant));
    return true;
}

// ---- the table -----------------------------------------------------------

#define FOR_WAITS                                              \
    (FOR_RULE(CLC001) | FOR_RULE(CLC002) | FOR_RULE(CLC004) |  \
     FOR_RULE(CLC006) | FOR_RULE(CLC007) | FOR_RULE(CLC009) |  \
     FOR_RULE(CLC010) | FOR_RULE(CLC003) | FOR_RULE(RACE001) | \
     FOR_RULE(RACE002) | FOR_RULE(MEM003) | FOR_RULE(MEM004) | \
     FOR_RULE(BAR001) | FOR_RULE(DEADLOCK) | FOR_RULE(LIMIT))

#define FOR_ANSWERS                                            \
    (FOR_RULE(CLC002) | FOR_RULE(CLC004) | FOR_RULE(CLC007) |  \
     FOR_RULE(CLC010) | FOR_RULE(CLC001) | FOR_RULE(RACE002) | \
     FOR_RULE(MEM003))

static const RemedyRow ROWS[] = {
    {REMEDY_WAIT_LOOP, FOR_WAITS, 1, 1, is_once, loop},
    {REMEDY_WAIT_LOOP, FOR_WAITS, 1, 2, is_repeated, loop},
    {REMEDY_WAIT_FOR_ANSWER, FOR_ANSWERS, 4, 3, begins_line, wait_for_answer},
    {REMEDY_WAIT_LIKE, FOR_WAITS & ~FOR_RULE(DEADLOCK), 3, 3, begins_line,
     wait_like},
    {REMEDY_OTHER_PARITY, FOR_WAITS, 1, 2, is_wait_of_parity, other_parity},
    {REMEDY_OWN_PARITY, FOR_WAITS, 2, 2, is_wait_of_parity, own_parity},
    {REMEDY_OWN_PARITIES, FOR_WAITS, 1, 3, is_wait_of_parity, own_parity},
    {REMEDY_RING_PARITY, FOR_WAITS, 8, 2, is_wait_of_parity, ring_parity},
    {REMEDY_RING_PARITIES, FOR_WAITS, 8, 3, is_wait_of_parity, ring_parity},
    {REMEDY_FLIP_LESS, FOR_WAITS, 1, 2, is_flip, flip_less},
    {REMEDY_OWN_VARIABLE, FOR_WAITS, 2, 2, is_own_by_right, own_variable},
};

const RemedyTable REMEDIES_OF_WAITS = {ROWS, COUNT_OF(ROWS)};
