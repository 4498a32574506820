// SPDX-License-Identifier: Apache-2.0
// Threads that hand memory over by arriving at an mbarrier: see handover.c.
#ifndef CLCLAB_VM_ORDER_HANDOVER_H
#define CLCLAB_VM_ORDER_HANDOVER_H

#include "vm/order/race.h"

// Notes an arrival that has just been made, at an mbarrier of the CTA.
void vm_handover_note(VmWarp *w, const VmInstr *in, uint32_t lanes,
                      const VmCta *owner, const VmMbarrier *bar);
// If the two threads of a race hand something over by an arrival, and that
// arrival came too early, or orders nothing: adds the arrival to the finding,
// as its first place, and the reason. False: it is not so.
bool vm_handover_explain(const VmRace *r, Finding *finding);
// Whether the two are at work in loops of their own, and one of the loops waits
// for an arrival of the other: no barrier of both has a place.
bool vm_handover_apart(const VmRace *r);

// If the thread of the earlier access is of the same block, and has left the
// kernel since: adds where, and the reason. False: it has not.
bool vm_handover_left(const VmRace *r, Finding *finding);

#endif
