// SPDX-License-Identifier: Apache-2.0
// Remedies for what is computed and stored: another operation, another axis,
// the rank added, a stride, an update that is an atomic, a store less.
#include "remedies/rows.h"
#include "remedies/what.h"

// ---- operations ----------------------------------------------------------

static bool is_operation(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (instr->op == PTX_OP_ADD || instr->op == PTX_OP_MUL ||
            instr->op == PTX_OP_SUB) &&
           instr->type_count == 1 && place_is_first(site, at) &&
           !ptx_has(instr, PTX_MOD_WIDE) && !ptx_has(instr, PTX_MOD_HI);
}

// `*` for `+` of floats, which have the same suffixes.
static bool operate_otherwise(Mending *mending, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    (void)variant;
    if (!ptx_type_is_float(instr->types[0]) || instr->op == PTX_OP_SUB)
        return false;
    mending->fact_count = 0;
    mending_add_fact(mending, FACT(CHANGE, instr->op == PTX_OP_ADD
                                               ? WORD_CHANGE_TIMES_FOR_PLUS
                                               : WORD_CHANGE_PLUS_FOR_TIMES));
    instr->op = instr->op == PTX_OP_ADD ? PTX_OP_MUL : PTX_OP_ADD;
    return true;
}

static bool other_operation(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, operate_otherwise);
}

// Leaves one of two terms.
static bool leave_term(Mending *mending, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    if (instr->operands[1 + variant].kind != PTX_OPND_REG)
        return false;
    const PtxMod mods[] = {(PtxMod)instr->types[0], PTX_MOD_NONE};
    const PtxOperand operands[] = {instr->operands[0],
                                   instr->operands[1 + variant]};
    mending->fact_count = 0;
    mending_add_fact(mending,
                     FACT(LEFT_OUT, instr->op == PTX_OP_ADD ? WORD_LEFT_OUT_SUM
                                    : instr->op == PTX_OP_MUL
                                        ? WORD_LEFT_OUT_PRODUCT
                                        : WORD_LEFT_OUT_DIFFERENCE));
    *instr = edit_make(&mending->edit, instr, PTX_OP_MOV, mods, operands, 2);
    return true;
}

static bool term_less(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, leave_term);
}

// ---- stores --------------------------------------------------------------

static bool is_store(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return instr->op == PTX_OP_ST && is_access(instr) &&
           place_is_first(site, at);
}

static bool drop_store(Mending *mending, uint32_t at, uint32_t variant) {
    (void)variant;
    edit_remove(&mending->edit, at);
    return true;
}

static bool store_less(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, drop_store);
}

static bool is_float_store(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_store(site, at) && ptx_space(instr) == PTX_SPACE_GLOBAL &&
           instr->type_count == 1 && ptx_vector(instr) == 1 &&
           instr->operands[1].kind == PTX_OPND_REG;
}

static PtxType type_of_value(const Edit *edit, const PtxInstr *store) {
    PtxType type = edit->func.regs[store->operands[1].reg].type;
    return ptx_type_is_float(store->types[0]) ? store->types[0] : type;
}

// data[i] *= value, where the kernel has data[i] = value.
static bool multiply_stored(Mending *mending, uint32_t at, uint32_t variant) {
    Edit *edit = &mending->edit;
    PtxInstr store = edit->func.instrs[at];
    PtxType type = type_of_value(edit, &store);
    PtxOp op = variant == 0 ? PTX_OP_MUL : PTX_OP_ADD;
    if (type != PTX_F32 && type != PTX_F64)
        return false;
    const PtxMod global[] = {PTX_MOD_GLOBAL, (PtxMod)type, PTX_MOD_NONE};
    const PtxMod plain[] = {(PtxMod)type, PTX_MOD_NONE};
    PtxOperand was = edit_reg(edit_new_reg(edit, type));
    PtxOperand now = edit_reg(edit_new_reg(edit, type));
    const PtxOperand load[] = {was, store.operands[0]};
    const PtxOperand change[] = {now, was, store.operands[1]};
    edit->func.instrs[at] = edit_copy(edit, &store);
    edit->func.instrs[at].operands[1] = now;
    edit_insert(edit, at, edit_make(edit, &store, op, plain, change, 3));
    edit_insert(edit, at, edit_make(edit, &store, PTX_OP_LD, global, load, 2));
    mending->fact_count = 0;
    mending_add_fact(mending,
                     FACT(CHANGE, variant == 0 ? WORD_CHANGE_TIMES_STORED
                                               : WORD_CHANGE_PLUS_STORED));
    return true;
}

static bool update_stored(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, multiply_stored);
}

// ---- an atomic -----------------------------------------------------------

enum { NEAR = 12 }; // instructions in front of a store that belong to it

// The sum that the store stores, if it is of what was loaded from there just
// before; instr_count: it is not.
static uint32_t sum_of(const PtxFunc *func, uint32_t at, PtxOp op) {
    uint32_t reg = func->instrs[at].operands[1].reg;
    for (uint32_t i = at; i-- > 0 && at - i < NEAR;) {
        const PtxInstr *instr = &func->instrs[i];
        if (instr->op == op && instr->operand_count >= 2 &&
            instr->operands[0].kind == PTX_OPND_REG &&
            instr->operands[0].reg == reg)
            return i;
    }
    return (uint32_t)func->instr_count;
}

static bool is_same_address(const PtxOperand *a, const PtxOperand *b) {
    return a->base == b->base && a->reg == b->reg && a->imm == b->imm &&
           a->symbol.var == b->symbol.var;
}

// The load of the sum's term `term` from where the store stores.
static uint32_t load_of(const PtxFunc *func, uint32_t at, uint32_t sum,
                        uint32_t term) {
    const PtxOperand *operand = &func->instrs[sum].operands[term];
    for (uint32_t i = sum; i-- > 0 && sum - i < NEAR;) {
        const PtxInstr *instr = &func->instrs[i];
        if (instr->op == PTX_OP_LD && operand->kind == PTX_OPND_REG &&
            instr->operands[0].reg == operand->reg)
            return is_same_address(&instr->operands[1],
                                   &func->instrs[at].operands[0])
                       ? i
                       : (uint32_t)func->instr_count;
    }
    return (uint32_t)func->instr_count;
}

static bool is_update(const RemedySite *site, uint32_t at) {
    return is_store(site, at) &&
           site->entry->instrs[at].operands[1].kind == PTX_OPND_REG &&
           sum_of(site->entry, at, PTX_OP_ADD) < site->entry->instr_count;
}

static PtxMod space_mod(const PtxInstr *instr) {
    return ptx_space(instr) == PTX_SPACE_SHARED   ? PTX_MOD_SHARED
           : ptx_space(instr) == PTX_SPACE_GLOBAL ? PTX_MOD_GLOBAL
                                                  : PTX_MOD_NONE;
}

static bool make_atomic(Mending *mending, uint32_t at, uint32_t variant) {
    Edit *edit = &mending->edit;
    PtxInstr *store = &edit->func.instrs[at];
    uint32_t sum = sum_of(&edit->func, at, PTX_OP_ADD);
    if (store->op != PTX_OP_ST || sum >= edit->func.instr_count)
        return false;
    const PtxInstr *add = &edit->func.instrs[sum];
    uint32_t load = load_of(&edit->func, at, sum, 1 + variant);
    PtxMod space = space_mod(store);
    if (load >= edit->func.instr_count || space == PTX_MOD_NONE)
        return false;
    PtxMod type =
        add->types[0] == PTX_S32 ? PTX_MOD_U32 : (PtxMod)add->types[0];
    const PtxMod mods[] = {space, PTX_MOD_ADD, type, PTX_MOD_NONE};
    const PtxOperand operands[] = {store->operands[0],
                                   add->operands[2 - variant]};
    *store = edit_make(edit, store, PTX_OP_RED, mods, operands, 2);
    edit_remove(edit, sum);
    edit_remove(edit, load);
    return true;
}

static bool atomic_update(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, make_atomic);
}

// ---- indices -------------------------------------------------------------

static bool takes_index(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_query(instr) && !ptx_has(instr, PTX_MOD_IS_CANCELED) &&
           instr->operands[0].kind == PTX_OPND_REG;
}

static bool add_rank(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod number[] = {PTX_MOD_U32, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    PtxInstr query = edit->func.instrs[at];
    PtxOperand rank = edit_reg(edit_new_reg(edit, PTX_U32));
    const PtxOperand take[] = {
        rank, {.kind = PTX_OPND_SREG, .sreg = PTX_SREG_CLUSTER_CTAID_X}};
    const PtxOperand sum[] = {query.operands[0], query.operands[0], rank};
    (void)variant;
    if (mending->site->cluster <= 1)
        return false;
    edit_insert_behind(edit, at,
                       edit_make(edit, &query, PTX_OP_ADD, number, sum, 3));
    edit_insert_behind(edit, at,
                       edit_make(edit, &query, PTX_OP_MOV, number, take, 2));
    return true;
}

static bool decode_otherwise(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod axes[] = {PTX_MOD_GET_FIRST_CTAID_X,
                                  PTX_MOD_GET_FIRST_CTAID_Y,
                                  PTX_MOD_GET_FIRST_CTAID_Z};
    PtxInstr *instr = &mending->edit.func.instrs[at];
    static const char *const names[] = {"x", "y", "z"};
    for (size_t i = 0; i < COUNT_OF(axes); i++)
        if (axes[i] != axes[variant] &&
            edit_swap_mod(instr, axes[i], axes[variant])) {
            mending_add_fact(mending, FACT_STR(NAME, str_from(names[variant])));
            return true;
        }
    return false;
}

// ---- sizes ---------------------------------------------------------------

static bool has_loop(const PtxFunc *func) {
    for (uint32_t i = 0; i < func->instr_count; i++)
        if (func->instrs[i].op == PTX_OP_BRA &&
            func->labels[func->instrs[i].operands[0].target].target <= i)
            return true;
    return false;
}

// Of which a stride may be made.
static bool takes_size(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return has_loop(site->entry) && instr->op == PTX_OP_MOV &&
           place_is_first(site, at) &&
           instr->operands[1].kind == PTX_OPND_SREG &&
           (instr->operands[1].sreg == PTX_SREG_NTID_X ||
            instr->operands[1].sreg == PTX_SREG_NCTAID_X);
}

// blockDim.x * gridDim.x for one of them.
static bool all_threads(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod low[] = {PTX_MOD_LO, PTX_MOD_U32, PTX_MOD_NONE};
    static const PtxMod number[] = {PTX_MOD_U32, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    PtxInstr size = edit->func.instrs[at];
    PtxOperand result = size.operands[0];
    PtxOperand other = edit_reg(edit_new_reg(edit, PTX_U32));
    bool is_block = size.operands[1].sreg == PTX_SREG_NTID_X;
    const PtxOperand take[] = {
        other,
        {.kind = PTX_OPND_SREG,
         .sreg = is_block ? PTX_SREG_NCTAID_X : PTX_SREG_NTID_X}};
    const PtxOperand product[] = {result, result, other};
    (void)variant;
    edit_insert_behind(edit, at,
                       edit_make(edit, &size, PTX_OP_MUL, low, product, 3));
    edit_insert_behind(edit, at,
                       edit_make(edit, &size, PTX_OP_MOV, number, take, 2));
    mending_add_fact(mending, FACT_STR(NAME, is_block ? STR("blockDim.x")
                                                      : STR("gridDim.x")));
    return true;
}

// ---- the table -----------------------------------------------------------

#define FOR_VALUES (FOR_JUDGED | FOR_RULE(RACE001) | FOR_RULE(MEM001))
#define FOR_INDICES \
    (FOR_VALUES | FOR_RULE(CLC002) | FOR_RULE(CLC009) | FOR_RULE(CLC003))

static const RemedyRow ROWS[] = {
    {REMEDY_ATOMIC, FOR_VALUES, 2, 0, is_update, atomic_update},
    {REMEDY_ADD_RANK, FOR_INDICES, 1, 1, takes_index, add_rank},
    {REMEDY_OTHER_AXIS, FOR_INDICES, 3, 2, takes_index, decode_otherwise},
    {REMEDY_ALL_THREADS, FOR_INDICES, 1, 2, takes_size, all_threads},
    {REMEDY_OTHER_OPERATION, FOR_VALUES, 1, 1, is_operation, other_operation},
    {REMEDY_TERM_LESS, FOR_INDICES, 2, 8, is_operation, term_less},
    {REMEDY_UPDATE, FOR_VALUES, 2, 2, is_float_store, update_stored},
    {REMEDY_STORE_LESS, FOR_JUDGED, 1, 5, is_store, store_less},
};

const RemedyTable REMEDIES_OF_WORK = {ROWS, COUNT_OF(ROWS)};
