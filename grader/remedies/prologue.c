// SPDX-License-Identifier: Apache-2.0
// Remedies for a call that is made too often: once in front of the loop, or not
// again where its value is there.
#include "remedies/rows.h"
#include "remedies/what.h"

enum { MOST_MOVED = 8 }; // instructions of a call: itself, and its results

// A call without arguments, that gives something.
static bool gives(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return instr->op == PTX_OP_CALL && !instr->guard &&
           instr->operands[0].elem_count == 1 &&
           instr->operands[1].kind == PTX_OPND_SYMBOL &&
           instr->operands[1].symbol.kind == PTX_SYM_FUNC &&
           instr->operands[2].elem_count == 0;
}

// The call, with the loads of what it gives, which follow it.
static uint32_t length_of(const PtxFunc *func, uint32_t at) {
    const PtxVar *result = func->instrs[at].operands[0].elems[0].symbol.var;
    uint32_t count = 1;
    while (at + count < func->instr_count && count < MOST_MOVED &&
           func->instrs[at + count].op == PTX_OP_LD &&
           func->instrs[at + count].operands[1].symbol.var == result)
        count++;
    return count;
}

static void name_callee(Mending *mending, uint32_t at) {
    const PtxInstr *call = &mending->site->entry->instrs[at];
    mending_add_fact(mending,
                     FACT_STR(NAME, call->operands[1].symbol.func->name));
}

// ---- in front of the loop ------------------------------------------------

static bool call_before(Mending *mending, uint32_t at, uint32_t variant) {
    const PtxFunc *entry = mending->site->entry;
    Edit *edit = &mending->edit;
    uint32_t head = outermost_loop(entry, at), count = length_of(entry, at);
    if (head == 0 || count == 1)
        return false;
    uint32_t to = variant == 0 ? head : 1;
    if (entry->instrs[to - 1].op == PTX_OP_BRA)
        to--;
    PtxInstr moved[MOST_MOVED];
    for (uint32_t i = 0; i < count; i++) {
        moved[i] = edit->func.instrs[at];
        edit_remove(edit, at);
    }
    for (uint32_t i = 0; i < count && to > 0; i++)
        edit_insert_behind(edit, to - 1 + i, moved[i]);
    name_callee(mending, at);
    return to > 0;
}

// ---- not again -----------------------------------------------------------

static uint32_t same_call_before(const RemedySite *site, uint32_t at) {
    const PtxInstr *instrs = site->entry->instrs;
    for (uint32_t i = 0; i < at; i++)
        if (gives(site, i) && instrs[i].operands[1].symbol.func ==
                                  instrs[at].operands[1].symbol.func)
            return i;
    return at;
}

static bool call_less(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    Edit *edit = &mending->edit;
    uint32_t first = same_call_before(site, at);
    uint32_t count = length_of(site->entry, at);
    uint32_t line = place_line(site, first);
    (void)variant;
    if (first == at || count != length_of(site->entry, first) || line == 0)
        return false;
    for (uint32_t i = 1; i < count; i++) {
        PtxInstr *load = &edit->func.instrs[at + i];
        const PtxMod mods[] = {(PtxMod)load->types[0], PTX_MOD_NONE};
        const PtxOperand operands[] = {
            load->operands[0], site->entry->instrs[first + i].operands[0]};
        *load = edit_make(edit, load, PTX_OP_MOV, mods, operands, 2);
    }
    edit_remove(edit, at);
    name_callee(mending, at);
    mending_add_fact(mending, FACT(NUMBER, line));
    return true;
}

// ---- the table -----------------------------------------------------------

static const RemedyRow ROWS[] = {
    {REMEDY_CALL_BEFORE, FOR_JUDGED, 2, 0, gives, call_before},
    {REMEDY_CALL_LESS, FOR_JUDGED, 1, 0, gives, call_less},
};

const RemedyTable REMEDIES_OF_PROLOGUE = {ROWS, COUNT_OF(ROWS)};
