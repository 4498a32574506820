// SPDX-License-Identifier: Apache-2.0
// Remedies that order what is not ordered: one more barrier, one more fence. A
// fence may stand in front of a line, and inside a condition in front of the
// request or the arrival that the line makes.
#include "remedies/rows.h"
#include "remedies/what.h"

// ---- places --------------------------------------------------------------

static bool begins_line(const RemedySite *site, uint32_t at) {
    return place_begins_line(site, at);
}

static bool begins_line_of_many(const RemedySite *site, uint32_t at) {
    return site->threads > 32 && begins_line(site, at);
}

static bool begins_line_of_cluster(const RemedySite *site, uint32_t at) {
    return site->cluster > 1 && begins_line(site, at);
}

static bool is_place_of_fence(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return begins_line(site, at) || is_request(instr) || is_arrive(instr);
}

static bool is_place_of_fence_in_cluster(const RemedySite *site, uint32_t at) {
    return site->cluster > 1 && is_place_of_fence(site, at);
}

// One half of a fence between proxies is good with the other one alone, which
// the kernel has then.
static bool has_half(const RemedySite *site, PtxMod half) {
    for (uint32_t i = 0; i < site->entry->instr_count; i++) {
        const PtxInstr *instr = &site->entry->instrs[i];
        if (instr->op == PTX_OP_FENCE_PROXY &&
            ptx_has(instr, PTX_MOD_ASYNC_GENERIC) && ptx_has(instr, half))
            return true;
    }
    return false;
}

static bool is_place_of_release(const RemedySite *site, uint32_t at) {
    return is_place_of_fence(site, at) && has_half(site, PTX_MOD_ACQUIRE);
}

static bool is_place_of_acquire(const RemedySite *site, uint32_t at) {
    return is_place_of_fence(site, at) && has_half(site, PTX_MOD_RELEASE);
}

// ---- barriers ------------------------------------------------------------

static void add(Mending *mending, uint32_t at, PtxOp op, const PtxMod *mods,
                const PtxOperand *operand) {
    Edit *edit = &mending->edit;
    PtxInstr like = edit->func.instrs[at];
    edit_insert(edit, at,
                edit_make(edit, &like, op, mods, operand, operand ? 1 : 0));
}

static bool put_warp_barrier(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod none[] = {PTX_MOD_NONE};
    const PtxOperand mask = edit_int(UINT32_MAX);
    (void)variant;
    add(mending, at, PTX_OP_BAR_WARP_SYNC, none, &mask);
    return true;
}

static bool add_warp_barrier(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_lines(mending, at, variant, put_warp_barrier);
}

static bool put_block_barrier(Mending *mending, uint32_t at, uint32_t variant) {
    static const PtxMod none[] = {PTX_MOD_NONE};
    const PtxOperand zero = edit_int(0);
    (void)variant;
    add(mending, at, PTX_OP_BAR_SYNC, none, &zero);
    return true;
}

static bool add_block_barrier(Mending *mending, uint32_t at, uint32_t variant) {
    return mend_lines(mending, at, variant, put_block_barrier);
}

// What one of the finding's lines accesses under a condition.
static bool is_inside(const RemedySite *site, uint32_t at) {
    const PtxInstr *instr = &site->entry->instrs[at];
    return (instr->op == PTX_OP_LD || instr->op == PTX_OP_ST) &&
           site->threads > 32 && is_access(instr) && place_is_first(site, at) &&
           place_distance(site, place_line(site, at)) == 0;
}

// In front of the condition, so that all come to it: the lines themselves may
// be those of a function that is called there.
static bool barrier_outside(Mending *mending, uint32_t at, uint32_t level) {
    uint32_t to = jump_over(mending->site->entry, at, level);
    mending->at = to;
    return place_line(mending->site, to) != 0 &&
           put_block_barrier(mending, to, 0);
}

static bool put_cluster_barrier(Mending *mending, uint32_t at,
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

static bool add_cluster_barrier(Mending *mending, uint32_t at,
                                uint32_t variant) {
    return mend_lines(mending, at, variant, put_cluster_barrier);
}

// In front of the kernel's end.
static bool is_end_of_cluster(const RemedySite *site, uint32_t at) {
    const PtxFunc *entry = site->entry;
    return site->cluster > 1 && entry->instrs[at].op == PTX_OP_RET &&
           !entry->instrs[at].guard && at + 1 == entry->instr_count;
}

// ---- fences --------------------------------------------------------------

typedef struct Fence {
    PtxOp op;
    PtxMod mods[PTX_MAX_MODS];
} Fence;

static bool put_fence(Mending *mending, uint32_t at, uint32_t kind) {
    static const Fence fences[] = {
        [REMEDY_FENCE_CTA] = {PTX_OP_FENCE_PROXY,
                              {PTX_MOD_ASYNC, PTX_MOD_SHARED_CTA}},
        [REMEDY_FENCE_SLOTS] = {PTX_OP_FENCE_PROXY,
                                {PTX_MOD_ASYNC, PTX_MOD_SHARED_CLUSTER}},
        [REMEDY_FENCE_PROXY] = {PTX_OP_FENCE_PROXY, {PTX_MOD_ASYNC}},
        [REMEDY_FENCE_RELEASING] = {PTX_OP_FENCE_PROXY,
                                    {PTX_MOD_ASYNC_GENERIC, PTX_MOD_RELEASE,
                                     PTX_MOD_SYNC_RESTRICT_SHARED_CTA,
                                     PTX_MOD_CLUSTER}},
        [REMEDY_FENCE_ACQUIRING] = {PTX_OP_FENCE_PROXY,
                                    {PTX_MOD_ASYNC_GENERIC, PTX_MOD_ACQUIRE,
                                     PTX_MOD_SYNC_RESTRICT_SHARED_CLUSTER,
                                     PTX_MOD_CLUSTER}},
        [REMEDY_FENCE_INIT] = {PTX_OP_FENCE_MBARRIER_INIT,
                               {PTX_MOD_RELEASE, PTX_MOD_CLUSTER}},
        [REMEDY_FENCE_BLOCK] = {PTX_OP_FENCE, {PTX_MOD_ACQ_REL, PTX_MOD_CTA}},
        [REMEDY_FENCE_CLUSTER] = {PTX_OP_FENCE,
                                  {PTX_MOD_ACQ_REL, PTX_MOD_CLUSTER}},
        [REMEDY_FENCE_GRID] = {PTX_OP_FENCE, {PTX_MOD_ACQ_REL, PTX_MOD_GPU}},
    };
    add(mending, at, fences[kind].op, fences[kind].mods, NULL);
    return true;
}

// A row's function knows its place and variant; the kind is that of the row.
static bool add_fence(Mending *mending, uint32_t at, uint32_t variant) {
    (void)variant;
    if (place_begins_line(mending->site, at))
        return mend_lines(mending, at, mending->kind, put_fence);
    return mend_copies(mending, at, mending->kind, put_fence);
}

// ---- the table -----------------------------------------------------------

#define FOR_UNORDERED                                           \
    (FOR_RULE(RACE001) | FOR_RULE(RACE002) | FOR_RULE(BAR002) | \
     FOR_RULE(BAR004) | FOR_RULE(CLC005) | FOR_RULE(CLC006) |   \
     FOR_RULE(CLC007) | FOR_RULE(CLC010) | FOR_RULE(CLC011) |   \
     FOR_RULE(CLC003) | FOR_RULE(MEM003) | FOR_RULE(MEM004) | FOR_JUDGED)

#define FOR_PROXIES (FOR_RULE(RACE002) | FOR_RULE(CLC006) | FOR_RULE(CLC010))
#define FOR_MEMORY (FOR_RULE(RACE001) | FOR_RULE(RACE002))
#define FOR_MBARRIERS \
    (FOR_RULE(BAR002) | FOR_RULE(BAR004) | FOR_RULE(CLC005) | FOR_RULE(CLC011))

static const RemedyRow ROWS[] = {
    {REMEDY_BARRIER_WARP, FOR_RULE(RACE001) | FOR_RULE(RACE002), 1, 3,
     begins_line, add_warp_barrier},
    {REMEDY_BARRIER_BLOCK, FOR_UNORDERED, 1, 2, begins_line_of_many,
     add_block_barrier},
    {REMEDY_BARRIER_BLOCK, FOR_UNORDERED, 2, 2, is_inside, barrier_outside},
    {REMEDY_BARRIER_CLUSTER, FOR_UNORDERED, 1, 4, begins_line_of_cluster,
     add_cluster_barrier},
    {REMEDY_BARRIER_CLUSTER, FOR_RULE(MEM004) | FOR_RULE(CLC003) | FROM_FAR, 1,
     1, is_end_of_cluster, put_cluster_barrier},
    {REMEDY_FENCE_CTA, FOR_PROXIES, 1, 1, is_place_of_fence, add_fence},
    {REMEDY_FENCE_RELEASING, FOR_PROXIES, 1, 0, is_place_of_release, add_fence},
    {REMEDY_FENCE_ACQUIRING, FOR_PROXIES, 1, 0, is_place_of_acquire, add_fence},
    {REMEDY_FENCE_SLOTS, FOR_PROXIES, 1, 3, is_place_of_fence_in_cluster,
     add_fence},
    {REMEDY_FENCE_PROXY, FOR_RULE(RACE002), 1, 2, is_place_of_fence, add_fence},
    {REMEDY_FENCE_INIT, FOR_MBARRIERS, 1, 1, begins_line_of_cluster, add_fence},
    {REMEDY_FENCE_BLOCK, FOR_MEMORY, 1, 6, begins_line, add_fence},
    {REMEDY_FENCE_CLUSTER, FOR_MEMORY, 1, 7, begins_line_of_cluster, add_fence},
    {REMEDY_FENCE_GRID, FOR_MEMORY, 1, 6, begins_line, add_fence},
};

const RemedyTable REMEDIES_OF_ORDER = {ROWS, COUNT_OF(ROWS)};
