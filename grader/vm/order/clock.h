// SPDX-License-Identifier: Apache-2.0
// Clocks: what a thread knows to have happened before its next instruction.
//
// The time of order is a counter of the launch, raised by each release; an
// access has the time at which it is made. A clock is a set of entries "lanes
// L of warp W, everything before time T"; entries for a whole CTA or cluster
// stand for all of their threads. An access of thread u at time t happens
// before the owner of the clock if some entry that covers u has T > t. So a
// clock is a vector clock, with one entry where many threads have met.
//
// A clock holds such a set for each view: the generic proxy's, and for each
// kind of fence what it has carried over (see VmView).
//
// Clocks are immutable, shared and counted. They belong to a VmClocks; a
// function that returns a clock returns a reference of its caller's own. NULL
// is the clock that knows nothing.
#ifndef CLCLAB_VM_ORDER_CLOCK_H
#define CLCLAB_VM_ORDER_CLOCK_H

#include "base/base.h"

// What is known, and to whom it is visible. The last five are filled by fences
// (PTX ISA, "fence"; docs/semantics.md says which of them orders what).
typedef enum VmView {
    VIEW_GENERIC,  // to the generic proxy
    VIEW_HALF,     // released to the async proxy; nobody has acquired it yet
    VIEW_SHARED,   // to async operations on shared memory
    VIEW_ADVISORY, // the same, by a fence that may not reach so far
    VIEW_GLOBAL,   // to async operations on global memory
    VIEW_INIT,     // mbarrier.init, by fence.mbarrier_init
    VIEW_COUNT
} VmView;

typedef enum VmKnownKind { // of an entry; `id` is
    KNOWN_CLUSTER,         // the cluster's serial number
    KNOWN_CTA,             // the CTA's
    KNOWN_WARP,            // the warp's
    KNOWN_AGENT,           // the agent's (below)
} VmKnownKind;

// One entry. Sorted by key, then by time (latest first); each lane at most
// once a key. An agent performs asynchronous operations for others; its times
// are numbers of phases or groups, not those of the counter.
//
//   key:  63 ... 40 | 39 ... 32 | 31 ... 0
//         view        kind        id
typedef struct VmKnown {
    uint64_t key;
    uint32_t lanes; // of a warp or an agent; else all bits
    uint32_t time;
} VmKnown;

static inline uint64_t vm_known_key(VmView view, VmKnownKind kind,
                                    uint32_t id) {
    return (uint64_t)view << 40 | (uint64_t)kind << 32 | id;
}

typedef struct VmClock VmClock;
struct VmClock {
    uint32_t refs, count, room; // room: log2 of the entries that it can hold
    uint32_t serial;            // of the launch, from 1
    VmClock *next_free;
    VmKnown known[];
};

// Who made an access: a thread (serial number of the warp, lane), or an agent.
//   31      | 30 ... 5      | 4 ... 0
//   agent?    warp or agent   lane
#define VM_AGENT 0x80000000u

enum { VM_CLOCK_ROOMS = 24, VM_CLOCK_ANSWERS = 32 };

// What was asked lately, and the answer: the warps of a CTA ask the same one
// after the other, and then share a clock. It has references to all three.
typedef struct VmClockAnswer {
    VmClock *a, *b; // joined; b == NULL: a copy of a view of `a`,
    uint64_t copy;  // which says this
    VmClock *answer;
} VmClockAnswer;

typedef struct VmClocks {
    uint32_t warps_per_cta, ctas_per_cluster;
    VmClock *free[VM_CLOCK_ROOMS];
    VmClockAnswer answers[VM_CLOCK_ANSWERS];
    VmKnown *scratch; // of a merge
    size_t scratch_room;
    uint32_t made;   // clocks, since the launch began
    uint64_t bytes;  // of all clocks, those on the free lists as well
    uint64_t merged; // entries, since the launch began: what merging cost
} VmClocks;

// The launch ends: what it asked and counted is forgotten.
void vm_clocks_end(VmClocks *clocks);
void vm_clocks_free(VmClocks *clocks); // all must have been dropped
VmClock *vm_clock_keep(VmClock *clock);
void vm_clock_drop(VmClocks *clocks, VmClock *clock);
// All that either knows.
VmClock *vm_clock_join(VmClocks *clocks, VmClock *a, VmClock *b);
// All that `clock` knows, and `count` entries sorted by key.
VmClock *vm_clock_with(VmClocks *clocks, VmClock *clock, const VmKnown *known,
                       size_t count);
// Entries of the views from `first` to `last` only.
VmClock *vm_clock_views(VmClocks *clocks, VmClock *clock, VmView first,
                        VmView last);
// The entries of view `from`, of one CTA only unless cta is VM_CLOCK_ALL, as
// entries of view `to`.
#define VM_CLOCK_ALL UINT32_MAX
VmClock *vm_clock_copy_view(VmClocks *clocks, VmClock *clock, VmView from,
                            VmView to, uint32_t cta);
// Of the lanes of a warp or an agent - `who`, of lane 0 - those about which it
// is known in this view what they did at `time`.
uint32_t vm_clock_known_lanes(const VmClocks *clocks, const VmClock *clock,
                              VmView view, uint32_t who, uint32_t lanes,
                              uint32_t time);
// True if what `who` did at `time` is known in this view.
static inline bool vm_clock_knows(const VmClocks *clocks, const VmClock *clock,
                                  VmView view, uint32_t who, uint32_t time) {
    return vm_clock_known_lanes(clocks, clock, view, who & ~31u,
                                1u << (who & 31), time);
}
// Everything that the threads of this CTA did before it is known (generic).
uint32_t vm_clock_cta(const VmClocks *clocks, const VmClock *clock,
                      uint32_t cta);
// True if something is known of any thread of this CTA (generic).
bool vm_clock_meets(const VmClocks *clocks, const VmClock *clock, uint32_t cta);

#endif
