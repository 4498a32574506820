// SPDX-License-Identifier: Apache-2.0
// Gathering the lanes of a membermask at an instruction. Private to exec/.
#ifndef CLCLAB_VM_EXEC_GATHER_H
#define CLCLAB_VM_EXEC_GATHER_H

#include "vm/machine/findings.h"
#include "vm/machine/lanes.h"
#include "vm/turns/turns.h"
#include "vm/units/units.h"

// Lanes of one fragment may name different membermasks, as the tiles of a warp
// do; each group is independent. The lanes of the first group continue, and the
// others become a fragment that returns to the instruction.
static inline void part_groups(VmWarp *w, const VmInstr *in, uint32_t *mask,
                               uint32_t index, uint32_t members) {
    uint32_t same = 0;
    EACH_LANE(l, *mask) {
        same |= (uint32_t)(vm_lane_u64(w, in->src[index], l) == members) << l;
    }
    if (same == *mask)
        return;
    VmFragment *other = vm_fragment_split(w, *mask & ~same);
    other->pc--;
    w->join_pc = w->frag->pc;
    *mask = same;
}

// Reports a lane that executes the instruction, but is not in the membermask
// that it names.
static inline VmNext not_named(VmWarp *w, const VmInstr *in, uint32_t members,
                               uint32_t lane) {
    return vm_faulted(
        w, in, CASE_SYNC004_NOT_NAMED,
        FACTS(FACT_LANE(w, lane), FACT(LANES, members), FACT(LANE, lane)));
}

// True if the lanes of the membermask (src[index]) are all here: *mask then has
// the lanes that execute together. Otherwise the handler must return *next.
static inline bool gathered(VmWarp *w, const VmInstr *in, uint32_t *mask,
                            uint32_t index, VmNext *next) {
    uint32_t first = vm_first(*mask);
    uint32_t members = (uint32_t)vm_lane_u64(w, in->src[index], first);
    uint32_t strangers = 1u << first & ~members, need = members & w->live;
    if (!strangers && (need & ~w->frag->mask) == 0) {
        if (in->src[index].sel == 0)
            part_groups(w, in, mask, index, members);
        strangers = *mask & ~members;
        if (!strangers)
            return true;
    }
    if (strangers)
        *next = not_named(w, in, members, vm_first(strangers));
    else if (!vm_rendezvous(w, in, index, members, next))
        *next = vm_wait(w, WAIT_LANES, members, 0);
    return false;
}

// The same for an instruction that takes the whole warp (.sync.aligned), where
// src[index] is the mask of all lanes. Lanes that have exited, or never were,
// cannot come.
static inline bool gathered_all(VmWarp *w, const VmInstr *in, uint32_t *mask,
                                uint32_t index, VmNext *next) {
    if (w->live == VM_FULL)
        return gathered(w, in, mask, index, next);
    *next =
        vm_faulted(w, in, CASE_SYNC004_NEVER_COME,
                   FACTS(FACT_LANE(w, vm_first(*mask)), FACT(LANES, ~w->live)));
    return false;
}

#endif
