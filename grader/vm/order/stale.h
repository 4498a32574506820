// SPDX-License-Identifier: Apache-2.0
// What a thread's waits at mbarriers were worth: see stale.c.
#ifndef CLCLAB_VM_ORDER_STALE_H
#define CLCLAB_VM_ORDER_STALE_H

#include "vm/machine/machine.h"

// Records that lanes have seen a phase of the mbarrier complete.
void vm_stale_note(VmWarp *w, const VmInstr *in, uint32_t lanes,
                   const VmMbarrier *bar);
// How many phases of the mbarrier the lane has seen complete. Returns false if
// that is not known.
bool vm_stale_seen(const VmWarp *w, uint32_t lane, uint32_t mbarrier,
                   uint64_t *phases);
// What is known of the last wait of the warp that was over, if the lane took
// part in it, and waited in earnest; else NULL.
const VmPassed *vm_stale_last(const VmWarp *w, uint32_t lane);
// What a warp of the CTA knows of its last wait at the mbarrier; NULL: none has
// waited there.
const VmPassed *vm_stale_passed(const VmCta *cta, uint32_t mbarrier);
// The warp with this number (clock.h); NULL: its cluster has ended.
VmWarp *vm_warp_of(const Vm *vm, uint32_t serial);
// Explains a finding about an answer that `who` (clock.h) has read: if the last
// wait of that thread at the answer's mbarrier (VM_NONE: at any mbarrier) was
// none that lets it read, or it was at other mbarriers alone, adds that to the
// finding. Returns false if it was a right one, or there was none.
bool vm_stale_explain(Vm *vm, Finding *finding, uint32_t who,
                      uint32_t mbarrier);

// The same for a thread that goes on too early without reading: adds only a
// wait whose parity was not flipped, or that returned false.
void vm_stale_explain_repeated(Vm *vm, const VmWarp *w, uint32_t lane);
// Adds the line that the parity of a wait comes from, or that it is one number
// in each round (the compiler leaves out two flips that cancel).
void vm_stale_relate_parity(Vm *vm, Finding *finding, const VmFunc *func,
                            const PtxInstr *wait);

#endif
