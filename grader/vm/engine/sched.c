// SPDX-License-Identifier: Apache-2.0
// The main loop: gives warps their turns, and handles the events of each tick.
//
// A tick is one warp-instruction, executed anywhere on the machine. Launches,
// decisions about requests, and answers are events at a tick; when no warp can
// run, time jumps to the next event. Without an event and without a warp, waits
// that may time out do so a few times; if that changes nothing, it is a
// deadlock.
#include "vm/engine/engine.h"
#include "vm/engine/explore.h"
#include "vm/machine/findings.h"
#include "vm/order/order.h"
#include "vm/time/time.h"
#include "vm/turns/hold.h"
#include "vm/turns/pct.h"
#include "vm/turns/turns.h"
#include "vm/units/clc.h"
#include "vm/units/units.h"

#include <stddef.h>

enum {
    IDLE_ROUNDS = 4,
    SHORT_SLICE = 256,   // with patience: who polls is to come to it soon
    PART = 128,          // instructions of a long turn
    ALONE_MOST = 1 << 19 // ticks, in which no cluster ends while more might run
};

static void happen(Vm *vm, const VmEvent *event) {
    VmCluster *done = NULL; // a cluster that now has one request or copy less
                            // in flight
    switch (event->kind) {
    case EVENT_LAUNCH:
        vm->engine.launches_due--;
        if (vm->clc.pending_count && !vm_time_withholds(vm))
            vm_cluster_start(vm);
        break;
    case EVENT_DECIDE:
        vm_clc_decide(vm, event->request);
        break;
    case EVENT_ANSWER:
        done = vm_clc_answer(vm, event->request, event->rank);
        break;
    case EVENT_COPY:
        done = vm_copy_event(vm, event->request, event->rank);
        break;
    }
    if (done)
        vm_cluster_release(done);
}

static void handle_events(Vm *vm) {
    while (vm->turns.event_count && vm->turns.events[0].at <= vm->turns.tick &&
           !vm->turns.stopped) {
        VmEvent event = vm_event_pop(vm);
        happen(vm, &event);
    }
}

// Called when no warp can run. False: that will not change.
static bool idle(Vm *vm) {
    if (vm_spin_let_arrive(vm, DEFERRED_BEHIND_TURNS) ||
        vm_spin_end_stalls(vm, false))
        return true;
    uint64_t next = vm_spin_next(vm);
    if (vm->turns.event_count && vm->turns.events[0].at < next)
        next = vm->turns.events[0].at;
    else if (vm_spin_let_arrive(vm, DEFERRED_BEHIND_EVENTS) ||
             vm_spin_end_stalls(vm, true) || vm_launch_more(vm))
        return true;
    if (next < UINT64_MAX) {
        vm->turns.tick = next;
        return true;
    }
    if (vm->turns.progress != vm->turns.idle_progress) {
        vm->turns.idle_progress = vm->turns.progress;
        vm->turns.idle_rounds = 0;
    }
    return vm->turns.idle_rounds++ < IDLE_ROUNDS && vm_spin_time_out(vm);
}

static uint32_t slice_length(Vm *vm) {
    const VmTuning *t = &vm->tuning;
    if (t->priorities) {
        uint32_t slice = vm_pct_slice(vm);
        return t->patience && slice > SHORT_SLICE ? SHORT_SLICE : slice;
    }
    uint32_t quantum = t->quantum_min;
    if (t->quantum_spread > 1)
        quantum += (uint32_t)rng_below(&vm->turns.rng, t->quantum_spread);
    return quantum;
}

static void run_warp(Vm *vm, VmWarp *w, uint32_t quantum) {
    VmCluster *cluster = w->cta->cluster;
    vm_warp_run(w, quantum);
    if (cluster->live_ctas == 0)
        vm_cluster_release(cluster);
    vm_steps_limit(vm);
}

// The hold may end with its warp, and with the warp's cluster.
static void run_hold(Vm *vm) {
    VmCluster *cluster = vm->turns.hold.warp->cta->cluster;
    vm_hold_run(vm);
    if (cluster->live_ctas == 0 && !vm->turns.hold.warp)
        vm_cluster_release(cluster);
}

// A part of a turn that ran. False: that was the end of the turn.
static bool run_part(Vm *vm, VmWarp *w, uint32_t *quantum) {
    uint64_t tick = vm->turns.tick, progress = vm->turns.progress;
    bool is_long = *quantum > PART;
    run_warp(vm, w, is_long ? PART : *quantum);
    vm_spin_ran(w, tick, progress);
    uint64_t took = vm->turns.tick - tick;
    *quantum = took < *quantum ? *quantum - (uint32_t)took : 0;
    return *quantum > 0 && !w->yields && !vm->turns.stopped &&
           w->turns.ready_at != VM_NONE &&
           vm->turns.steps < vm->turns.slice_end;
}

// A long turn is run in parts, so that who spins in it is soon found out.
static void run_turn(Vm *vm, VmWarp *w, uint32_t quantum) {
    vm->turns.skips++;
    while (!vm_spin_rests(w, &quantum)) {
        vm->turns.skips = 0;
        if (!run_part(vm, w, &quantum))
            return;
    }
    w->yields = true;
}

static void run_slice(Vm *vm) {
    VmWarp *w = vm_next_warp(vm);
    uint64_t start = vm->turns.steps;
    run_turn(vm, w, slice_length(vm));
    if (vm->tuning.priorities)
        vm_pct_slice_ended(vm, w, start);
    vm_turn_ends(vm, w);
    if (vm->turns.tick - vm->engine.alone_since > ALONE_MOST)
        vm_launch_more(vm);
}

// Exhaustive search: takes the next step of a warp, or an event. False: there
// is none.
static bool run_choice(Vm *vm) {
    VmChoice choice;
    if (!vm_explore_choose(vm, &choice))
        return false;
    if (vm->turns.stopped)
        return true;
    if (choice.warp) {
        vm->turns.slice_end = vm->turns.steps + 1;
        run_warp(vm, choice.warp, VM_LONG_QUANTUM);
        return true;
    }
    VmEvent event = vm->turns.events[choice.event];
    vm->turns.event_count--;
    for (size_t i = choice.event; i < vm->turns.event_count; i++)
        vm->turns.events[i] = vm->turns.events[i + 1];
    vm_touch_event(vm, &event);
    happen(vm, &event);
    return true;
}

// True: no warp can run, or each one that can would only find that nothing has
// changed. It is found out when many turns in a row have been skipped.
static bool all_rest(Vm *vm) {
    if (vm->turns.skips < 2 * vm->turns.ready_count + 8)
        return vm->turns.ready_count == 0;
    vm->turns.skips = 0;
    return vm_spin_all_rest(vm) && !vm_spin_wake(vm);
}

// Pending clusters may be left to a kernel of higher priority that stays.
static bool is_done(const Vm *vm) {
    return vm->engine.live_clusters == 0 && vm->copies.in_flight == 0 &&
           (vm->clc.pending_count == 0 || vm_time_withholds(vm));
}

void vm_schedule(Vm *vm) {
    vm->run->resident = (uint64_t)vm_most_resident(vm) * vm->shape.cluster_size;
    vm_first_launches(vm);
    while (!vm->turns.stopped) {
        if (vm->turns.hold.warp) {
            run_hold(vm);
            continue;
        }
        if (vm->engine.explorer) {
            if (run_choice(vm))
                continue;
        } else {
            handle_events(vm);
        }
        if (vm->turns.stopped)
            break;
        if (vm_steps(vm) >= vm->engine.look_at && vm_livelock_look(vm)) {
            vm_report_livelock(vm);
            vm_stop(vm, RUN_DEADLOCK);
        } else if (!all_rest(vm)) {
            run_slice(vm);
        } else if (is_done(vm)) {
            vm_stop(vm, RUN_DONE);
        } else if (!idle(vm)) {
            vm_report_deadlock(vm);
            vm_stop(vm, RUN_DEADLOCK);
        }
    }
}
