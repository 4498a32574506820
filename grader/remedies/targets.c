// SPDX-License-Identifier: Apache-2.0
// Remedies for who is meant: another mbarrier of the kernel, another slot, that
// of rank 0. Which mbarriers there are, the kernel's inits say: those of one
// place in the source are an array.
#include "remedies/rows.h"
#include "remedies/values.h"
#include "remedies/what.h"

enum {
    MOST_ARRAYS = 8,
    MOST_INITS = 64, // that are looked at
    MBARRIER = 8,    // bytes
    SLOT = 16,
};

// ---- arrays of mbarriers -------------------------------------------------

typedef struct Array {
    PtxVar *var;
    uint64_t first; // offset
    uint32_t line;  // of its init
    uint32_t col;
} Array;

typedef struct Arrays {
    Array items[MOST_ARRAYS];
    size_t count;
} Arrays;

static Arrays find_arrays(const RemedySite *site) {
    Arrays arrays = {0};
    uint32_t inits = 0;
    for (uint32_t i = 0; i < site->entry->instr_count; i++) {
        const PtxInstr *instr = &site->entry->instrs[i];
        const PtxLoc *loc = place_loc(site, i);
        Place place;
        if (instr->op != PTX_OP_MBARRIER_INIT || inits++ >= MOST_INITS ||
            !place_of(site, &instr->operands[0], &place))
            continue;
        size_t k = 0;
        while (k < arrays.count && (arrays.items[k].var != place.var ||
                                    arrays.items[k].line != loc->line ||
                                    arrays.items[k].col != loc->col))
            k++;
        if (k == MOST_ARRAYS)
            continue;
        if (k == arrays.count)
            arrays.items[arrays.count++] =
                (Array){place.var, place.offset, loc->line, loc->col};
        if (place.offset < arrays.items[k].first)
            arrays.items[k].first = place.offset;
    }
    return arrays;
}

// That in which the address lies: the last one that begins before it.
static const Array *array_of(const Arrays *arrays, const Place *place) {
    const Array *found = NULL;
    for (size_t i = 0; i < arrays->count; i++) {
        const Array *array = &arrays->items[i];
        if (array->var == place->var && array->first <= place->offset &&
            (!found || array->first > found->first))
            found = array;
    }
    return found;
}

// ---- another mbarrier ----------------------------------------------------

static bool has_mbarrier(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return mbarrier_operand(instr) && instr->op != PTX_OP_MBARRIER_INIT &&
           place_is_first(site, at);
}

static PtxOperand address_in(PtxVar *var, uint64_t offset) {
    return (PtxOperand){.kind = PTX_OPND_ADDRESS,
                        .base = PTX_BASE_SYMBOL,
                        .symbol = {PTX_SYM_VAR, var, NULL},
                        .imm = offset};
}

// The same element of the other array, where the index is not known.
static bool put_array(Mending *mending, uint32_t at, uint32_t number) {
    Arrays arrays = find_arrays(mending->site);
    PtxOperand *operand = mbarrier_operand(&mending->edit.func.instrs[at]);
    Place place;
    if (!operand || number >= arrays.count ||
        !place_of(mending->site, operand, &place) || !place.varies)
        return false;
    const Array *own = array_of(&arrays, &place);
    const Array *other = &arrays.items[number];
    if (!own || own == other || own->var != other->var)
        return false;
    operand->imm += other->first - own->first;
    return true;
}

static bool other_array(Mending *mending, uint32_t at, uint32_t variant) {
    Arrays arrays = find_arrays(mending->site);
    if (variant >= arrays.count)
        return false;
    mending_add_fact(mending, FACT(NUMBER, arrays.items[variant].line));
    return mend_copies(mending, at, variant, put_array);
}

// "bar", or "bar[1]".
static Str name_of(Mending *mending, const Place *place, uint32_t size) {
    Str name = ptx_plain_name(place->var->name);
    if (place->var->size <= size)
        return name;
    return str_format(mending->edit.arena, "%.*s[%llu]", STR_ARG(name),
                      (unsigned long long)(place->offset / size));
}

static bool is_made(const RemedySite *site, const Place *place) {
    uint32_t inits = 0;
    for (uint32_t i = 0; i < site->entry->instr_count; i++) {
        const PtxInstr *instr = &site->entry->instrs[i];
        Place made;
        if (instr->op == PTX_OP_MBARRIER_INIT && inits++ < MOST_INITS &&
            place_of(site, &instr->operands[0], &made) &&
            made.var == place->var &&
            (made.varies || made.offset == place->offset))
            return true;
    }
    return false;
}

// Where it may lie: in the same array, one on or one back, or at the begin of
// another one.
static bool other_place(const Arrays *arrays, Place *place, uint32_t variant) {
    if (variant < 2) {
        place->offset += variant == 0 ? MBARRIER : -(uint64_t)MBARRIER;
        return place->offset < place->var->size;
    }
    if (variant - 2 >= arrays->count)
        return false;
    const Array *array = &arrays->items[variant - 2];
    bool other = array->var != place->var;
    *place = (Place){array->var, array->first, false};
    return other;
}

static bool put_mbarrier(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    Arrays arrays = find_arrays(site);
    PtxOperand *operand = mbarrier_operand(&mending->edit.func.instrs[at]);
    Place place;
    if (!operand || !place_of(site, operand, &place) || place.varies ||
        !other_place(&arrays, &place, variant) || !is_made(site, &place))
        return false;
    *operand = address_in(place.var, place.offset);
    mending->fact_count = 0;
    mending_add_fact(mending,
                     FACT_STR(NAME, name_of(mending, &place, MBARRIER)));
    return true;
}

static bool other_mbarrier(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_mbarrier);
}

// ---- one that nobody makes -----------------------------------------------

static bool is_init(const RemedySite *site, uint32_t at) {
    return site->entry->instrs[at].op == PTX_OP_MBARRIER_INIT &&
           place_is_first(site, at);
}

// The neighbour in the same array, with the same count.
static bool init_neighbour(Mending *mending, uint32_t at, uint32_t variant) {
    const RemedySite *site = mending->site;
    Edit *edit = &mending->edit;
    PtxInstr init = edit_copy(edit, &edit->func.instrs[at]);
    Place place;
    if (!place_of(site, &init.operands[0], &place) || place.varies)
        return false;
    place.offset += variant == 0 ? MBARRIER : -(uint64_t)MBARRIER;
    if (place.offset >= place.var->size || is_made(site, &place))
        return false;
    init.operands[0] = address_in(place.var, place.offset);
    edit_insert_behind(edit, at, init);
    mending_add_fact(mending,
                     FACT_STR(NAME, name_of(mending, &place, MBARRIER)));
    return true;
}

// ---- another slot --------------------------------------------------------

static PtxOperand *slot_operand(const PtxInstr *instr) {
    bool loads = instr->op == PTX_OP_LD && ptx_vector(instr) > 1;
    if (is_request(instr))
        return &instr->operands[0];
    return loads ? &instr->operands[1] : NULL;
}

static bool has_slot(const RemedySite *site, uint32_t at) {
    const PtxOperand *operand = slot_operand(&site->entry->instrs[at]);
    Place place;
    return operand && place_is_first(site, at) &&
           place_of(site, operand, &place) && !place.varies &&
           place.var->size > SLOT;
}

static bool put_slot(Mending *mending, uint32_t at, uint32_t variant) {
    PtxOperand *operand = slot_operand(&mending->edit.func.instrs[at]);
    Place place;
    if (!operand || !place_of(mending->site, operand, &place))
        return false;
    place.offset += variant == 0 ? SLOT : -(uint64_t)SLOT;
    if (place.offset >= place.var->size)
        return false;
    *operand = address_in(place.var, place.offset);
    mending->fact_count = 0;
    mending_add_fact(mending, FACT_STR(NAME, name_of(mending, &place, SLOT)));
    return true;
}

static bool other_slot(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_slot);
}

// ---- of rank 0 -----------------------------------------------------------

static bool is_arrival_in_cluster(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return site->cluster > 1 && is_arrive(instr) &&
           !ptx_has(instr, PTX_MOD_EXPECT_TX) && place_is_first(site, at);
}

// Its address, as a value in a register.
static uint32_t value_at(Edit *edit, uint32_t at, const PtxOperand *address) {
    static const PtxMod b32[] = {PTX_MOD_B32, PTX_MOD_NONE};
    static const PtxMod u32[] = {PTX_MOD_U32, PTX_MOD_NONE};
    PtxInstr like = edit->func.instrs[at];
    uint32_t reg = edit_new_reg(edit, PTX_B32);
    if (address->base == PTX_BASE_REG) {
        const PtxOperand sum[] = {edit_reg(reg), edit_reg(address->reg),
                                  edit_int(address->imm)};
        edit_insert(edit, at, edit_make(edit, &like, PTX_OP_ADD, u32, sum, 3));
        return reg;
    }
    PtxOperand symbol = *address;
    symbol.kind = PTX_OPND_SYMBOL;
    const PtxOperand moved[] = {edit_reg(reg), symbol};
    edit_insert(edit, at, edit_make(edit, &like, PTX_OP_MOV, b32, moved, 2));
    return reg;
}

static bool is_32_bits(const PtxFunc *func, const PtxOperand *address) {
    return address->base != PTX_BASE_REG ||
           ptx_type_size(func->regs[address->reg].type) == 4;
}

static bool put_rank_0(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod mods[] = {PTX_MOD_SHARED_CLUSTER, PTX_MOD_U32,
                                  PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    PtxInstr *arrive = &edit->func.instrs[at];
    PtxOperand address = arrive->operands[1];
    (void)variant;
    if (ptx_space(arrive) != PTX_SPACE_SHARED ||
        !is_32_bits(&edit->func, &address))
        return false;
    if (!edit_swap_mod(arrive, PTX_MOD_SHARED_CTA, PTX_MOD_SHARED_CLUSTER))
        edit_swap_mod(arrive, PTX_MOD_SHARED, PTX_MOD_SHARED_CLUSTER);
    edit_swap_mod(arrive, PTX_MOD_CTA, PTX_MOD_CLUSTER);
    PtxOperand mapped = edit_reg(edit_new_reg(edit, PTX_B32));
    arrive->operands[0] = (PtxOperand){.kind = PTX_OPND_SINK};
    arrive->operands[1] = (PtxOperand){
        .kind = PTX_OPND_ADDRESS, .base = PTX_BASE_REG, .reg = mapped.reg};
    PtxInstr like = *arrive;
    uint32_t own = value_at(edit, at, &address);
    const PtxOperand operands[] = {mapped, edit_reg(own), edit_int(0)};
    edit_insert(edit, at + 1,
                edit_make(edit, &like, PTX_OP_MAPA, mods, operands, 3));
    return true;
}

static bool of_rank_0(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_rank_0);
}

// ---- the table -----------------------------------------------------------

#define FOR_TARGETS                                            \
    (FOR_RULE(DEADLOCK) | FOR_RULE(LIMIT) | FOR_RULE(BAR001) | \
     FOR_RULE(BAR002) | FOR_RULE(CLC004) | FOR_RULE(CLC005) |  \
     FOR_RULE(CLC006) | FOR_RULE(CLC007) | FOR_RULE(CLC009) |  \
     FOR_RULE(CLC010) | FOR_RULE(CLC002) | FOR_RULE(CLC011) |  \
     FOR_RULE(RACE001) | FOR_RULE(RACE002) | FOR_RULE(MEM003))

#define FOR_UNMADE                                            \
    (FOR_RULE(BAR002) | FOR_RULE(BAR004) | FOR_RULE(CLC005) | \
     FOR_RULE(CLC010) | FOR_RULE(CLC011) | FOR_RULE(DEADLOCK))

static const RemedyRow ROWS[] = {
    {REMEDY_INIT_NEIGHBOUR, FOR_UNMADE, 2, 1, is_init, init_neighbour},
    {REMEDY_OTHER_MBARRIER, FOR_TARGETS, 2 + MOST_ARRAYS, 1, has_mbarrier,
     other_mbarrier},
    {REMEDY_OTHER_ARRAY, FOR_TARGETS, MOST_ARRAYS, 2, has_mbarrier,
     other_array},
    {REMEDY_OTHER_SLOT, FOR_TARGETS, 2, 1, has_slot, other_slot},
    {REMEDY_OF_RANK_0, FOR_TARGETS, 1, 2, is_arrival_in_cluster, of_rank_0},
};

const RemedyTable REMEDIES_OF_TARGETS = {ROWS, COUNT_OF(ROWS)};
