// SPDX-License-Identifier: Apache-2.0
// Stalls: a schedule in which whoever has released stops behind that.
//
// A statement that belongs before a release (a flag to stop, a counter that is
// set back) and stands behind it shows only if a thread does not come to it for
// so long that others have seen the release and gone on, often far, and often
// several threads at once have to be so slow. So a thread that has executed a
// release (an arrival at an mbarrier or a barrier, a strong store, an atomic
// that changes something) rests behind it, until its cluster comes no further
// without it: each other thread there waits, polls what nobody changes, or
// rests in the same way; mostly also no answer and no copy is due. Then one of
// those that rest goes on: who has come last, or a drawn one.
//
// Each cluster stalls behind one release of the program, or behind all of them.
// Which it is, its index and the schedule's number say, so that all have their
// turn in one run, if there are blocks enough, and each cluster has all of them
// in as many schedules as there are releases.
#ifndef CLCLAB_VM_TURNS_STALL_H
#define CLCLAB_VM_TURNS_STALL_H

#include "vm/machine/machine.h"

void vm_stall_begin(Vm *vm, const DeviceSchedule *schedule);
// The fragment has executed `in`, of its function, which releases. True: it
// stalls.
bool vm_stall_behind(VmWarp *w, VmFragment *f, const VmInstr *in);
static inline bool vm_is_stalled(const VmFragment *f) {
    return f->deferred == DEFERRED_STALLED && f->rest != REST_NOT;
}
// Of the stalled fragments of a cluster that comes no further, one goes on.
// False: it has none.
bool vm_stall_let_go(VmCluster *cluster);

#endif
