// SPDX-License-Identifier: Apache-2.0
// Generic accesses to typed shared memory: the slots of answers and live
// mbarriers. The rest of an answer's lifetime is in clc.c; opaque.c follows its
// bytes.
#include "vm/decode/doubt.h"
#include "vm/machine/findings.h"
#include "vm/machine/shared.h"
#include "vm/order/stale.h"
#include "vm/time/time.h"
#include "vm/units/clc.h"

static bool touch_slot(VmWarp *w, const VmInstr *in, uint32_t lane,
                       const VmSlot *slot, VmAccess access) {
    if (slot->state == SLOT_OBSERVED)
        return true;
    Vm *vm = w->vm;
    const VmRequest *request = &vm->clc.requests[slot->request];
    if (access != ACCESS_READ && slot->state != SLOT_IN_FLIGHT)
        return true;
    bool is_kept = access == ACCESS_READ && vm_doubt_begin(w, in);
    vm_faulted(w, in,
               access == ACCESS_READ ? CASE_CLC007_NOT_OBSERVED
                                     : CASE_RACE002_SLOT,
               FACTS(FACT_LANE(w, lane)));
    vm_fault_at(vm, PLACE_REQUEST, request->loc);
    if (access == ACCESS_READ)
        vm_stale_explain(vm, vm->findings.fault, w->serial << 5 | lane,
                         slot->mbarrier);
    if (is_kept)
        vm_doubt_end(w, in, lane, VM_FULL);
    return is_kept;
}

bool vm_typed_access(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access) {
    for (uint32_t at = offset & ~15u; at < offset + bytes; at += 16) {
        const VmSlot *slot = vm_clc_slot_at(cta, at);
        if (slot && !touch_slot(w, in, lane, slot, access))
            return false;
        if (slot && access == ACCESS_READ)
            vm_time_note(w, (DeviceEvent){.kind = DEVICE_EVENT_READ,
                                          .at = slot->offset,
                                          .value = slot->request});
    }
    for (uint32_t at = offset & ~7u; at < offset + bytes; at += 8) {
        const VmMbarrier *bar = vm_mbarrier_find(cta, at);
        if (!bar)
            continue;
        vm_faulted(w, in, CASE_BAR002_ORDINARY_ACCESS,
                   FACTS(FACT_LANE(w, lane)));
        vm_fault_at(w->vm, PLACE_MBARRIER_MADE, bar->init_loc);
        vm_fault_cure(w->vm, PART_HERE, 0);
        return false;
    }
    return vm_opaque_touch(w, in, lane, cta, offset, bytes, access);
}
