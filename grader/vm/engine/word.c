// SPDX-License-Identifier: Apache-2.0
// From an address to the word there, and a key that no other word has. Memory
// that nobody can write has none.
#include "vm/engine/word.h"

#include "vm/engine/engine.h"
#include "vm/machine/shared.h"

#include <string.h>

uint64_t vm_word_mix(uint64_t key, uint64_t value) {
    return hash_u64(hash_u64(key) ^ value);
}

uint64_t vm_word_block(const VmCta *cta) {
    return vm_word_mix(VM_WINDOW_SHARED, cta->linear) | 1;
}

uint64_t vm_word_warp(const VmWarp *w) {
    return hash_u64((uint64_t)w->cta->linear << 8 | w->index) | 1;
}

static VmWord global_word(const Vm *vm, uint64_t address) {
    uint64_t number = address >> VM_BUFFER_SHIFT;
    uint64_t offset =
        (address & VM_OFFSET_MASK) / VM_WORD_BYTES * VM_WORD_BYTES;
    if (number == 0 || number >= vm->memory.buffer_count)
        return (VmWord){0};
    const VmBuffer *buffer = &vm->memory.buffers[number];
    if (buffer->read_only || offset >= buffer->size)
        return (VmWord){0};
    return (VmWord){hash_u64(address / VM_WORD_BYTES) | 1,
                    buffer->bytes + offset, 0};
}

static VmWord shared_word(const VmWarp *w, uint64_t address) {
    uint32_t offset;
    const VmCta *cta = vm_shared_owner(w, (uint32_t)address, &offset);
    if (!cta)
        return (VmWord){0};
    offset = (offset - VM_SHARED_BASE) / VM_WORD_BYTES * VM_WORD_BYTES;
    return (VmWord){vm_word_mix(VM_WINDOW_SHARED + cta->linear, offset) | 1,
                    cta->smem + offset, vm_word_block(cta)};
}

static VmWord local_word(const VmWarp *w, uint32_t lane, uint64_t address) {
    uint64_t offset =
        (address & VM_OFFSET_MASK) / VM_WORD_BYTES * VM_WORD_BYTES;
    if (offset + VM_WORD_BYTES > w->memory.local_capacity)
        return (VmWord){0};
    return (VmWord){vm_word_mix(vm_word_warp(w) + lane, offset) | 1,
                    w->memory.local + (size_t)lane * w->memory.local_capacity +
                        offset,
                    vm_word_warp(w)};
}

VmWord vm_word_at(const VmWarp *w, const VmInstr *in, uint32_t lane,
                  uint64_t address) {
    PtxSpace space = vm_space_at((PtxSpace)in->space, address);
    if (space == PTX_SPACE_SHARED)
        return shared_word(w, address);
    if (space == PTX_SPACE_LOCAL)
        return local_word(w, lane, address);
    if (space == PTX_SPACE_GLOBAL)
        return global_word(w->vm, address);
    return (VmWord){0};
}

bool vm_watch_holds(const VmWatch *watch) {
    for (uint32_t i = 0; i < watch->count; i++)
        if (memcmp(watch->at[i], &watch->was[i], VM_WORD_BYTES) != 0)
            return false;
    return watch->count > 0;
}
