// SPDX-License-Identifier: Apache-2.0
// A kernel with everything that it can reach: the layout of its memory, and its
// decoded code.
#ifndef CLCLAB_VM_PROGRAM_PROGRAM_H
#define CLCLAB_VM_PROGRAM_PROGRAM_H

#include "vm/decode/decode.h"

// Lays out and decodes `kernel` for this launch. False if it cannot run at all
// (an undefined function is only noticed when it is called).
bool vm_program_make(Vm *vm, const PtxFunc *kernel, VmProgram *out,
                     Diag *error);
// The same, or the program that an earlier, equivalent launch decoded. NULL: it
// cannot run.
const VmProgram *vm_cached_program(Vm *vm, const PtxFunc *kernel, Diag *error);
void vm_cache_drop(Vm *vm); // empties the cache: another module is loaded
// Only the layout, which is all that occupancy needs.
void vm_program_layout(Vm *vm, const PtxFunc *kernel, VmProgram *out);

void vm_decode_func(Vm *vm, VmProgram *program, VmFunc *func);

// Constant folding: called before the first instruction, at each label, and
// after each instruction, whose code begins at `start`.
void vm_fold_start(VmDecoder *d);
void vm_fold_label(VmDecoder *d);
void vm_fold(VmDecoder *d, uint32_t start);

#endif
