// SPDX-License-Identifier: Apache-2.0
// Flow analysis: what instructions do with the values of their operands. They
// move them, combine them, or compute with them. It serves the rules about
// values that may be copied but not used: opaque.c, uninitialised.c.
#ifndef CLCLAB_VM_DECODE_FLOW_H
#define CLCLAB_VM_DECODE_FLOW_H

#include "vm/state/turns.h"

typedef enum VmEffect {
    EFFECT_USE,    // computes with its operands
    EFFECT_COPY,   // moves or combines them
    EFFECT_JOIN,   // combines two if both are tracked values
    EFFECT_SELECT, // chooses one of two
    EFFECT_SHUFFLE,
    EFFECT_LOAD,
    EFFECT_STORE,
    EFFECT_PASS, // query_cancel, calls: not followed
} VmEffect;

enum {
    VM_FLOW_VISITS = 1 << 26
}; // limit on visits to instructions, per
   // launch

VmEffect vm_effect(const VmInstr *in);
// The sources that the instruction only passes on: [*first, *end).
void vm_carried(const VmInstr *in, VmEffect effect, uint32_t *first,
                uint32_t *end);
// True if the function computes with element `element` of a load, on any path
// from the load and through copies in registers. False also if the analysis
// reaches its limit.
bool vm_flow_is_used(Vm *vm, const VmFunc *func, const VmInstr *load,
                     uint32_t element);
// True if the instruction stores the argument of a call whose function only
// moves it into shuffles, where the lanes that read it take it, or hands it on
// to one that does. False also if the analysis reaches its limit.
bool vm_flow_is_shuffled(Vm *vm, const VmFunc *func, const VmInstr *store);
// True if the function goes on from `in`, on some path, to its end or to `in`
// again without reading what `in` has computed. A register that is moved is
// followed; false also if the analysis reaches its limit.
bool vm_flow_may_drop(Vm *vm, const VmFunc *func, const VmInstr *in);
// The same for a load, also if the function computes with the value: on some
// path a branch, an access or another thread depends on the result, and on
// others none does.
bool vm_flow_may_be_idle(Vm *vm, const VmFunc *func, const VmInstr *load);
// The instruction that the fragment executes; `in` may be a copy of it (run.c).
VmInstr *vm_instr_itself(const VmFunc *func, const VmFragment *f,
                         const VmInstr *in);

#endif
