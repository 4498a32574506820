// SPDX-License-Identifier: Apache-2.0
// Cluster Launch Control: requests, the arbiter, answers and what becomes of
// their bytes and indices, and the ledger.
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

// The request whose answer these 16 bytes are. NULL: they are not an answer.
VmRequest *vm_clc_decode(const Vm *vm, const uint32_t words[4]);
// Schedules the decision about a request after the delay that the schedule
// sets.
void vm_clc_decide_later(Vm *vm, uint32_t request);
// Takes a pending cluster, in the given order; `rng` draws where that is
// shuffled. The caller sets its new state.
uint32_t vm_clc_take_pending(Vm *vm, VmQueueOrder order, Rng *rng);
void vm_clc_decide(Vm *vm, uint32_t request);
// Delivers the answer to one CTA of the requester's cluster. Returns the
// cluster if it now has one request less in flight, else NULL.
VmCluster *vm_clc_answer(Vm *vm, uint32_t request, uint32_t rank);

// ---- slots.c -------------------------------------------------------------

// The variable of shared memory that the address of an instruction is computed
// from, if `offset` lies outside it; else NULL.
const PtxVar *vm_shared_overrun(const VmWarp *w, const VmInstr *in,
                                uint32_t offset);

// Checks a generic access by a lane of w to the typed part of `cta`'s memory:
// see VmUpward.
bool vm_typed_access(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access);

// ---- goes_on.c -------------------------------------------------------------

// Adds to the finding of a request after a refusal what lets the lane ask
// again.
void vm_goes_on_explain(const VmWarp *w, const VmInstr *in, uint32_t lane,
                        Finding *finding);

// ---- opaque.c: the bytes of answers ---------------------------------------

// Checks a generic access to the typed part of `cta`'s memory (CLC008). False:
// a fault was reported and the run is over.
bool vm_opaque_touch(VmWarp *w, const VmInstr *in, uint32_t lane, VmCta *cta,
                     uint32_t offset, uint32_t bytes, VmAccess access);
// The bytes were overwritten: they are no longer those of an answer.
void vm_opaque_written(VmCta *cta, uint64_t offset, uint32_t bytes);

// ---- dropped.c: indices that the source decodes, and nobody uses -----------

// What is known of grants that were seen at one line.
typedef struct VmDropped {
    const VmFunc *func;
    uint32_t seen_loc;
    uint32_t decoded_loc; // 0: the index is not decoded there
} VmDropped;

// Where the source decodes the index of a grant that was seen, though no code
// that was executed does. 0: nowhere, as far as the code shows. *known is what
// the last call found out.
uint32_t vm_dropped_decode(const Vm *vm, const VmRequest *request,
                           VmDropped *known);

// ---- ledger.c ------------------------------------------------------------

void vm_clc_cta_started(VmCta *cta);
void vm_ledger_asked(const VmCta *cta); // the CTA has made a request
// The lane's CTA now owns a block, given by its linear index.
void vm_ledger_take(const VmWarp *w, uint32_t block);
// The lane has decoded a granted index, perhaps not as the first of its CTA.
void vm_ledger_go_on(VmWarp *w, uint32_t lane);
// Lanes call the watched function: LedgerChain.late.
void vm_ledger_call(VmWarp *w, const VmInstr *in, uint32_t mask);
// Called when the CTA has exited, or at the end of the run.
void vm_ledger_end_chain(const VmCta *cta);
void vm_clc_finish(Vm *vm); // completes the ledger and reports lost work

#endif
