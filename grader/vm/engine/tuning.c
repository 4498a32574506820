// SPDX-License-Identifier: Apache-2.0
// The numbers that a strategy and its seed determine about a run.
#include "vm/engine/engine.h"
#include "vm/time/time.h"
#include "vm/turns/hold.h"
#include "vm/turns/pct.h"
#include "vm/turns/stall.h"

enum {
    PLAIN_QUANTUM = 64,
    TIMED_QUANTUM = 16,       // where modelled time determines who is next
    SLOW_TICKS = 20000,       // until an answer, at least
    LATE_TICKS = 20000,       // by which one CTA of each cluster begins late
    RANDOM_LATE_TICKS = 4000, // the same in a quarter of the random schedules
    REFUSALS = 24, // of 256 decisions; drawn are none, so many, or twice that
};

static VmQueueOrder draw_order(Rng *rng) {
    return (VmQueueOrder)rng_below(rng, QUEUE_SHUFFLED + 1);
}

static void tune_random(VmTuning *t, Rng *rng) {
    t->random_order = t->random_elect = true;
    t->quantum_min = 1;
    t->quantum_spread = 1u << (1 + rng_below(rng, 8));
    t->answer_min = (uint32_t)rng_below(rng, 64);
    t->answer_spread = 1u << (4 + rng_below(rng, 9));
    t->launch_spread = 1u << rng_below(rng, 11);
    t->spurious_per_256 = (uint32_t)rng_below(rng, 32);
    t->grants = draw_order(rng);
    t->late_ticks = rng_below(rng, 4) == 0 ? RANDOM_LATE_TICKS : 0;
}

void vm_tuning_choose(Vm *vm, const DeviceSchedule *schedule) {
    VmTuning *t = &vm->tuning;
    Rng rng = rng_stream(schedule->seed, 1);
    *t = (VmTuning){.sm_count = vm->model->sm_count,
                    .quantum_min = PLAIN_QUANTUM,
                    .quantum_spread = 1,
                    .answer_min = 100,
                    .answer_spread = 1,
                    .launch_spread = 1};
    vm->clc.launches = rng_stream(schedule->seed, 7);
    if (schedule->strategy != STRATEGY_ROUND_ROBIN) {
        tune_random(t, &rng);
        t->launches = draw_order(&vm->clc.launches);
    }
    switch (schedule->strategy) {
    case STRATEGY_ROUND_ROBIN:
    case STRATEGY_COUNT:
        break;
    case STRATEGY_ALL_STEAL:
        // The last cluster has blocks to steal, and the first one is stolen.
        t->launches = QUEUE_REVERSED;
        t->grants = QUEUE_IN_ORDER;
        break;
    case STRATEGY_RANDOM:
        t->refuse_per_256 = (uint32_t)rng_below(&rng, 3) * REFUSALS;
        break;
    case STRATEGY_NO_STEAL:
        t->refuse_per_256 = 256;
        break;
    case STRATEGY_REFUSE_EARLY:
        t->refuse_first = 1 + (uint32_t)rng_below(&rng, 8);
        break;
    case STRATEGY_ONE_SM:
        t->sm_count = 1;
        break;
    case STRATEGY_LATE_CTA:
        t->late_ticks = LATE_TICKS;
        break;
    case STRATEGY_SLOW_ANSWER:
        t->answer_min = SLOW_TICKS;
        break;
    case STRATEGY_PCT:
        t->refuse_per_256 = (uint32_t)rng_below(&rng, 3) * REFUSALS;
        t->late_ticks = 0;
        t->priorities = true;
        vm_pct_begin(vm, schedule);
        break;
    case STRATEGY_PATIENCE:
        t->answer_min = SLOW_TICKS;
        t->spurious_per_256 = 0;
        t->late_ticks = 0;
        t->priorities = t->patience = true;
        vm->turns.hold.left = VM_HOLD_ALL;
        vm_pct_begin(vm, schedule);
        break;
    case STRATEGY_STALL:
        t->refuse_per_256 = (uint32_t)rng_below(&rng, 3) * REFUSALS;
        t->late_ticks = 0;
        t->stalls = true;
        vm_stall_begin(vm, schedule);
        break;
    }
    t->old_values =
        schedule->strategy != STRATEGY_ROUND_ROBIN && !vm->launch->exploration;
    if (schedule->in_order)
        t->launches = t->grants = QUEUE_IN_ORDER;
    if (vm->launch->exploration)
        t->sm_count = 1;
    t->newest_first = !t->random_order && !vm->launch->exploration &&
                      vm->launch->unchecked == UINT64_MAX;
    if (t->newest_first)
        t->quantum_min = VM_LONG_QUANTUM;
    t->by_time = vm->time && !t->random_order && !vm->launch->exploration;
    if (t->by_time) {
        t->quantum_min = TIMED_QUANTUM;
        t->answer_min = 0; // answers come in the order of the requests
        t->newest_first = false;
    }
    t->may_refuse = t->refuse_per_256 || t->refuse_first || vm_time_arrival(vm);
    vm->turns.rng = rng_stream(schedule->seed, 2);
    vm->clc.rng = rng_stream(schedule->seed, 3);
    vm->turns.elect_seed = hash_u64(schedule->seed ^ 0xE1EC7);
}

// The schedule has used up its context switches: from here on, turns are as in
// the plain schedule.
void vm_tuning_plain(Vm *vm) {
    VmTuning *t = &vm->tuning;
    t->random_order = t->priorities = t->stalls = false;
    t->quantum_min = PLAIN_QUANTUM;
    t->quantum_spread = 1;
    t->spurious_per_256 = 0;
    vm->turns.slice_end = UINT64_MAX;
}
