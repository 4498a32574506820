// SPDX-License-Identifier: Apache-2.0
// Waits and arrivals that miss each other: see elsewhere.c.
#ifndef CLCLAB_VM_ORDER_ELSEWHERE_H
#define CLCLAB_VM_ORDER_ELSEWHERE_H

#include "vm/order/race.h"

// Adds to a request into a slot that a thread has read, with nothing to order
// the two, why its wait was not for that thread, if that is known.
void vm_elsewhere_explain(const VmRace *r, Finding *finding);
// The same of an answer that came to another block, none of whose warps was
// waited for.
void vm_elsewhere_neighbour(const VmRace *r, Finding *finding);

#endif
