// SPDX-License-Identifier: Apache-2.0
// What a buffer is called in a finding: a variable, the buffer of a parameter.
#include "vm/decode/address.h"
#include "vm/memory/memory.h"

VmBufferName vm_buffer_name(const Vm *vm, uint64_t number) {
    const VmBuffer *buffer = &vm->memory.buffers[number];
    VmBufferName name = {.word = WORD_BUFFER_UNKNOWN, .size = buffer->size};
    if (buffer->var) {
        name.word = WORD_BUFFER_VARIABLE;
        name.name = buffer->var->name;
    } else if (buffer->heap_size) {
        name.word = WORD_BUFFER_HEAP;
    } else if (number == vm->memory.param_buffer) {
        name.word = WORD_BUFFER_PARAMETERS;
    } else if (vm_parameter_to(vm, number, &name.number)) {
        name.word = WORD_BUFFER_OF_PARAMETER;
    }
    return name;
}
