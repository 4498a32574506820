// SPDX-License-Identifier: Apache-2.0
// Remedies for barriers that some threads do not come to: out of a condition,
// for another number of threads, or not at all. A barrier of a cluster is two
// instructions, which stay together.
#include "remedies/rows.h"
#include "remedies/what.h"

static bool is_barrier_of_many(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (is_cta_barrier(instr) || instr->op == PTX_OP_BAR_WARP_SYNC ||
            instr->op == PTX_OP_BARRIER_CLUSTER_ARRIVE) &&
           place_is_first(site, at);
}

// The wait that belongs to an arrival at the cluster's barrier; `at`: none.
static uint32_t other_half(const PtxFunc *func, uint32_t at) {
    uint32_t wait = next_of(func, at, is_half_barrier);
    return func->instrs[at].op == PTX_OP_BARRIER_CLUSTER_ARRIVE &&
                   wait < func->instr_count &&
                   func->instrs[wait].op == PTX_OP_BARRIER_CLUSTER_WAIT
               ? wait
               : at;
}

// ---- out of a condition --------------------------------------------------

static bool is_inside(const RemedySite *site, uint32_t at) {
    return is_barrier_of_many(site, at) &&
           jump_over(site->entry, at, 0) < site->entry->instr_count;
}

// Takes the barrier out, and puts it in at `to`; two of them keep their order.
static void move_barrier(Edit *edit, uint32_t at, uint32_t other, bool behind,
                         uint32_t branch) {
    PtxInstr arrive = edit->func.instrs[at], wait = edit->func.instrs[other];
    uint32_t label = edit->func.instrs[branch].operands[0].target;
    if (other != at)
        edit_remove(edit, other);
    edit_remove(edit, at);
    uint32_t to = behind ? edit->func.labels[label].target : branch;
    if (other != at)
        edit_insert(edit, to, wait);
    edit_insert(edit, to, arrive);
}

static bool move_out(Mending *mending, uint32_t at, uint32_t level) {
    Edit *edit = &mending->edit;
    const PtxFunc *func = &edit->func;
    uint32_t branch = jump_over(func, at, level);
    if (!is_barrier(&func->instrs[at]) || branch == func->instr_count)
        return false;
    uint32_t line = place_line(mending->site, branch);
    if (line == 0)
        return false;
    mending->fact_count = 0;
    mending_add_fact(mending, FACT(NUMBER, line));
    move_barrier(edit, at, other_half(func, at),
                 mending->kind == REMEDY_BARRIER_BEHIND, branch);
    return true;
}

static bool barrier_out(Mending *mending, uint32_t at, uint32_t level) {
    return mend_copies(mending, at, level, move_out);
}

// ---- for others ----------------------------------------------------------

static bool is_named(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_cta_barrier(instr) && instr->operand_count == 2 &&
           instr->operands[0].kind == PTX_OPND_INT;
}

static bool is_of_all(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_cta_barrier(instr) && instr->operand_count == 1 &&
           site->threads > 32;
}

static uint64_t threads_of(const RemedySite *site, uint32_t variant) {
    const uint64_t counts[] = {site->threads, site->threads - 32, 64, 32, 96};
    return counts[variant];
}

// Whether it is an instruction of the named barrier.
static bool is_at(const PtxInstr *instr, uint64_t number) {
    return (is_cta_barrier(instr) || instr->op == PTX_OP_BAR_ARRIVE ||
            instr->op == PTX_OP_BARRIER_ARRIVE) &&
           instr->operand_count == 2 &&
           instr->operands[0].kind == PTX_OPND_INT &&
           instr->operands[0].imm == number;
}

static bool other_threads(Mending *mending, uint32_t at, uint32_t variant) {
    PtxFunc *func = &mending->edit.func;
    uint64_t count = threads_of(mending->site, variant);
    uint64_t number = func->instrs[at].operands[0].imm;
    if (count == 0 || count > mending->site->threads)
        return false;
    for (uint32_t i = 0; i < func->instr_count; i++)
        if (is_at(&func->instrs[i], number))
            func->instrs[i].operands[1] = edit_int(count);
    mending_add_fact(mending, FACT(COUNT, count));
    mending_add_fact(mending, FACT(NUMBER, number));
    return true;
}

static void replace(Edit *edit, uint32_t at, const PtxOperand *operands,
                    uint32_t count) {
    PtxInstr *instr = &edit->func.instrs[at];
    PtxMod mods[PTX_MAX_MODS + 1] = {0};
    for (uint32_t i = 0; i < instr->mod_count; i++)
        mods[i] = instr->mods[i];
    *instr = edit_make(edit, instr, instr->op, mods, operands, count);
}

static bool some_threads(Mending *mending, uint32_t at, uint32_t variant) {
    enum { FREE = 14 }; // a barrier that nobody else uses, as a rule
    uint64_t count = threads_of(mending->site, variant + 1);
    const PtxOperand operands[] = {edit_int(FREE), edit_int(count)};
    if (!is_cta_barrier(&mending->edit.func.instrs[at]) || count == 0 ||
        count >= mending->site->threads)
        return false;
    replace(&mending->edit, at, operands, 2);
    mending->fact_count = 0;
    mending_add_fact(mending, FACT(COUNT, count));
    mending_add_fact(mending, FACT(NUMBER, FREE));
    return true;
}

static bool barrier_of_some(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, some_threads);
}

static bool all_threads(Mending *mending, uint32_t at, uint32_t variant) {
    const PtxOperand number = edit_int(0);
    (void)variant;
    if (!is_cta_barrier(&mending->edit.func.instrs[at]))
        return false;
    replace(&mending->edit, at, &number, 1);
    return true;
}

static bool barrier_of_all(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, all_threads);
}

// ---- of more threads -----------------------------------------------------

static bool is_narrow(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (instr->op == PTX_OP_BAR_WARP_SYNC || is_of_all(site, at)) &&
           !instr->guard && place_is_first(site, at);
}

static bool is_narrow_at_end(const RemedySite *site, uint32_t at) {
    return is_narrow(site, at) && site->cluster > 1 &&
           next_of(site->entry, at, is_barrier) == site->entry->instr_count;
}

static bool put_block(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod none[] = {PTX_MOD_NONE};
    PtxInstr *instr = &mending->edit.func.instrs[at];
    const PtxOperand number = edit_int(0);
    (void)variant;
    if (instr->op != PTX_OP_BAR_WARP_SYNC)
        return false;
    *instr =
        edit_make(&mending->edit, instr, PTX_OP_BAR_SYNC, none, &number, 1);
    return true;
}

static bool put_cluster(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod arrives[] = {PTX_MOD_RELEASE, PTX_MOD_NONE};
    static const PtxMod waits[] = {PTX_MOD_ACQUIRE, PTX_MOD_NONE};
    Edit *edit = &mending->edit;
    PtxInstr like = edit->func.instrs[at];
    (void)variant;
    edit->func.instrs[at] =
        edit_make(edit, &like, PTX_OP_BARRIER_CLUSTER_ARRIVE, arrives, NULL, 0);
    edit_insert_behind(
        edit, at,
        edit_make(edit, &like, PTX_OP_BARRIER_CLUSTER_WAIT, waits, NULL, 0));
    return true;
}

static bool wider(Mending *mending, uint32_t at, uint32_t variant) {
    bool is_block = mending->kind == REMEDY_BARRIER_OF_BLOCK;
    return (is_block || mending->site->cluster > 1) &&
           mend_copies(mending, at, variant,
                       is_block ? put_block : put_cluster);
}

static bool drop_barrier(Mending *mending, uint32_t at, uint32_t variant) {
    Edit *edit = &mending->edit;
    uint32_t other = other_half(&edit->func, at);
    (void)variant;
    if (!is_barrier(&edit->func.instrs[at]))
        return false;
    if (other != at)
        edit_remove(edit, other);
    edit_remove(edit, at);
    return true;
}

static bool barrier_less(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, drop_barrier);
}

// ---- the table -----------------------------------------------------------

#define FOR_BARRIERS                                             \
    (FOR_RULE(SYNC001) | FOR_RULE(SYNC002) | FOR_RULE(SYNC003) | \
     FOR_RULE(DEADLOCK))
#define FOR_PARTS                                                            \
    (FOR_BARRIERS | FOR_RULE(BAR002) | FOR_RULE(BAR004) | FOR_RULE(CLC003) | \
     FOR_RULE(CLC005) | FOR_RULE(CLC006) | FOR_RULE(CLC007) |                \
     FOR_RULE(CLC010) | FOR_RULE(CLC011) | FOR_RULE(RACE001) |               \
     FOR_RULE(RACE002) | FOR_RULE(MEM003) | FOR_RULE(MEM004) |               \
     FOR_RULE(LIMIT))

static const RemedyRow ROWS[] = {
    {REMEDY_BARRIER_BEFORE, FOR_PARTS, 2, 1, is_inside, barrier_out},
    {REMEDY_BARRIER_BEHIND, FOR_PARTS, 2, 2, is_inside, barrier_out},
    {REMEDY_BARRIER_THREADS, FOR_BARRIERS, 5, 3, is_named, other_threads},
    {REMEDY_BARRIER_THREADS, FOR_BARRIERS, 4, 8, is_of_all, barrier_of_some},
    {REMEDY_BARRIER_ALL, FOR_BARRIERS, 1, 3, is_named, barrier_of_all},
    {REMEDY_BARRIER_OF_BLOCK, FOR_PARTS, 1, 0, is_narrow, wider},
    {REMEDY_BARRIER_OF_CLUSTER, FOR_PARTS, 1, 2, is_narrow, wider},
    {REMEDY_BARRIER_OF_CLUSTER, FOR_RULE(MEM004) | FROM_FAR, 1, 0,
     is_narrow_at_end, wider},
    {REMEDY_BARRIER_LESS, FOR_BARRIERS, 1, 5, is_barrier_of_many, barrier_less},
};

const RemedyTable REMEDIES_OF_BARRIERS = {ROWS, COUNT_OF(ROWS)};
