// SPDX-License-Identifier: Apache-2.0
// All schedules of a launch, by running it again and again: see explore.c.
// dependence.c says which steps do not commute, and where to turn back.
//
//   node: a state of the run   action: what could happen there
//   step: an action that was taken, and what it touched
#ifndef CLCLAB_VM_ENGINE_EXPLORE_H
#define CLCLAB_VM_ENGINE_EXPLORE_H

#include "vm/machine/machine.h"

enum {
    EXPLORE_DEPTH = 8192,    // steps of a run
    EXPLORE_PROCESSES = 256, // warps, launches, decisions, answers, copies
};

typedef enum VmTouchKind {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_ARRIVE, // arrivals at a barrier commute with each other
    TOUCH_RESUME, // behind the barrier: after the arrivals that it waited for
} VmTouchKind;

// Something that others can observe: bytes, a barrier, the queue of pending
// clusters. Of a step, how it was accessed.
typedef struct VmTouch {
    uint64_t object;
    uint32_t from, to; // bytes of it
    VmTouchKind kind;
} VmTouch;

// Of two steps, in the order in which they were taken.
typedef enum VmRelation {
    STEPS_COMMUTE,
    STEPS_FOLLOW, // the first is needed for the second
    STEPS_RACE,   // the other order is another schedule
} VmRelation;

typedef struct VmAction {
    uint64_t process; // a warp, or an event
    bool refuses;     // a decision: no grant
} VmAction;

typedef struct VmStep {
    VmAction action;
    uint32_t node, from, count; // its touches: in the pool of that node
} VmStep;

typedef enum VmActionFlag { ACTION_WANTED = 1, ACTION_DONE = 2 } VmActionFlag;

typedef struct VmNode {
    VmAction *enabled;
    uint8_t *flags; // VmActionFlag, of each
    size_t enabled_count, enabled_capacity, flag_capacity;
    size_t chosen;
    VmTouch *pool; // of its steps
    size_t pool_count, pool_capacity;
    VmStep now;   // the action that was chosen
    VmStep *done; // those chosen before
    size_t done_count, done_capacity;
    VmStep *asleep; // exploring them from here shows nothing new
    size_t asleep_count, asleep_capacity;
    uint32_t process;    // of `now`, in VmExplorer.processes
    uint32_t enabled_by; // the step that made it possible: node + 1, or 0
} VmNode;

struct VmExplorer {
    DeviceExploration *about;
    VmNode nodes[EXPLORE_DEPTH];
    uint32_t depth;  // nodes of the present run
    uint32_t prefix; // of these, so many repeat the run before
    uint64_t processes[EXPLORE_PROCESSES];
    uint32_t process_count;
    // Row i: how many steps of each process happen before the end of step i.
    uint32_t (*clocks)[EXPLORE_PROCESSES];
};

// ---- explore.c -----------------------------------------------------------

// One of the actions that are possible: a warp runs to its next step, or an
// event happens.
typedef struct VmChoice {
    VmWarp *warp; // NULL: the event
    size_t event; // in vm->events
} VmChoice;

void vm_explore_begin(Vm *vm, DeviceExploration *about);
// False: nothing is possible. Stops the run where all that is possible was
// explored before.
bool vm_explore_choose(Vm *vm, VmChoice *choice);
void vm_explore_end(Vm *vm); // the run is over: decides where the next differs

// ---- dependence.c --------------------------------------------------------

// What the running step does, as it is executed.
void vm_touch_instr(VmWarp *w, const VmInstr *in, uint32_t mask);
void vm_touch_exit(VmWarp *w, bool whole_cta);
void vm_touch_event(Vm *vm, const VmEvent *event);
VmRelation vm_relation(const VmExplorer *e, const VmStep *first,
                       const VmStep *second);
// Fills in the clocks of the new steps, and marks at earlier nodes what is to
// be tried there because it does not commute with what came first.
void vm_explore_races(VmExplorer *e);

#endif
