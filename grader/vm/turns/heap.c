// SPDX-License-Identifier: Apache-2.0
// A binary heap of warps; each warp knows its index in it. See heap.h.
#include "vm/turns/heap.h"

static bool goes_before(const VmWarp *a, const VmWarp *b) {
    return a->turns.priority != b->turns.priority
               ? a->turns.priority > b->turns.priority
               : a->serial < b->serial;
}

static void place(Vm *vm, size_t at, VmWarp *w) {
    vm->turns.ready[at] = w;
    w->turns.ready_at = (uint32_t)at;
}

static void sift_up(Vm *vm, size_t at) {
    VmWarp *w = vm->turns.ready[at];
    for (; at && goes_before(w, vm->turns.ready[(at - 1) / 2]);
         at = (at - 1) / 2)
        place(vm, at, vm->turns.ready[(at - 1) / 2]);
    place(vm, at, w);
}

void vm_heap_lower(Vm *vm, size_t at) {
    VmWarp *w = vm->turns.ready[at];
    for (size_t child; (child = 2 * at + 1) < vm->turns.ready_count;
         at = child) {
        if (child + 1 < vm->turns.ready_count &&
            goes_before(vm->turns.ready[child + 1], vm->turns.ready[child]))
            child++;
        if (!goes_before(vm->turns.ready[child], w))
            break;
        place(vm, at, vm->turns.ready[child]);
    }
    place(vm, at, w);
}

void vm_heap_place(Vm *vm, size_t at) {
    sift_up(vm, at);
    vm_heap_lower(vm, at);
}
