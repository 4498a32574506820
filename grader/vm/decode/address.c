// SPDX-License-Identifier: Apache-2.0
// Addresses that are known when a kernel is decoded: of functions, of
// variables, of parameters.
#include "vm/decode/address.h"

#include <string.h>

enum { CODE_SHIFT = 4 }; // a function takes 16 bytes of address space

uint64_t vm_func_address(const PtxFunc *func) {
    return VM_WINDOW_CODE | (uint64_t)(vm_callee(func)->id + 1) << CODE_SHIFT;
}

const PtxFunc *vm_func_at(const Vm *vm, uint64_t address) {
    uint64_t number = (address & VM_OFFSET_MASK) >> CODE_SHIFT;
    if (number == 0 || number > vm->module->func_count)
        return NULL;
    const PtxFunc *func = vm->module->funcs[number - 1];
    return vm_func_address(func) == address ? func : NULL;
}

bool vm_module_address(Vm *vm, const PtxVar *var, uint64_t *out) {
    uint64_t buffer = vm->memory.module_buffers[var->id];
    *out = buffer << VM_BUFFER_SHIFT;
    return buffer != 0;
}

uint64_t vm_shared_address(const VmProgram *program, const VmFunc *func,
                           const PtxVar *var) {
    uint32_t slot = var->func ? func->var_offsets[var->id]
                              : program->shared_offsets[var->id];
    return VM_SHARED_BASE + (slot == VM_NONE ? program->placed_smem : slot);
}

bool vm_entry_param(Vm *vm, const PtxFunc *kernel, const PtxVar *var,
                    uint64_t *out) {
    for (size_t i = 0; i < kernel->param_count; i++) {
        if (kernel->params[i] != var)
            continue;
        *out = ((uint64_t)vm->memory.param_buffer << VM_BUFFER_SHIFT) +
               ptx_param_offset(kernel, i);
        return true;
    }
    return false;
}

uint32_t vm_formal_bytes(const PtxVar *var) {
    if (var->space == PTX_SPACE_REG)
        return var->type == PTX_PRED ? 0
               : var->size < 2       ? 2
                                     : (uint32_t)var->size;
    return var->size > UINT32_MAX ? UINT32_MAX : (uint32_t)var->size;
}

// Whether the parameter at `at` is, or a structure in it has, an address of
// the buffer.
static bool leads_to(const VmBuffer *params, uint64_t at, uint64_t size,
                     uint64_t number) {
    for (uint64_t i = 0; i + 8 <= size && at + i + 8 <= params->size; i += 8) {
        uint64_t value = 0;
        memcpy(&value, params->bytes + at + i, 8);
        if (value >> VM_BUFFER_SHIFT == number)
            return true;
    }
    return false;
}

bool vm_parameter_to(const Vm *vm, uint64_t number, size_t *parameter) {
    const PtxFunc *kernel = vm->program->kernel;
    const VmBuffer *params = &vm->memory.buffers[vm->memory.param_buffer];
    for (size_t i = 0; i < kernel->param_count; i++) {
        *parameter = i;
        if (leads_to(params, ptx_param_offset(kernel, i),
                     kernel->params[i]->size, number))
            return true;
    }
    return false;
}

VmMemoryName vm_memory_called(const VmWarp *w, const VmCta *owner,
                              uint32_t buffer, uint64_t offset) {
    VmMemoryName name = vm_memory_name(w, owner, buffer, offset);
    size_t parameter;
    if (name.word != WORD_MEMORY_GLOBAL ||
        !w->vm->memory.buffers[buffer].is_lent)
        return name;
    name.word = WORD_MEMORY_LENT;
    if (!vm_parameter_to(w->vm, buffer, &parameter))
        return name;
    name.word = WORD_MEMORY_OF_PARAMETER;
    name.number = (uint32_t)parameter;
    return name;
}
