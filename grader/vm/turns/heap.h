// SPDX-License-Identifier: Apache-2.0
// vm->ready as a binary heap, used where warps have priorities (pct.c) or run
// in the order of modelled time. The warp with the highest VmWarp.priority is
// at [0]; among equals, the one that started first.
#ifndef CLCLAB_VM_TURNS_HEAP_H
#define CLCLAB_VM_TURNS_HEAP_H

#include "vm/machine/machine.h"

// The warp at vm->ready[at] has been appended, or has replaced another one.
void vm_heap_place(Vm *vm, size_t at);
// The priority of the warp at vm->ready[at] has become lower.
void vm_heap_lower(Vm *vm, size_t at);

#endif
