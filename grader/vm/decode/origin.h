// SPDX-License-Identifier: Apache-2.0
// Where an access has its address, or the value that it stores, from: the
// learner's lines that compute it. Read off the code, not the run: a register
// that is set at several places has all of them as its origin.
#ifndef CLCLAB_VM_DECODE_ORIGIN_H
#define CLCLAB_VM_DECODE_ORIGIN_H

#include "vm/machine/machine.h"

enum { VM_ORIGINS = 2 };

typedef struct VmOrigin {
    SrcLoc at[VM_ORIGINS];   // line 0: no more. First the closest line above
                             // the access, then that where an answer's index is
                             // decoded, if it goes into this, or the next line
    SrcLoc read[VM_ORIGINS]; // the loads that it comes from, and that may be
                             // from shared memory: they are not followed
    SrcLoc cut;              // where a block's index that goes into this is cut
    uint32_t cut_bits;       // to 8 or 16 bits; 0: nowhere
    SrcLoc stored_at;   // a value that was loaded from a shared variable: the
    SrcLoc stored_from; // store to that, and what is computed for that store
    const PtxVar *var;  // an address: the variable that it is in; or NULL
    SrcLoc unset;  // an instruction that goes into this, and that an answer
                   // guards: where it says no, its register is left as it was
    bool is_fixed; // an operand: it is one number, which nothing changes
    bool begins_even; // an operand: it is set to even numbers, not to odd ones,
                      // and computed from these
    bool varies;      // it may differ among the threads of a block
    bool loads;       // a guard: memory, or a call's result, goes into it
    SrcLoc waited; // likewise: the result of an operation on an mbarrier does
} VmOrigin;

// `own` is the learner's line of the access, which is left out.
VmOrigin vm_origin_of_address(const Vm *vm, const VmFunc *func,
                              const PtxInstr *access, SrcLoc own);
VmOrigin vm_origin_of_value(const Vm *vm, const VmFunc *func,
                            const PtxInstr *store, SrcLoc own);
// Of an operand that is a register, such as the parity of a wait.
VmOrigin vm_origin_of_operand(const Vm *vm, const VmFunc *func,
                              const PtxInstr *in, SrcLoc own, uint32_t operand);
// Of what decides a branch.
VmOrigin vm_origin_of_guard(const Vm *vm, const VmFunc *func,
                            const PtxInstr *branch, SrcLoc own);
// An instruction that goes into what decides a branch, and that an answer
// guards: where it says no, its register is left as it was, and nothing right
// in front sets it. NULL: there is none.
const PtxInstr *vm_origin_unset(const Vm *vm, const VmFunc *func,
                                const PtxInstr *branch);
// Adds such an instruction of the address to a finding about an access of the
// lane, if that has read a refusal, and the reason if there is no other.
void vm_origin_blame_unset(const VmWarp *w, uint32_t lane,
                           const VmOrigin *address, Finding *finding);

#endif
