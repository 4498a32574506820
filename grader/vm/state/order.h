// SPDX-License-Identifier: Apache-2.0
// What order/ keeps of a warp and of a CTA; of a launch: VmOrder (order.h).
#ifndef CLCLAB_VM_STATE_ORDER_H
#define CLCLAB_VM_STATE_ORDER_H

#include "vm/code/instr.h"

// The last phase of an mbarrier that lanes of a warp have waited for (stale.c).
typedef struct VmPassed {
    uint32_t offset; // of the mbarrier, in the CTA's own shared memory
    uint32_t lanes;  // that have seen it over
    uint32_t stale;  // of these: that had seen it over before
    uint32_t loc;    // of their wait
    uint64_t phase;  // of the mbarrier then: those before it are over
} VmPassed;

enum { VM_PASSED_MOST = 8 };

// Of a warp.
typedef struct VmWarpOrder {
    VmClock *known[VM_LANES]; // by lane what it knows; all as [0],
    bool known_apart;         // unless they differ
    uint32_t cta_before;      // all lanes know of all threads of the CTA what
                              // they did before this time of order
    struct VmFences *fences;  // order.c; NULL: it has executed none
    uint32_t agents;          // copy_order.c; 0: it has none
    uint32_t passed_count;    // of VmWarp.passed
} VmWarpOrder;

// Of a CTA.
typedef struct VmCtaOrder {
    uint32_t serial;      // of the launch; see clock.h
    uint32_t start;       // time of order at which it started
    uint32_t first_agent; // those before it were others'
} VmCtaOrder;

// The shadow of its shared memory; the next CTA that has its place uses it
// again.
typedef struct VmCtaShadow {
    uint32_t *cells; // shadow.c
    uint32_t cell_count;
    struct VmReads *reads; // that are not in the cells yet (cell.h); or NULL
} VmCtaShadow;

#endif
