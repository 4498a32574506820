// SPDX-License-Identifier: Apache-2.0
// vm->ready as a heap, where warps have priorities (pct.c) or the one that is
// behind in modelled time goes next: the highest VmWarp.priority is at [0], of
// equals the one that started first.
#ifndef CLCLAB_VM_TURNS_HEAP_H
#define CLCLAB_VM_TURNS_HEAP_H

#include "vm/machine/machine.h"

// The warp at vm->ready[at] was put there, behind the others or instead of
// another one.
void vm_heap_place(Vm *vm, size_t at);
// Its priority has become lower.
void vm_heap_lower(Vm *vm, size_t at);

#endif
