// SPDX-License-Identifier: Apache-2.0
// Where the others wait when one is told to wait for ever: by line and by what
// they wait for.
#include "vm/engine/engine.h"
#include "vm/engine/stuck.h"

static FactWord other_wait(VmWaitKind kind) {
    switch (kind) {
    case WAIT_COPIES:
        break;
    case WAIT_NONE:
        return WORD_WAIT_MEMORY;
    case WAIT_BARRIER:
        return WORD_WAIT_BARRIER;
    case WAIT_CLUSTER:
        return WORD_WAIT_CLUSTER;
    case WAIT_MBARRIER:
        return WORD_WAIT_MBARRIER;
    case WAIT_LANES:
        return WORD_WAIT_LANES;
    case WAIT_ALIGNED:
        return WORD_WAIT_ALIGNED;
    case WAIT_REGISTERS:
        return WORD_WAIT_REGISTERS;
    }
    return WORD_WAIT_COPIES;
}

typedef struct Crowd { // fragments that wait in one way at one line
    Stuck first;
    uint32_t loc;
    uint32_t threads;
} Crowd;

enum { MOST_CROWDS = 3 };

static uint32_t own_loc(const Stuck *s) {
    return vm_learner_loc(s->warp->vm, s->warp, vm_stuck_loc(s->fragment));
}

// False: there are too many different crowds.
static bool join_crowd(Vm *vm, Crowd *crowds, uint32_t *count, Stuck s) {
    s.warp->frag = s.fragment;
    uint32_t loc = own_loc(&s);
    SrcLoc at = vm_src_of(vm, loc);
    uint32_t i = 0;
    while (i < *count && (vm_src_of(vm, crowds[i].loc).line != at.line ||
                          crowds[i].first.fragment->wait != s.fragment->wait))
        i++;
    if (i == MOST_CROWDS)
        return false;
    if (i == *count)
        crowds[(*count)++] = (Crowd){s, loc, 0};
    crowds[i].threads += vm_count(s.fragment->mask);
    return true;
}

// Whether some who should arrive in the phase that is waited for have not.
static bool lacks_arrivals(const Stuck *root) {
    const VmMbarrier *bar =
        root->fragment->wait == WAIT_MBARRIER ? vm_stuck_mbarrier(root) : NULL;
    return bar && bar->state.pending > 0;
}

// Where the threads of the crowd turned to a barrier, at which nobody arrives
// for them: their last branch. 0: it is not known, or they are at no barrier.
static uint32_t left_from(Vm *vm, const Crowd *crowd) {
    const VmFragment *f = crowd->first.fragment;
    if ((f->wait != WAIT_BARRIER && f->wait != WAIT_CLUSTER) || !f->branch_loc)
        return 0;
    crowd->first.warp->frag = crowd->first.fragment;
    uint32_t loc = vm_learner_loc(vm, crowd->first.warp, f->branch_loc);
    SrcLoc from = vm_src_of(vm, loc), at = vm_src_of(vm, crowd->loc);
    return from.line != at.line && str_equal(from.file, at.file) ? loc : 0;
}

void vm_relate_others(Vm *vm, const StuckList *list, const Stuck *root,
                      Finding *finding) {
    Crowd crowds[MOST_CROWDS];
    uint32_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const Stuck *s = &list->items[i];
        if (!vm_stuck_alike(s, root) ||
            vm_stuck_loc(s->fragment) != vm_stuck_loc(root->fragment))
            join_crowd(vm, crowds, &count, *s);
    }
    for (uint32_t i = 0; i < count; i++) {
        const Crowd *crowd = &crowds[i];
        FactWord wait = other_wait(crowd->first.fragment->wait);
        uint32_t left = lacks_arrivals(root) ? left_from(vm, crowd) : 0;
        if (left)
            vm_relate(vm, finding, PLACE_WENT_TO_WAIT, left,
                      FACTS(FACT_FIRST(crowd->first), FACT(WAIT, wait),
                            FACT(THREADS, crowd->threads),
                            FACT(LINE, vm_src_of(vm, crowd->loc).line)));
        else if (crowd->threads == 1)
            vm_relate(vm, finding, PLACE_WAITS, crowd->loc,
                      FACTS(FACT_FIRST(crowd->first), FACT(WAIT, wait)));
        else
            vm_relate(vm, finding, PLACE_WAIT_MANY, crowd->loc,
                      FACTS(FACT_FIRST(crowd->first), FACT(WAIT, wait),
                            FACT(THREADS, crowd->threads)));
    }
}
