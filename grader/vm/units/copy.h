// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: what their instructions (copy.c) hand to the part
// that performs them later (async.c).
//
//   issue --delay--> read the source --> write the destination, complete
//
// A copy of the bulk-group mechanism has a second delay between the read and
// the write, so that wait_group.read and wait_group differ. Every delay is a
// choice of the schedule.
#ifndef CLCLAB_VM_UNITS_COPY_H
#define CLCLAB_VM_UNITS_COPY_H

#include "vm/machine/machine.h"
#include "vm/values/atomic.h"

typedef enum VmCopyKind {
    COPY_BYTES,  // the destination becomes the source
    COPY_REDUCE, // the destination becomes op(destination, source)
    COPY_ARRIVE, // no bytes: an arrival when earlier copies are done
} VmCopyKind;

// How an issuing thread can wait for it.
typedef enum VmCopyGroup {
    GROUP_NONE,  // it cannot: an mbarrier tells
    GROUP_ASYNC, // cp.async.commit_group, wait_group
    GROUP_BULK,  // cp.async.bulk.commit_group, wait_group
} VmCopyGroup;

// What one lane asked for.
typedef struct VmPiece {
    VmWhere from, to; // COPY_ARRIVE: to is the mbarrier
    uint32_t bytes;   // read from `from`
    uint32_t zeros;   // written behind them
    uint32_t lane;
    uint32_t group; // number of the lane's group that it is in
} VmPiece;

typedef struct VmCopy VmCopy;
struct VmCopy {
    VmCopyKind kind;
    VmCopyGroup group;
    uint32_t number;     // in the table
    VmWarp *warp;        // issuer; its cluster stays until the copy is done
    uint32_t loc;        // of the learner's line
    uint64_t at;         // tick of its event
    uint64_t time;       // modelled: when it is done
    VmCopy *next, *prev; // of the same warp; next: of a free list

    VmAtomicOp op; // COPY_REDUCE
    PtxType type;
    uint16_t byte_mask;   // of each 16 bytes written; 0xFFFF: all
    bool is_multicast;    // to the CTAs of `receivers`, not to to.cta
    uint16_t receivers;   // by rank
    bool has_mbarrier;    // of the CTA (each CTA) that is written to
    uint32_t mbarrier;    // its offset
    uint8_t *data;        // what was read; NULL: not yet
    uint32_t data_class;  // of the memory at data
    uint32_t piece_count; // at most 1, or 32
    bool is_large;        // room for 32
    VmPiece *pieces;
};

// A copy issued by `lanes` of w, with no pieces yet.
VmCopy *vm_copy_new(VmWarp *w, const VmInstr *in, VmCopyKind kind,
                    uint32_t lanes);
VmPiece *vm_copy_piece(VmCopy *copy, uint32_t lane);
// Memory for the source's bytes, for one whose source is a register.
uint8_t *vm_copy_data(Vm *vm, VmCopy *copy, uint32_t bytes);
// It has nothing to do: takes it back.
void vm_copy_drop(Vm *vm, VmCopy *copy);
// It is complete: performs it later.
void vm_copy_issue(VmWarp *w, const VmInstr *in, VmCopy *copy);
// The tick at which all cp.async of the lanes issued so far are done.
uint64_t vm_copies_done_at(const VmWarp *w, uint32_t lanes);

// ---- copy_order.c: only while vm->order is there ---------------------------

void vm_copy_order(VmWarp *w, const VmInstr *in, const VmCopy *copy); // issued
// A piece has been written at `to`, and completes on `bar`.
void vm_copy_completes(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                       const VmWhere *to, VmMbarrier *bar);
// A COPY_ARRIVE arrives.
void vm_copy_arrives(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                     VmMbarrier *bar);
// Lanes have waited for all but their latest `pending` groups; UINT64_MAX: for
// all that they issued.
void vm_copy_waited(VmWarp *w, uint32_t lanes, bool bulk, bool reads_only,
                    uint64_t pending);

#endif
