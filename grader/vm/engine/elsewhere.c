// SPDX-License-Identifier: Apache-2.0
// For the report of a wait at an mbarrier that nobody ends: what it is for came
// to another one. Bytes that are announced here came there; or an answer did,
// with its announcement, and no thread has waited there.
#include "vm/engine/engine.h"
#include "vm/machine/findings.h"
#include "vm/machine/shared.h"
#include "vm/units/units.h"

// Whether a warp of the CTA has seen the last complete phase of the mbarrier,
// or may have: what did not fit in its table is not known.
static bool is_seen(const VmCta *cta, const VmMbarrier *bar) {
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        const VmWarp *w = &cta->warps[i];
        if (w->order.passed_count == VM_PASSED_MOST)
            return true;
        for (uint32_t k = 0; k < w->order.passed_count; k++)
            if (w->passed[k].offset == bar->offset &&
                w->passed[k].phase != UINT64_MAX &&
                w->passed[k].phase >= bar->state.phase)
                return true;
    }
    return false;
}

const VmRequest *vm_answered_elsewhere(const Vm *vm, const VmCta *cta,
                                       const VmMbarrier *bar) {
    for (size_t i = vm->clc.request_count; i-- > 0;) {
        const VmRequest *r = &vm->clc.requests[i];
        const VmMbarrier *other =
            r->cta == cta->linear && r->mbarrier != bar->offset
                ? vm_mbarrier_find(cta, r->mbarrier)
                : NULL;
        if (other && other->live && other->state.phase > 0 &&
            !is_seen(cta, other))
            return r;
    }
    return NULL;
}

void vm_relate_answered(Vm *vm, const VmCta *cta, const VmMbarrier *bar,
                        Finding *f) {
    const VmRequest *r = vm_answered_elsewhere(vm, cta, bar);
    VmMbarrierName there = vm_mbarrier_name(vm, r->mbarrier);
    vm_relate(vm, f, PLACE_NAMES_OTHER, r->loc, FACTS(NAME_FACTS(there)));
}

const VmMbarrier *vm_brought_elsewhere(const VmCta *cta,
                                       const VmMbarrier *bar) {
    for (uint32_t i = 0; i < cta->typed.mbarrier_count; i++) {
        const VmMbarrier *other = &cta->objects.mbarriers[i];
        if (other != bar && other->live &&
            (other->state.tx < 0 || other->report.early))
            return other;
    }
    return NULL;
}

void vm_relate_brought(Vm *vm, const VmCta *cta, const VmMbarrier *bar,
                       Finding *f) {
    VmMbarrierName there = vm_mbarrier_name(
                       vm, vm_brought_elsewhere(cta, bar)->offset),
                   here = vm_mbarrier_name(vm, bar->offset);
    for (size_t i = vm->clc.request_count; i-- > 0;) {
        const VmRequest *r = &vm->clc.requests[i];
        if (r->cta != cta->linear ||
            r->mbarrier != vm_brought_elsewhere(cta, bar)->offset)
            continue;
        vm_relate(vm, f, PLACE_NAMES_OTHER, r->loc, FACTS(NAME_FACTS(there)));
        break;
    }
    for (size_t i = 0; i < vm->run->finding_count; i++) {
        Finding *early = &vm->run->findings[i];
        if (early->which != CASE_CLC010_EARLY_PHASE || early->reason ||
            fact_find(early->facts, FACT_BLOCK)->number != cta->linear)
            continue;
        early->reason = REASON_BROUGHT_APART;
        vm_relate(vm, early, PLACE_ANNOUNCED_APART,
                  vm_learner_loc(vm, NULL, bar->report.arrive_loc),
                  FACTS(NAME_FACTS(here)));
        vm_cure(vm, early, PART_ASK, 0);
    }
}
