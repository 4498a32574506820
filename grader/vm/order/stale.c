// SPDX-License-Identifier: Apache-2.0
// Stale waits: waits that returned at once because their parity is that of a
// phase that the thread had passed before (it did not flip the parity), or that
// of the phase before the first (it started with parity 1). Such a wait is not
// wrong in itself: kernels use it on purpose, for a slot that is empty. But
// when a thread reads an answer too early, a stale wait explains why.
#include "vm/order/stale.h"

#include "vm/machine/findings.h"

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
    if (passed->phase != bar->phase)
        *passed = (VmPassed){.offset = bar->offset, .phase = bar->phase};
    uint32_t stale = bar->phase == 0 ? lanes : lanes & passed->lanes;
    passed->lanes |= lanes;
    passed->stale |= stale;
    if (stale)
        passed->loc = vm_learner_loc(w->vm, w, in->loc);
}

static const VmPassed *stale_wait(const VmWarp *w, uint32_t lane,
                                  uint32_t offset) {
    for (uint32_t i = 0; w && i < w->order.passed_count; i++)
        if ((offset == VM_NONE || w->passed[i].offset == offset) &&
            w->passed[i].stale >> lane & 1)
            return &w->passed[i];
    return NULL;
}

static const VmWarp *warp_of(const Vm *vm, uint32_t serial) {
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

bool vm_stale_explain(Vm *vm, Finding *finding, uint32_t who,
                      uint32_t mbarrier) {
    const VmPassed *wait =
        stale_wait(warp_of(vm, who >> 5), who & 31, mbarrier);
    if (!wait || !finding)
        return false;
    bool first = wait->phase == 0;
    finding->reason =
        first ? REASON_BEGAN_WITH_PARITY_1 : REASON_PARITY_NOT_FLIPPED;
    vm_relate(vm, finding, PLACE_STALE_WAIT, wait->loc, NO_FACTS);
    vm_cure(vm, finding, first ? PART_DECLARE : PART_WAIT,
            first ? 0 : wait->loc);
    return true;
}
