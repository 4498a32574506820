// SPDX-License-Identifier: Apache-2.0
// For the report of a wait at an mbarrier where nobody arrives: the answer that
// the block was to wait for came to another one, and no thread has waited
// there.
#include "vm/engine/engine.h"
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
