// SPDX-License-Identifier: Apache-2.0
// What the CTAs of a cluster have heard of each other, by any way whatever:
// enough to say of an arrival at another CTA's mbarrier that nothing at all
// tells its thread that the phase before is over. It may then count for that
// phase.
//
// Each CTA counts its own arrivals and waits, and knows how far it has heard of
// those of the others (Lamport's clocks, one for a CTA). Every communication
// passes on what its sender has heard, whether it orders accesses or not:
// relaxed arrivals, copies, stores to the other's shared memory, flags in
// global memory. What one thread of a CTA has heard, all have. So what is said
// here not to have been heard of was not heard of; clock.h is stricter.
//
// All functions do nothing in a CTA that is alone in its cluster.
#ifndef CLCLAB_VM_ORDER_HEARD_H
#define CLCLAB_VM_ORDER_HEARD_H

#include "vm/machine/machine.h"

// A lane of `w` is about to arrive at a phase of `bar`, which is in `owner`.
// False: `owner` is another CTA, and that of `w` has not heard that the phase
// before is over.
bool vm_heard_over(const VmWarp *w, const VmCta *owner, const VmMbarrier *bar);
// It arrives, or completes bytes there.
void vm_heard_arrive(const VmWarp *w, VmMbarrier *bar);
// What it has asked for will complete on `bar`.
void vm_heard_issue(const VmWarp *w, VmMbarrier *bar);
// An asynchronous operation has completed on it; its phase is over.
void vm_heard_completed(VmMbarrier *bar);
void vm_heard_phase(VmMbarrier *bar);
// A wait of `w` at an mbarrier of its CTA is over.
void vm_heard_wait(const VmWarp *w, VmMbarrier *bar);
// The cluster's barrier: an arrival; its phase is over; a wait is.
void vm_heard_cluster_arrive(const VmWarp *w);
void vm_heard_cluster_done(VmCluster *cluster);
void vm_heard_cluster_wait(const VmWarp *w);
// A strong access to global memory (owner NULL), or any access to the shared
// memory of another CTA.
void vm_heard_access(const VmWarp *w, VmCta *owner, VmAccess access);

#endif
