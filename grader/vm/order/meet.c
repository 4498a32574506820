// SPDX-License-Identifier: Apache-2.0
// What threads tell each other at barriers and mbarriers: read order.h and
// order.c first.
#include "vm/machine/lanes.h"
#include "vm/order/release.h"

// ---- barriers ------------------------------------------------------------

void vm_order_warp_sync(VmWarp *w, uint32_t lanes) {
    VmClock *clock = vm_release(w, lanes, vm_order_step(w->vm));
    vm_order_learn(w, lanes, clock);
    vm_clock_drop(vm_clocks_of(w), clock);
}

void vm_order_barrier_arrive(VmWarp *w, VmBarrier *b, uint32_t lanes,
                             bool in_parts) {
    VmClocks *clocks = vm_clocks_of(w);
    if (!in_parts && !w->order.fences && !w->order.known_apart && b->clock &&
        w->known[0] == b->clock)
        return; // threads that arrived earlier knew the same
    vm_release_pending(w, lanes, SCOPE_CTA);
    VmClock *clock = in_parts ? vm_release(w, lanes, vm_order_step(w->vm))
                              : vm_release_known(w, lanes);
    b->in_parts |= in_parts;
    vm_clock_add(clocks, &b->clock, clock);
    vm_clock_drop(clocks, clock);
}

VmLesson vm_order_barrier_done(VmCta *cta, const VmBarrier *b) {
    Vm *vm = cta->cluster->vm;
    VmLesson lesson = {.arrived = b->clock};
    if (b->in_parts) {
        lesson.clock = vm_clock_keep(b->clock);
        return lesson;
    }
    lesson.before = vm_order_step(vm);
    VmKnown all = {vm_known_key(VIEW_GENERIC, KNOWN_CTA, cta->order.serial),
                   VM_FULL, lesson.before};
    lesson.clock = vm_clock_with(&vm->order->clocks, b->clock, &all, 1);
    return lesson;
}

void vm_order_barrier_learn(VmWarp *w, uint32_t lanes, const VmLesson *lesson) {
    bool knew_no_more = !w->order.known_apart && lanes == w->live &&
                        w->known[0] == lesson->arrived && lesson->before;
    if (!knew_no_more) {
        vm_order_learn(w, lanes, lesson->clock);
        return;
    }
    vm_clock_set(vm_clocks_of(w), &w->known[0], vm_clock_keep(lesson->clock));
    w->order.cta_before = lesson->before;
}

void vm_order_barrier_over(Vm *vm, VmLesson *lesson) {
    vm_clock_drop(&vm->order->clocks, lesson->arrived);
    vm_clock_drop(&vm->order->clocks, lesson->clock);
}

// What relaxed arrivals pass on: what fences have released to the cluster, and
// that the threads have met (VIEW_MET).
static VmClock *meet(VmWarp *w, uint32_t lanes, uint32_t time) {
    VmClocks *clocks = vm_clocks_of(w);
    VmClock *clock = vm_release_relaxed(w, lanes, SCOPE_CLUSTER);
    VmClock *known = vm_release_learnt(w, lanes);
    VmClock *met = vm_clock_views(clocks, known, VIEW_MET, VIEW_MET);
    vm_clock_add(clocks, &clock, met);
    vm_clock_set(clocks, &met,
                 vm_clock_copy_view(clocks, known, VIEW_GENERIC, VIEW_MET,
                                    VM_CLOCK_ALL));
    vm_clock_add(clocks, &clock, met);
    vm_clock_drop(clocks, met);
    vm_clock_drop(clocks, known);
    return vm_clock_and(clocks, clock,
                        vm_release_entry(w, VIEW_MET, lanes, time));
}

void vm_order_cluster_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes) {
    VmClocks *clocks = vm_clocks_of(w);
    VmCluster *cluster = w->cta->cluster;
    bool relaxed = in->sem == SEM_RELAXED;
    vm_release_pending(w, lanes, SCOPE_CLUSTER);
    uint32_t time = vm_order_step(w->vm);
    VmClock *clock =
        relaxed ? meet(w, lanes, time) : vm_release_known(w, lanes);
    if (relaxed && w->order.fences) {
        VmClock *here = vm_release_relaxed(w, lanes, SCOPE_CTA);
        vm_clock_add(clocks, &w->cta->order.arrived, here);
        vm_clock_drop(clocks, here);
    }
    EACH_LANE(l, lanes) {
        w->cluster_at[l] = relaxed ? 0 : time;
    }
    cluster->barrier.is_relaxed |= relaxed;
    vm_clock_add(clocks, &cluster->barrier.clock, clock);
    vm_clock_drop(clocks, clock);
}

// True if the whole warp waits at the barrier, right behind its arrival, so
// that it has done nothing since.
static bool stands(const VmWarp *w, const VmWarp *arriving) {
    uint32_t lanes = w == arriving ? w->frag->mask : 0;
    for (uint32_t i = 0; i < w->fragment_count; i++) {
        const VmFragment *f = &w->fragments[i];
        const VmInstr *code = f->frame->func->code;
        if (f->wait == WAIT_CLUSTER && f->pc > 0 &&
            code[f->pc - 1].op == PTX_OP_BARRIER_CLUSTER_ARRIVE)
            lanes |= f->mask;
    }
    return (w->live & ~lanes) == 0;
}

// Adds entries for the arrivals of one CTA: a single entry if it is true for
// the whole CTA.
static VmClock *add_arrivals(VmClocks *clocks, VmClock *clock, VmCta *cta,
                             const VmWarp *arriving, uint32_t now) {
    bool all = true, is_relaxed = cta->cluster->barrier.is_relaxed;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        all = all && stands(&cta->warps[i], arriving);
    if (all)
        clock = vm_clock_and(
            clocks, clock,
            (VmKnown){vm_known_key(is_relaxed ? VIEW_MET : VIEW_GENERIC,
                                   KNOWN_CTA, cta->order.serial),
                      VM_FULL, now});
    if (all && !is_relaxed)
        return clock;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        const VmWarp *w = &cta->warps[i];
        EACH_LANE(l, w->cluster_arrived) {
            if (w->cluster_at[l])
                clock = vm_clock_and(clocks, clock,
                                     vm_release_entry(w, VIEW_GENERIC, 1u << l,
                                                      w->cluster_at[l]));
        }
    }
    return clock;
}

void vm_order_cluster_done(VmCluster *cluster, const VmWarp *w) {
    VmClocks *clocks = &cluster->vm->order->clocks;
    uint32_t now = vm_order_step(cluster->vm);
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        VmCta *cta = cluster->ctas[i];
        if (cta->exited)
            continue;
        cluster->barrier.clock =
            add_arrivals(clocks, cluster->barrier.clock, cta, w, now);
        vm_clock_set(clocks, &cta->order.over, cta->order.arrived);
        cta->order.arrived = NULL;
    }
    vm_clock_set(clocks, &cluster->barrier.over, cluster->barrier.clock);
    cluster->barrier.clock = NULL;
    cluster->barrier.was_relaxed = cluster->barrier.is_relaxed;
    cluster->barrier.over_at = now;
    cluster->barrier.is_relaxed = false;
}

void vm_order_cluster_wait(VmWarp *w, uint32_t lanes) {
    vm_order_learn(w, lanes, w->cta->cluster->barrier.over);
    vm_order_learn(w, lanes, w->cta->order.over);
}

// ---- mbarriers -----------------------------------------------------------

void vm_order_mbarrier_init(VmWarp *w, uint32_t lane, VmMbarrier *bar) {
    VmOrder *o = w->vm->order;
    bar->clocks.init_who = vm_who(w, lane);
    bar->clocks.init_time = o->time;
    bar->clocks.agent = vm_order_agents(w->vm, 1);
}

// True if what thread `who` did at `time` is ordered before what this lane does
// now.
static bool is_behind(const VmWarp *w, uint32_t lane, uint32_t who,
                      uint32_t time) {
    VmClocks *clocks = vm_clocks_of(w);
    return who == vm_who(w, lane) ||
           (time < w->order.cta_before &&
            (who >> 5) / clocks->warps_per_cta == w->cta->order.serial) ||
           vm_clock_knows(clocks, vm_known(w, lane), VIEW_GENERIC, who, time);
}

bool vm_order_initialised(const VmWarp *w, uint32_t lane,
                          const VmMbarrier *bar) {
    return w->vm->order->is_lost ||
           is_behind(w, lane, bar->clocks.init_who, bar->clocks.init_time) ||
           vm_clock_knows(vm_clocks_of(w), vm_known(w, lane), VIEW_INIT,
                          bar->clocks.init_who, bar->clocks.init_time);
}

VmMoment vm_order_now(const VmWarp *w, uint32_t lane) {
    return (VmMoment){vm_who(w, lane), w->vm->order->time, true};
}

bool vm_order_follows(const VmWarp *w, uint32_t lane, VmMoment moment) {
    return moment.is_known && !w->vm->order->is_lost &&
           is_behind(w, lane, moment.who, moment.time);
}

void vm_order_mbarrier_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes,
                              const VmCta *owner, VmMbarrier *bar) {
    VmClocks *clocks = vm_clocks_of(w);
    // For an mbarrier of the own CTA, CTA scope reaches every thread that may
    // wait there.
    VmScope scope = owner == w->cta ? SCOPE_CTA : SCOPE_CLUSTER;
    bool full = vm_sem_releases((VmSem)in->sem) && (VmScope)in->scope >= scope;
    uint32_t time = vm_order_step(w->vm);
    VmClock *clock =
        full ? vm_release(w, lanes, time) : vm_release_relaxed(w, lanes, scope);
    vm_clock_add(clocks, &bar->clocks.arrived, clock);
    vm_clock_drop(clocks, clock);
}

void vm_order_mbarrier_passes(Vm *vm, VmMbarrier *bar, VmKnown known) {
    bar->clocks.arrived =
        vm_clock_and(&vm->order->clocks, bar->clocks.arrived, known);
}

void vm_order_mbarrier_phase(Vm *vm, VmMbarrier *bar) {
    VmClocks *clocks = &vm->order->clocks;
    if (bar->async.has_come) {
        VmKnown agent = {
            vm_known_key(VIEW_GENERIC, KNOWN_AGENT, bar->clocks.agent), VM_FULL,
            (uint32_t)bar->state.phase + 1};
        vm_order_mbarrier_passes(vm, bar, agent);
    }
    vm_clock_add(clocks, &bar->clocks.over, bar->clocks.arrived);
    vm_clock_set(clocks, &bar->clocks.arrived, NULL);
}

void vm_order_mbarrier_wait(VmWarp *w, const VmInstr *in, uint32_t lanes,
                            const VmMbarrier *bar) {
    vm_release_receive(w, lanes, bar->clocks.over, in->sem != SEM_RELAXED,
                       SCOPE_CTA);
}

void vm_order_mbarrier_end(Vm *vm, VmMbarrier *bar) {
    vm_clock_set(&vm->order->clocks, &bar->clocks.arrived, NULL);
    vm_clock_set(&vm->order->clocks, &bar->clocks.over, NULL);
}
