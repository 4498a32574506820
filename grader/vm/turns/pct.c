// SPDX-License-Identifier: Apache-2.0
// Probabilistic concurrency testing: the ready warp with the highest priority
// runs (Burckhardt et al., "A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs", ASPLOS 2010).
//
// Priorities are random and distinct; a warp gets its priority when it starts.
// At each of d - 1 change points, drawn from the k steps of the run, the
// priority of the running warp drops below all others. A bug that requires d
// orderings among n warps appears in one run with a probability of at least 1 /
// (n k^(d-1)), whatever the rest of the schedule (answers, refusals, launches)
// is.
//
// The paper does not consider warps that poll. A warp that gives up its turn,
// or that has executed FAIR_STEPS steps without a wait, drops below the others
// until it has waited: so every ready warp runs within a bound.
//
//   priority:  2^63 ... 2^64 - 1  as drawn
//              2^62 + d - 1 ...   after a change point, the first the highest
//              2^62 - 1 downward  gave up its turn, the latest the lowest
//
// vm->ready is a heap here (heap.h).
#include "vm/turns/pct.h"

#include "vm/turns/heap.h"

enum { FAIR_STEPS = 2000, LONG_SLICE = 4096 };
#define OWN_LEAST (UINT64_C(1) << 63)
#define CHANGED_LEAST (UINT64_C(1) << 62)

// ---- turns ---------------------------------------------------------------

void vm_pct_added(Vm *vm, VmWarp *w) {
    w->turns.priority = w->turns.own_priority;
    w->turns.busy = 0;
    vm_heap_place(vm, w->turns.ready_at);
    if (vm->turns.running &&
        w->turns.priority > vm->turns.running->turns.priority)
        vm->turns.slice_end = 0;
}

// ---- priorities ----------------------------------------------------------

void vm_pct_begin(Vm *vm, const DeviceSchedule *schedule) {
    VmPct *pct = &vm->turns.pct;
    *pct =
        (VmPct){.rng = rng_stream(schedule->seed, 5), .lowest = CHANGED_LEAST};
    uint64_t k = schedule->steps ? schedule->steps : 1;
    while (pct->change_count + 1 < schedule->depth &&
           pct->change_count < VM_PCT_CHANGES) {
        uint64_t step = 1 + rng_below(&pct->rng, k);
        uint32_t i = pct->change_count++;
        for (; i && pct->changes[i - 1] > step; i--)
            pct->changes[i] = pct->changes[i - 1];
        pct->changes[i] = step;
    }
}

void vm_pct_warp(VmWarp *w) {
    w->turns.own_priority = rng_next(&w->vm->turns.pct.rng) | OWN_LEAST;
}

uint32_t vm_pct_slice(Vm *vm) {
    const VmPct *pct = &vm->turns.pct;
    vm->turns.slice_end = vm->turns.steps + FAIR_STEPS;
    if (pct->changed < pct->change_count &&
        pct->changes[pct->changed] < vm->turns.slice_end)
        vm->turns.slice_end = pct->changes[pct->changed];
    uint64_t quantum = LONG_SLICE;
    if (vm->turns.event_count &&
        vm->turns.events[0].at - vm->turns.tick < quantum)
        quantum = vm->turns.events[0].at - vm->turns.tick;
    return (uint32_t)quantum;
}

void vm_pct_slice_ended(Vm *vm, VmWarp *w, uint64_t start) {
    VmPct *pct = &vm->turns.pct;
    bool changes = false;
    w->turns.busy += vm->turns.steps - start;
    while (pct->changed < pct->change_count &&
           vm->turns.steps >= pct->changes[pct->changed]) {
        pct->changed++;
        changes = true;
    }
    if (changes) {
        w->turns.own_priority =
            CHANGED_LEAST + pct->change_count - pct->changed;
        w->turns.priority = w->turns.own_priority;
    } else if (w->yields || w->turns.busy >= FAIR_STEPS) {
        w->turns.priority = --pct->lowest;
        w->turns.busy = 0;
    }
    if (w->turns.ready_at != VM_NONE)
        vm_heap_lower(vm, w->turns.ready_at);
}
