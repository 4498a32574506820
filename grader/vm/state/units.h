// SPDX-License-Identifier: Apache-2.0
// What units/ stores: barriers, mbarriers, requests and their answers, copies.
#ifndef CLCLAB_VM_STATE_UNITS_H
#define CLCLAB_VM_STATE_UNITS_H

#include "vm/code/instr.h"

// ---- barriers ------------------------------------------------------------

// Who completed a barrier of a CTA.
typedef struct VmBarrierRound {
    uint32_t warps;   // by bit
    uint32_t arrived; // threads
    uint32_t loc;     // of the last arrival
} VmBarrierRound;

typedef struct VmBarrier { // bar.sync, bar.arrive, bar.red
    uint32_t arrived;      // threads
    uint32_t expected;     // threads; 0: all live threads
    uint32_t pop;          // bar.red: threads whose predicate was true
    uint32_t warps;        // that have arrived, by bit
    VmBarrierRound before; // when it was last complete; warps 0: never
    uint64_t time;         // modelled: time of the last arrival
    VmClock *clock;        // what the arrived threads knew
    bool in_parts; // not for the whole CTA: the clock has an entry per thread
} VmBarrier;

// What the PTX ISA says that an mbarrier object has ("mbarrier").
typedef struct VmMbarrierState {
    uint64_t phase;   // completed phases; its parity is that of the current one
    int32_t pending;  // arrivals still missing in this phase
    int32_t expected; // arrivals in each phase
    int64_t tx;       // bytes still missing; may be negative in between
} VmMbarrierState;

// What copies and answers do with one.
typedef struct VmMbarrierAsync {
    int64_t coming;    // bytes of copies on their way here
    uint64_t brought;  // the phase in which bytes came last, plus 1; 0: none
    uint64_t unseen;   // first phase with an answer that no wait has covered,
                       // plus 1; 0: none
    uint32_t requests; // whose answer is still to complete here
    bool takes_bytes;  // it counts, or has counted, bytes of copies or answers
    bool has_come;     // an asynchronous operation completed here in this phase
} VmMbarrierAsync;

// What arrivals pass on to those who wait (order/).
typedef struct VmMbarrierClocks {
    VmClock *arrived;  // what the arrivals in this phase released
    VmClock *over;     // what arrivals in the completed phases released
    uint32_t agent;    // agent that performs what completes here (clock.h)
    uint32_t init_who; // thread that ran mbarrier.init, and when (clock.h)
    uint32_t init_time;
} VmMbarrierClocks;

// Modelled cycles (time/).
typedef struct VmMbarrierTime {
    uint64_t last;    // of the last arrival in this phase
    uint64_t done[2]; // completion of earlier phases, by parity
} VmMbarrierTime;

// The warps that have arrived in one phase of an mbarrier, by their numbers
// (clock.h). More than fit, or arrivals of copies: nothing is known of it.
enum { VM_CAME_MOST = 16 };
typedef struct VmCame {
    uint64_t phase;
    uint32_t count; // VM_NONE: not known
    uint32_t warps[VM_CAME_MOST];
} VmCame;

// Where a warp was when the last phase of an mbarrier completed: the fragment
// of it that had run last.
typedef struct VmWhereabouts {
    uint32_t lanes;
    uint32_t loc;
} VmWhereabouts;

// What reports tell of one. Nothing that a kernel sees depends on it.
typedef struct VmMbarrierReport {
    uint32_t init_loc;
    uint32_t inval_loc;  // not live: where its life ended; 0: it had none
    uint64_t init_met;   // phases of the cluster's barrier that were complete
                         // at the init
    uint64_t arrive_who; // the thread that arrived last, as a fact
    uint32_t arrive_loc; // where; 0: none has, or it was a copy
    bool is_told;        // that nothing orders its init before a request
    uint64_t early;      // the phase that last completed while an answer was
                         // on its way, plus 1; 0: none
    VmCame came[2];      // in the last two phases with arrivals, by parity
    VmWhereabouts were[VM_MAX_THREADS / VM_LANES]; // by warp of the CTA; valid
                                                   // if a phase is complete
} VmMbarrierReport;

// An mbarrier object. Its memory is typed while it is live.
typedef struct VmMbarrier {
    uint32_t offset; // in shared memory
    bool live;
    VmMbarrierState state;
    VmMbarrierAsync async;
    VmMbarrierClocks clocks;
    struct VmPhaseHeard *heard; // order/heard.c; NULL: nothing so far
    VmMbarrierTime time;
    VmMbarrierReport report;
} VmMbarrier;

// Shared memory that an answer is written to or has been copied to.
typedef enum VmSlotState {
    SLOT_IN_FLIGHT,
    SLOT_ANSWERED,
    SLOT_OBSERVED
} VmSlotState;
typedef struct VmSlot {
    uint32_t offset;   // in shared memory
    uint32_t request;  // the latest request
    uint32_t mbarrier; // its offset
    VmSlotState state;
    uint16_t answer; // by bit: which bytes still are those of the answer
    uint64_t phase;  // ANSWERED: phase of the mbarrier in which the bytes came
} VmSlot;

typedef struct VmClusterBarrier {
    uint64_t phase;   // completed phases
    uint32_t arrived; // live threads that have arrived
    uint64_t time,
        done;         // modelled: of the arrivals; of the last completed phase
    VmClock *clock;   // what the arrived threads knew
    VmClock *over;    // the same for the last completed phase
    bool is_relaxed;  // some arrival in this phase was relaxed
    bool was_relaxed; // the same for the last completed phase, and
    uint32_t over_at; // its logical time (clock.h)
} VmClusterBarrier;

// ---- typed objects in shared memory (machine/typed.c)
// ------------------------

// Of a CTA.
typedef struct VmTyped {
    uint32_t mbarrier_count, slot_count;
    uint32_t from, to; // bounds of all mbarriers and slots
} VmTyped;

// Reused by the next CTA in the same place.
typedef struct VmObjects {
    VmMbarrier *mbarriers;
    uint32_t mbarrier_capacity;
    VmSlot *slots;
    uint32_t slot_capacity;
    uint16_t *mbarrier_at; // by offset / 8: index in mbarriers, valid if the
                           // offset there is this one; NULL: no mbarriers
    uint16_t *slot_at;     // the same for slots, by offset / 16
} VmObjects;

// ---- CLC -----------------------------------------------------------------

typedef struct VmRequest {
    VmCluster *cluster;      // the requester's; valid until it is answered
    uint32_t cta;            // linear id of the requester
    uint32_t thread;         // number in the CTA
    uint32_t rank;           // of the requester
    uint32_t slot, mbarrier; // offsets
    uint32_t loc;            // the learner's line
    uint32_t called_loc;     // the kernel's call that led there; 0: inlined
    uint32_t due;            // CTAs that the decided answer is still to come to
    bool multicast, forced_refusal;
    uint32_t granted; // the granted cluster; VM_NONE: refused
    uint32_t taken;   // by bit: ranks that decoded the index
    bool used;        // a thread used the index, or may have
    // For the ledger: what happened to the answer.
    uint32_t decoded_loc; // where the index was decoded first
    uint32_t again_loc;   // where it was decoded after later answers had come
    uint32_t overwritten_loc; // of the request that reused its slot before it
                              // was read
    uint32_t taker;           // rank that decoded the index first
    uint32_t answers_then;    // answers that this CTA had received by then
    bool asked;               // query_cancel has seen the answer
    uint64_t time;            // modelled: when the answer arrives
    uint32_t seen_loc;    // where is_canceled first returned true; 0: nowhere
    const PtxInstr *seen; // the first query that saw the grant, and
    const VmFunc *seen_func; // its function
} VmRequest;

// Of a launch.
typedef struct VmClc {
    Rng rng;
    Rng launches;               // draws which cluster is launched next
    uint8_t *cluster_states;    // by cluster: LedgerState
    uint32_t *cluster_requests; // by cluster: the request it was granted to
    // The pending clusters are among [first_pending, pending_end); of a launch
    // of some of them, these are places in its list.
    uint32_t first_pending, pending_end, pending_count;
    VmRequest *requests;
    size_t request_count, request_capacity;
} VmClc;

// What a thread did (order/order.h: vm_order_now).
typedef struct VmMoment {
    uint32_t who, time; // clock.h
    bool is_known;
} VmMoment;

// Of a cluster.
typedef struct VmClusterClc {
    VmMoment called;  // the first call of the watched function
    VmMoment went_on; // the first index that was taken after that call
} VmClusterClc;

// Of a CTA.
typedef struct VmCtaClc {
    uint32_t chain;       // index in the ledger; VM_NONE: not listed
    uint32_t owned;       // blocks: its own and those whose index it decoded
    uint32_t answers;     // answers that it received
    uint32_t refusal_loc; // where a refusal was first observed
    VmMoment refusal;     // by which thread, and when
    bool observed_refusal;
    bool is_judged;      // that is followed no more
    struct VmUsed *used; // who used which index (decode/used.h); or NULL
    uint32_t *marks;     // by word of its shared memory: where the value comes
                         // from (decode/follow.c); NULL: no word has a mark
} VmCtaClc;

// Of a warp.
typedef struct VmWarpClc {
    uint32_t saw_refusal; // lanes that have read a refusal
    uint32_t was_told;    // lanes that is_canceled has told of one
    uint32_t last_look;   // where one of them last read an answer
    uint32_t worked;      // lanes that have stored to a watched buffer
} VmWarpClc;

// ---- copies --------------------------------------------------------------

// Of a launch.
typedef struct VmCopyRun {
    struct VmCopies *pool;         // async.c; NULL: no copy so far
    struct VmCopySources *sources; // copy_same.c; NULL: likewise
    uint32_t in_flight;
} VmCopyRun;

// Of a warp.
typedef struct VmWarpCopies {
    bool used; // something has been changed since all of it was zero
    // Modelled: when the copies of a group and of all groups before it are
    // done, by VmCopyGroup - 1 and the group's number modulo VM_COPY_TIMES.
    uint64_t time[2][VM_COPY_TIMES];
    struct VmCopy *list; // unfinished copies that its lanes issued (copy.h)
    uint32_t count;      // length of `list`
    uint32_t group[VM_LANES];      // cp.async groups that a lane has committed
    uint32_t bulk_group[VM_LANES]; // bulk groups that a lane has committed
    uint32_t marks[VM_LANES]; // cp.async groups that a lane has committed, and
                              // its arrivals for such copies
} VmWarpCopies;

#endif
