// SPDX-License-Identifier: Apache-2.0
// What the units do for each other and for the engine: barriers, mbarriers,
// copies, functions of the system. CLC is in clc.h.
#ifndef CLCLAB_VM_UNITS_UNITS_H
#define CLCLAB_VM_UNITS_UNITS_H

#include "vm/machine/machine.h"

// ---- rendezvous.c --------------------------------------------------------

// The running fragment lacks lanes of `members`, the value of src[index] of the
// instruction. If they all wait at it in other calls of the function, it is
// executed for all of them, and *next is what to return. Else false.
bool vm_rendezvous(VmWarp *w, const VmInstr *in, uint32_t index,
                   uint32_t members, VmNext *next);

// ---- aligned.c -----------------------------------------------------------

// The running fragment lacks live lanes of its warp at `in`, which is aligned.
// True: they are all there, in other calls; it goes on. Else return *next.
bool vm_gather_warp(VmWarp *w, const VmInstr *in, VmNext *next);
// Nothing can go on: SYNC002 where a warp has parted at an aligned barrier.
bool vm_report_parted_warp(Vm *vm);

static inline bool vm_warp_is_whole(VmWarp *w, const VmInstr *in, uint32_t mask,
                                    VmNext *next) {
    if (!in->aligned)
        return true;
    if (mask != w->live)
        return vm_gather_warp(w, in, next);
    w->frag->together = false;
    return true;
}

// ---- barrier.c: of a CTA and of a cluster --------------------------------

void vm_barrier_recheck(VmCta *cta);         // after a thread exited
void vm_cluster_recheck(VmCluster *cluster); // likewise

// ---- mbarrier.c ----------------------------------------------------------

// The live mbarrier that operand `src` (plus imm) of a lane names, and the CTA
// that it is in; NULL: reported, and the run is over.
VmMbarrier *vm_mbarrier_operand(VmWarp *w, const VmInstr *in, uint32_t lane,
                                uint32_t src, uint64_t imm, VmCta **owner);
// `bytes` of transactions of a request or a copy arrived. False: the tx-count
// has left its range.
bool vm_mbarrier_complete_tx(Vm *vm, VmCta *cta, VmMbarrier *bar,
                             uint32_t bytes);
// One more arrival in this phase; false: the count has left its range.
bool vm_mbarrier_expect_arrival(VmMbarrier *bar);
// An arrival that no thread executes; false: the phase expects none.
bool vm_mbarrier_arrive(Vm *vm, VmCta *cta, VmMbarrier *bar);

// ---- async.c: what happens later than its instruction ----------------------

// A copy's time has come. The cluster that waits for no more of it than for
// this copy may be done: it comes back, if the copy has ended.
VmCluster *vm_copy_event(Vm *vm, uint32_t number);

// ---- builtins.c: vprintf, __assertfail, and what malloc.c has -----------

// Calls `func`, which has no body; VM_STOP where there is no such builtin.
VmNext vm_builtin(VmWarp *w, const VmInstr *in, const PtxFunc *func,
                  uint32_t mask);
// Argument `index` of a call, its first 8 bytes; 0 where there is none.
uint64_t vm_argument(const VmWarp *w, const VmInstr *in, uint32_t index,
                     uint32_t lane);
// Stores the result of a builtin, if the call wants it.
void vm_give_result(const VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint64_t value);

// ---- malloc.c: malloc, free ---------------------------------------------

VmNext vm_malloc(VmWarp *w, const VmInstr *in, uint32_t mask);
VmNext vm_free(VmWarp *w, const VmInstr *in, uint32_t mask);
// The heap at the end of a launch: all of it goes.
void vm_heap_end(Vm *vm);

#endif
