// SPDX-License-Identifier: Apache-2.0
// What the units offer to each other and to the engine: barriers, mbarriers,
// copies, system functions. CLC is in clc.h.
#ifndef CLCLAB_VM_UNITS_UNITS_H
#define CLCLAB_VM_UNITS_UNITS_H

#include "vm/machine/machine.h"

// ---- rendezvous.c --------------------------------------------------------

// Called when some lanes of `members` (the value of src[index]) are not in the
// running fragment. If all of them wait at the same instruction in other calls
// of the function, it is executed for all of them, *next is what the handler
// must return, and the result is true; else false.
bool vm_rendezvous(VmWarp *w, const VmInstr *in, uint32_t index,
                   uint32_t members, VmNext *next);

// ---- aligned.c -----------------------------------------------------------

// Called when some live lanes of the warp are not in the running fragment at
// `in`, which is .aligned. True: all of them are there, in other calls, and the
// fragment may continue. False: the handler must return *next.
bool vm_gather_warp(VmWarp *w, const VmInstr *in, VmNext *next);
// Called when lanes of the warp have come to an aligned barrier of the CTA,
// without others that have exited since: an advisory if threads do something on
// the way that leads round this barrier, and so may exit later than these come.
// That a thread leaves at once is a guard as everybody writes it.
void vm_advise_left(VmWarp *w, const VmInstr *in, uint32_t mask);
// Called when no warp can run: reports SYNC002 for a warp that has diverged at
// an aligned barrier.
bool vm_report_diverged_warp(Vm *vm);

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

void vm_barrier_recheck(VmCta *cta);         // after a thread has exited
void vm_cluster_recheck(VmCluster *cluster); // the same

// ---- registers.c: the pool of a CTA --------------------------------------

uint32_t vm_registers_of(const VmWarp *w); // a thread's; 0: not known
void vm_registers_exit(VmWarp *w);         // its last lane has exited
// DEADLOCK: the fragment waits for registers, and nobody can run.
Finding *vm_report_registers(Vm *vm, VmWarp *w, const VmFragment *f);

// ---- mbarrier.c ----------------------------------------------------------

// The live mbarrier that operand `src` (plus imm) of a lane names, and the CTA
// that it is in. NULL: a fault was reported and the run is over.
VmMbarrier *vm_mbarrier_operand(VmWarp *w, const VmInstr *in, uint32_t lane,
                                uint32_t src, uint64_t imm, VmCta **owner);
// Counts `bytes` transferred by a request or a copy. False: the tx-count is out
// of its range.
bool vm_mbarrier_complete_tx(Vm *vm, VmCta *cta, VmMbarrier *bar,
                             uint32_t bytes);
// Expects one more arrival in this phase. False: the count is out of its range.
bool vm_mbarrier_expect_arrival(VmMbarrier *bar);
// An arrival on behalf of a copy. False: the phase expects no more arrivals.
bool vm_mbarrier_arrive(Vm *vm, VmCta *cta, VmMbarrier *bar);

// ---- async.c: what happens later than its instruction ----------------------

// Performs the next step of a copy; if it is multicast, for the CTA of `rank`.
// If the copy has ended, returns its cluster, which may have been waiting only
// for it to be freed.
VmCluster *vm_copy_event(Vm *vm, uint32_t number, uint32_t rank);

// ---- builtins.c: vprintf, __assertfail, and the calls of malloc.c --------

// Calls `func`, which has no body. VM_STOP: there is no such builtin.
VmNext vm_builtin(VmWarp *w, const VmInstr *in, const PtxFunc *func,
                  uint32_t mask);
// The first 8 bytes of argument `index` of a call; 0 if there is none.
uint64_t vm_argument(const VmWarp *w, const VmInstr *in, uint32_t index,
                     uint32_t lane);
// Stores the result of a builtin, if the caller uses it.
void vm_give_result(const VmWarp *w, const VmInstr *in, uint32_t lane,
                    uint64_t value);

// ---- malloc.c: malloc, free ---------------------------------------------

VmNext vm_malloc(VmWarp *w, const VmInstr *in, uint32_t mask);
VmNext vm_free(VmWarp *w, const VmInstr *in, uint32_t mask);
// Frees the whole heap at the end of a launch.
void vm_heap_end(Vm *vm);
// The heap as it is between two launches that keep it, to be put back.
typedef struct VmHeapCopy VmHeapCopy;
VmHeapCopy *vm_heap_copy(const Vm *vm);
void vm_heap_put_back(Vm *vm, const VmHeapCopy *copy);
void vm_heap_copy_free(VmHeapCopy *copy);
// Nothing has been written to a buffer; all have been written to.
void vm_buffer_forget(Vm *vm, uint32_t number);
void vm_buffers_known(Vm *vm);

// ---- async.c: watched buffers, which copies store to as well -------------

// Gives each buffer that the launch watches its records.
void vm_watches_begin(Vm *vm, const DeviceLaunch *launch);

#endif
