// SPDX-License-Identifier: Apache-2.0
// Remedies that order what is not ordered: barriers, and fences.
#include "remedies/rows.h"

// ---- barriers ------------------------------------------------------------

static bool begins_line(const RemedySite *site, uint32_t at) {
    return place_begins_line(site, at);
}

static bool begins_line_of_many(const RemedySite *site, uint32_t at) {
    return site->threads > 32 && begins_line(site, at);
}

static bool begins_line_of_cluster(const RemedySite *site, uint32_t at) {
    return site->cluster > 1 && begins_line(site, at);
}

static void add(Mending *mending, uint32_t at, PtxOp op, const PtxMod *mods,
                const PtxOperand *operand) {
    Edit *edit = &mending->edit;
    PtxInstr like = edit->func.instrs[at];
    edit_insert(edit, at,
                edit_make(edit, &like, op, mods, operand, operand ? 1 : 0));
}

static bool add_warp_barrier(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod none[] = {PTX_MOD_NONE};
    const PtxOperand mask = edit_int(UINT32_MAX);
    (void)variant;
    add(mending, at, PTX_OP_BAR_WARP_SYNC, none, &mask);
    return true;
}

static bool add_block_barrier(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod none[] = {PTX_MOD_NONE};
    const PtxOperand zero = edit_int(0);
    (void)variant;
    add(mending, at, PTX_OP_BAR_SYNC, none, &zero);
    return true;
}

static bool add_cluster_barrier(Mending *mending, uint32_t at,
                                uint32_t variant) {
    static const PtxMod arrive[] = {PTX_MOD_RELEASE, PTX_MOD_ALIGNED,
                                    PTX_MOD_NONE};
    static const PtxMod wait[] = {PTX_MOD_ACQUIRE, PTX_MOD_ALIGNED,
                                  PTX_MOD_NONE};
    (void)variant;
    add(mending, at, PTX_OP_BARRIER_CLUSTER_WAIT, wait, NULL);
    add(mending, at, PTX_OP_BARRIER_CLUSTER_ARRIVE, arrive, NULL);
    return true;
}

// ---- the table -----------------------------------------------------------

#define FOR_UNORDERED                                           \
    (FOR_RULE(RACE001) | FOR_RULE(RACE002) | FOR_RULE(BAR002) | \
     FOR_RULE(BAR004) | FOR_RULE(CLC005) | FOR_RULE(CLC006) |   \
     FOR_RULE(CLC007) | FOR_RULE(CLC010) | FOR_RULE(CLC011) |   \
     FOR_RULE(CLC003) | FOR_RULE(MEM003) | FOR_RULE(MEM004) | FOR_JUDGED)

static const RemedyRow ROWS[] = {
    {REMEDY_BARRIER_WARP, FOR_RULE(RACE001) | FOR_RULE(RACE002), 1, 3,
     begins_line, add_warp_barrier},
    {REMEDY_BARRIER_BLOCK, FOR_UNORDERED, 1, 2, begins_line_of_many,
     add_block_barrier},
    {REMEDY_BARRIER_CLUSTER, FOR_UNORDERED, 1, 4, begins_line_of_cluster,
     add_cluster_barrier},
};

const RemedyTable REMEDIES_OF_ORDER = {ROWS, COUNT_OF(ROWS)};
