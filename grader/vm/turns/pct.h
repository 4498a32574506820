// SPDX-License-Identifier: Apache-2.0
// Priorities of warps, in schedules that use them (VmTuning.priorities). Called
// by sched.c; pct.c explains them.
#ifndef CLCLAB_VM_TURNS_PCT_H
#define CLCLAB_VM_TURNS_PCT_H

#include "vm/machine/machine.h"

void vm_pct_begin(Vm *vm, const DeviceSchedule *schedule);
void vm_pct_warp(VmWarp *w); // `w` starts
// `w` has been appended to vm->ready.
void vm_pct_added(Vm *vm, VmWarp *w);
// The warp vm->ready[0] is about to run: returns the maximum number of
// instructions in its slice.
uint32_t vm_pct_slice(Vm *vm);
// Its slice, which began at step `start`, is over.
void vm_pct_slice_ended(Vm *vm, VmWarp *w, uint64_t start);

#endif
