// SPDX-License-Identifier: Apache-2.0
// Runs a hold: the warp that polls has every turn, and no event happens. See
// turns/hold.h for what a hold is and when it ends.
//
// After 1, 2, 4, 8, ... polls the loop is looked at: the fragment goes round it
// until it is back where it was. If its registers are what they were, and it
// has changed nothing else, it will do the same for ever, and need not be run.
// Clocks stand still during the look, so that a loop that reads one is told
// apart from a loop that counts.
#include "vm/engine/engine.h"
#include "vm/turns/hold.h"

enum {
    ROUNDS = 3,           // until registers are what they were the round before
    FIRST_LEAP = 1 << 10, // ticks
};

// ---- does the loop repeat itself? ----------------------------------------

typedef enum Loop {
    LOOP_GOES_ON,  // it counts, computes, or is no loop
    LOOP_BY_CLOCK, // it depends on a clock and on nothing else
    LOOP_REPEATS,
} Loop;

// What the fragment itself knows: the registers of all its calls.
static uint64_t registers_of(const VmFragment *f) {
    uint64_t hash = f->mask;
    for (const VmFrame *frame = f->frame; frame; frame = frame->caller)
        hash = hash_bytes(hash, frame->regs, frame->func->frame_bytes);
    return hash;
}

// What it may have changed: memory, barriers, output.
static uint64_t changes_of(const Vm *vm) {
    return vm->turns.progress + vm->output.len;
}

// One round; *ran grows by what it took. False: it is no loop, or it has
// changed something.
static bool goes_round(VmWarp *w, VmFragment *f, uint64_t *registers,
                       uint64_t *ran) {
    uint64_t before = changes_of(w->vm);
    if (!vm_warp_round(w, f, ran) || changes_of(w->vm) != before)
        return false;
    *registers = registers_of(f);
    return true;
}

// Goes round with clocks that stand still.
static bool comes_to_rest(VmWarp *w, VmFragment *f, uint64_t *registers,
                          uint64_t *ran) {
    *registers = registers_of(f);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = *registers;
        if (!goes_round(w, f, registers, ran))
            return false;
        if (*registers == before)
            return true;
    }
    return false;
}

static Loop look_at(VmWarp *w, VmFragment *f) {
    VmTurns *turns = &w->vm->turns;
    uint64_t still, moved, ran = 0, last = 0;
    turns->hold.stands = true;
    bool rests = comes_to_rest(w, f, &still, &ran);
    turns->hold.stands = false;
    turns->tick += ran;
    bool loops = rests && goes_round(w, f, &moved, &last);
    turns->tick += last;
    if (!loops)
        return LOOP_GOES_ON;
    return moved == still ? LOOP_REPEATS : LOOP_BY_CLOCK;
}

// ---- the hold ------------------------------------------------------------

// True: the loop repeats itself, so that the hold has shown what it can.
static bool has_seen_enough(Vm *vm, VmFragment *f) {
    VmHold *hold = &vm->turns.hold;
    if (hold->polls < hold->look || f->wait != WAIT_NONE)
        return false;
    hold->look = 2 * hold->polls;
    switch (look_at(hold->warp, f)) {
    case LOOP_GOES_ON:
        hold->leap = 0;
        return false;
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
    if (is_over(vm) || vm->turns.stopped) {
        vm_hold_end(vm);
        return;
    }
    vm_hold_leap(vm, hold->leap);
    hold->leap *= 2;
    vm->turns.slice_end = UINT64_MAX;
    vm_warp_run(hold->warp, VM_LONG_QUANTUM);
}
