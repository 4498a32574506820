// SPDX-License-Identifier: Apache-2.0
// What a fragment that spins polls, for the report that nobody changes it.
#include "vm/engine/engine.h"
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"

typedef struct Polled {
    const VmInstr *in;  // the last access of the loop; NULL: it has none
    const VmCta *owner; // whose shared memory it reads; NULL: global memory
    uint32_t buffer;
    uint64_t offset;
} Polled;

static bool is_shared(const VmInstr *in, uint64_t address) {
    return in->space == PTX_SPACE_SHARED ||
           (in->space == PTX_SPACE_GENERIC &&
            (address & ~VM_OFFSET_MASK) == VM_WINDOW_SHARED);
}

static bool is_global(const Vm *vm, const VmInstr *in, uint64_t address) {
    return (in->space == PTX_SPACE_GLOBAL || in->space == PTX_SPACE_GENERIC) &&
           address >> VM_BUFFER_SHIFT < vm->memory.buffer_count;
}

// Called when the instruction has been executed, so that its address is good.
static void note(const VmWarp *w, const VmInstr *in, uint64_t address,
                 Polled *polled) {
    uint32_t offset;
    if (is_shared(in, address)) {
        const VmCta *owner = vm_shared_owner(w, (uint32_t)address, &offset);
        if (owner)
            *polled = (Polled){in, owner, 0, offset - (uint64_t)VM_SHARED_BASE};
    } else if (is_global(w->vm, in, address)) {
        *polled = (Polled){in, NULL, (uint32_t)(address >> VM_BUFFER_SHIFT),
                           address & VM_OFFSET_MASK};
    }
}

static Polled find_polled(VmWarp *w, VmFragment *f) {
    enum { MOST = 1024 }; // instructions
    const VmFrame *frame = f->frame;
    uint32_t pc = f->pc, count = w->fragment_count, steps = 0;
    Polled polled = {0};
    do {
        const VmInstr *in = &f->frame->func->code[f->pc];
        bool reads = ptx_is_load(in->op) || ptx_is_atomic(in->op);
        uint32_t mask = reads && !in->is_frame ? vm_warp_enabled(w, f, in) : 0;
        uint64_t address = mask ? vm_lane_address(w, in, vm_first(mask)) : 0;
        if (!vm_warp_step(w, f) || w->fragment_count != count)
            break;
        if (mask)
            note(w, in, address, &polled);
    } while (++steps < MOST && (f->pc != pc || f->frame != frame));
    return polled;
}

Finding *vm_report_spin(Vm *vm, VmWarp *w, VmFragment *f) {
    uint32_t lane = vm_first(f->mask);
    uint32_t loc = f->frame->func->code[f->pc].loc;
    uint32_t pending = vm->clc.pending_count * vm->shape.cluster_size;
    Polled polled = find_polled(w, f);
    w->frag = f;
    if (!polled.in)
        return vm_found(vm, w, loc, CASE_LIMIT_ENDLESS, FINDING_ERROR,
                        FACTS(FACT_LANE(w, lane)));
    VmMemoryName name =
        vm_memory_name(w, polled.owner, polled.buffer, polled.offset);
    Finding *finding = vm_found(
        vm, w, polled.in->loc, CASE_DEADLOCK_SPIN, FINDING_ERROR,
        FACTS(FACT_LANE(w, lane), FACT(BLOCKS, pending), MEMORY_FACTS(name)));
    if (finding && pending)
        finding->reason = REASON_BLOCKS_PENDING;
    return finding;
}
