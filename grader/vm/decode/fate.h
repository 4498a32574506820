// SPDX-License-Identifier: Apache-2.0
// What becomes of values that a compiler may have loaded in vain. It moves
// loads of variables out of conditions, for it knows that they are there:
// `if (full) v = item;` loads item in any case, and a select, an `and` or a
// branch drops it. A lane that drops the value has not read item, so that
// others may write it meanwhile: whether a read and a later write are a race is
// judged by what became of the value.
//
// Such loads are found when a function is decoded (fate_find.c): they are
// ordinary ones from a fixed address, or of vectors with elements that nobody
// reads, and the code shows how their values may be dropped. Handlers of their
// own stand before each instruction that reads or writes a register which can
// come to hold such a value (fate.c). All others run at full speed.
#ifndef CLCLAB_VM_DECODE_FATE_H
#define CLCLAB_VM_DECODE_FATE_H

#include "vm/machine/machine.h"

#include <string.h>

enum { VM_FATES_MOST = 64 }; // values of a function that are followed

typedef struct VmFateValue {
    uint32_t pc, loc;        // of the load
    uint32_t element;        // of the vector that it loads
    uint8_t width, elements; // as the load's
    bool is_alone;           // all loads with this location are followed
    bool is_global;  // others may look at it when the thread's block has ended
    bool is_fixed;   // its address is; else nobody reads the value
    uint32_t number; // of the value in the program, from 0
} VmFateValue;

// Of a function.
typedef struct VmFates {
    VmFateValue values[VM_FATES_MOST];
    uint32_t count;
    VmHandler *handlers; // by pc: the instruction's own; NULL: no value of
                         // these comes there
    uint64_t *touched;   // by pc: values that may, as bits
} VmFates;

// The place of an instruction, which may be a copy of itself (engine/run.c). Of
// several that were decoded from one, the results tell.
static inline uint32_t vm_fate_pc(const VmFunc *func, const VmInstr *in) {
    uint32_t pc = func->pc_of[in->ptx - func->ptx->instrs];
    while (pc + 1 < func->code_count &&
           (func->code[pc].ptx != in->ptx ||
            memcmp(func->code[pc].dst, in->dst, sizeof in->dst) != 0))
        pc++;
    return pc;
}

// Finds the loads of a decoded function, and puts vm_op_fated before what is
// done with their values.
void vm_fates_find(Vm *vm, VmProgram *program, VmFunc *func);
// Executes an instruction that may use or drop values that are followed.
VmNext vm_op_fated(VmWarp *w, const VmInstr *in, uint32_t mask);
// An instruction with a guard is executed by `mask`, of the lanes in `active`.
void vm_fate_guard(VmWarp *w, const VmInstr *in, uint32_t mask,
                   uint32_t active);
void vm_fates_leave(VmFrame *frame); // frees what is known of its registers
void vm_fates_end(VmWarp *w);        // and of the warp's loads,

void vm_fates_forget(Vm *vm); // and of warps that have ended
// Whether an instruction uses the values of its operands, as far as others can
// see; else it only computes with them.
bool vm_fate_uses(const VmInstr *in);

// Whether the values of this load are followed.
bool vm_fate_follows(const VmFunc *func, const VmInstr *load);

// ---- questions about a load that has been executed -------------------------

typedef struct VmFateRead {
    uint32_t serial;      // of the warp
    VmWarp *w;            // that warp; NULL: it has ended
    uint32_t lanes, time; // logical
    uint32_t loc;
    uint64_t at; // offset, in their memory, of bytes that were loaded,
    uint32_t bytes;
} VmFateRead;

// What became of the values: of the other lanes they have been dropped, or
// nothing is known any more.
typedef struct VmFate {
    uint32_t used, held; // lanes; held: it is still in a register
} VmFate;

// False: loads of these bytes at this location are not followed.
bool vm_fate_of(const Vm *vm, const VmFateRead *read, VmFate *fate);
// Keeps a finding about these loads, whose values are held, until a lane uses
// one. Takes it over.
void vm_fate_keep(const Vm *vm, const VmFateRead *read, VmKept *kept);

#endif
