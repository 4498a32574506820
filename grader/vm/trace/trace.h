// SPDX-License-Identifier: Apache-2.0
// What a launch is seen doing: each event is passed to the time model and, if
// the launch is traced, to its tape (tape.h). Nothing here decides what
// happens.
#ifndef CLCLAB_VM_TRACE_TRACE_H
#define CLCLAB_VM_TRACE_TRACE_H

#include "vm/machine/machine.h"
#include "vm/time/time.h"

// Sets vm->trace if the launch is to be traced.
void vm_trace_begin(Vm *vm);
void vm_trace_end(Vm *vm); // fills in vm->run->trace, after the ledger

// ---- CTAs ----------------------------------------------------------------

void vm_trace_cluster_start(VmCluster *cluster); // after vm_time_cluster_start
void vm_trace_cta_exit(const VmCta *cta);
void vm_trace_block(const VmWarp *w, uint32_t block);

// ---- instructions --------------------------------------------------------

// A dispatch begins, whose last instruction is `in`; `ran` of the slice were
// before it. Then it has ended, and `next` says what follows; `is_step`: others
// can observe what it did.
// Both are called if vm->trace is not NULL.
void vm_trace_begins(const VmWarp *w, const VmInstr *in, uint32_t ran);
void vm_trace_ended(const VmWarp *w, VmNext next, bool is_step);

// ---- events --------------------------------------------------------------

void vm_trace_tell(const VmWarp *w, DeviceEvent event);

// An event of the warp. `event` has the kind and its details.
static inline void vm_trace_note(const VmWarp *w, DeviceEvent event) {
    if (w->vm->time || w->vm->trace)
        vm_trace_tell(w, event);
}

// An event at the mbarrier `bar` of `cta`, told after it. w NULL: it was caused
// by an asynchronous arrival.
void vm_trace_note_bar(const VmWarp *w, const VmCta *cta, const VmMbarrier *bar,
                       DeviceEventKind kind, uint32_t value);
// The answer to the request was written to a slot of `cta`.
void vm_trace_note_answer(const VmCta *cta, uint32_t number);

#endif
