// SPDX-License-Identifier: Apache-2.0
// Loops that wait, read off the code, not the run: spin.c looks for those that
// wait for a word of memory to change, watchdog.c for those that end in a trap.
#ifndef CLCLAB_VM_DECODE_SPIN_H
#define CLCLAB_VM_DECODE_SPIN_H

#include "vm/machine/machine.h"

// Whether the instruction, a load or an atomic, is the look of a loop that only
// waits: a thread comes back to it, with the same address, without a store, a
// barrier or a call on the way, and leaves the loop by nothing but what it has
// seen there. The first look, which compilers put in front of such a loop,
// counts as well: it has the same location and address.
bool vm_spin_waits(const VmFunc *func, const VmInstr *look);

// [code_count]: the instructions of all such loops. Of a kernel with so many
// loads that this would take long, of the first ones.
bool *vm_spin_loops(Arena *arena, const VmFunc *func);

// Whether a thread that has executed the load can come back to it, with the
// same address, without passing `wait`: then it looks again and again.
bool vm_spin_returns(const VmFunc *func, const VmInstr *load,
                     const VmInstr *wait);

// Where the thread may go from `pc`: to each `next`, which is code_count where
// the code ends.
typedef void VmNextVisit(void *context, uint32_t pc, uint32_t next);
void vm_code_next(const VmFunc *func, uint32_t pc, VmNextVisit *visit,
                  void *context);

// Whether a thread that goes round a loop which `pc` is in may leave it for
// what can only end in a trap: so does a watchdog.
bool vm_spin_may_trap(const VmFunc *func, uint32_t pc);

#endif
