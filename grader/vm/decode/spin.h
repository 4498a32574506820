// SPDX-License-Identifier: Apache-2.0
// Loops that wait for a word of memory to change. Read off the code, not the
// run.
#ifndef CLCLAB_VM_DECODE_SPIN_H
#define CLCLAB_VM_DECODE_SPIN_H

#include "vm/machine/machine.h"

// Whether the instruction, a load or an atomic, is the look of a loop that only
// waits: a thread comes back to it, with the same address, without a store, a
// barrier or a call on the way, and leaves the loop by nothing but what it has
// seen there. The first look, which compilers put in front of such a loop,
// counts as well: it has the same location and address.
bool vm_spin_waits(const VmFunc *func, const VmInstr *look);

// Whether a thread that has executed the load can come back to it, with the
// same address, without passing `wait`: then it looks again and again.
bool vm_spin_returns(const VmFunc *func, const VmInstr *load,
                     const VmInstr *wait);

#endif
