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
const VmProgram *vm_cached_program(Vm *vm, const PtxFunc *kernel, Diag *error);
void vm_cache_drop(Vm *vm); // all of them: another module comes
// Only the layout: what occupancy needs.
void vm_program_layout(Vm *vm, const PtxFunc *kernel, VmProgram *out);

void vm_decode_func(Vm *vm, VmProgram *program, VmFunc *func);

// Folding: before the first instruction; at a label; after each instruction,
// whose code is from `start` on.
void vm_fold_start(VmDecoder *d);
void vm_fold_label(VmDecoder *d);
void vm_fold(VmDecoder *d, uint32_t start);

#endif
