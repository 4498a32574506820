// SPDX-License-Identifier: Apache-2.0
// What a thread's waits at mbarriers were worth: how many phases it has seen
// complete, and whether its last wait was one that lets it read too early. Such
// a wait returned at once since it tested an old phase (a stale wait), or was
// relaxed, or was at another mbarrier. None of these is wrong in itself:
// kernels use stale waits on purpose, for a slot that is empty. But when a
// thread reads too early, they explain why.
#include "vm/order/stale.h"

#include "vm/decode/origin.h"
#include "vm/machine/findings.h"
#include "vm/order/order.h"

static VmPassed *passed_at(VmWarp *w, uint32_t offset) {
    for (uint32_t i = 0; i < w->order.passed_count; i++)
        if (w->passed[i].offset == offset)
            return &w->passed[i];
    uint32_t place = w->order.passed_count < COUNT_OF(w->passed)
                         ? w->order.passed_count++
                         : offset / 8 % COUNT_OF(w->passed);
    w->passed[place] = (VmPassed){.offset = offset, .phase = UINT64_MAX};
    return &w->passed[place];
}

void vm_stale_note(VmWarp *w, const VmInstr *in, uint32_t lanes,
                   const VmMbarrier *bar) {
    VmPassed *passed = passed_at(w, bar->offset);
    w->order.passed_last = (uint32_t)(passed - w->passed);
    if (passed->phase != bar->state.phase)
        *passed = (VmPassed){.offset = bar->offset, .phase = bar->state.phase};
    uint32_t stale = bar->state.phase == 0 ? lanes : lanes & passed->lanes;
    passed->time = w->vm->order ? w->vm->order->time : 0;
    passed->lanes |= lanes;
    passed->stale |= stale;
    passed->relaxed &= ~lanes;
    passed->relaxed |= in->sem == SEM_RELAXED ? lanes : 0;
    if (stale || passed->relaxed || !passed->loc) {
        passed->loc = vm_learner_loc(w->vm, w, in->loc);
        passed->wait = in->ptx;
        passed->func = w->frag->frame->func;
    }
}

bool vm_stale_seen(const VmWarp *w, uint32_t lane, uint32_t mbarrier,
                   uint64_t *phases) {
    for (uint32_t i = 0; i < w->order.passed_count; i++) {
        const VmPassed *passed = &w->passed[i];
        if (passed->offset != mbarrier || passed->phase == UINT64_MAX)
            continue;
        *phases = passed->phase;
        return passed->lanes >> lane & 1;
    }
    *phases = 0;
    return w->order.passed_count < COUNT_OF(w->passed);
}

const VmPassed *vm_stale_last(const VmWarp *w, uint32_t lane) {
    const VmPassed *last = &w->passed[w->order.passed_last];
    bool is_known = w->order.passed_count > 0 && last->phase != UINT64_MAX;
    return is_known && ((last->lanes & ~last->stale) >> lane & 1) ? last : NULL;
}

const VmPassed *vm_stale_passed(const VmCta *cta, uint32_t mbarrier) {
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        const VmWarp *w = &cta->warps[k];
        for (uint32_t i = 0; i < w->order.passed_count; i++)
            if (w->passed[i].offset == mbarrier && w->passed[i].wait)
                return &w->passed[i];
    }
    return NULL;
}

// ---- explaining -----------------------------------------------------------

VmWarp *vm_warp_of(const Vm *vm, uint32_t serial) {
    for (size_t i = 0; i < vm->engine.resident_count; i++) {
        const VmCluster *cluster = vm->engine.residents[i];
        for (uint32_t r = 0; r < cluster->cta_count; r++) {
            const VmCta *cta = cluster->ctas[r];
            for (uint32_t k = 0; k < cta->warp_count; k++)
                if (cta->warps[k].serial == serial)
                    return &cta->warps[k];
        }
    }
    return NULL;
}

// Why a wait was not what the reader needed, and the place of that wait.
typedef struct Wait {
    FindingReason reason; // none: it was right, or is not known
    FindingPlace place;
    uint32_t loc;
    DevicePart cure;
    const VmPassed *passed;
} Wait;

// Whether the lane has waited in earnest at another mbarrier: then it has not
// just begun, and a phase is too early for another reason than where it began.
static bool has_begun(const VmWarp *w, uint32_t lane) {
    for (uint32_t i = 0; i < w->order.passed_count; i++) {
        const VmPassed *passed = &w->passed[i];
        if (passed->phase != UINT64_MAX && passed->phase > 0 &&
            ((passed->lanes & ~passed->stale) >> lane & 1))
            return true;
    }
    return false;
}

enum { PARITY = 2 }; // the operand of a wait

// Whether its parity begins with 0: then it was flipped before a phase was
// over.
static bool begins_even(const Vm *vm, const VmPassed *passed) {
    return passed->wait && passed->func &&
           vm_origin_of_operand(vm, passed->func, passed->wait, (SrcLoc){0},
                                PARITY)
               .begins_even;
}

static Wait stale_wait(const VmWarp *w, const VmPassed *passed, uint32_t lane) {
    Wait wait = {REASON_PARITY_NOT_FLIPPED, PLACE_STALE_WAIT, passed->loc,
                 PART_WAIT, passed};
    if (passed->phase > 0)
        return wait;
    bool began = has_begun(w, lane) || begins_even(w->vm, passed);
    wait.reason =
        began ? REASON_PARITY_FLIPPED_EARLY : REASON_BEGAN_WITH_PARITY_1;
    wait.cure = began ? PART_WAIT : PART_DECLARE;
    return wait;
}

static Wait wait_of(const VmWarp *w, const VmPassed *passed, uint32_t lane) {
    if (passed->stale >> lane & 1)
        return stale_wait(w, passed, lane);
    if (passed->relaxed >> lane & 1)
        return (Wait){REASON_RELAXED_WAIT, PLACE_RELAXED_WAIT, passed->loc,
                      PART_WAIT, passed};
    return (Wait){0};
}

// The thread has waited at other mbarriers alone. Where the table is full, a
// wait at this one may have been forgotten.
static Wait other_wait(const VmWarp *w, uint32_t lane, uint32_t mbarrier) {
    const VmPassed *other = NULL;
    if (w->order.passed_count == COUNT_OF(w->passed))
        return (Wait){0};
    for (uint32_t i = 0; i < w->order.passed_count; i++) {
        const VmPassed *passed = &w->passed[i];
        bool has_passed = passed->phase != UINT64_MAX;
        if (passed->offset == mbarrier && has_passed)
            return (Wait){0};
        if (has_passed && passed->lanes >> lane & 1)
            other = passed;
    }
    return other ? (Wait){REASON_OTHER_MBARRIER, PLACE_OTHER_WAIT, other->loc,
                          PART_WAIT, other}
                 : (Wait){0};
}

static Wait find_wait(const VmWarp *w, uint32_t lane, uint32_t mbarrier) {
    Wait wait = {0};
    for (uint32_t i = 0; w && i < w->order.passed_count && !wait.reason; i++)
        if (mbarrier == VM_NONE || w->passed[i].offset == mbarrier)
            wait = wait_of(w, &w->passed[i], lane);
    if (w && !wait.reason && mbarrier != VM_NONE)
        wait = other_wait(w, lane, mbarrier);
    return wait;
}

void vm_stale_relate_parity(Vm *vm, Finding *finding, const VmFunc *func,
                            const PtxInstr *wait) {
    if (!finding || !wait)
        return;
    SrcLoc at = vm_src_of(vm, vm_learner_loc(vm, NULL, wait->loc));
    VmOrigin origin = vm_origin_of_operand(vm, func, wait, at, PARITY);
    if (origin.is_fixed)
        vm_relate_line(vm, finding, PLACE_PARITY_FIXED, at, NO_FACTS);
    else
        vm_relate_line(vm, finding, PLACE_PARITY_FROM, origin.at[0], NO_FACTS);
}

bool vm_stale_explain(Vm *vm, Finding *finding, uint32_t who,
                      uint32_t mbarrier) {
    Wait wait = find_wait(vm_warp_of(vm, who >> 5), who & 31, mbarrier);
    if (!wait.reason || !finding)
        return false;
    uint32_t loc = vm_learner_loc(vm, NULL, wait.loc);
    finding->reason = wait.reason;
    vm_relate(vm, finding, wait.place, loc, NO_FACTS);
    vm_cure(vm, finding, wait.cure, wait.cure == PART_DECLARE ? 0 : loc);
    if (wait.place == PLACE_STALE_WAIT)
        vm_stale_relate_parity(vm, finding, wait.passed->func,
                               wait.passed->wait);
    return true;
}

void vm_stale_explain_repeated(Vm *vm, const VmWarp *w, uint32_t lane) {
    Wait wait = find_wait(w, lane, VM_NONE);
    if (wait.reason == REASON_PARITY_NOT_FLIPPED)
        vm_stale_explain(vm, vm->findings.fault, w->serial << 5 | lane,
                         VM_NONE);
}
