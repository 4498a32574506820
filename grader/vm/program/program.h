// SPDX-License-Identifier: Apache-2.0
// A kernel with all that it can reach: layout of its memory, decoded code.
#ifndef CLCLAB_VM_PROGRAM_PROGRAM_H
#define CLCLAB_VM_PROGRAM_PROGRAM_H

#include "vm/decode/decode.h"

// Lays out and decodes `kernel` for this launch. False where it cannot run at
// all (a function that is not defined is only noticed when it is called).
bool vm_program_make(Vm *vm, const PtxFunc *kernel, VmProgram *out,
                     Diag *error);
// The same, or what an earlier launch of that kind decoded; NULL: it cannot
// run.
const VmProgram *vm_kept_program(Vm *vm, const PtxFunc *kernel, Diag *error);
void vm_kept_drop(Vm *vm); // all of them: another module comes
// Only the layout: what occupancy needs.
void vm_program_layout(Vm *vm, const PtxFunc *kernel, VmProgram *out);

// Generic address of a module-scope variable in global or constant memory.
bool vm_module_address(Vm *vm, const PtxVar *var, uint64_t *out);
// Shared address (of the own CTA) of a shared variable.
uint64_t vm_shared_address(const VmProgram *program, const VmFunc *func,
                           const PtxVar *var);
// Generic address of a kernel parameter.
bool vm_entry_param(Vm *vm, const PtxFunc *kernel, const PtxVar *var,
                    uint64_t *out);
// Offset of parameter `index` in the parameter block; the block's size for
// index == param_count.
uint64_t vm_param_offset(const PtxFunc *kernel, size_t index);

// A function as a value (an alias has the address of what it stands for), and
// back; NULL: no function is there.
uint64_t vm_func_address(const PtxFunc *func);
const PtxFunc *vm_func_at(const Vm *vm, uint64_t address);
// Bytes a lane of a formal parameter or result; 0: a predicate.
uint32_t vm_formal_bytes(const PtxVar *var);

// The function that a call reaches: an alias stands for another.
static inline const PtxFunc *vm_callee(const PtxFunc *func) {
    return func->alias_of ? func->alias_of : func;
}

// Gives each register of func->ptx its place in the frame.
void vm_registers_place(Arena *arena, VmFunc *func);
void vm_decode_func(Vm *vm, VmProgram *program, VmFunc *func);

#endif
