// SPDX-License-Identifier: Apache-2.0
// The step limit: what a launch has done so far, in thread-instructions. Work
// that no instruction shows is counted too, at about what as many instructions
// would take, so that the limit bounds the time of every launch.
#include "vm/engine/engine.h"
#include "vm/order/order.h"

// A spinning kernel learns more with each atomic: entries of clocks are merged.
static uint64_t merged(const Vm *vm) {
    return vm->order ? vm->order->clocks.merged : 0;
}

uint64_t vm_steps(const Vm *vm) {
    uint64_t steps = vm->turns.thread_instructions + merged(vm);
    for (int i = 0; i < WORK_COUNT; i++)
        steps += vm->turns.work[i];
    return steps;
}

// What more than half of the steps went into: if nothing, instructions.
static FactWord most(const Vm *vm, uint64_t steps, uint64_t *percent) {
    const uint64_t *work = vm->turns.work;
    const struct {
        FactWord word;
        uint64_t steps;
    } parts[] = {
        {WORD_WORK_COPY, work[WORK_COPY]},
        {WORD_WORK_CLEAR, work[WORK_CLEAR]},
        {WORD_WORK_PRINT, work[WORK_PRINT]},
        {WORD_WORK_ORDER, merged(vm)},
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        *percent = parts[i].steps * 100 / steps;
        if (*percent > 50)
            return parts[i].word;
    }
    return WORD_WORK_INSTRUCTIONS;
}

// A hold (turns/hold.h) that has begun since then excuses what comes from here
// on.
void vm_steps_excuse(Vm *vm, uint64_t from) {
    VmTurns *turns = &vm->turns;
    turns->excused += vm_steps(vm) - from;
    if (turns->hold.warp)
        turns->hold.before = turns->thread_instructions;
}

void vm_steps_limit(Vm *vm) {
    uint64_t steps = vm_steps(vm), excused = vm->turns.excused, percent;
    if (vm->turns.stopped || steps <= excused ||
        steps - excused <= vm->turns.step_limit)
        return;
    FactWord work = most(vm, steps, &percent);
    vm_report_limit(vm, work, percent);
}
