// SPDX-License-Identifier: Apache-2.0
// Remedies for waits: until it is true, in front of what it is for, with the
// right parity. The parity of a wait may come from anywhere in the PTX; one of
// the thread's own, which is flipped behind the wait, can take its place.
#include "remedies/rows.h"
#include "remedies/values.h"
#include "remedies/what.h"

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
    if (place_of(entry, &wait.operands[1], &place) && !place.varies)
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
    if (from == mending->site->entry->instr_count)
        return false;
    mending_add_fact(mending, FACT(NUMBER, place_line(mending->site, from)));
    return mend_lines(mending, at, from, put_wait);
}

// ---- parities ------------------------------------------------------------

static PtxInstr flip(Edit *edit, const PtxInstr *like, uint32_t to,
                     const PtxOperand *from) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    const PtxOperand operands[] = {edit_reg(to), *from, edit_int(1)};
    return edit_make(edit, like, PTX_OP_XOR, mods, operands, 3);
}

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

// Sets the register before the kernel's first instruction.
static void begin_with(Edit *edit, uint32_t reg, uint64_t value) {
    static const PtxMod mods[] = {PTX_MOD_B32, PTX_MOD_NONE};
    const PtxOperand operands[] = {edit_reg(reg), edit_int(value)};
    PtxInstr like = edit->func.instrs[0];
    edit_insert(edit, 0, edit_make(edit, &like, PTX_OP_MOV, mods, operands, 2));
}

// Those that name the same parity, each with one of its own: behind a wait that
// is not passed the first time, another one's is not to change.
static bool same_parity(const PtxInstr *wait, const PtxOperand *parity) {
    return is_wait(wait) && ptx_has(wait, PTX_MOD_PARITY) &&
           wait->operands[2].kind == parity->kind &&
           wait->operands[2].reg == parity->reg &&
           wait->operands[2].imm == parity->imm;
}

static bool own_parity(Mending *mending, uint32_t at, uint32_t variant) {
    Edit *edit = &mending->edit;
    PtxFunc *func = &edit->func;
    const PtxOperand old = func->instrs[at].operands[2];
    uint32_t fresh[8];
    size_t count = 0;
    for (uint32_t i = (uint32_t)func->instr_count; i-- > 0;) {
        if (!same_parity(&func->instrs[i], &old))
            continue;
        if (count == COUNT_OF(fresh))
            return false;
        uint32_t parity = fresh[count++] = edit_new_reg(edit, PTX_B32);
        PtxOperand own = edit_reg(parity);
        func->instrs[i].operands[2] = own;
        PtxInstr like = func->instrs[i];
        edit_insert_behind(edit, end_of_wait(func, i),
                           flip(edit, &like, parity, &own));
    }
    for (size_t i = 0; i < count; i++)
        begin_with(edit, fresh[i], variant);
    mending_add_fact(mending, FACT(PARITY, variant));
    return true;
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
     FOR_RULE(BAR001) | FOR_RULE(DEADLOCK) | FOR_RULE(LIMIT) | FOR_JUDGED)

static const RemedyRow ROWS[] = {
    {REMEDY_WAIT_LOOP, FOR_WAITS, 1, 1, is_once, loop},
    {REMEDY_WAIT_LIKE, FOR_WAITS & ~FOR_RULE(DEADLOCK), 3, 3, begins_line,
     wait_like},
    {REMEDY_OTHER_PARITY, FOR_WAITS, 1, 2, is_wait_of_parity, other_parity},
    {REMEDY_OWN_PARITY, FOR_WAITS, 2, 2, is_wait_of_parity, own_parity},
    {REMEDY_FLIP_LESS, FOR_WAITS, 1, 2, is_flip, flip_less},
    {REMEDY_OWN_VARIABLE, FOR_WAITS, 2, 2, is_own_by_right, own_variable},
};

const RemedyTable REMEDIES_OF_WAITS = {ROWS, COUNT_OF(ROWS)};
