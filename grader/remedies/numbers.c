// SPDX-License-Identifier: Apache-2.0
// Remedies for what a statement is computed of: another index or size of the
// launch, a factor less, a condition with a term less.
#include "remedies/rows.h"
#include "remedies/values.h"
#include "remedies/what.h"

static bool computes(const PtxInstr *instr) {
    switch ((int)instr->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_SETP:
        return instr->type_count > 0 && !ptx_type_is_float(instr->types[0]) &&
               ptx_type_size(instr->types[0]) == 4;
    }
    return false;
}

static bool is_sum(const RemedySite *site, uint32_t at) {
    return computes(&site->entry->instrs[at]) && place_is_first(site, at);
}

// ---- another index or size -----------------------------------------------

static const struct { // what is taken for each other
    PtxSreg from, to;
} MIXED[] = {
    {PTX_SREG_NTID_X, PTX_SREG_NCTAID_X},
    {PTX_SREG_NCTAID_X, PTX_SREG_NTID_X},
    {PTX_SREG_CTAID_X, PTX_SREG_CLUSTER_CTAID_X},
    {PTX_SREG_CTAID_X, PTX_SREG_CTAID_Y},
    {PTX_SREG_CTAID_Y, PTX_SREG_CTAID_X},
    {PTX_SREG_CTAID_Y, PTX_SREG_CTAID_Z},
    {PTX_SREG_CTAID_Z, PTX_SREG_CTAID_Y},
    {PTX_SREG_CTAID_Z, PTX_SREG_CTAID_X},
    {PTX_SREG_TID_X, PTX_SREG_TID_Y},
    {PTX_SREG_TID_Y, PTX_SREG_TID_X},
    {PTX_SREG_NTID_X, PTX_SREG_NTID_Y},
    {PTX_SREG_NTID_Y, PTX_SREG_NTID_X},
};

static Str name_of(PtxSreg sreg) {
    static const struct {
        PtxSreg sreg;
        const char *name;
    } names[] = {
        {PTX_SREG_TID_X, "threadIdx.x"},
        {PTX_SREG_TID_Y, "threadIdx.y"},
        {PTX_SREG_NTID_X, "blockDim.x"},
        {PTX_SREG_NTID_Y, "blockDim.y"},
        {PTX_SREG_CTAID_X, "blockIdx.x"},
        {PTX_SREG_CTAID_Y, "blockIdx.y"},
        {PTX_SREG_CTAID_Z, "blockIdx.z"},
        {PTX_SREG_NCTAID_X, "gridDim.x"},
        {PTX_SREG_CLUSTER_CTAID_X, "the rank of the block in its cluster"},
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].sreg == sreg)
            return str_from(names[i].name);
    return (Str){0};
}

static const PtxOperand *read_as(const RemedySite *site,
                                 const PtxOperand *operand) {
    const PtxInstr *setter =
        operand->kind == PTX_OPND_REG ? setter_of(site, operand->reg) : NULL;
    return setter && setter->op == PTX_OP_MOV &&
                   setter->operands[1].kind == PTX_OPND_SREG
               ? &setter->operands[1]
               : NULL;
}

// In this statement alone: the compiler reads each once for all of them.
static bool put_mixed(Mending *mending, uint32_t at, uint32_t number) {
    const RemedySite *site = mending->site;
    Edit *edit = &mending->edit;
    uint32_t count = edit->func.instrs[at].operand_count;
    if (MIXED[number].to == PTX_SREG_CLUSTER_CTAID_X && site->cluster <= 1)
        return false;
    for (uint32_t i = 1; i < count; i++) {
        const PtxOperand *read =
            read_as(site, &edit->func.instrs[at].operands[i]);
        if (!read || read->sreg != MIXED[number].from)
            continue;
        PtxOperand other = edit_put_special(edit, &at, MIXED[number].to);
        edit->func.instrs[at].operands[i] = other;
        mending->fact_count = 0;
        mending_add_fact(mending, FACT_STR(NAME, name_of(read->sreg)));
        mending_add_fact(mending, FACT_STR(TEXT, name_of(MIXED[number].to)));
        return true;
    }
    return false;
}

static bool other_index(Mending *mending, uint32_t at, uint32_t number) {
    return mend_copies(mending, at, number, put_mixed);
}

// ---- a factor less -------------------------------------------------------

// The constant one of a product; a shift is one as well.
static bool put_no_factor(Mending *mending, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    bool shifts = instr->op == PTX_OP_SHL;
    (void)variant;
    if (!shifts && instr->op != PTX_OP_MUL && instr->op != PTX_OP_MAD)
        return false;
    for (uint32_t i = 1; i <= 2; i++) {
        PtxOperand *factor = &instr->operands[i];
        if (factor->kind == PTX_OPND_INT && factor->imm != !shifts) {
            factor->imm = !shifts;
            return true;
        }
    }
    return false;
}

static bool factor_less(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_no_factor);
}

// ---- conditions of two terms ---------------------------------------------

static bool has_two(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (instr->op == PTX_OP_OR || instr->op == PTX_OP_AND) &&
           ptx_has(instr, PTX_MOD_PRED) && place_is_first(site, at) &&
           instr->operands[1].kind == PTX_OPND_REG &&
           instr->operands[2].kind == PTX_OPND_REG;
}

// What the condition asks about, if that is a thread's or a block's index.
static Str asked_about(const RemedySite *site, uint32_t condition) {
    const PtxInstr *setter = setter_of(site, condition);
    for (uint32_t i = 1; setter && i < setter->operand_count; i++) {
        const PtxOperand *read = read_as(site, &setter->operands[i]);
        if (read && name_of(read->sreg).len)
            return name_of(read->sreg);
    }
    return (Str){0};
}

static bool put_one_term(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_PRED, PTX_MOD_NONE};
    PtxInstr *instr = &mending->edit.func.instrs[at];
    const PtxOperand operands[] = {instr->operands[0],
                                   instr->operands[1 + variant]};
    Str about = asked_about(mending->site, instr->operands[2 - variant].reg);
    *instr = edit_make(&mending->edit, instr, PTX_OP_MOV, mods, operands, 2);
    mending->fact_count = 0;
    mending_add_fact(mending,
                     FACT(LEFT_OUT, about.len      ? WORD_LEFT_OUT_ABOUT
                                    : variant == 0 ? WORD_LEFT_OUT_SECOND
                                                   : WORD_LEFT_OUT_FIRST));
    mending_add_fact(mending, FACT_STR(NAME, about));
    return true;
}

static bool condition_less(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_one_term);
}

// ---- the table -----------------------------------------------------------

#define FOR_SUMS                                                            \
    (FOR_JUDGED | FOR_RULE(RACE001) | FOR_RULE(MEM001) | FOR_RULE(MEM002) | \
     FOR_RULE(MEM003) | FOR_RULE(CLC009) | FOR_RULE(LIMIT))
#define FOR_TERMS                                                        \
    (FOR_SUMS | FOR_RULE(CLC007) | FOR_RULE(CLC010) | FOR_RULE(CLC006) | \
     FOR_RULE(CLC001) | FOR_RULE(DEADLOCK))

static const RemedyRow ROWS[] = {
    {REMEDY_OTHER_INDEX, FOR_SUMS, COUNT_OF(MIXED), 1, is_sum, other_index},
    {REMEDY_FACTOR_LESS, FOR_SUMS, 1, 4, is_sum, factor_less},
    {REMEDY_CONDITION_LESS, FOR_TERMS, 2, 2, has_two, condition_less},
};

const RemedyTable REMEDIES_OF_NUMBERS = {ROWS, COUNT_OF(ROWS)};
