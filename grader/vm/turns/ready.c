// SPDX-License-Identifier: Apache-2.0
// The ready warps: vm->ready, in the order of the schedule. If warps have
// priorities, or run in the order of modelled time, it is a binary heap
// (heap.h).
#include "vm/time/time.h"
#include "vm/turns/heap.h"
#include "vm/turns/pct.h"
#include "vm/turns/turns.h"

void vm_warp_ready(VmWarp *w) {
    Vm *vm = w->vm;
    if (w->turns.ready_at != VM_NONE)
        return;
    arena_grow(&vm->run_arena, vm->turns.ready, vm->turns.ready_count,
               vm->turns.ready_capacity);
    w->turns.ready_at = (uint32_t)vm->turns.ready_count;
    vm->turns.ready[vm->turns.ready_count++] = w;
    if (vm->tuning.priorities)
        vm_pct_added(vm, w);
    if (vm->tuning.by_time) {
        w->turns.priority = ~vm_time_now(w);
        vm_heap_place(vm, w->turns.ready_at);
    }
    if (vm->turns.search)
        w->turns.enabled_by = *vm->turns.search;
}

void vm_warp_unready(VmWarp *w) {
    Vm *vm = w->vm;
    if (w->turns.ready_at == VM_NONE)
        return;
    VmWarp *last = vm->turns.ready[--vm->turns.ready_count];
    size_t at = w->turns.ready_at;
    vm->turns.ready[at] = last;
    last->turns.ready_at = w->turns.ready_at;
    w->turns.ready_at = VM_NONE;
    if ((vm->tuning.priorities || vm->tuning.by_time) &&
        at < vm->turns.ready_count)
        vm_heap_place(vm, at);
}
