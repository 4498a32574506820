// SPDX-License-Identifier: Apache-2.0
// Runs a hold: the warp that polls has every turn, and no event happens. See
// turns/hold.h for what a hold is and when it ends. After 1, 2, 4, 8, ... polls
// the loop is looked at (loop.c).
#include "vm/decode/spin.h"
#include "vm/engine/engine.h"
#include "vm/turns/hold.h"

enum {
    LOOK_MOST = 4096,     // instructions
    FIRST_LEAP = 1 << 10, // ticks
    LEAP_GROWS = 4,       // each leap is longer than the last by this part
};

// Ticks from a round to the next, in looks at loops that look at clocks.
static const uint64_t APART[] = {UINT64_C(1) << 40, UINT64_C(1) << 30,
                                 UINT64_C(1) << 20, UINT64_C(1) << 10};

// Whether the loop that the fragment is in, in whichever of its calls, may end
// in a trap. Only a leap that is longer than a watchdog's asks.
static bool may_trap(const VmFragment *f) {
    uint32_t pc = f->pc;
    for (const VmFrame *frame = f->frame; frame; frame = frame->caller) {
        if (vm_spin_may_trap(frame->func, pc))
            return true;
        pc = frame->return_pc;
    }
    return false;
}

static bool goes_far(VmHold *hold, const VmFragment *f) {
    hold->far = hold->far || !may_trap(f);
    return hold->far;
}

// The loop counts: on to where a comparison will have another outcome. `apart`:
// ticks of a round. False: it never will, or that is too far away.
static bool leaps_to_bound(Vm *vm, const VmFragment *f, uint64_t apart) {
    VmHold *hold = &vm->turns.hold;
    uint64_t rounds = vm->engine.counted->rounds;
    if (rounds == UINT64_MAX || (apart && rounds > VM_TICK_MOST / apart))
        return false;
    bool is_near = hold->rounds <= VM_HOLD_ROUNDS &&
                   rounds <= VM_HOLD_ROUNDS - hold->rounds &&
                   hold->leaps + rounds * apart <= VM_HOLD_LEAPS;
    if (!is_near && !goes_far(hold, f))
        return false;
    if (apart && !vm_hold_leap(vm, rounds * apart))
        return false;
    vm_count_leap(hold->warp, f, rounds);
    hold->rounds =
        rounds > UINT64_MAX - hold->rounds ? UINT64_MAX : hold->rounds + rounds;
    return true;
}

// One look at rounds that are so many ticks apart.
static bool leaps_in_steps(Vm *vm, uint64_t apart) {
    VmHold *hold = &vm->turns.hold;
    VmFragment *f = vm_held(hold);
    if (!f || f->wait != WAIT_NONE || vm->turns.tick >= VM_TICK_MOST ||
        (apart > VM_HOLD_LEAPS && !goes_far(hold, f)))
        return false;
    uint64_t before = vm->turns.tick;
    bool counts = vm_count_look(hold->warp, f, LOOK_MOST, apart);
    hold->began += vm->turns.tick - before;
    hold->until += vm->turns.tick - before;
    hold->leaps += vm->turns.tick - before;
    f = vm_held(hold);
    return counts && f && leaps_to_bound(vm, f, apart);
}

// Far apart first: what counts how often a second has passed counts then.
// Nearer in each further look, to come close to a bound that is soon passed.
// False: what the loop does with the clock is not foreseen.
static bool leaps_by_the_clock(Vm *vm) {
    VmHold *hold = &vm->turns.hold;
    for (; hold->finer < COUNT_OF(APART); hold->finer++)
        if (leaps_in_steps(vm, APART[hold->finer])) {
            hold->finer += hold->finer + 1 < COUNT_OF(APART);
            return true;
        }
    hold->finer = 0;
    return false;
}

// It looks at a clock. True: it has waited for as long as can be tried.
static bool has_waited(Vm *vm) {
    VmHold *hold = &vm->turns.hold;
    if (leaps_by_the_clock(vm))
        return false;
    if (hold->leap == 0)
        hold->leap = FIRST_LEAP;
    const VmFragment *f = vm_held(hold);
    return hold->leaps >= VM_HOLD_FAR ||
           (hold->leaps >= VM_HOLD_LEAPS && f && !goes_far(hold, f));
}

// True: the loop repeats itself, so that the hold has shown what it can.
static bool has_seen_enough(Vm *vm, VmFragment *f) {
    VmTurns *turns = &vm->turns;
    VmHold *hold = &turns->hold;
    if (hold->polls < hold->look || f->wait != WAIT_NONE)
        return false;
    hold->look = 2 * hold->polls;
    bool by_clock = turns->looked_at_clock; // since the last look
    VmLoop loop = vm_loop_look(hold->warp, f, LOOK_MOST);
    by_clock |= turns->looked_at_clock;
    if (loop == LOOP_REPEATS)
        return true;
    if (!by_clock)
        hold->leap = 0;
    if (loop == LOOP_COUNTS && leaps_to_bound(vm, f, 0))
        return false;
    if (by_clock)
        return has_waited(vm);
    return loop == LOOP_COUNTS;
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
    hold->leap += hold->leap / LEAP_GROWS;
    vm_warp_run(hold->warp, VM_LONG_QUANTUM);
}
