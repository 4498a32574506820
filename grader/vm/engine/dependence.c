// SPDX-License-Identifier: Apache-2.0
// Which steps of an exhaustive search do not commute. Each step has a list of
// what it touched; two steps do not commute if they touch the same bytes of the
// same object and at least one of them writes.
//
// Objects: global buffers and shared memory (mbarriers are bytes there); the
// barriers of a CTA and of a cluster; whether a CTA is alive; what CLC knows
// about a CTA (that it observed a refusal); the queue of pending clusters.
// Copies touch everything: that makes the search slower where there are copies,
// which is rare, but keeps it correct.
#include "vm/code/kind.h"
#include "vm/decode/isa.h"
#include "vm/engine/explore.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"

typedef enum ObjectKind {
    OBJECT_ALL,
    OBJECT_GLOBAL, // number: the buffer's
    OBJECT_SHARED, // number: the CTA's, as for the following ones
    OBJECT_BARRIERS,
    OBJECT_LIFE,
    OBJECT_CLC,
    OBJECT_CLUSTER, // number: the cluster's
    OBJECT_QUEUE,   // number: 0
} ObjectKind;

enum { OBJECT_SHIFT = 56, SLOT_BYTES = 16, MBARRIER_BYTES = 8 };

// ---- recording -----------------------------------------------------------

static void touch(Vm *vm, ObjectKind kind, uint64_t number, uint64_t from,
                  uint64_t bytes, VmTouchKind how) {
    VmExplorer *e = vm->engine.explorer;
    VmNode *node = &e->nodes[e->depth - 1];
    VmTouch one = {.object = (uint64_t)kind << OBJECT_SHIFT | number,
                   .from = (uint32_t)from,
                   .to = (uint32_t)(from + bytes),
                   .kind = how};
    VmTouch *last = node->now.count ? &node->pool[node->pool_count - 1] : NULL;
    if (last && last->object == one.object && last->kind == how &&
        one.from <= last->to && one.from >= last->from) {
        last->to = one.to > last->to ? one.to : last->to;
        return;
    }
    arena_grow(&e->about->arena, node->pool, node->pool_count,
               node->pool_capacity);
    node->pool[node->pool_count++] = one;
    node->now.count++;
}

static void touch_whole(Vm *vm, ObjectKind kind, uint64_t number,
                        VmTouchKind how) {
    touch(vm, kind, number, 0, 1, how);
}

static void touch_all(Vm *vm) {
    touch_whole(vm, OBJECT_ALL, 0, TOUCH_WRITE);
}

static void touch_shared(VmWarp *w, uint32_t address, uint32_t bytes,
                         VmTouchKind how) {
    uint32_t offset;
    VmCta *owner = vm_shared_owner(w, address, &offset);
    if (!owner) {
        touch_all(w->vm);
        return;
    }
    touch(w->vm, OBJECT_SHARED, owner->linear, offset, bytes, how);
    if (owner != w->cta)
        touch_whole(w->vm, OBJECT_LIFE, owner->linear, TOUCH_READ);
}

// ---- memory --------------------------------------------------------------

static void touch_address(VmWarp *w, PtxSpace space, uint64_t address,
                          uint32_t bytes, VmTouchKind how) {
    bool generic = space == PTX_SPACE_GENERIC;
    space = vm_space_at(space, address);
    if (space == PTX_SPACE_SHARED)
        touch_shared(w, (uint32_t)address, bytes, how);
    else if (!generic || space != PTX_SPACE_LOCAL)
        touch(w->vm, OBJECT_GLOBAL, address >> VM_BUFFER_SHIFT,
              address & VM_OFFSET_MASK, bytes, how);
}

static void touch_memory(VmWarp *w, const VmInstr *in, uint32_t mask,
                         uint32_t bytes, VmTouchKind how) {
    EACH_LANE(l, mask) {
        touch_address(w, (PtxSpace)in->space, vm_lane_address(w, in, l), bytes,
                      how);
    }
}

static uint32_t access_bytes(const VmInstr *in) {
    return (uint32_t)in->width * (in->elements ? in->elements : 1);
}

// ---- barriers and requests -----------------------------------------------

static void touch_request(VmWarp *w, const VmInstr *in, uint32_t lane) {
    Vm *vm = w->vm;
    const VmCluster *cluster = w->cta->cluster;
    VmCta *owner;
    uint32_t slot, bar;
    touch_whole(vm, OBJECT_CLC, w->cta->linear, TOUCH_READ);
    if (!vm_shared_operand(w, in, lane, 0, in->offset, &owner, &slot) ||
        !vm_shared_operand(w, in, lane, 1, in->request.mbarrier_offset, &owner,
                           &bar)) {
        touch_all(vm); // the fault is reported when it is executed
        return;
    }
    for (uint32_t i = 0; i < cluster->cta_count; i++) {
        const VmCta *cta = cluster->ctas[i];
        if (!in->request.is_multicast && cta != w->cta)
            continue;
        touch(vm, OBJECT_SHARED, cta->linear, VM_SHARED_BASE + slot, SLOT_BYTES,
              TOUCH_WRITE);
        touch(vm, OBJECT_SHARED, cta->linear, VM_SHARED_BASE + bar,
              MBARRIER_BYTES, TOUCH_WRITE);
        touch_whole(vm, OBJECT_LIFE, cta->linear, TOUCH_READ);
    }
}

static void touch_requests(VmWarp *w, const VmInstr *in, uint32_t mask) {
    EACH_LANE(l, mask) {
        touch_request(w, in, l);
    }
}

// An arrival at a barrier enables other threads; a waiting thread does not.
static void touch_cluster(VmWarp *w, bool waits) {
    touch_whole(w->vm, OBJECT_CLUSTER, w->cta->cluster->index,
                waits ? TOUCH_RESUME : TOUCH_ARRIVE);
}

static void touch_cta(VmWarp *w) {
    touch_whole(w->vm, OBJECT_BARRIERS, w->cta->linear,
                w->frag->arrived ? TOUCH_RESUME : TOUCH_ARRIVE);
}

static void touch_object(VmWarp *w, const VmInstr *in, uint32_t mask) {
    const PtxTraits *traits = &PTX_TRAITS[in->op];
    bool only_reads = traits->access == PTX_ACCESS_READS;
    VmTouchKind how = only_reads ? TOUCH_READ : TOUCH_WRITE;
    switch ((PtxObject)traits->object) {
    case PTX_OBJECT_NONE:
    case PTX_OBJECT_LANES:
    case PTX_OBJECT_STACK:
        return;
    case PTX_OBJECT_MEMORY:
        touch_memory(w, in, mask, access_bytes(in), how);
        return;
    case PTX_OBJECT_MBARRIER:
        touch_memory(w, in, mask, MBARRIER_BYTES, how);
        return;
    case PTX_OBJECT_CTA:
        touch_cta(w);
        return;
    case PTX_OBJECT_CLUSTER:
        touch_cluster(w, traits->next == PTX_NEXT_WAIT);
        return;
    case PTX_OBJECT_REQUEST:
        touch_requests(w, in, mask);
        return;
    case PTX_OBJECT_ANSWER:
        touch_whole(w->vm, OBJECT_CLC, w->cta->linear, TOUCH_WRITE);
        return;
    case PTX_OBJECT_BYTES:
    case PTX_OBJECT_GROUPS:
    case PTX_OBJECT_TENSOR:
    case PTX_OBJECT_TEXTURE:
        touch_all(w->vm);
        return;
    }
}

void vm_touch_instr(VmWarp *w, const VmInstr *in, uint32_t mask) {
    if (mask == 0 || in->is_frame)
        return;
    if (in->handler == w->vm->isa->unsupported)
        touch_all(w->vm);
    else
        touch_object(w, in, mask);
}

// Barriers do not wait for threads that have exited.
void vm_touch_exit(VmWarp *w, bool whole_cta) {
    const VmCta *cta = w->cta;
    touch_whole(w->vm, OBJECT_BARRIERS, cta->linear, TOUCH_ARRIVE);
    touch_whole(w->vm, OBJECT_CLUSTER, cta->cluster->index, TOUCH_ARRIVE);
    if (whole_cta)
        touch_whole(w->vm, OBJECT_LIFE, cta->linear, TOUCH_WRITE);
}

static void touch_answer(Vm *vm, const VmRequest *request, uint32_t rank) {
    uint64_t cta = request->cluster->ctas[rank]->linear;
    touch(vm, OBJECT_SHARED, cta, VM_SHARED_BASE + request->slot, SLOT_BYTES,
          TOUCH_WRITE);
    touch(vm, OBJECT_SHARED, cta, VM_SHARED_BASE + request->mbarrier,
          MBARRIER_BYTES, TOUCH_WRITE);
    touch_whole(vm, OBJECT_LIFE, cta, TOUCH_READ);
}

void vm_touch_event(Vm *vm, const VmEvent *event) {
    switch (event->kind) {
    case EVENT_LAUNCH:
    case EVENT_DECIDE:
        touch_whole(vm, OBJECT_QUEUE, 0, TOUCH_WRITE);
        return;
    case EVENT_ANSWER:
        touch_answer(vm, &vm->clc.requests[event->request], event->rank);
        return;
    case EVENT_COPY:
        touch_all(vm);
        return;
    }
}

// ---- two steps -----------------------------------------------------------

static VmRelation relation(const VmTouch *first, const VmTouch *second) {
    bool all = first->object >> OBJECT_SHIFT == OBJECT_ALL ||
               second->object >> OBJECT_SHIFT == OBJECT_ALL;
    if (all)
        return STEPS_RACE;
    if (first->object != second->object || first->from >= second->to ||
        second->from >= first->to)
        return STEPS_COMMUTE;
    if (first->kind == TOUCH_ARRIVE && second->kind == TOUCH_RESUME)
        return STEPS_FOLLOW;
    bool writes = first->kind == TOUCH_WRITE || second->kind == TOUCH_WRITE;
    return writes ? STEPS_RACE : STEPS_COMMUTE;
}

VmRelation vm_relation(const VmExplorer *e, const VmStep *first,
                       const VmStep *second) {
    if (first->count == 0 || second->count == 0) // and perhaps no pool
        return STEPS_COMMUTE;
    const VmTouch *a = e->nodes[first->node].pool + first->from;
    const VmTouch *b = e->nodes[second->node].pool + second->from;
    VmRelation closest = STEPS_COMMUTE;
    for (uint32_t i = 0; i < first->count; i++)
        for (uint32_t k = 0; k < second->count; k++) {
            VmRelation one = relation(&a[i], &b[k]);
            closest = one > closest ? one : closest;
        }
    return closest;
}

// ---- races ---------------------------------------------------------------

static bool want(VmNode *node, uint64_t process) {
    bool found = false;
    for (size_t i = 0; i < node->enabled_count; i++) {
        if (node->enabled[i].process != process)
            continue;
        node->flags[i] |= ACTION_WANTED;
        found = true;
    }
    return found;
}

// Step `late` could have come before step `early`: marks its process to be
// tried at the node of `early`; or, if the process cannot run there, one that
// leads to it.
static void turn_at(VmExplorer *e, uint32_t early, uint32_t late) {
    VmNode *node = &e->nodes[early];
    const uint32_t *before = e->clocks[late];
    if (want(node, e->nodes[late].now.action.process))
        return;
    for (uint32_t k = early + 1; k < late; k++) {
        const VmNode *between = &e->nodes[k];
        if (before[between->process] > k &&
            want(node, between->now.action.process))
            return;
    }
    for (size_t i = 0; i < node->enabled_count; i++)
        node->flags[i] |= ACTION_WANTED;
}

static void join(uint32_t *clock, const uint32_t *other, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        clock[i] = other[i] > clock[i] ? other[i] : clock[i];
}

// The vector clock of what precedes step `index` in its own process and through
// the step that enabled it.
static void begin_clock(VmExplorer *e, uint32_t index) {
    const VmNode *node = &e->nodes[index];
    uint32_t *clock = e->clocks[index], own = index;
    memset(clock, 0, sizeof *e->clocks);
    while (own > 0 && e->nodes[own - 1].process != node->process)
        own--;
    if (own > 0)
        join(clock, e->clocks[own - 1], e->process_count);
    if (node->enabled_by)
        join(clock, e->clocks[node->enabled_by - 1], e->process_count);
}

static void find_races(VmExplorer *e, uint32_t late) {
    VmNode *node = &e->nodes[late];
    uint32_t *clock = e->clocks[late];
    begin_clock(e, late);
    for (uint32_t early = late; early-- > 0;) {
        const VmNode *other = &e->nodes[early];
        if (clock[other->process] > early)
            continue;
        VmRelation found = vm_relation(e, &other->now, &node->now);
        if (found == STEPS_COMMUTE)
            continue;
        if (found == STEPS_RACE)
            turn_at(e, early, late);
        join(clock, e->clocks[early], e->process_count);
    }
    clock[node->process] = late + 1;
}

void vm_explore_races(VmExplorer *e) {
    for (uint32_t i = e->prefix ? e->prefix - 1 : 0; i < e->depth; i++)
        find_races(e, i);
}
