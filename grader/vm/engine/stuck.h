// SPDX-License-Identifier: Apache-2.0
// Fragments that wait, or spin, when a run makes no progress. stuck.c finds the
// one that is told; crowds.c says where the others are.
#ifndef CLCLAB_VM_ENGINE_STUCK_H
#define CLCLAB_VM_ENGINE_STUCK_H

#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/machine/shared.h"
#include "vm/units/units.h"

typedef struct Stuck { // a fragment that waits, or spins (WAIT_NONE)
    VmWarp *warp;
    VmFragment *fragment;
} Stuck;

typedef struct StuckList {
    Stuck *items;
    size_t count, capacity;
} StuckList;

// A fact: the first thread of a Stuck.
#define FACT_FIRST(s) FACT_LANE((s).warp, vm_first((s).fragment->mask))

static inline uint32_t vm_stuck_loc(const VmFragment *f) {
    return f->frame->func->code[f->pc].loc;
}

// That it waits for; NULL: it is not there.
static inline const VmMbarrier *vm_stuck_mbarrier(const Stuck *s) {
    return vm_mbarrier_find(s->warp->cta, s->fragment->key);
}

// Whether both wait for the same.
static inline bool vm_stuck_alike(const Stuck *a, const Stuck *b) {
    return a->warp->cta == b->warp->cta &&
           a->fragment->wait == b->fragment->wait &&
           a->fragment->key == b->fragment->key;
}

// Where those of the list wait that do not wait as `root` does: as places of
// the finding, the threads of one line together.
void vm_relate_others(Vm *vm, const StuckList *list, const Stuck *root,
                      Finding *finding);

#endif
