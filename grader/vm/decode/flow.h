// SPDX-License-Identifier: Apache-2.0
// What instructions do with the values of their operands: move them, put them
// together, or compute with them. For rules about values that may be copied but
// not used: opaque.c, uninitialised.c.
#ifndef CLCLAB_VM_DECODE_FLOW_H
#define CLCLAB_VM_DECODE_FLOW_H

#include "vm/state/turns.h"

typedef enum VmEffect {
    EFFECT_USE,    // computes with them
    EFFECT_COPY,   // moves them, or puts them together
    EFFECT_JOIN,   // of two that both are such: puts them together
    EFFECT_SELECT, // one of two
    EFFECT_SHUFFLE,
    EFFECT_LOAD,
    EFFECT_STORE,
    EFFECT_PASS, // query_cancel, calls: what is not followed
} VmEffect;

enum { VM_FLOW_VISITS = 1 << 26 }; // of instructions, in a launch

VmEffect vm_effect(const VmInstr *in);
// The sources that only travel through the instruction: [*first, *end).
void vm_carried(const VmInstr *in, VmEffect effect, uint32_t *first,
                uint32_t *end);
// Whether something computes with what element `element` of a load gives, as
// far as its function shows: on any way from the load, through copies in
// registers. False where that takes too long to see.
bool vm_flow_is_used(Vm *vm, const VmFunc *func, const VmInstr *load,
                     uint32_t element);
// The instruction that the fragment executes: `in` may be a copy of it (run.c).
VmInstr *vm_instr_itself(const VmFunc *func, const VmFragment *f,
                         const VmInstr *in);

#endif
