// SPDX-License-Identifier: Apache-2.0
// Local memory as a stack: the variables of a call follow those of its caller,
// and are followed by what alloca allocated, which differs by lane.
//
//   0        local_base             + local_bytes        tops[lane]
//   +--------+----------------------+--------------------+
//   | caller | the call's variables | alloca             |
//   +--------+----------------------+--------------------+
#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/memory/memory.h"

uint32_t vm_stack_top(const VmFrame *frame, uint32_t lane) {
    return frame->tops ? frame->tops[lane]
                       : frame->local_base + frame->func->local_bytes;
}

bool vm_stack_is_gap(const VmFrame *frame, uint32_t at, uint32_t bytes) {
    uint64_t from = at, to = from + bytes;
    for (; frame; frame = frame->caller) {
        uint64_t base = frame->local_base;
        uint64_t start = from > base ? from : base;
        if (start < to &&
            vm_gaps_touch(&frame->func->local_gaps, start - base, to - start))
            return true;
        if (from >= base)
            return false;
        to = to < base ? to : base;
    }
    return false;
}

// Makes sure that each thread of `w` has this many bytes. False: there is no
// more memory. Each lane's part is aligned for any access, since alloca may
// have allocated any number of bytes.
static bool reserve(VmWarp *w, uint64_t bytes, bool reserved) {
    if (bytes > VM_MAX_LOCAL)
        return false;
    if (bytes <= w->memory.local_capacity)
        return true;
    uint32_t capacity = (uint32_t)round_up(bytes * VM_LOCAL_GROWTH, 16);
    bool wanted = vm_wants(w->vm, RULE_MEM003);
    uint64_t more = (uint64_t)(capacity - w->memory.local_capacity) *
                    (VM_LANES + (wanted ? sizeof *w->memory.written : 0));
    if (!vm_take_memory(w->vm, more, reserved))
        return false;
    uint8_t *larger = heap_alloc(capacity, VM_LANES);
    for (size_t l = 0; l < VM_LANES && w->memory.local_capacity; l++)
        memcpy(larger + l * capacity,
               w->memory.local + l * w->memory.local_capacity,
               w->memory.local_capacity);
    heap_free(w->memory.local);
    if (wanted) {
        uint32_t *written = heap_alloc(capacity, sizeof *written);
        if (w->memory.written)
            memcpy(written, w->memory.written,
                   w->memory.local_capacity * sizeof *written);
        heap_free(w->memory.written);
        w->memory.written = written;
    }
    w->memory.local = larger;
    w->memory.local_capacity = capacity;
    return true;
}

bool vm_stack_push(VmWarp *w, const VmFrame *caller, const VmFunc *func,
                   uint32_t lanes, uint32_t *base) {
    uint32_t top = caller ? vm_stack_top(caller, vm_first(lanes)) : 0;
    EACH_LANE(l, caller && caller->tops ? lanes : 0) {
        if (caller->tops[l] > top)
            top = caller->tops[l];
    }
    uint64_t at =
        round_up(top, func->local_align > 16 ? func->local_align : 16);
    *base = (uint32_t)at;
    if (!reserve(w, at + func->local_bytes, !caller))
        return false;
    vm_local_begin(w, lanes, *base, func->local_bytes);
    return true;
}

bool vm_stack_alloc(VmWarp *w, uint32_t lane, uint64_t bytes, uint32_t align,
                    uint32_t *at) {
    VmFrame *frame = w->frag->frame;
    uint64_t start = round_up(vm_stack_top(frame, lane), align < 8 ? 8 : align);
    *at = (uint32_t)start;
    if (bytes > VM_MAX_LOCAL || !reserve(w, start + bytes, false))
        return false;
    if (!frame->tops) {
        uint32_t *tops = heap_alloc(VM_LANES, sizeof *tops);
        for (uint32_t l = 0; l < VM_LANES; l++)
            tops[l] = vm_stack_top(frame, l);
        frame->tops = tops;
    }
    frame->tops[lane] = (uint32_t)(start + bytes);
    vm_local_begin(w, 1u << lane, *at, bytes);
    return true;
}

bool vm_stack_restore(VmFrame *frame, uint32_t lane, uint64_t top) {
    uint64_t least = (uint64_t)frame->local_base + frame->func->local_bytes;
    if (top < least || top > vm_stack_top(frame, lane))
        return false;
    if (frame->tops)
        frame->tops[lane] = (uint32_t)top;
    return true;
}

bool vm_take_memory(Vm *vm, uint64_t bytes, bool reserved) {
    if (reserved)
        return true;
    if (bytes > vm->use.left)
        return false;
    vm->use.left -= bytes;
    return true;
}

// Clears what the previous warp's calls stored. `written` needs no clearing:
// each call clears its own part when it begins.
void vm_stack_begin(VmWarp *w) {
    VmWarpMemory *m = &w->memory;
    size_t bytes = (size_t)m->local_capacity * VM_LANES;
    if (!m->local)
        return;
    memset(m->local, 0, bytes);
    vm_work_bytes(w->vm, WORK_CLEAR, bytes);
}
