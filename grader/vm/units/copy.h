// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: what their instructions (copy.c) pass to the part that
// performs them later (async.c).
//
//   issue --delay--> read the source --> write the destination, complete
//
// A copy that completes through a bulk group has a second delay between the
// read and the write, so that wait_group.read and wait_group differ. The
// schedule chooses every delay.
#ifndef CLCLAB_VM_UNITS_COPY_H
#define CLCLAB_VM_UNITS_COPY_H

#include "vm/machine/machine.h"
#include "vm/order/shadow.h"
#include "vm/values/atomic.h"

typedef enum VmCopyKind {
    COPY_BYTES,  // the destination becomes the source
    COPY_REDUCE, // the destination becomes op(destination, source)
    COPY_ARRIVE, // no bytes: an arrival once earlier copies are done
} VmCopyKind;

// How the issuing thread can wait for a copy.
typedef enum VmCopyGroup {
    GROUP_NONE,  // it cannot: completion is signalled on an mbarrier
    GROUP_ASYNC, // cp.async.commit_group, wait_group
    GROUP_BULK,  // cp.async.bulk.commit_group, wait_group
} VmCopyGroup;

// The part of a copy that one lane requested.
typedef struct VmPiece {
    VmWhere from, to; // COPY_ARRIVE: `to` is the mbarrier
    uint32_t bytes;   // read from `from`
    uint32_t zeros;   // number of zeros written after them
    uint32_t lane;
    uint32_t group; // number of the lane's group that it belongs to
    uint32_t mark;  // the lane's marks (VmWarpCopies) in front of it
} VmPiece;

typedef struct VmCopy VmCopy;
struct VmCopy {
    VmCopyKind kind;
    VmCopyGroup group;
    uint32_t number;     // index in the table of copies
    VmWarp *warp;        // the issuer; its cluster is not freed before the copy
                         // is done
    uint32_t loc;        // of the learner's line
    uint64_t at;         // tick of its event
    uint64_t time;       // modelled: when the copy is done
    VmCopy *next, *prev; // in the warp's list; next: also in a free list

    VmAtomicOp op; // COPY_REDUCE
    PtxType type;
    uint16_t byte_mask;   // which of each 16 bytes are written; 0xFFFF: all
    bool is_multicast;    // written to the CTAs in `receivers`, not to to.cta
    uint16_t receivers;   // ranks that it is still to come to, as bits
    uint32_t due;         // events of it that are still to happen
    bool has_source;      // its bytes are read from memory
    bool has_mbarrier;    // completes on an mbarrier in each CTA written to
    uint32_t mbarrier;    // its offset
    uint8_t *data;        // the bytes that were read; NULL: not read yet
    uint32_t data_class;  // size class of `data`
    uint32_t piece_count; // at most 1, or 32
    bool is_large;        // has room for 32 pieces
    VmPiece *pieces;
};

// A new copy issued by `lanes` of w, without pieces.
VmCopy *vm_copy_new(VmWarp *w, const VmInstr *in, VmCopyKind kind,
                    uint32_t lanes);
VmPiece *vm_copy_piece(VmCopy *copy, uint32_t lane);
// Allocates `data` for a copy whose source is a register.
uint8_t *vm_copy_data(Vm *vm, VmCopy *copy, uint32_t bytes);
// Frees a copy that turns out to have nothing to do.
void vm_copy_drop(Vm *vm, VmCopy *copy);
// Issues the copy once it is filled in: it is performed later.
void vm_copy_issue(VmWarp *w, const VmInstr *in, VmCopy *copy);
// The tick at which every cp.async that the lanes have issued so far is done.
uint64_t vm_copies_done_at(const VmWarp *w, uint32_t lanes);

// ---- copy_order.c: only while vm->order is there ---------------------------

void vm_copy_order(VmWarp *w, const VmInstr *in,
                   const VmCopy *copy); // the copy is issued
// A piece has been written at `to`, and completes on `bar`.
void vm_copy_completes(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                       const VmWhere *to, VmMbarrier *bar);
// A COPY_ARRIVE performs its arrival.
void vm_copy_arrives(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                     VmMbarrier *bar);
// Lanes have waited for all groups except their latest `pending` ones;
// UINT64_MAX: for all copies that they issued.
void vm_copy_waited(VmWarp *w, uint32_t lanes, bool bulk, bool reads_only,
                    uint64_t pending);

// ---- copy_same.c ---------------------------------------------------------

// A piece is about to be issued: says in *async whether it repeats another one.
void vm_copy_same(Vm *vm, const VmCopy *copy, const VmPiece *piece,
                  const VmWhere *to, uint32_t site, VmAsync *async);

#endif
