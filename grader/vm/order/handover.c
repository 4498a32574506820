// SPDX-License-Identifier: Apache-2.0
// Threads that hand memory over by arriving at an mbarrier. Of two accesses
// that nothing orders, such a handover may be the reason, and it can be wrong
// in four ways:
//
//   the thread of the earlier access arrived before it (an early arrival),
//   or another lane did for its warp, which it had not met;
//   the thread of the later access arrived before it, and the earlier one was
//   made behind the wait for that: the same, seen in another order;
//   the arrival was relaxed, or the wait for it.
//
// An arrival counts only if the other thread's access comes behind it. Read
// vm_handover_explain, at the end; the last arrivals of each warp are noted.
#include "vm/order/handover.h"

#include "vm/decode/condition.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/order/stale.h"

void vm_handover_note(VmWarp *w, const VmInstr *in, uint32_t lanes,
                      const VmCta *owner, const VmMbarrier *bar) {
    w->arrivals[w->order.arrived++ % VM_ARRIVALS_MOST] =
        (VmArrival){.lanes = lanes,
                    .loc = in->loc,
                    .time = w->vm->order->time,
                    .cta = owner->order.serial,
                    .offset = bar->offset,
                    .is_relaxed = in->sem == SEM_RELAXED,
                    .phase = bar->state.phase,
                    .ptx = in->ptx};
}

static uint32_t arrival_count(const VmWarp *w) {
    return w->order.arrived < VM_ARRIVALS_MOST ? w->order.arrived
                                               : VM_ARRIVALS_MOST;
}

// The warp's arrivals, the latest first.
static const VmArrival *arrival_at(const VmWarp *w, uint32_t i) {
    return &w->arrivals[(w->order.arrived - 1 - i) % VM_ARRIVALS_MOST];
}

// What a lane of the warp knows of its last wait at the mbarrier, if it has
// seen that phase complete; else NULL.
static const VmPassed *wait_for(const VmWarp *w, uint32_t lane,
                                const VmArrival *arrival) {
    if (arrival->cta != w->cta->order.serial)
        return NULL;
    for (uint32_t i = 0; i < w->order.passed_count; i++) {
        const VmPassed *passed = &w->passed[i];
        if (passed->offset == arrival->offset && passed->phase != UINT64_MAX &&
            passed->phase > arrival->phase && (passed->lanes >> lane & 1))
            return passed;
    }
    return NULL;
}

// ---- what is wrong with an arrival ---------------------------------------

// One that explains the finding. reason: REASON_NONE: none does.
typedef struct Handover {
    FindingReason reason;
    FindingPlace place;
    const VmWarp *w; // that arrived
    const VmArrival *arrival;
    uint32_t loc; // of the place, if it is not the arrival
} Handover;

// Those of the lanes that arrived of which the later thread knows what they did
// at this time.
static uint32_t known_at(const VmRace *r, const VmWarp *other,
                         const VmArrival *arrival, uint32_t time) {
    return vm_clock_known_lanes(&r->w->vm->order->clocks,
                                vm_known(r->w, r->lane), VIEW_GENERIC,
                                other->serial << 5, arrival->lanes, time);
}

// Whether it learned of their past by just this arrival.
static bool has_learned(const VmRace *r, const VmWarp *other,
                        const VmArrival *arrival) {
    return (known_at(r, other, arrival, arrival->time - 1) &
            ~known_at(r, other, arrival, arrival->time)) != 0;
}

// Whether the lane has passed a wait between the two times: what comes behind
// it belongs to another round.
static bool has_waited(const VmWarp *w, uint32_t lane, uint32_t from,
                       uint32_t until) {
    for (uint32_t i = 0; i < w->order.passed_count; i++) {
        const VmPassed *passed = &w->passed[i];
        if (passed->phase != UINT64_MAX && passed->time >= from &&
            passed->time <= until && (passed->lanes >> lane & 1))
            return true;
    }
    return false;
}

// Whether the arrival comes in front of the access in the code: behind it, it
// is one of the round before. Of loops that the compiler has unrolled, the
// first copies count.
static bool is_in_front(const VmRace *r, const VmArrival *arrival,
                        const PtxInstr *access) {
    const PtxInstr *first =
        vm_condition_first(r->w->frag->frame->func, arrival->ptx);
    return first && access && first < access;
}

// In the function that the later access is in.
static const PtxInstr *earlier_access(const VmRace *r) {
    return vm_condition_access(r->w->frag->frame->func, r->site & SITE_LOC);
}

static const PtxInstr *later_access(const VmRace *r) {
    return vm_condition_first(r->w->frag->frame->func, r->in->ptx);
}

// Of an arrival by the warp of the earlier access.
static Handover judge_earlier(const VmRace *r, const VmWarp *other,
                              const VmArrival *arrival) {
    Handover h = {.w = other, .arrival = arrival};
    const VmPassed *wait = wait_for(r->w, r->lane, arrival);
    bool is_wait_relaxed = wait && (wait->relaxed >> r->lane & 1);
    bool is_loose = wait && (arrival->is_relaxed || is_wait_relaxed);
    bool is_own = arrival->lanes >> (r->who & 31) & 1;
    bool is_handed_over = is_loose || has_learned(r, other, arrival);
    // Of global memory, an index is wrong more often: only who has waited for
    // this arrival counts on it.
    if (!is_handed_over || (!r->cta && !wait))
        return h;
    if (arrival->time <= r->time) {
        if (!is_in_front(r, arrival, earlier_access(r)) ||
            has_waited(other, r->who & 31, arrival->time, r->time))
            return h;
        h.reason = is_own ? REASON_ARRIVED_EARLY : REASON_WARP_ARRIVED_EARLY;
        h.place = PLACE_RELEASED_EARLY;
    } else if (known_at(r, other, arrival, r->time)) {
        if (is_own)
            return h;
        h.reason = REASON_ARRIVED_ALONE;
        h.place = PLACE_ARRIVED_ALONE;
    } else if (wait && arrival->is_relaxed) {
        h.reason = REASON_RELAXED_ARRIVAL;
        h.place = PLACE_RELAXED_ARRIVAL;
    } else if (is_wait_relaxed) {
        h.reason = REASON_RELAXED_WAIT;
        h.place = PLACE_RELAXED_WAIT;
        h.loc = wait->loc;
    }
    return h;
}

// Of an arrival by the warp of the later access.
static Handover judge_later(const VmRace *r, const VmWarp *other,
                            const VmArrival *arrival) {
    const VmPassed *wait = wait_for(other, r->who & 31, arrival);
    if (!wait || wait->time > r->time ||
        !is_in_front(r, arrival, later_access(r)) ||
        has_waited(r->w, r->lane, arrival->time, UINT32_MAX))
        return (Handover){0};
    return (Handover){.reason = REASON_RELEASED_FIRST,
                      .place = PLACE_RELEASED_FIRST,
                      .w = r->w,
                      .arrival = arrival};
}

static Handover find_handover(const VmRace *r, const VmWarp *other) {
    Handover h = {0};
    for (uint32_t i = 0; i < arrival_count(other) && !h.reason; i++)
        h = judge_earlier(r, other, arrival_at(other, i));
    for (uint32_t i = 0; i < arrival_count(r->w) && !h.reason && !r->async; i++)
        h = judge_later(r, other, arrival_at(r->w, i));
    return h;
}

bool vm_handover_explain(const VmRace *r, Finding *finding) {
    Vm *vm = r->w->vm;
    const VmWarp *other =
        r->who & VM_AGENT ? NULL : vm_warp_of(vm, r->who >> 5);
    Handover h = other ? find_handover(r, other) : (Handover){0};
    if (!h.reason)
        return false;
    uint32_t loc = vm_learner_loc(vm, NULL, h.loc ? h.loc : h.arrival->loc);
    uint64_t who = vm_thread(h.w, vm_first(h.arrival->lanes));
    finding->reason = h.reason;
    vm_relate_first(vm, finding, h.place, loc,
                    h.place == PLACE_RELAXED_WAIT ? NO_FACTS
                                                  : FACTS(FACT(OTHER, who)));
    vm_cure(vm, finding, finding->cure, loc);
    return true;
}

// ---- loops of their own --------------------------------------------------

// Whether the loop round `waiting`, which `waiter` is in, waits for arrivals
// that the loop round `arriving` makes, which `arriver` is in.
static bool waits_for(const VmFunc *func, const VmWarp *waiter,
                      const PtxInstr *waiting, const VmWarp *arriver,
                      const PtxInstr *arriving) {
    for (uint32_t i = 0; i < waiter->order.passed_count; i++) {
        const VmPassed *passed = &waiter->passed[i];
        for (uint32_t k = 0; k < arrival_count(arriver); k++) {
            const VmArrival *arrival = arrival_at(arriver, k);
            if (passed->wait && passed->offset == arrival->offset &&
                arrival->cta == waiter->cta->order.serial &&
                vm_condition_share_loop(func, passed->wait, waiting) &&
                vm_condition_share_loop(func, arrival->ptx, arriving))
                return true;
        }
    }
    return false;
}

bool vm_handover_apart(const VmRace *r) {
    const VmFunc *func = r->w->frag->frame->func;
    const VmWarp *other = vm_warp_of(r->w->vm, r->who >> 5);
    const PtxInstr *later = r->in->ptx, *earlier = earlier_access(r);
    if (!other || !earlier || vm_condition_share_loop(func, earlier, later))
        return false;
    return waits_for(func, other, earlier, r->w, later) ||
           waits_for(func, r->w, later, other, earlier);
}

// ---- readers that are gone -------------------------------------------------

bool vm_handover_left(const VmRace *r, Finding *finding) {
    if (r->who & VM_AGENT || r->by_others)
        return false;
    Vm *vm = r->w->vm;
    const VmWarp *reader = vm_warp_of(vm, r->who >> 5);
    const VmCta *cta = r->w->cta;
    if (!reader || reader->cta != cta || reader->live >> (r->who & 31) & 1)
        return false;
    finding->reason = REASON_READER_LEFT;
    vm_relate(vm, finding, PLACE_THREADS_LEFT, cta->exit_loc,
              FACTS(FACT(THREADS, cta->threads - cta->live_threads),
                    FACT(BLOCK, cta->linear)));
    vm_cure(vm, finding, PART_DECODE, 0);
    return true;
}
