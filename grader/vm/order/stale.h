// SPDX-License-Identifier: Apache-2.0
// Waits that were over at once: see stale.c.
#ifndef CLCLAB_VM_ORDER_STALE_H
#define CLCLAB_VM_ORDER_STALE_H

#include "vm/machine/machine.h"

// Lanes have seen that a phase of the mbarrier is over.
void vm_stale_note(VmWarp *w, const VmInstr *in, uint32_t lanes,
                   const VmMbarrier *bar);
// A finding about an answer that `who` (clock.h) has read: if the last wait of
// that thread at the answer's mbarrier (VM_NONE: at any) was stale, says so.
// False: it was not.
bool vm_stale_explain(Vm *vm, Finding *finding, uint32_t who,
                      uint32_t mbarrier);

#endif
