// SPDX-License-Identifier: Apache-2.0
// Chooses which of the ready warps gets the next slice.
#include "vm/engine/engine.h"
#include "vm/time/time.h"
#include "vm/turns/heap.h"

enum { FAIR_TURN = 32 }; // newest first: every 32nd turn is round robin

// The next index in vm->ready, in the order of the schedule.
static size_t pick_place(Vm *vm) {
    if (vm->tuning.random_order)
        return rng_below(&vm->turns.rng, vm->turns.ready_count);
    if (++vm->turns.cursor >= vm->turns.ready_count)
        vm->turns.cursor = 0;
    return vm->turns.cursor;
}

// The warp that can continue first in modelled time. Clocks only move forward,
// so the cycle stored in the heap is at most the warp's own.
static VmWarp *pick_earliest(Vm *vm) {
    for (;;) {
        VmWarp *w = vm->turns.ready[0];
        uint64_t priority = ~vm_time_now(w);
        if (priority == w->turns.priority)
            return w;
        w->turns.priority = priority;
        vm_heap_lower(vm, 0);
    }
}

// The warps of a late CTA are passed over, unless all others rest: no time
// would pass then.
static __attribute__((noinline)) VmWarp *pick_any(Vm *vm) {
    bool others_rest = vm->turns.skips > vm->turns.ready_count;
    VmWarp *w = NULL;
    for (int tries = 0; tries < 8; tries++) {
        w = vm->turns.ready[pick_place(vm)];
        if (w->cta->late_until <= vm->turns.tick || others_rest)
            break;
    }
    return w;
}

static VmWarp *pick(Vm *vm) {
    if (vm->tuning.by_time)
        return pick_earliest(vm);
    if (vm->tuning.priorities)
        return vm->turns.ready[0];
    if (vm->tuning.newest_first &&
        ++vm->turns.taken % FAIR_TURN) // none is late
        return vm->turns.ready[vm->turns.ready_count - 1];
    return pick_any(vm);
}

// Returns the warp whose turn it is. With the switch that is one too many, the
// plain schedule begins, with a choice of its own, which may be no switch.
VmWarp *vm_next_warp(Vm *vm) {
    const DeviceSchedule *schedule = &vm->launch->schedule;
    VmWarp *w = pick(vm);
    if (w == vm->turns.running)
        return w;
    if (schedule->is_limited && vm->turns.switches == schedule->switches) {
        vm_tuning_plain(vm);
        w = pick(vm);
    }
    vm->turns.switches++;
    vm->turns.running = w;
    return w;
}

// Newest first: a warp whose turn is over is swapped with another one.
void vm_turn_ends(Vm *vm, VmWarp *w) {
    if (!vm->tuning.newest_first || w->turns.ready_at == VM_NONE)
        return;
    if (++vm->turns.cursor >= vm->turns.ready_count)
        vm->turns.cursor = 0;
    VmWarp *other = vm->turns.ready[vm->turns.cursor];
    vm->turns.ready[w->turns.ready_at] = other;
    other->turns.ready_at = w->turns.ready_at;
    vm->turns.ready[vm->turns.cursor] = w;
    w->turns.ready_at = (uint32_t)vm->turns.cursor;
}
