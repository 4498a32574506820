// SPDX-License-Identifier: Apache-2.0
// Events at future ticks: launches of clusters, decisions about requests,
// answers, copies. They are in a binary heap ordered by tick; in an exhaustive
// search in a list, because any of them may be next.
#include "vm/turns/turns.h"

static bool event_before(const VmEvent *a, const VmEvent *b) {
    return a->at != b->at ? a->at < b->at : a->serial < b->serial;
}

static void event_swap(VmEvent *a, VmEvent *b) {
    VmEvent t = *a;
    *a = *b;
    *b = t;
}

void vm_event_add(Vm *vm, uint64_t at, VmEventKind kind, uint32_t request,
                  uint32_t rank) {
    arena_grow(&vm->run_arena, vm->turns.events, vm->turns.event_count,
               vm->turns.event_capacity);
    VmEvent *heap = vm->turns.events;
    size_t i = vm->turns.event_count++;
    heap[i] = (VmEvent){.at = at,
                        .serial = vm->turns.event_serial++,
                        .kind = kind,
                        .request = request,
                        .rank = rank};
    if (vm->turns.search) { // a list: any of them may be next
        heap[i].enabled_by = *vm->turns.search;
        return;
    }
    while (i && event_before(&heap[i], &heap[(i - 1) / 2])) {
        event_swap(&heap[i], &heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    if (vm->tuning.priorities)
        vm->turns.slice_end = 0; // the event may be due before the slice would
                                 // end
}

VmEvent vm_event_pop(Vm *vm) {
    VmEvent *heap = vm->turns.events, first = heap[0];
    heap[0] = heap[--vm->turns.event_count];
    for (size_t i = 0;;) {
        size_t least = i, child = 2 * i + 1;
        for (size_t k = child; k < child + 2 && k < vm->turns.event_count; k++)
            if (event_before(&heap[k], &heap[least]))
                least = k;
        if (least == i)
            return first;
        event_swap(&heap[i], &heap[least]);
        i = least;
    }
}
