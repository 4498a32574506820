// SPDX-License-Identifier: Apache-2.0
// Patience: which polls begin a hold, and what is known of the present one. See
// hold.h; engine/patience.c runs it.
#include "vm/turns/hold.h"

enum { // ticks
    LEAST_HOLD = 4096,
    LATEST_ARRIVAL = 100 * 1000 // at most
};

// A hold may take half of the ticks that are left, so that the first ones are
// the longest and the last ones still get some.
static void begin(VmWarp *w, uint32_t key, uint64_t phase) {
    VmTurns *turns = &w->vm->turns;
    VmHold *hold = &turns->hold;
    uint64_t most = hold->left / 2;
    if (most < LEAST_HOLD)
        most = hold->left < LEAST_HOLD ? hold->left : LEAST_HOLD;
    w->frag->held = true;
    w->frag->tested = phase + 1;
    w->frag->tested_key = key;
    *hold = (VmHold){.warp = w,
                     .began = turns->tick,
                     .until = turns->tick + most,
                     .polls = 1,
                     .look = 1,
                     .left = hold->left,
                     .before = turns->thread_instructions,
                     .gave_up = hold->gave_up};
    turns->looked_at_clock = false;
}

bool vm_hold_poll(VmWarp *w, uint32_t key, uint64_t phase) {
    VmHold *hold = &w->vm->turns.hold;
    const VmFragment *f = w->frag;
    if (hold->warp) {
        hold->polls++;
        return f->held;
    }
    if (hold->left == 0 || (f->tested == phase + 1 && f->tested_key == key))
        return false;
    begin(w, key, phase);
    return true;
}

bool vm_hold_defer(VmWarp *w) {
    VmFragment *f = w->frag;
    VmTurns *turns = &w->vm->turns;
    bool now = f->deferred || turns->hold.warp;
    bool is_last = !now && rng_below(&turns->rng, 2);
    f->deferred = now       ? DEFERRED_NOT
                  : is_last ? DEFERRED_BEHIND_EVENTS
                            : DEFERRED_BEHIND_TURNS;
    f->rest = now ? REST_NOT : REST_UNTIL_TICK;
    w->turns.slept |= !now;
    f->rest_until = turns->tick + LATEST_ARRIVAL;
    f->wake_at = UINT64_MAX;
    if (now)
        return false;
    f->pc--;
    w->yields = true;
    return true;
}

VmFragment *vm_held(const VmHold *hold) {
    VmWarp *w = hold->warp;
    for (uint32_t i = 0; i < w->fragment_count; i++)
        if (w->fragments[i].held)
            return &w->fragments[i];
    return NULL;
}

bool vm_hold_leap(Vm *vm, uint64_t ticks) {
    VmHold *hold = &vm->turns.hold;
    if (!hold->warp || hold->stands || vm->turns.tick >= VM_TICK_MOST ||
        ticks > VM_TICK_MOST - vm->turns.tick ||
        (!hold->far && hold->leaps >= VM_HOLD_LEAPS))
        return false;
    hold->leaps += ticks;
    hold->began += ticks;
    hold->until += ticks;
    vm->turns.tick += ticks;
    return true;
}

void vm_poll_failed(VmWarp *w, uint32_t key, uint32_t loc) {
    w->turns.unmet = loc;
    w->turns.unmet_key = key;
}

void vm_poll_ended(VmWarp *w, uint32_t key) {
    if (w->turns.unmet_key == key)
        w->turns.unmet = 0;
}

// What was executed in a hold does not count towards the step limit.
void vm_hold_end(Vm *vm) {
    VmTurns *turns = &vm->turns;
    VmHold *hold = &turns->hold;
    uint64_t took = turns->tick - hold->began;
    VmFragment *f = vm_held(hold);
    uint32_t unmet = hold->warp->turns.unmet;
    if (unmet && (!f || f->wait != WAIT_NONE))
        hold->gave_up = unmet;
    if (f)
        f->held = false;
    turns->excused += turns->thread_instructions - hold->before;
    hold->left -= took < hold->left ? took : hold->left;
    hold->warp = NULL;
}
