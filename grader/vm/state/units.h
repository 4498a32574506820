// SPDX-License-Identifier: Apache-2.0
// What units/ keeps: barriers, mbarriers, requests and their answers, copies.
#ifndef CLCLAB_VM_STATE_UNITS_H
#define CLCLAB_VM_STATE_UNITS_H

#include "vm/code/instr.h"

// ---- barriers ------------------------------------------------------------

typedef struct VmBarrier { // bar.sync, bar.arrive, bar.red
    uint32_t arrived;      // threads
    uint32_t expected;     // threads; 0: all that live
    uint32_t pop;          // bar.red: threads whose predicate is true
    uint64_t time;         // modelled: of the last arrival
    VmClock *clock;        // what those who arrived knew
    bool in_parts;         // not all of the CTA: it has their own entries
} VmBarrier;

// An mbarrier object (PTX ISA, "mbarrier"): its memory is typed while live.
typedef struct VmMbarrier {
    uint32_t offset; // in shared memory
    bool live;
    int32_t pending;  // arrivals still to come in this phase
    int32_t expected; // arrivals of each phase
    int64_t tx;       // bytes still to come; may be negative in between
    uint64_t phase;   // phases completed; its parity is the current phase's
    uint32_t init_loc;
    uint32_t in_flight; // requests whose answer will be counted here
    uint64_t unseen;    // first phase with an answer that no wait has covered,
                        // plus 1; 0: there is none
    uint64_t time;      // modelled: of the last arrival in this phase
    uint64_t done[2];   // modelled: of the completed phases, by parity
    VmClock *clock;     // what the arrivals in this phase released
    VmClock *over;      // the same of the phases completed
    uint32_t agent;     // that performs what completes here (clock.h)
    uint32_t init_who;  // who ran mbarrier.init, and when (clock.h)
    uint32_t init_time;
    bool takes_bytes; // or did: of copies, or of answers
    bool has_agent;   // something asynchronous completed here in this phase
} VmMbarrier;

// Shared memory that an answer is written to, or was copied to.
typedef enum VmSlotState {
    SLOT_IN_FLIGHT,
    SLOT_ANSWERED,
    SLOT_OBSERVED
} VmSlotState;
typedef struct VmSlot {
    uint32_t offset;   // in shared memory
    uint32_t request;  // the latest one
    uint32_t mbarrier; // offset
    VmSlotState state;
    uint16_t answer; // by bit: bytes of an answer, as they came
    uint64_t phase;  // ANSWERED: of the mbarrier, in which the bytes came
} VmSlot;

typedef struct VmClusterBarrier {
    uint64_t phase;      // completions
    uint32_t arrived;    // live threads
    uint64_t time, done; // modelled: of arrivals; of its last phase
    VmClock *clock;      // what those who arrived knew
    VmClock *over;       // the same of the last phase, complete
    bool is_relaxed;     // an arrival of this phase was
} VmClusterBarrier;

// ---- shared memory with a meaning (machine/typed.c) ------------------------

// Of a CTA.
typedef struct VmTyped {
    uint32_t mbarrier_count, slot_count;
    uint32_t from, to; // bounds of the mbarriers and slots
} VmTyped;

// The next CTA that has its place uses it again.
typedef struct VmObjects {
    VmMbarrier *mbarriers;
    uint32_t mbarrier_capacity;
    VmSlot *slots;
    uint32_t slot_capacity;
    uint16_t *mbarrier_at; // by offset / 8: place among mbarriers, if its
                           // offset is this one; NULL: there is none
    uint16_t *slot_at;     // likewise of slots, by offset / 16
} VmObjects;

// ---- CLC -----------------------------------------------------------------

typedef struct VmRequest {
    VmCluster *cluster;      // of the requester; valid until answered
    uint32_t cta;            // linear id of the requester
    uint32_t thread;         // of the CTA
    uint32_t rank;           // of the requester
    uint32_t slot, mbarrier; // offsets
    uint32_t loc;            // of the learner's line
    bool multicast, forced_refusal;
    uint32_t granted; // cluster granted; VM_NONE: refused
    uint32_t taken;   // ranks that decoded the index
    // For the ledger: how it went with the answer.
    uint32_t decoded_loc;     // where the index was first decoded
    uint32_t again_loc;       // and again, when later answers had come
    uint32_t overwritten_loc; // of the request that took over its slot unread
    uint32_t taker;           // rank that took it first
    uint32_t answers_then;    // that this CTA had got by then
    bool asked;               // query_cancel saw the answer
    uint64_t time;            // modelled: when the answer is there
    uint32_t seen_loc; // where is_canceled first said yes; 0: nobody asked
} VmRequest;

// Of a launch.
typedef struct VmClc {
    Rng rng;
    uint8_t *cluster_states;    // LedgerState of each
    uint32_t *cluster_requests; // granted: the request
    uint32_t next_pending, pending_count;
    VmRequest *requests;
    size_t request_count, request_capacity;
} VmClc;

// Of a CTA.
typedef struct VmCtaClc {
    uint32_t chain;       // index in the ledger; VM_NONE: not listed
    uint32_t owned;       // blocks: its own, and those whose index it decoded
    uint32_t answers;     // that came to it
    uint32_t refusal_loc; // where a refusal was observed, first
    uint32_t refusal_who; // by whom, and when (clock.h)
    uint32_t refusal_time;
    bool observed_refusal;
} VmCtaClc;

// Of a warp.
typedef struct VmWarpClc {
    uint32_t saw_refusal; // lanes that have looked at a refusal
    uint32_t last_look;   // where one of them looked at an answer last
} VmWarpClc;

// ---- copies --------------------------------------------------------------

// Of a launch.
typedef struct VmCopyRun {
    struct VmCopies *pool; // async.c; NULL: none yet
    uint32_t in_flight;
    uint64_t bytes; // moved by them: 32 count as a thread-instruction
} VmCopyRun;

// Of a warp.
typedef struct VmWarpCopies {
    // Modelled: when the copies of a group are done, and all before them; by
    // VmCopyGroup - 1 and the group's number modulo VM_COPY_TIMES.
    uint64_t time[2][VM_COPY_TIMES];
    struct VmCopy *list;           // under way, issued by its lanes (copy.h)
    uint32_t count;                // of them
    uint32_t group[VM_LANES];      // cp.async groups that a lane has committed
    uint32_t bulk_group[VM_LANES]; // bulk groups that a lane has committed
} VmWarpCopies;

#endif
