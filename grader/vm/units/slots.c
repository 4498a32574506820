// SPDX-License-Identifier: Apache-2.0
// Generic accesses to typed shared memory: the slots of answers and live
// mbarriers. The rest of an answer's lifetime is in clc.c; opaque.c follows its
// bytes.
#include "vm/decode/doubt.h"
#include "vm/decode/origin.h"
#include "vm/machine/findings.h"
#include "vm/machine/shared.h"
#include "vm/order/stale.h"
#include "vm/trace/trace.h"
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

const PtxVar *vm_shared_overrun(const VmWarp *w, const VmInstr *in,
                                uint32_t offset) {
    const VmFunc *func = w->frag->frame->func;
    const PtxVar *var =
        vm_origin_of_address(w->vm, func, in->ptx, (SrcLoc){0}).var;
    uint32_t within = offset;
    Str name = vm_shared_name(w->vm, &within);
    bool is_other = var && var->space == PTX_SPACE_SHARED &&
                    !str_equal(ptx_plain_name(var->name), name);
    return is_other ? var : NULL;
}

static void report_access(VmWarp *w, const VmInstr *in, uint32_t lane,
                          uint32_t offset, const VmMbarrier *bar) {
    const PtxVar *var = vm_shared_overrun(w, in, offset);
    if (var)
        vm_faulted(w, in, CASE_BAR002_OVERRUN,
                   FACTS(FACT_LANE(w, lane),
                         FACT_STR(NAME, ptx_plain_name(var->name)),
                         FACT(SIZE, var->size)));
    else
        vm_faulted(w, in, CASE_BAR002_ORDINARY_ACCESS,
                   FACTS(FACT_LANE(w, lane)));
    vm_fault_at(w->vm, PLACE_MBARRIER_MADE, bar->report.init_loc);
    vm_fault_cure(w->vm, PART_HERE, 0);
}

bool vm_typed_access(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access) {
    for (uint32_t at = offset & ~15u; at < offset + bytes; at += 16) {
        const VmSlot *slot = vm_clc_slot_at(cta, at);
        if (slot && !touch_slot(w, in, lane, slot, access))
            return false;
        if (slot && access == ACCESS_READ)
            vm_trace_note(w, (DeviceEvent){.kind = DEVICE_EVENT_READ,
                                           .at = slot->offset,
                                           .value = slot->request});
    }
    for (uint32_t at = offset & ~7u; at < offset + bytes; at += 8) {
        const VmMbarrier *bar = vm_mbarrier_find(cta, at);
        if (!bar)
            continue;
        report_access(w, in, lane, offset, bar);
        return false;
    }
    return vm_opaque_touch(w, in, lane, cta, offset, bytes, access);
}
