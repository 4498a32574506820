// SPDX-License-Identifier: Apache-2.0
// Which branch decides whether a thread comes to an instruction, and whether it
// can come from another one. Read off the code, not the run.
#ifndef CLCLAB_VM_DECODE_CONDITION_H
#define CLCLAB_VM_DECODE_CONDITION_H

#include "vm/machine/machine.h"

// The branch closest in front of `in` from which one way always leads to it,
// and another one to the function's end without it. NULL: there is none: every
// thread comes to it.
const PtxInstr *vm_condition_of(const VmFunc *func, const PtxInstr *in);
// Its location; 0: there is none.
uint32_t vm_condition_loc(const VmFunc *func, const PtxInstr *in);

// Whether a thread that this branch leads round `in` accesses global or shared
// memory, or calls a function, before the function's end.
bool vm_condition_is_busy(const VmFunc *func, const PtxInstr *in);

// The branch by which a thread that has executed `in` leaves the loop round it:
// the first one, behind which `in` does not come again on one way. NULL: it is
// in no loop of this function.
const PtxInstr *vm_condition_again(const VmFunc *func, const PtxInstr *in);

// Whether no thread goes from an access at location `loc` to `in`, nor back, by
// jumps of this function, and one of them is in a loop: they are in branches
// that different threads take, and no barrier that all threads execute can
// stand between the two. False also if the function has no access at that
// location.
bool vm_condition_apart(const VmFunc *func, uint32_t loc, const PtxInstr *in);

// The first access at location `loc`; NULL: the function has none.
const PtxInstr *vm_condition_access(const VmFunc *func, uint32_t loc);
// The first instruction with the opcode and the location of `in`, which may be
// a copy of it; NULL: `in` is not of this function.
const PtxInstr *vm_condition_first(const VmFunc *func, const PtxInstr *in);
// Whether a thread can go from each of the two to the other by jumps of this
// function, as only within a loop. For one instruction: whether it is in a
// loop.
bool vm_condition_share_loop(const VmFunc *func, const PtxInstr *a,
                             const PtxInstr *b);

#endif
