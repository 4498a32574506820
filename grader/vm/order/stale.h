// SPDX-License-Identifier: Apache-2.0
// Waits that returned at once because they tested an old phase: see stale.c.
#ifndef CLCLAB_VM_ORDER_STALE_H
#define CLCLAB_VM_ORDER_STALE_H

#include "vm/machine/machine.h"

// Records that lanes have seen a phase of the mbarrier complete.
void vm_stale_note(VmWarp *w, const VmInstr *in, uint32_t lanes,
                   const VmMbarrier *bar);
// Explains a finding about an answer that `who` (clock.h) has read: if the last
// wait of that thread at the answer's mbarrier (VM_NONE: at any mbarrier) was
// stale, adds that to the finding. Returns false if it was not.
bool vm_stale_explain(Vm *vm, Finding *finding, uint32_t who,
                      uint32_t mbarrier);

#endif
