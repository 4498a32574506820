// SPDX-License-Identifier: Apache-2.0
// What order/ stores for a warp and a CTA. Its state for a launch is VmOrder
// (order.h).
#ifndef CLCLAB_VM_STATE_ORDER_H
#define CLCLAB_VM_STATE_ORDER_H

#include "vm/code/instr.h"

// The last phase of an mbarrier that lanes of a warp have waited for (stale.c).
typedef struct VmPassed {
    uint32_t offset; // of the mbarrier, in the warp's own CTA
    uint32_t lanes;  // lanes that have seen the phase complete
    uint32_t stale; // those of `lanes` that had already seen it complete before
    uint32_t loc;   // where they waited
    uint32_t time;  // logical: of the wait
    uint64_t phase; // then the current phase of the mbarrier; all earlier ones
                    // are complete
    uint32_t relaxed;     // those of `lanes` whose wait was relaxed
    const PtxInstr *wait; // the wait that `loc` is of, and its function
    const VmFunc *func;
} VmPassed;

enum { VM_PASSED_MOST = 8 };

// The releasing or the acquiring half of a proxy fence.
typedef struct VmHalf {
    uint32_t lanes; // whose last half was this one
    uint32_t loc;   // where it was executed last
} VmHalf;

// An arrival at an mbarrier that counts no bytes: it says that something is
// ready, or free again.
typedef struct VmArrival {
    uint32_t lanes; // 0: none
    uint32_t loc;
    uint32_t time;       // logical: accesses before it are released
    uint32_t cta;        // serial number of the CTA that has the mbarrier
    uint32_t offset;     // of the mbarrier, in that CTA
    bool is_relaxed;     // it releases nothing by itself
    uint64_t phase;      // that it counts for
    const PtxInstr *ptx; // the arrival itself
} VmArrival;

enum { VM_ARRIVALS_MOST = 8 };

// For a warp.
typedef struct VmWarpOrder {
    bool known_apart;    // each lane has a clock of its own
    uint32_t cta_before; // all lanes know everything that threads of the CTA
                         // did before this logical time
    struct VmFences *fences;   // order.c; NULL: it has executed no fence
    struct VmSeenFlags *flags; // flag.c; NULL: it has waited for no flag
    struct VmFateLoads *loads; // decode/fate.c; NULL: it has executed none of
                               // these loads
    VmHalf released, acquired;
    VmHalf full;           // the last full fence for shared memory,
    uint8_t full_view;     // and what it gives to other CTAs (VmView)
    uint32_t arrived;      // how often it has arrived; the last of these are in
                           // VmWarp.arrivals
    uint32_t agents;       // number of its first agent (copy_order.c); 0: none
    uint32_t passed_count; // entries in VmWarp.passed
    uint32_t passed_last;  // that of the last wait
} VmWarpOrder;

// How many events of each CTA of a cluster, by rank, have been heard of
// (heard.h).
typedef struct VmHeard {
    uint32_t of[VM_MAX_CLUSTER];
} VmHeard;

// Of an mbarrier in a cluster of several CTAs.
typedef struct VmPhaseHeard {
    VmHeard arrived; // by those who arrived in this phase, or asked for what
                     // completes here;
    VmHeard over;    // in the completed phases
    VmHeard arrivals, arrivals_before; // the last arrivals in this phase, and
                                       // in the one before
    bool brought, brought_before;      // an asynchronous operation completed
    // By rank: the phase that was current when a thread of that CTA first saw
    // the one before complete, and the number of that event.
    uint64_t seen_phase[VM_MAX_CLUSTER];
    VmHeard seen;
} VmPhaseHeard;

// Of a cluster.
typedef struct VmClusterHeard {
    VmHeard arrived, over; // by those who arrived at its barrier
    VmHeard global;        // by those who wrote flags to global memory
} VmClusterHeard;

// For a CTA.
typedef struct VmCtaOrder {
    VmHeard heard;
    uint32_t serial;      // number in the launch; see clock.h
    uint32_t start;       // logical time at which it started
    uint32_t first_agent; // agents with lower numbers belong to earlier CTAs
    // What its threads' relaxed arrivals at the cluster's barrier release at
    // the scope of the CTA; and those in the last completed phase.
    VmClock *arrived, *over;
} VmCtaOrder;

// The shadow of a CTA's shared memory; reused by the next CTA in the same
// place.
typedef struct VmCtaShadow {
    uint32_t *cells; // see shadow.c
    uint32_t cell_count, shift;
    struct VmReads *reads; // reads not yet entered in the cells (cell.h); or
                           // NULL
} VmCtaShadow;

#endif
