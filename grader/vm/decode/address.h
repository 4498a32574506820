// SPDX-License-Identifier: Apache-2.0
// Addresses that are known when a kernel is decoded.
#ifndef CLCLAB_VM_DECODE_ADDRESS_H
#define CLCLAB_VM_DECODE_ADDRESS_H

#include "vm/machine/findings.h"
#include "vm/machine/machine.h"

// Generic address of a module-scope variable in global or constant memory.
bool vm_module_address(Vm *vm, const PtxVar *var, uint64_t *out);
// Shared address (of the own CTA) of a shared variable.
uint64_t vm_shared_address(const VmProgram *program, const VmFunc *func,
                           const PtxVar *var);
// Generic address of a kernel parameter.
bool vm_entry_param(Vm *vm, const PtxFunc *kernel, const PtxVar *var,
                    uint64_t *out);

// The parameter of the running kernel that points to the buffer. False: there
// is none.
bool vm_parameter_to(const Vm *vm, uint64_t number, size_t *parameter);
// vm_memory_name, but memory of a whole program is called by the parameter that
// points to it: its numbers say nothing.
VmMemoryName vm_memory_called(const VmWarp *w, const VmCta *owner,
                              uint32_t buffer, uint64_t offset);

// The address of a function (for an alias, that of its target), and the
// function at an address; NULL: there is none.
uint64_t vm_func_address(const PtxFunc *func);
const PtxFunc *vm_func_at(const Vm *vm, uint64_t address);
// Bytes per lane of a formal parameter or result; 0: a predicate.
uint32_t vm_formal_bytes(const PtxVar *var);

// The function that a call reaches: for an alias, its target.
static inline const PtxFunc *vm_callee(const PtxFunc *func) {
    return func->alias_of ? func->alias_of : func;
}

#endif
