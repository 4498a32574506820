// SPDX-License-Identifier: Apache-2.0
// Assigns the registers of a function their places in the frame.
#ifndef CLCLAB_VM_CODE_REGISTERS_H
#define CLCLAB_VM_CODE_REGISTERS_H

#include "vm/code/instr.h"

// Gives each register of func->ptx its place in the frame.
void vm_registers_place(Arena *arena, VmFunc *func);

// Whether an instruction reads or writes a register that can hold a value which
// depends on one that nobody has set.
bool vm_registers_reached(const VmFunc *func, const PtxInstr *in);

#endif
