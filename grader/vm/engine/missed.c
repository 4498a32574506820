// SPDX-License-Identifier: Apache-2.0
// A barrier that threads wait at and others have gone round for good: from
// where those stand, no way that is open to them leads to such a barrier. It
// can complete only if they leave, and they wait as well: for something that is
// done behind the barrier. So that barrier is the root of the deadlock.
#include "vm/engine/missed.h"

#include "vm/decode/way.h"

enum { MOST_LOOKS = 64 }; // at fragments, for each barrier

// ---- goals ---------------------------------------------------------------

static bool is_cluster_arrival(const PtxInstr *in) {
    return in->op == PTX_OP_BARRIER_CLUSTER_ARRIVE;
}

static bool is_block_barrier(const PtxInstr *in) {
    return PTX_TRAITS[in->op].object == PTX_OBJECT_CTA;
}

// What may end a wait of another thread: an arrival, a request, a copy, a
// store.
static bool is_signal(const PtxInstr *in) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    bool writes =
        traits->access != PTX_ACCESS_NONE && traits->access != PTX_ACCESS_READS;
    return traits->object == PTX_OBJECT_REQUEST ||
           (writes && ptx_space(in) != PTX_SPACE_LOCAL &&
            ptx_space(in) != PTX_SPACE_PARAM);
}

// ---- who waits, and who does not come --------------------------------------

// Whether the barrier that the fragment waits at is for all threads.
static bool is_for_all(const VmWarp *w, const VmFragment *f) {
    return f->wait == WAIT_CLUSTER ||
           (f->wait == WAIT_BARRIER && w->cta->barriers[f->key].expected == 0);
}

static bool has_come(const VmFragment *at, const VmWarp *w,
                     const VmFragment *f) {
    if (at->wait == WAIT_CLUSTER)
        return f->wait == WAIT_CLUSTER || (f->mask & w->cluster_arrived);
    return f->wait == WAIT_BARRIER && f->key == at->key;
}

// Whether it waits for something that others do, and never comes.
static bool is_past(const VmFragment *at, const VmWarp *w,
                    const VmFragment *f) {
    bool waits = f->wait == WAIT_MBARRIER || f->wait == WAIT_NONE;
    return waits && !has_come(at, w, f) &&
           !vm_way_leads(f, at->wait == WAIT_CLUSTER ? is_cluster_arrival
                                                     : is_block_barrier);
}

static bool is_missed(const VmWarp *w, const VmFragment *at) {
    const VmCluster *cluster = w->cta->cluster;
    uint32_t looks = 0;
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        const VmCta *cta = cluster->ctas[i];
        if (cta != w->cta && at->wait != WAIT_CLUSTER)
            continue;
        for (uint32_t k = 0; k < cta->warp_count; k++)
            for (uint32_t n = 0; n < cta->warps[k].fragment_count; n++)
                if (looks++ < MOST_LOOKS &&
                    is_past(at, &cta->warps[k], &cta->warps[k].fragments[n]))
                    return true;
    }
    return false;
}

VmFragment *vm_missed_at(VmWarp *w) {
    for (uint32_t k = 0; k < w->fragment_count; k++) {
        VmFragment *f = &w->fragments[k];
        if (is_for_all(w, f) && vm_way_leads(f, is_signal) && is_missed(w, f))
            return f;
    }
    return NULL;
}
