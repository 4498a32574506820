// SPDX-License-Identifier: Apache-2.0
// Priorities of warps, where a schedule has them (VmTuning.priorities). Called
// by sched.c; pct.c says what they are.
#ifndef CLCLAB_VM_TURNS_PCT_H
#define CLCLAB_VM_TURNS_PCT_H

#include "vm/machine/machine.h"

void vm_pct_begin(Vm *vm, const DeviceSchedule *schedule);
void vm_pct_warp(VmWarp *w); // it starts
// `w` was put behind the others in vm->ready.
void vm_pct_added(Vm *vm, VmWarp *w);
// The warp vm->ready[0] is to have a slice; instructions of it, at most.
uint32_t vm_pct_slice(Vm *vm);
// Its slice is over; it began at step `start`.
void vm_pct_slice_ended(Vm *vm, VmWarp *w, uint64_t start);

#endif
