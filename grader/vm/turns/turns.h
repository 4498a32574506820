// SPDX-License-Identifier: Apache-2.0
// Who can run, who waits for what, and what comes at which tick.
#ifndef CLCLAB_VM_TURNS_TURNS_H
#define CLCLAB_VM_TURNS_TURNS_H

#include "vm/machine/machine.h"

// ---- fragments.c ---------------------------------------------------------

// Makes the fragments that wait for (kind, key) in `w` ready again.
void vm_warp_wake(VmWarp *w, VmWaitKind kind, uint32_t key);
// Makes a fragment of its own of some lanes of the running one.
VmFragment *vm_fragment_split(VmWarp *w, uint32_t lanes);
// The running fragment waits at the instruction that it is executing.
VmNext vm_wait(VmWarp *w, VmWaitKind kind, uint32_t key, uint64_t phase);
// `a` is deeper in calls than `b`, or as deep and further behind.
bool vm_runs_before(const VmFragment *a, const VmFragment *b);
// Fragments at the same place become one, where neither waits or one waits for
// lanes that the other brings.
void vm_fragments_merge(VmWarp *w);
// The lanes of `f` have exited: it goes, and those who wait for lanes look
// again.
void vm_fragment_exit(VmWarp *w, VmFragment *f);

// ---- ready.c -------------------------------------------------------------

void vm_warp_ready(VmWarp *w);   // has a fragment that can run
void vm_warp_unready(VmWarp *w); // has none

// ---- events.c ------------------------------------------------------------

void vm_event_add(Vm *vm, uint64_t at, VmEventKind kind, uint32_t request);
VmEvent vm_event_pop(Vm *vm); // the next one, of those that there are

#endif
