// SPDX-License-Identifier: Apache-2.0
// Addresses of shared memory, and what has a meaning of its own there: live
// mbarriers and the slots of answers.
#ifndef CLCLAB_VM_MACHINE_SHARED_H
#define CLCLAB_VM_MACHINE_SHARED_H

#include "vm/machine/machine.h"

// ---- shared.c ------------------------------------------------------------

// A shared address -> the CTA that it is in and the offset there; NULL: none.
VmCta *vm_shared_owner(const VmWarp *w, uint32_t address, uint32_t *offset);
// Where an operand of a synchronisation instruction is in shared memory: a
// shared address, or a generic one. False (no report) where it is not shared.
bool vm_shared_operand(const VmWarp *w, const VmInstr *in, uint32_t lane,
                       uint32_t src, uint64_t imm, VmCta **owner,
                       uint32_t *offset);

// ---- typed.c -------------------------------------------------------------

VmMbarrier *vm_mbarrier_find(const VmCta *cta, uint32_t offset); // live or NULL
// The mbarrier at `offset`, live or dead; a new one if need be.
VmMbarrier *vm_mbarrier_place(VmCta *cta, uint32_t offset);
VmSlot *vm_clc_slot_at(const VmCta *cta, uint32_t offset); // or NULL
// The slot at `offset` of `cta`, a new one if need be.
VmSlot *vm_clc_slot(VmCta *cta, uint32_t offset);
void vm_typed_extend(VmCta *cta, uint32_t offset, uint32_t bytes);
// A wait on `bar` succeeded in `cta`: answers that it covers are observed.
void vm_clc_observe(VmCta *cta, VmMbarrier *bar);

#endif
