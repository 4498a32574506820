// SPDX-License-Identifier: Apache-2.0
// Which warps can run, which fragments wait for what, and which events are due.
#ifndef CLCLAB_VM_TURNS_TURNS_H
#define CLCLAB_VM_TURNS_TURNS_H

#include "vm/machine/machine.h"

// ---- fragments.c ---------------------------------------------------------

// Makes the fragments that wait for (kind, key) in `w` ready again.
void vm_warp_wake(VmWarp *w, VmWaitKind kind, uint32_t key);
// Splits some lanes off the running fragment into a fragment of their own.
VmFragment *vm_fragment_split(VmWarp *w, uint32_t lanes);
// Makes the running fragment wait at the instruction that it is executing.
VmNext vm_wait(VmWarp *w, VmWaitKind kind, uint32_t key, uint64_t phase);
// True if `a` is deeper in calls than `b`, or equally deep with a lower pc.
bool vm_runs_before(const VmFragment *a, const VmFragment *b);
// Merges fragments at the same place if neither waits, or if one waits for
// lanes that the other brings.
void vm_fragments_merge(VmWarp *w);
// It rests no more, and has not rested before (engine/spin.c).
void vm_fragment_rouse(VmFragment *f);
// Removes `f`, whose lanes have exited; fragments that wait for lanes check
// again.
void vm_fragment_exit(VmWarp *w, VmFragment *f);

// ---- ready.c -------------------------------------------------------------

void vm_warp_ready(VmWarp *w);   // it has a fragment that can run
void vm_warp_unready(VmWarp *w); // it has none

// ---- events.c ------------------------------------------------------------

void vm_event_add(Vm *vm, uint64_t at, VmEventKind kind, uint32_t request,
                  uint32_t rank);
VmEvent vm_event_pop(Vm *vm); // the next event; there must be one

#endif
