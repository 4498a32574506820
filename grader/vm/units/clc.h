// SPDX-License-Identifier: Apache-2.0
// Cluster Launch Control: requests, the arbiter, answers and where their bytes
// and indices go, the ledger.
#ifndef CLCLAB_VM_UNITS_CLC_H
#define CLCLAB_VM_UNITS_CLC_H

#include "vm/decode/decode.h"

// ---- clc.c: requests -----------------------------------------------------

void vm_decode_try_cancel(VmDecoder *d);
void vm_clc_cta_exited(VmCta *cta);

static inline bool vm_clc_receives(const VmRequest *request, uint32_t rank) {
    return request->multicast || request->rank == rank;
}

// ---- arbiter.c -----------------------------------------------------------

// The request whose answer these 16 bytes are; NULL: they are no answer.
VmRequest *vm_clc_decode(const Vm *vm, const uint32_t words[4]);
// The decision about a request, or its answer, after the schedule's delay.
void vm_clc_come_later(Vm *vm, VmEventKind kind, uint32_t request);
// The next pending cluster (or any, if permuted); it is no longer pending.
uint32_t vm_clc_take_pending(Vm *vm, bool permute);
void vm_clc_decide(Vm *vm, uint32_t request);
// The answer comes. Its cluster has one request less under way: it comes back.
VmCluster *vm_clc_answer(Vm *vm, uint32_t request);

// ---- slots.c -------------------------------------------------------------

// A generic access to the typed part of `cta`'s memory, by lane of w: see
// VmUpward.
bool vm_typed_access(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access);

// ---- opaque.c: the bytes of answers ---------------------------------------

// A generic access to the typed part of `cta`'s memory (CLC008). False:
// reported, and the run is over.
bool vm_opaque_touch(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access);
// What was there is no longer of an answer.
void vm_opaque_written(VmCta *cta, uint64_t offset, uint32_t bytes);

// ---- poison.c: the indices of refused answers -----------------------------

// An instruction has poisoned operands (CLC002): follow or report them. `mask`
// executes it; `active`: with those whose guard says no.
void vm_poison_step(VmWarp *w, const VmInstr *in, uint32_t mask,
                    uint32_t active);
// Its results become poison for the lanes of `refused`, of those of `mask`.
void vm_poison_results(VmWarp *w, const VmInstr *in, uint32_t mask,
                       uint32_t refused);

// ---- ledger.c ------------------------------------------------------------

void vm_clc_cta_started(VmCta *cta);
// It has come to own a block, by its linear index.
void vm_ledger_take(VmCta *cta, uint32_t block);
// When it has exited, or the run has.
void vm_ledger_end_chain(const VmCta *cta);
void vm_clc_finish(Vm *vm); // the ledger, and lost work

#endif
