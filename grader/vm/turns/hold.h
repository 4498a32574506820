// SPDX-License-Identifier: Apache-2.0
// Patience: a schedule that lets a wait for an mbarrier fail for a very long
// time.
#ifndef CLCLAB_VM_TURNS_HOLD_H
#define CLCLAB_VM_TURNS_HOLD_H

#include "vm/machine/machine.h"

// test_wait does not block, and try_wait may return false any number of times
// (PTX ISA). A kernel that polls for a while and then goes on is wrong, however
// long it polls, because the answer, the copy or the arrival may come later
// than that. So here the first poll of a phase that fails begins a *hold*: the
// warp that polled runs alone. Nobody arrives, nothing is answered or copied,
// and each poll fails. A hold ends
//   - when the loop that polls repeats itself: nothing in it changes from one
//     poll to the next, so it would poll for ever. This is so after a few polls
//     of every loop that only waits. What follows is as in other schedules: the
//     fragment is parked until the phase completes;
//   - when the warp waits for something else, or exits: it gave up;
//   - when the ticks that a hold may take are used up. They are some millions:
//     only a loop that computes takes them.
// A loop that repeats itself but for counters and clocks (engine/count.c) leaps
// over all rounds until a comparison with one of them has another outcome: so
// it shows whether it gives up after that many, or after that time. If a loop
// looks at a clock in another way, the clock leaps by more each time.
//
// A watchdog is no way to give up, if it waits for seconds: a loop that may
// leave for a trap (decode/watchdog.c) leaps no further than VM_HOLD_LEAPS and
// VM_HOLD_ROUNDS.
//
// So that waits come before what they wait for, a thread that is about to
// arrive at an mbarrier rests until nobody else can run (or, by the toss of a
// coin, until besides no event is due), or for a long time. Then one of those
// that rest so goes on. An arrival that announces bytes is none to wait for.

// ticks
#define VM_HOLD_ALL (UINT64_C(1) << 23) // of all holds of a run
#define VM_HOLD_LEAPS \
    (UINT64_C(1) << 25)                  // of the leaps in one hold, for a
                                         // watchdog
#define VM_HOLD_FAR (UINT64_C(1) << 50)  // the same, if a clock leaps blindly
#define VM_TICK_MOST (UINT64_C(1) << 60) // which no leap passes
// polls that a loop which counts them leaps over in one hold, for a watchdog
#define VM_HOLD_ROUNDS (UINT64_C(1) << 23)

// A poll of phase `phase` of the mbarrier at `key` has failed. True: the wait
// returns false; false: its fragment is to be parked.
bool vm_hold_poll(VmWarp *w, uint32_t key, uint64_t phase);
// The fragment is about to arrive at an mbarrier. True: it rests first, and
// executes the instruction again later.
bool vm_hold_defer(VmWarp *w);
// The fragment of the hold; NULL: it has exited.
VmFragment *vm_held(const VmHold *hold);
// Time passes in a hold while its warp does nothing. False: it does not, as so
// much may not pass.
bool vm_hold_leap(Vm *vm, uint64_t ticks);
// The poll at `loc` of the mbarrier at `key` failed; it is over.
void vm_poll_failed(VmWarp *w, uint32_t key, uint32_t loc);
void vm_poll_ended(VmWarp *w, uint32_t key);
void vm_hold_end(Vm *vm);

#endif
