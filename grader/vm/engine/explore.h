// SPDX-License-Identifier: Apache-2.0
// Exhaustive search: all schedules of a launch, by running it repeatedly. See
// explore.c. dependence.c determines which steps do not commute, and where to
// backtrack.
//
//   node: a state of the run   action: what could happen in that state
//   step: an action that was taken, and what it touched
#ifndef CLCLAB_VM_ENGINE_EXPLORE_H
#define CLCLAB_VM_ENGINE_EXPLORE_H

#include "vm/machine/machine.h"

enum {
    EXPLORE_DEPTH = 8192,    // steps in a run
    EXPLORE_PROCESSES = 256, // warps, launches, decisions, answers, copies
};

typedef enum VmTouchKind {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_ARRIVE, // arrivals at a barrier commute with each other
    TOUCH_RESUME, // passing a barrier: ordered after the arrivals that it
                  // waited for
} VmTouchKind;

// Something that others can observe (bytes, a barrier, the queue of pending
// clusters), and how a step accessed it.
typedef struct VmTouch {
    uint64_t object;
    uint32_t from, to; // bytes [from, to) of the object
    VmTouchKind kind;
} VmTouch;

// The relation of two steps, in the order in which they were taken.
typedef enum VmRelation {
    STEPS_COMMUTE,
    STEPS_FOLLOW, // the second cannot happen without the first
    STEPS_RACE,   // the reverse order would be a different schedule
} VmRelation;

typedef struct VmAction {
    uint64_t process; // a warp, or an event
    bool refuses;     // a decision: refuses the request
} VmAction;

typedef struct VmStep {
    VmAction action;
    uint32_t node, from, count; // its touches: `count` from `from` in that
                                // node's pool
} VmStep;

typedef enum VmActionFlag { ACTION_WANTED = 1, ACTION_DONE = 2 } VmActionFlag;

typedef struct VmNode {
    VmAction *enabled;
    uint8_t *flags; // VmActionFlag, for each action
    size_t enabled_count, enabled_capacity, flag_capacity;
    size_t chosen;
    VmTouch *pool; // touches of its steps
    size_t pool_count, pool_capacity;
    VmStep now;   // the action chosen now
    VmStep *done; // the actions chosen in earlier runs
    size_t done_count, done_capacity;
    VmStep *asleep; // sleep set: exploring these from here shows nothing new
    size_t asleep_count, asleep_capacity;
    uint32_t process;    // index of `now` in VmExplorer.processes
    uint32_t enabled_by; // the step that enabled it: node + 1, or 0
} VmNode;

struct VmExplorer {
    DeviceExploration *about;
    VmNode nodes[EXPLORE_DEPTH];
    uint32_t depth;  // number of nodes in the present run
    uint32_t prefix; // how many of them repeat the previous run
    uint64_t processes[EXPLORE_PROCESSES];
    uint32_t process_count;
    // Row i is a vector clock: how many steps of each process happen before the
    // end of step i.
    uint32_t (*clocks)[EXPLORE_PROCESSES];
};

// ---- explore.c -----------------------------------------------------------

// One possible action: a warp runs to its next step, or an event happens.
typedef struct VmChoice {
    VmWarp *warp; // NULL: an event
    size_t event; // index in vm->events
} VmChoice;

void vm_explore_begin(Vm *vm, DeviceExploration *about);
// Chooses an action. False: none is possible. Stops the run if all possible
// actions have been explored before.
bool vm_explore_choose(Vm *vm, VmChoice *choice);
void vm_explore_end(Vm *vm); // after a run: decides where the next one differs

// ---- dependence.c --------------------------------------------------------

// Records what the running step does while it is executed.
void vm_touch_instr(VmWarp *w, const VmInstr *in, uint32_t mask);
void vm_touch_exit(VmWarp *w, bool whole_cta);
void vm_touch_event(Vm *vm, const VmEvent *event);
VmRelation vm_relation(const VmExplorer *e, const VmStep *first,
                       const VmStep *second);
// Computes the vector clocks of the new steps, and marks the actions to be
// tried at earlier nodes because they do not commute with what was done there.
void vm_explore_races(VmExplorer *e);

#endif
