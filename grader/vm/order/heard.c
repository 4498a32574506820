// SPDX-License-Identifier: Apache-2.0
// See heard.h. A CTA's own events are numbered from 1. The end of a phase has
// been heard of by who has heard of a wait that was over because of it, or of
// all arrivals in it, if nothing else completed there.
#include "vm/order/heard.h"

static bool is_alone(const VmWarp *w) {
    return w->vm->shape.cluster_size == 1 || !w->vm->order;
}

static void pass_on(const VmHeard *from, VmHeard *to) {
    for (uint32_t i = 0; i < VM_MAX_CLUSTER; i++)
        if (to->of[i] < from->of[i])
            to->of[i] = from->of[i];
}

static bool has_heard_all(const VmHeard *heard, const VmHeard *events) {
    for (uint32_t i = 0; i < VM_MAX_CLUSTER; i++)
        if (heard->of[i] < events->of[i])
            return false;
    return true;
}

static VmHeard *heard_by(const VmWarp *w) {
    return &w->cta->order.heard;
}

// The number of a new event of the warp's CTA.
static uint32_t event(const VmWarp *w) {
    return ++heard_by(w)->of[w->cta->rank];
}

// ---- mbarriers -----------------------------------------------------------

static VmPhaseHeard *phase_of(const VmWarp *w, VmMbarrier *bar) {
    if (!bar->heard)
        bar->heard = arena_new(&w->vm->run_arena, VmPhaseHeard, 1);
    return bar->heard;
}

bool vm_heard_over(const VmWarp *w, const VmCta *owner, const VmMbarrier *bar) {
    const VmPhaseHeard *phase = bar->heard;
    if (owner == w->cta || bar->state.phase == 0 || is_alone(w) || !phase)
        return true;
    const VmHeard *heard = heard_by(w);
    for (uint32_t i = 0; i < VM_MAX_CLUSTER; i++)
        if (phase->seen_phase[i] == bar->state.phase &&
            heard->of[i] >= phase->seen.of[i])
            return true;
    return !phase->brought_before &&
           has_heard_all(heard, &phase->arrivals_before);
}

void vm_heard_arrive(const VmWarp *w, VmMbarrier *bar) {
    if (is_alone(w))
        return;
    VmPhaseHeard *phase = phase_of(w, bar);
    phase->arrivals.of[w->cta->rank] = event(w);
    pass_on(heard_by(w), &phase->arrived);
}

void vm_heard_issue(const VmWarp *w, VmMbarrier *bar) {
    if (!is_alone(w) && bar)
        pass_on(heard_by(w), &phase_of(w, bar)->arrived);
}

void vm_heard_completed(VmMbarrier *bar) {
    if (bar->heard)
        bar->heard->brought = true;
}

void vm_heard_phase(VmMbarrier *bar) {
    VmPhaseHeard *phase = bar->heard;
    if (!phase)
        return;
    pass_on(&phase->arrived, &phase->over);
    phase->arrivals_before = phase->arrivals;
    phase->brought_before = phase->brought;
    phase->arrived = phase->arrivals = (VmHeard){{0}};
    phase->brought = false;
}

void vm_heard_wait(const VmWarp *w, VmMbarrier *bar) {
    if (is_alone(w))
        return;
    VmPhaseHeard *phase = phase_of(w, bar);
    uint32_t rank = w->cta->rank;
    pass_on(&phase->over, heard_by(w));
    if (phase->seen_phase[rank] == bar->state.phase)
        return;
    phase->seen_phase[rank] = bar->state.phase;
    phase->seen.of[rank] = event(w);
}

// ---- other ways ----------------------------------------------------------

void vm_heard_cluster_arrive(const VmWarp *w) {
    if (!is_alone(w))
        pass_on(heard_by(w), &w->cta->cluster->heard.arrived);
}

void vm_heard_cluster_done(VmCluster *cluster) {
    cluster->heard.over = cluster->heard.arrived;
}

void vm_heard_cluster_wait(const VmWarp *w) {
    if (!is_alone(w))
        pass_on(&w->cta->cluster->heard.over, heard_by(w));
}

void vm_heard_access(const VmWarp *w, VmCta *owner, VmAccess access) {
    if (is_alone(w))
        return;
    VmHeard *there =
        owner ? &owner->order.heard : &w->cta->cluster->heard.global;
    if (access != ACCESS_WRITE)
        pass_on(there, heard_by(w));
    if (access != ACCESS_READ)
        pass_on(heard_by(w), there);
}
