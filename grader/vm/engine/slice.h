// SPDX-License-Identifier: Apache-2.0
// What decides where the loops of a launch go: of the registers, the parameters
// of calls and the words of memory that its instructions write, those that a
// branch, an address or such a register depends on. A count of polls that
// nobody looks at is none of these. (The backward slice of the control flow,
// Weiser 1981, of the instructions that have been seen.)
#ifndef CLCLAB_VM_ENGINE_SLICE_H
#define CLCLAB_VM_ENGINE_SLICE_H

#include "vm/machine/machine.h"

// Keys of any kind, each with a value; keys are hashes and are never 0.
typedef struct VmTable {
    uint64_t *keys, *values; // [room]
    size_t room;             // a power of 2; 0: empty
    size_t count;
} VmTable;

// The place of the key's value, which is 0 if it is new.
uint64_t *vm_table_at(Arena *arena, VmTable *table, uint64_t key);
bool vm_table_has(const VmTable *table, uint64_t key);

// An instruction that has been seen.
typedef struct VmSeenStep {
    const VmFunc *func;
    const VmInstr *in;
} VmSeenStep;

// An instruction has accessed a word.
typedef struct VmSeenAccess {
    uint32_t step;
    uint64_t word; // its key
} VmSeenAccess;

typedef struct VmSlice {
    Arena arena;
    VmSeenStep *steps;
    size_t step_count, step_capacity;
    VmSeenAccess *accesses;
    size_t access_count, access_capacity;
    VmTable step_of;   // by instruction: its index in `steps`, plus 1
    VmTable access_of; // by step and word
    VmTable decides;   // registers and variables of functions, and words
    bool reads_clock;
} VmSlice;

// An instruction is about to be executed. False: one of a kind that leaves
// something behind that is not followed, or there are too many.
bool vm_slice_step(VmSlice *slice, const VmFunc *func, const VmInstr *in,
                   uint32_t *step);
bool vm_slice_access(VmSlice *slice, uint32_t step, uint64_t word);
bool vm_slice_knows(const VmSlice *slice, const VmFunc *func,
                    const VmInstr *in);
bool vm_slice_knows_access(const VmSlice *slice, const VmFunc *func,
                           const VmInstr *in, uint64_t word);
// When all have been seen.
void vm_slice_close(VmSlice *slice);
bool vm_slice_has(const VmSlice *slice, const VmFunc *func, VmRef ref);
// A register's key, or a variable's, in the frames of a function.
uint64_t vm_slice_key(const VmFunc *func, VmRef ref);
bool vm_slice_has_word(const VmSlice *slice, uint64_t word);

// The variable that a load or store of a parameter or result accesses.
static inline VmRef vm_slice_variable(const VmInstr *in) {
    return (VmRef){.off = in->memory.variable, .reg = VM_NO_REG};
}

static inline VmRef vm_slice_ref(const VmPlace *place) {
    return (VmRef){.off = place->off, .sel = place->sel, .reg = place->reg};
}

static inline bool vm_slice_is_memory(const VmInstr *in) {
    return !in->is_frame && (ptx_is_load(in->op) || ptx_is_store(in->op) ||
                             ptx_is_atomic(in->op));
}

#endif
