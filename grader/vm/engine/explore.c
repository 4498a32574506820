// SPDX-License-Identifier: Apache-2.0
// Exhaustive search: runs a launch until every schedule that could differ has
// been explored (stateless model checking). The first run takes arbitrary
// actions. Each later run repeats the previous one up to a node, takes another
// action there, and continues arbitrarily. Races between steps determine which
// other actions are worth taking (dynamic partial order reduction: Flanagan and
// Godefroid, POPL 2005), and so do sleep sets (Godefroid, 1996): schedules that
// differ only in the order of commuting steps are equivalent.
//
// An action is one of these: a warp runs up to and including its next step (an
// instruction that others can observe), or until it waits or exits; a cluster
// is launched; a request is granted, or refused while clusters are pending; an
// answer or a copy arrives. Not explored: the order of diverged lanes of a
// warp, the lane that elect.sync picks, the order of grants, time-outs.
//
// The launch has one SM, or the smallest number that can hold a cluster. If a
// run does not end normally, it is the last.
#include "vm/engine/explore.h"

#include "vm/machine/findings.h"

enum { STREAK_STEPS = 32, KIND_SHIFT = 56, RANK_SHIFT = 32, WARP_SHIFT = 8 };

// ---- processes -----------------------------------------------------------

static uint64_t warp_process(const VmWarp *w) {
    return (uint64_t)w->cta->linear << WARP_SHIFT | w->index;
}

// All launches of clusters form one process: they happen one after the other.
static uint64_t event_process(const VmEvent *event) {
    uint64_t number = event->kind == EVENT_LAUNCH ? 0 : event->request;
    return ((uint64_t)event->kind + 1) << KIND_SHIFT |
           (uint64_t)event->rank << RANK_SHIFT | number;
}

static bool find_process(VmExplorer *e, uint64_t process, uint32_t *index) {
    for (uint32_t i = 0; i < e->process_count; i++)
        if (e->processes[i] == process) {
            *index = i;
            return true;
        }
    if (e->process_count == EXPLORE_PROCESSES)
        return false;
    *index = e->process_count;
    e->processes[e->process_count++] = process;
    return true;
}

// ---- nodes ---------------------------------------------------------------

static void add_action(VmExplorer *e, VmNode *node, VmAction action) {
    Arena *arena = &e->about->arena;
    arena_grow(arena, node->enabled, node->enabled_count,
               node->enabled_capacity);
    arena_grow(arena, node->flags, node->enabled_count, node->flag_capacity);
    node->flags[node->enabled_count] = 0;
    node->enabled[node->enabled_count++] = action;
}

static void add_event(Vm *vm, VmNode *node, const VmEvent *event) {
    VmAction action = {.process = event_process(event)};
    add_action(vm->engine.explorer, node, action);
    if (event->kind != EVENT_DECIDE || vm->clc.pending_count == 0 ||
        vm->clc.requests[event->request].forced_refusal)
        return;
    action.refuses = true;
    add_action(vm->engine.explorer, node, action);
}

static void list_actions(Vm *vm, VmNode *node) {
    bool launches = false;
    node->enabled_count = 0;
    for (size_t i = 0; i < vm->turns.ready_count; i++)
        add_action(vm->engine.explorer, node,
                   (VmAction){.process = warp_process(vm->turns.ready[i])});
    for (size_t i = 0; i < vm->turns.event_count; i++) {
        const VmEvent *event = &vm->turns.events[i];
        if (event->kind != EVENT_LAUNCH || !launches)
            add_event(vm, node, event);
        launches |= event->kind == EVENT_LAUNCH;
    }
}

static bool is_same(VmAction a, VmAction b) {
    return a.process == b.process && a.refuses == b.refuses;
}

static bool is_asleep(const VmNode *node, VmAction action) {
    for (size_t i = 0; i < node->asleep_count; i++)
        if (is_same(node->asleep[i].action, action))
            return true;
    return false;
}

static void put_asleep(VmExplorer *e, VmNode *node, const VmStep *steps,
                       size_t count, const VmStep *taken) {
    for (size_t i = 0; i < count; i++) {
        if (steps[i].action.process == taken->action.process ||
            vm_relation(e, &steps[i], taken) != STEPS_COMMUTE ||
            vm_relation(e, taken, &steps[i]) != STEPS_COMMUTE)
            continue;
        arena_grow(&e->about->arena, node->asleep, node->asleep_count,
                   node->asleep_capacity);
        node->asleep[node->asleep_count++] = steps[i];
    }
}

// Inherits the sleep set: actions explored from the previous node that commute
// with the step taken there show nothing new from here.
static void inherit_sleepers(VmExplorer *e, VmNode *node, const VmNode *last) {
    node->asleep_count = 0;
    if (!last || e->about->is_naive)
        return;
    put_asleep(e, node, last->asleep, last->asleep_count, &last->now);
    put_asleep(e, node, last->done, last->done_count, &last->now);
}

// ---- the choice at a new node --------------------------------------------

static uint32_t streak_of(const VmExplorer *e, uint64_t process) {
    uint32_t streak = 0;
    for (uint32_t i = e->depth; i-- > 0 && streak < STREAK_STEPS;) {
        if (e->nodes[i].now.action.process != process)
            break;
        streak++;
    }
    return streak;
}

// Steps since the latest step of the process; the length of the run if it had
// none.
static uint32_t idle_since(const VmExplorer *e, uint64_t process) {
    uint32_t since = 0;
    while (since < e->depth &&
           e->nodes[e->depth - 1 - since].now.action.process != process)
        since++;
    return since;
}

// Chooses a new action. Any would be correct. This continues what ran last,
// unless that has run too long: then what has waited longest.
static bool choose_new(VmExplorer *e, VmNode *node) {
    uint32_t longest = 0;
    bool found = false;
    for (size_t i = 0; i < node->enabled_count; i++) {
        VmAction action = node->enabled[i];
        if (is_asleep(node, action))
            continue;
        uint32_t idle = idle_since(e, action.process), since = idle + 1;
        if (idle == 0 && e->depth &&
            streak_of(e, action.process) < STREAK_STEPS)
            since = UINT32_MAX;
        if (since > longest) {
            longest = since;
            node->chosen = i;
            found = true;
        }
    }
    return found;
}

// Marks both outcomes of a decision to be tried.
static void want_process(VmNode *node, uint64_t process) {
    for (size_t i = 0; i < node->enabled_count; i++)
        if (node->enabled[i].process == process)
            node->flags[i] |= ACTION_WANTED;
}

static bool new_node(Vm *vm, VmNode *node) {
    VmExplorer *e = vm->engine.explorer;
    list_actions(vm, node);
    node->pool_count = node->done_count = 0;
    inherit_sleepers(e, node, e->depth ? &e->nodes[e->depth - 1] : NULL);
    if (!choose_new(e, node))
        return false;
    want_process(node, node->enabled[node->chosen].process);
    for (size_t i = 0; e->about->is_naive && i < node->enabled_count; i++)
        node->flags[i] = ACTION_WANTED;
    return true;
}

static VmChoice find_choice(Vm *vm, uint64_t process, uint32_t *enabled_by) {
    for (size_t i = 0; i < vm->turns.ready_count; i++)
        if (warp_process(vm->turns.ready[i]) == process) {
            *enabled_by = vm->turns.ready[i]->turns.enabled_by;
            return (VmChoice){.warp = vm->turns.ready[i]};
        }
    size_t event = 0;
    while (event_process(&vm->turns.events[event]) != process)
        event++;
    *enabled_by = vm->turns.events[event].enabled_by;
    return (VmChoice){.event = event};
}

static bool stop(Vm *vm, bool *why) {
    *why = true;
    vm_stop(vm, RUN_DONE);
    return true;
}

bool vm_explore_choose(Vm *vm, VmChoice *choice) {
    VmExplorer *e = vm->engine.explorer;
    if (vm->turns.ready_count + vm->turns.event_count == 0)
        return false;
    if (e->depth == EXPLORE_DEPTH)
        return stop(vm, &e->about->is_too_large);
    VmNode *node = &e->nodes[e->depth];
    if (e->depth >= e->prefix && !new_node(vm, node))
        return stop(vm, &e->about->is_redundant);
    VmAction action = node->enabled[node->chosen];
    if (!find_process(e, action.process, &node->process))
        return stop(vm, &e->about->is_too_large);
    *choice = find_choice(vm, action.process, &node->enabled_by);
    if (e->depth + 1 <= e->prefix)
        node->pool_count = node->now.from;
    node->now = (VmStep){
        .action = action, .node = e->depth, .from = (uint32_t)node->pool_count};
    vm->tuning.refuse_next = action.refuses;
    e->depth++;
    return true;
}

// ---- from one run to the next --------------------------------------------

static bool find_wanted(VmNode *node) {
    for (size_t i = 0; i < node->enabled_count; i++) {
        if (node->flags[i] != ACTION_WANTED ||
            is_asleep(node, node->enabled[i]))
            continue;
        node->chosen = i;
        return true;
    }
    return false;
}

// Backtracks to the deepest node that has an action left to try: the next run
// differs there.
static void turn_back(VmExplorer *e) {
    for (uint32_t i = e->depth; i-- > 0;) {
        VmNode *node = &e->nodes[i];
        node->flags[node->chosen] |= ACTION_DONE;
        arena_grow(&e->about->arena, node->done, node->done_count,
                   node->done_capacity);
        node->done[node->done_count++] = node->now;
        if (find_wanted(node)) {
            node->now.from = (uint32_t)node->pool_count;
            e->prefix = i + 1;
            return;
        }
    }
    e->about->is_complete = true;
}

void vm_explore_begin(Vm *vm, DeviceExploration *about) {
    VmExplorer *e = about->state;
    if (!e) {
        about->state = e = arena_new(&about->arena, VmExplorer, 1);
        e->clocks = arena_alloc(&about->arena, sizeof *e->clocks,
                                _Alignof(uint32_t), EXPLORE_DEPTH);
    }
    e->about = about;
    e->depth = 0;
    about->is_redundant = false;
    vm->engine.explorer = e;
    vm->turns.search = &e->depth;
}

void vm_explore_end(Vm *vm) {
    VmExplorer *e = vm->engine.explorer;
    if (e->about->is_too_large || vm->run->status != RUN_DONE)
        return;
    if (!e->about->is_naive)
        vm_explore_races(e);
    turn_back(e);
}
