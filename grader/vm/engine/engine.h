// SPDX-License-Identifier: Apache-2.0
// The engine: turns of warps, the clusters on the SMs, and how a run ends.
#ifndef CLCLAB_VM_ENGINE_ENGINE_H
#define CLCLAB_VM_ENGINE_ENGINE_H

#include "vm/machine/machine.h"

enum { VM_LONG_QUANTUM = 4096 }; // instructions in a slice

// ---- tuning.c ------------------------------------------------------------

void vm_tuning_choose(Vm *vm, const DeviceSchedule *schedule);
// The schedule has used up its context switches: from here on, turns are as in
// the plain schedule.
void vm_tuning_plain(Vm *vm);

// ---- sched.c -------------------------------------------------------------

void vm_schedule(Vm *vm); // runs the launch to its end

// ---- turn.c --------------------------------------------------------------

VmWarp *vm_next_warp(Vm *vm); // the warp whose turn it is; there must be one
void vm_turn_ends(Vm *vm, VmWarp *w);

// ---- run.c ---------------------------------------------------------------

// Runs fragments of `w` for about `quantum` warp-instructions.
void vm_warp_run(VmWarp *w, uint32_t quantum);
// Runs fragment `f` of `w`, which can run, until it is back at the instruction
// where it is now, and adds what that took to *ran instead of to the tick:
// clocks stand still. False: it did not come back soon, or the fragments of the
// warp changed.
bool vm_warp_round(VmWarp *w, VmFragment *f, uint64_t *ran);

// ---- patience.c ----------------------------------------------------------

void vm_hold_run(Vm *vm); // the next slice of the hold; there must be one

// ---- exit.c --------------------------------------------------------------

// Makes lanes `mask` of the running fragment exit.
void vm_lanes_exit(VmWarp *w, uint32_t mask);
// Frees a cluster if all of its CTAs have exited and nothing is in flight for
// it.
void vm_cluster_release(VmCluster *cluster);
void vm_launch_free(Vm *vm); // frees everything of the launch

// ---- start.c -------------------------------------------------------------

uint32_t vm_most_resident(const Vm *vm); // in clusters
// Plans launch events for as many pending clusters as fit on the SMs.
void vm_plan_launches(Vm *vm);
void vm_cluster_start(Vm *vm);

// ---- stuck.c -------------------------------------------------------------

void vm_report_deadlock(Vm *vm);
void vm_report_limit(Vm *vm);

// ---- counters.c ----------------------------------------------------------

void vm_counters_finish(Vm *vm); // fills in vm->run->counters

#endif
