// SPDX-License-Identifier: Apache-2.0
// Generic accesses to shared memory that has a meaning of its own: the slots of
// answers and live mbarriers. What lies further up in the answer's life is in
// clc.c, where its bytes go in opaque.c.
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
    Str who = vm_who_lane(w, lane);
    if (access == ACCESS_READ)
        vm_fault(w, in, RULE_CLC007, VM_HELP_WAIT,
                 "%.*s reads the answer of a request before its mbarrier phase "
                 "was observed complete",
                 STR_ARG(who));
    else if (slot->state == SLOT_IN_FLIGHT)
        vm_fault(w, in, RULE_RACE002,
                 "leave the slot alone between the request and the wait",
                 "%.*s writes to a slot while the answer of a request is on "
                 "its way to it",
                 STR_ARG(who));
    else
        return true;
    vm_fault_related(vm, request->loc, "the request was issued here");
    if (vm->findings.fault && access == ACCESS_READ)
        vm_stale_explain(vm, vm->findings.fault, w->serial << 5 | lane,
                         slot->mbarrier);
    return false;
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
        vm_fault(w, in, RULE_BAR002,
                 "give what is accessed here memory of its own: the 8 bytes of "
                 "a live mbarrier are for mbarrier instructions alone "
                 "(mbarrier.inval ends its life)",
                 "%.*s accesses a live mbarrier like ordinary memory",
                 STR_ARG(vm_who_lane(w, lane)));
        vm_fault_related(w->vm, bar->init_loc, "the mbarrier is made here");
        vm_fault_cure(w->vm, PART_HERE, 0);
        return false;
    }
    return vm_opaque_touch(w, in, lane, cta, offset, bytes, access);
}
