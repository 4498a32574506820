// SPDX-License-Identifier: Apache-2.0
// Remedies for an operation that is there, and too weak: release and acquire
// for relaxed, a wider scope, the shared memory of the cluster, an answer to
// all blocks of a cluster or to one alone.
#include "remedies/rows.h"
#include "remedies/what.h"

static bool is_strong(const PtxInstr *instr) {
    return ptx_has(instr, PTX_MOD_RELAXED) || ptx_has(instr, PTX_MOD_VOLATILE);
}

static bool is_relaxed(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    bool orders = is_access(instr) || is_barrier(instr);
    return orders && is_strong(instr) && place_is_first(site, at);
}

static PtxMod order_of(const PtxInstr *instr) {
    if (instr->op == PTX_OP_LD || is_wait(instr))
        return PTX_MOD_ACQUIRE;
    return instr->op == PTX_OP_ATOM ? PTX_MOD_ACQ_REL : PTX_MOD_RELEASE;
}

static void add_scope(PtxInstr *instr) {
    static const PtxMod scopes[] = {PTX_MOD_CTA, PTX_MOD_CLUSTER, PTX_MOD_GPU,
                                    PTX_MOD_SYS};
    for (size_t i = 0; i < COUNT_OF(scopes); i++)
        if (ptx_has(instr, scopes[i]))
            return;
    bool shared = ptx_space(instr) == PTX_SPACE_SHARED;
    uint32_t at = 0; // behind the order
    while (instr->mods[at] != order_of(instr))
        at++;
    edit_add_mod(instr,
                 at + 1 < instr->mod_count ? instr->mods[at + 1] : PTX_MOD_NONE,
                 shared ? PTX_MOD_CTA : PTX_MOD_GPU);
}

static bool put_order(Mending *mending, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    (void)variant;
    if (!edit_swap_mod(instr, PTX_MOD_RELAXED, order_of(instr)) &&
        !edit_swap_mod(instr, PTX_MOD_VOLATILE, order_of(instr)))
        return false;
    if (!is_barrier(instr))
        add_scope(instr);
    return true;
}

static bool ordered(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_copies(mending, at, variant, put_order);
}

// At all of them: who releases needs another who acquires.
static bool ordered_all(Mending *mending, uint32_t at, uint32_t variant) {
    const PtxFunc *entry = mending->site->entry;
    (void)at;
    for (uint32_t i = 0; i < entry->instr_count; i++)
        if ((is_access(&entry->instrs[i]) || is_barrier(&entry->instrs[i])) &&
            is_strong(&entry->instrs[i]))
            put_order(mending, i, variant);
    return true;
}

// ---- scope and space -----------------------------------------------------

static bool is_scoped(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (is_access(instr) || is_fence(instr)) &&
           instr->op != PTX_OP_FENCE_PROXY &&
           instr->op != PTX_OP_FENCE_MBARRIER_INIT &&
           (ptx_has(instr, PTX_MOD_CTA) || ptx_has(instr, PTX_MOD_CLUSTER)) &&
           place_is_first(site, at);
}

// An mbarrier has no wider scope than its cluster.
static bool is_scoped_access(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return is_scoped(site, at) && !is_wait(instr) && !is_arrive(instr) &&
           instr->op != PTX_OP_MBARRIER_EXPECT_TX;
}

static bool put_scope(Mending *mending, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    PtxMod scope = variant == 0 ? PTX_MOD_CLUSTER : PTX_MOD_GPU;
    return edit_swap_mod(instr, PTX_MOD_CTA, scope) ||
           (variant == 1 && edit_swap_mod(instr, PTX_MOD_CLUSTER, scope));
}

static bool cluster_scope(Mending *mending, uint32_t at, uint32_t variant) {
    (void)variant;
    return mending->site->cluster > 1 && mend_copies(mending, at, 0, put_scope);
}

static bool grid_scope(Mending *mending, uint32_t at, uint32_t variant) {
    (void)variant;
    return mend_copies(mending, at, 1, put_scope);
}

// ---- who gets the answer -------------------------------------------------

static bool is_any_request(const RemedySite *site, uint32_t at) {
    return is_request(&site->entry->instrs[at]) && place_is_first(site, at);
}

static bool put_multicast(Mending *mending, uint32_t at, uint32_t variant) {
    PtxInstr *instr = &mending->edit.func.instrs[at];
    bool to_all = ptx_has(instr, PTX_MOD_MULTICAST_CLUSTER_ALL);
    (void)variant;
    if (to_all == (mending->kind == REMEDY_MULTICAST))
        return false;
    if (!edit_drop_mod(instr, PTX_MOD_MULTICAST_CLUSTER_ALL))
        edit_add_mod(instr, PTX_MOD_B128, PTX_MOD_MULTICAST_CLUSTER_ALL);
    return true;
}

static bool other_cast(Mending *mending, uint32_t at, uint32_t variant) {
    return (mending->kind == REMEDY_UNICAST || mending->site->cluster > 1) &&
           mend_copies(mending, at, variant, put_multicast);
}

// ---- the table -----------------------------------------------------------

#define FOR_ORDER                                               \
    (FOR_RULE(RACE001) | FOR_RULE(RACE002) | FOR_RULE(CLC001) | \
     FOR_RULE(CLC006) | FOR_RULE(CLC007) | FOR_RULE(BAR002) |   \
     FOR_RULE(BAR004) | FOR_RULE(CLC005) | FOR_RULE(CLC011) |   \
     FOR_RULE(CLC010) | FOR_RULE(MEM003) | FOR_RULE(CLC003))
#define FOR_CASTS                                               \
    (FOR_RULE(DEADLOCK) | FOR_RULE(CLC003) | FOR_RULE(CLC004) | \
     FOR_RULE(CLC007) | FOR_RULE(CLC009) | FOR_RULE(CLC010) |   \
     FOR_RULE(CLC011) | FOR_RULE(BAR001) | FOR_RULE(RACE002))

static const RemedyRow ROWS[] = {
    {REMEDY_ORDERED, FOR_ORDER, 1, 1, is_relaxed, ordered},
    {REMEDY_ORDERED_ALL, FOR_ORDER, 1, 4, is_relaxed, ordered_all},
    {REMEDY_SCOPE_OF_CLUSTER, FOR_ORDER, 1, 3, is_scoped, cluster_scope},
    {REMEDY_SCOPE_OF_GRID, FOR_ORDER, 1, 4, is_scoped_access, grid_scope},
    {REMEDY_MULTICAST, FOR_CASTS, 1, 3, is_any_request, other_cast},
    {REMEDY_UNICAST, FOR_CASTS, 1, 3, is_any_request, other_cast},
};

const RemedyTable REMEDIES_OF_STRENGTH = {ROWS, COUNT_OF(ROWS)};
