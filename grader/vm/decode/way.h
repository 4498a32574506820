// SPDX-License-Identifier: Apache-2.0
// Which instructions a thread can still come to from where it stands. Read off
// the code, and off the predicates that never change for a thread, because they
// are computed from its own indices, sizes and parameters alone.
#ifndef CLCLAB_VM_DECODE_WAY_H
#define CLCLAB_VM_DECODE_WAY_H

#include "vm/machine/machine.h"

typedef bool VmGoal(const PtxInstr *in);

// Whether a lane of the fragment may still execute an instruction that is a
// goal: what it does now counts, and so does what follows in the functions that
// called this one. True also if that is not known, as behind a call.
bool vm_way_leads(const VmFragment *f, VmGoal *is_goal);

// The same of any thread of the block that has not left.
bool vm_way_is_open(const VmCta *cta, VmGoal *is_goal);

#endif
