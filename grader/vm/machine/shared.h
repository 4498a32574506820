// SPDX-License-Identifier: Apache-2.0
// Addresses of shared memory, and the objects in it that the machine knows:
// live mbarriers and the slots of answers.
#ifndef CLCLAB_VM_MACHINE_SHARED_H
#define CLCLAB_VM_MACHINE_SHARED_H

#include "vm/machine/machine.h"

// ---- shared.c ------------------------------------------------------------

// The CTA that a shared address belongs to, and the offset there. NULL: no CTA.
VmCta *vm_shared_owner(const VmWarp *w, uint32_t address, uint32_t *offset);
// The place in shared memory that an operand of a synchronisation instruction
// names by a shared or generic address. False (without a report) if it is not
// in shared memory.
bool vm_shared_operand(const VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t src, uint64_t imm, VmCta **owner,
                       uint32_t *offset);
// Whether some of these bytes belong to no variable.
bool vm_shared_is_gap(const VmCta *cta, uint32_t offset, uint32_t bytes);

// ---- typed.c -------------------------------------------------------------

// Where mbarrier.inval ended the life of one that is not live; 0: nowhere.
uint32_t vm_mbarrier_ended(const VmCta *cta, uint32_t offset);
// Whether a barrier of the cluster has been completed since its init, and the
// last one was relaxed.
bool vm_mbarrier_met_relaxed(const VmCta *cta, const VmMbarrier *bar);
VmMbarrier *vm_mbarrier_find(const VmCta *cta,
                             uint32_t offset); // NULL: no live one
// Notes an arrival in the current phase, by the warp of this number (VM_NONE:
// by a copy).
void vm_mbarrier_note_arrival(VmMbarrier *bar, uint32_t warp);
// Whether this warp arrived in the phase before the current one. True also if
// that is not known, or if there is none.
bool vm_mbarrier_has_come(const VmMbarrier *bar, uint32_t warp);
// The same for the current phase; false if it has no arrivals.
bool vm_mbarrier_has_arrived(const VmMbarrier *bar, uint32_t warp);
// How many warps arrived in the last two phases that had arrivals, if none of
// them arrived in both; else 0.
uint32_t vm_mbarrier_taking_turns(const VmMbarrier *bar);
// The mbarrier at `offset`, live or dead; created if there is none.
VmMbarrier *vm_mbarrier_place(VmCta *cta, uint32_t offset);
VmSlot *vm_clc_slot_at(const VmCta *cta,
                       uint32_t offset); // NULL: there is none
// The slot at `offset` in `cta`; created if there is none.
VmSlot *vm_clc_slot(VmCta *cta, uint32_t offset);
void vm_typed_extend(VmCta *cta, uint32_t offset, uint32_t bytes);
// A wait on `bar` succeeded in `cta`: the answers that it covers have been
// observed.
void vm_clc_observe(VmCta *cta, VmMbarrier *bar);

#endif
