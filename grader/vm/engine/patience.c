// SPDX-License-Identifier: Apache-2.0
// Runs a hold: the warp that polls has every turn, and no event happens. See
// turns/hold.h for what a hold is and when it ends. After 1, 2, 4, 8, ... polls
// the loop is looked at (loop.c).
#include "vm/engine/engine.h"
#include "vm/turns/hold.h"

enum {
    LOOK_MOST = 1024,     // instructions
    FIRST_LEAP = 1 << 10, // ticks
};

// The loop counts: on to where a comparison will have another outcome. False:
// that is too far away.
static bool leaps_to_bound(Vm *vm, const VmFragment *f) {
    VmHold *hold = &vm->turns.hold;
    uint64_t rounds = vm->engine.counted->rounds;
    hold->leap = 0;
    if (rounds > VM_HOLD_ROUNDS - hold->rounds)
        return false;
    vm_count_leap(hold->warp, f, rounds);
    hold->rounds += rounds;
    return true;
}

// True: the loop repeats itself, so that the hold has shown what it can.
static bool has_seen_enough(Vm *vm, VmFragment *f) {
    VmHold *hold = &vm->turns.hold;
    if (hold->polls < hold->look || f->wait != WAIT_NONE)
        return false;
    hold->look = 2 * hold->polls;
    switch (vm_loop_look(hold->warp, f, LOOK_MOST)) {
    case LOOP_GOES_ON:
        hold->leap = 0;
        return false;
    case LOOP_COUNTS:
        return !leaps_to_bound(vm, f);
    case LOOP_BY_CLOCK:
        hold->leap = FIRST_LEAP;
        return hold->leaps >= VM_HOLD_LEAPS;
    case LOOP_REPEATS:
        return true;
    }
    return true;
}

static bool is_over(Vm *vm) {
    const VmHold *hold = &vm->turns.hold;
    VmFragment *f = vm_held(hold);
    return !f || f->wait != WAIT_NONE || vm->turns.tick >= hold->until ||
           has_seen_enough(vm, f);
}

void vm_hold_run(Vm *vm) {
    VmHold *hold = &vm->turns.hold;
    vm->turns.slice_end = UINT64_MAX;
    if (is_over(vm) || vm->turns.stopped) {
        vm_hold_end(vm);
        return;
    }
    vm_hold_leap(vm, hold->leap);
    hold->leap *= 2;
    vm_warp_run(hold->warp, VM_LONG_QUANTUM);
}
