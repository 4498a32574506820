// SPDX-License-Identifier: Apache-2.0
// A binary heap of warps that know their place in it: see heap.h.
#include "vm/turns/heap.h"

static bool goes_before(const VmWarp *a, const VmWarp *b) {
    return a->priority != b->priority ? a->priority > b->priority
                                      : a->serial < b->serial;
}

static void place(Vm *vm, size_t at, VmWarp *w) {
    vm->ready[at] = w;
    w->ready_at = (uint32_t)at;
}

static void sift_up(Vm *vm, size_t at) {
    VmWarp *w = vm->ready[at];
    for (; at && goes_before(w, vm->ready[(at - 1) / 2]); at = (at - 1) / 2)
        place(vm, at, vm->ready[(at - 1) / 2]);
    place(vm, at, w);
}

void vm_heap_lower(Vm *vm, size_t at) {
    VmWarp *w = vm->ready[at];
    for (size_t child; (child = 2 * at + 1) < vm->ready_count; at = child) {
        if (child + 1 < vm->ready_count &&
            goes_before(vm->ready[child + 1], vm->ready[child]))
            child++;
        if (!goes_before(vm->ready[child], w))
            break;
        place(vm, at, vm->ready[child]);
    }
    place(vm, at, w);
}

void vm_heap_place(Vm *vm, size_t at) {
    sift_up(vm, at);
    vm_heap_lower(vm, at);
}
