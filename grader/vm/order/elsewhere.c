// SPDX-License-Identifier: Apache-2.0
// Waits and arrivals that miss each other. An answer's slot is used again
// before all have read it, and the report begins with the cause, if it is one
// of these:
//
//   the reader has waited for another slot's answer than the one that it reads;
//   it arrives at an mbarrier behind its read, and nobody waits at that one;
//   what is arrived for several slots comes to the mbarrier of one of them;
//   it is not among those who arrive.
#include "vm/order/elsewhere.h"

#include "vm/machine/findings.h"
#include "vm/machine/shared.h"
#include "vm/order/stale.h"

static uint32_t arrival_count(const VmWarp *w) {
    return w->order.arrived < VM_ARRIVALS_MOST ? w->order.arrived
                                               : VM_ARRIVALS_MOST;
}

// The warp's arrivals, the latest first.
static const VmArrival *arrival_at(const VmWarp *w, uint32_t i) {
    return &w->arrivals[(w->order.arrived - 1 - i) % VM_ARRIVALS_MOST];
}

static bool is_in(const VmCta *cta, const VmArrival *arrival) {
    return arrival->cta == cta->order.serial;
}

static void relate(Vm *vm, Finding *finding, FindingPlace place, uint32_t loc,
                   uint32_t mbarrier) {
    VmMbarrierName name = vm_mbarrier_name(vm, mbarrier);
    vm_relate(vm, finding, place, vm_learner_loc(vm, NULL, loc),
              FACTS(FACT(MBARRIER, name.word), FACT_STR(NAME, name.name),
                    FACT(OFFSET, name.offset), FACT(NUMBER, name.element)));
}

// ---- the reader has waited for another slot ------------------------------

// The last wait of the lane between the two times; NULL: there is none.
static const VmPassed *wait_between(const VmWarp *w, uint32_t lane,
                                    uint32_t from, uint32_t until) {
    const VmPassed *last = NULL;
    for (uint32_t i = 0; i < w->order.passed_count; i++) {
        const VmPassed *passed = &w->passed[i];
        if (passed->phase != UINT64_MAX && passed->time >= from &&
            passed->time <= until && (passed->lanes >> lane & 1) &&
            (!last || passed->time > last->time))
            last = passed;
    }
    return last;
}

static bool has_seen(const VmRace *r, const VmArrival *arrival) {
    uint64_t phases;
    return is_in(r->w->cta, arrival) &&
           vm_stale_seen(r->w, r->lane, arrival->offset, &phases) &&
           phases > arrival->phase;
}

// It has given the slot back, as the asking thread has seen, then waited at
// another slot's mbarrier, and read this slot once more.
static bool explain_slot(const VmRace *r, const VmWarp *reader,
                         Finding *finding) {
    const VmSlot *slot = vm_clc_slot_at(r->cta, (uint32_t)r->offset & ~15u);
    for (uint32_t i = 0; slot && i < arrival_count(reader); i++) {
        const VmArrival *arrival = arrival_at(reader, i);
        const VmPassed *wait =
            arrival->time < r->time && has_seen(r, arrival)
                ? wait_between(reader, r->who & 31, arrival->time, r->time)
                : NULL;
        if (!wait || wait->offset == slot->mbarrier)
            continue;
        finding->reason = REASON_ANOTHER_SLOT;
        relate(r->w->vm, finding, PLACE_WAITED_FOR, wait->loc, wait->offset);
        vm_cure(r->w->vm, finding, PART_DECODE, 0);
        return true;
    }
    return false;
}

// ---- nobody waits where it arrives ---------------------------------------

// Its first arrival behind the read, if that is at an mbarrier of the asker's
// block for arrivals alone.
static const VmArrival *arrival_behind(const VmRace *r, const VmWarp *reader) {
    const VmArrival *first = NULL;
    for (uint32_t i = 0; i < arrival_count(reader); i++)
        if (arrival_at(reader, i)->time > r->time)
            first = arrival_at(reader, i);
    const VmMbarrier *bar = first && is_in(r->w->cta, first)
                                ? vm_mbarrier_find(r->w->cta, first->offset)
                                : NULL;
    return bar && !bar->async.takes_bytes ? first : NULL;
}

// Where a table of waits is full, one may have been forgotten.
static bool is_waited_for(const VmCta *cta, uint32_t mbarrier) {
    bool is_full = false;
    for (uint32_t k = 0; k < cta->warp_count; k++)
        is_full |= cta->warps[k].order.passed_count == VM_PASSED_MOST;
    return is_full || vm_stale_passed(cta, mbarrier);
}

static bool explain_wait(const VmRace *r, const VmWarp *reader,
                         Finding *finding) {
    const VmArrival *arrival = arrival_behind(r, reader);
    if (!arrival || is_waited_for(r->w->cta, arrival->offset))
        return false;
    finding->reason = REASON_NOBODY_WAITS;
    relate(r->w->vm, finding, PLACE_ARRIVES_UNSEEN, arrival->loc,
           arrival->offset);
    vm_cure(r->w->vm, finding, PART_ASK, 0);
    return true;
}

// ---- who arrives at the mbarrier that the asking thread waits at -----------

// The mbarrier at which the thread that asks has just waited for arrivals;
// NULL: its last wait was for bytes, or was over at once.
static const VmMbarrier *awaited(const VmRace *r) {
    const VmPassed *passed = vm_stale_last(r->w, r->lane);
    const VmMbarrier *bar =
        passed ? vm_mbarrier_find(r->w->cta, passed->offset) : NULL;
    return bar && !bar->async.takes_bytes && bar->state.phase == passed->phase
               ? bar
               : NULL;
}

// Another mbarrier that is made by the same statement, and at which nobody has
// arrived; NULL: there is none.
static const VmMbarrier *idle_beside(const VmCta *cta, const VmMbarrier *bar) {
    for (uint32_t i = 0; i < cta->typed.mbarrier_count; i++) {
        const VmMbarrier *other = &cta->objects.mbarriers[i];
        if (other != bar && other->live && other->state.phase == 0 &&
            other->state.pending == other->state.expected &&
            other->report.init_loc == bar->report.init_loc)
            return other;
    }
    return NULL;
}

// Whether a warp of the cluster has arrived there twice, and nowhere else in
// between.
static bool is_arrived_at_twice(const VmCta *cta, const VmMbarrier *bar) {
    for (uint32_t i = 0; i < cta->cluster->cta_count; i++) {
        const VmCta *other = cta->cluster->ctas[i];
        for (uint32_t k = 0; k < other->warp_count; k++) {
            const VmWarp *w = &other->warps[k];
            const VmArrival *last = arrival_at(w, 0),
                            *before = arrival_at(w, 1);
            if (arrival_count(w) > 1 && is_in(cta, last) &&
                is_in(cta, before) && last->offset == bar->offset &&
                before->offset == bar->offset)
                return true;
        }
    }
    return false;
}

static bool explain_one_for_all(const VmRace *r, Finding *finding) {
    const VmMbarrier *bar = awaited(r);
    const VmMbarrier *idle = bar ? idle_beside(r->w->cta, bar) : NULL;
    if (!idle || !is_arrived_at_twice(r->w->cta, bar))
        return false;
    finding->reason = REASON_ONE_FOR_ALL_SLOTS;
    relate(r->w->vm, finding, PLACE_ARRIVES_FOR_ALL, bar->report.arrive_loc,
           bar->offset);
    relate(r->w->vm, finding, PLACE_NEVER_ARRIVED, idle->report.init_loc,
           idle->offset);
    vm_cure(r->w->vm, finding, PART_HERE,
            vm_learner_loc(r->w->vm, NULL, bar->report.arrive_loc));
    return true;
}

// The warp that read was not among those that arrived there.
static void explain_arrivals(const VmRace *r, const VmWarp *reader,
                             Finding *finding) {
    const VmMbarrier *bar = awaited(r);
    if (!bar || vm_mbarrier_has_come(bar, r->who >> 5))
        return;
    finding->reason = REASON_NOT_AMONG_ARRIVED;
    vm_relate(r->w->vm, finding, PLACE_MADE_WITHOUT, bar->report.init_loc,
              FACTS(FACT(EXPECTED, bar->state.expected),
                    FACT(OTHER, vm_thread(reader, r->who & 31))));
}

// The earlier answer came to another block, and no warp of that one was.
void vm_elsewhere_neighbour(const VmRace *r, Finding *finding) {
    const VmMbarrier *bar = awaited(r);
    if (!bar || !r->cta || r->cta == r->w->cta || !(r->site & SITE_ANSWER))
        return;
    for (uint32_t i = 0; i < r->cta->warp_count; i++)
        if (vm_mbarrier_has_come(bar, r->cta->warps[i].serial))
            return;
    finding->reason = REASON_NOT_AMONG_ARRIVED;
    vm_relate(r->w->vm, finding, PLACE_MADE_WITHOUT_BLOCK, bar->report.init_loc,
              FACTS(FACT(EXPECTED, bar->state.expected),
                    FACT(BLOCK, r->cta->linear)));
}

void vm_elsewhere_explain(const VmRace *r, Finding *finding) {
    const VmWarp *reader =
        r->who & VM_AGENT ? NULL : vm_warp_of(r->w->vm, r->who >> 5);
    if (reader && r->cta && !r->by_others &&
        (explain_slot(r, reader, finding) || explain_wait(r, reader, finding)))
        return;
    if (reader && !explain_one_for_all(r, finding))
        explain_arrivals(r, reader, finding);
}
