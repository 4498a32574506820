// SPDX-License-Identifier: Apache-2.0
// Vector clocks: what a thread knows to have happened before its next
// instruction (Lamport 1978; Fidge 1988; Mattern 1989), in a compact form like
// that of FastTrack (Flanagan and Freund, PLDI 2009).
//
// Logical time is a counter of the launch which each release increments; an
// access is stamped with its value. A clock is a set of entries "lanes L of
// warp W, everything before time T"; an entry for a whole CTA or cluster stands
// for all of its threads. An access by thread u at time t happens before the
// clock's owner continues if some entry that covers u has T > t. So a clock is
// a vector clock in which threads that have synchronised share one entry.
//
// A clock has one such set for each view: one for the generic proxy, and one
// for each kind of proxy fence, with what that fence has carried over (see
// VmView).
//
// Clocks are immutable, shared and reference-counted. They belong to a
// VmClocks. A function that returns a clock gives the caller a reference of its
// own. NULL is the clock that knows nothing.
#ifndef CLCLAB_VM_ORDER_CLOCK_H
#define CLCLAB_VM_ORDER_CLOCK_H

#include "base/base.h"

// What is known, and to whom it is visible. Fences fill all views but the first
// (PTX ISA, "fence"; docs/semantics.md says which of them orders what).
typedef enum VmView {
    VIEW_GENERIC, // visible to the generic proxy
    VIEW_HALF,    // released to the async proxy, but not yet acquired there
    VIEW_SHARED,  // visible to async operations on shared memory
    // The same, through a full fence outside the CTA of the access, whose reach
    // is not guaranteed, by the space that it names: its own CTA's shared
    // memory, the cluster's, or none.
    VIEW_FENCE_CTA,
    VIEW_FENCE_CLUSTER,
    VIEW_FENCE_ALL,
    VIEW_GLOBAL, // visible to async operations on global memory
    VIEW_INIT,   // mbarrier.init, through fence.mbarrier_init
    VIEW_MET,    // what came before a relaxed arrival at the cluster's barrier:
                 // no fence fills it, and no other relaxed operation passes it
                 // on
    VIEW_COUNT
} VmView;

typedef enum VmKnownKind { // the kind of an entry says what its id is:
    KNOWN_CLUSTER,         // serial number of a cluster
    KNOWN_CTA,             // serial number of a CTA
    KNOWN_WARP,            // serial number of a warp
    KNOWN_AGENT,           // number of an agent (below)
} VmKnownKind;

// One entry. Entries are sorted by key, then by time (latest first); a lane
// appears at most once under a key. An agent performs asynchronous operations
// on behalf of threads; its times are the numbers of phases or groups instead
// of logical times.
//
//   key:  63 ... 40 | 39 ... 32 | 31 ... 0
//         view        kind        id
typedef struct VmKnown {
    uint64_t key;
    uint32_t lanes; // of a warp or an agent; all bits for other kinds
    uint32_t time;
} VmKnown;

static inline uint64_t vm_known_key(VmView view, VmKnownKind kind,
                                    uint32_t id) {
    return (uint64_t)view << 40 | (uint64_t)kind << 32 | id;
}

typedef struct VmClock VmClock;
struct VmClock {
    uint32_t refs, count, room; // room: log2 of the capacity in entries
    uint32_t serial;            // number in the launch, from 1
    VmClock *next_free;
    VmKnown known[];
};

// Who made an access: a thread (serial number of its warp, and lane), or an
// agent.
#define VM_AGENT 0x80000000u

enum { VM_CLOCK_ROOMS = 24, VM_CLOCK_ANSWERS = 256 };

// A cache of recent operations and their results: the warps of a CTA usually
// ask for the same one in turn, and then share the resulting clock. The cache
// holds a reference to each of the three clocks.
typedef struct VmClockAnswer {
    VmClock *a, *b; // operands of a join; b == NULL: a copy of a view of `a`,
    uint64_t copy;  // which this describes
    VmClock *answer;
} VmClockAnswer;

typedef struct VmClocks {
    uint32_t warps_per_cta, ctas_per_cluster;
    VmClock *free[VM_CLOCK_ROOMS];
    VmClockAnswer answers[VM_CLOCK_ANSWERS];
    VmKnown *scratch; // buffer for merging
    size_t scratch_room;
    uint32_t made;   // clocks made since the launch began
    uint64_t bytes;  // of all clocks, including those on the free lists
    uint64_t merged; // entries merged since the launch began: the cost of
                     // merging
} VmClocks;

// Ends a launch: clears the cache and the counts.
void vm_clocks_end(VmClocks *clocks);
void vm_clocks_free(VmClocks *clocks); // all clocks must have been dropped
VmClock *vm_clock_keep(VmClock *clock);
void vm_clock_drop(VmClocks *clocks, VmClock *clock);
// The union of what both clocks know.
VmClock *vm_clock_join(VmClocks *clocks, VmClock *a, VmClock *b);
// What `clock` knows, plus `count` entries sorted by key.
VmClock *vm_clock_with(VmClocks *clocks, VmClock *clock, const VmKnown *known,
                       size_t count);
// Only the entries of views `first` to `last`.
VmClock *vm_clock_views(VmClocks *clocks, VmClock *clock, VmView first,
                        VmView last);
// The entries of view `from`, restricted to one CTA unless cta is VM_CLOCK_ALL,
// as entries of view `to`.
#define VM_CLOCK_ALL UINT32_MAX
VmClock *vm_clock_copy_view(VmClocks *clocks, VmClock *clock, VmView from,
                            VmView to, uint32_t cta);
// Which of `lanes` of a warp or an agent (`who` is its lane 0) are known, in
// this view, for what they did at `time`.
uint32_t vm_clock_known_lanes(const VmClocks *clocks, const VmClock *clock,
                              VmView view, uint32_t who, uint32_t lanes,
                              uint32_t time);
// True if what `who` did at `time` is known in this view.
static inline bool vm_clock_knows(const VmClocks *clocks, const VmClock *clock,
                                  VmView view, uint32_t who, uint32_t time) {
    return vm_clock_known_lanes(clocks, clock, view, who & ~31u,
                                1u << (who & 31), time);
}
// The logical time before which everything done by the threads of this CTA is
// known (in the generic view).
uint32_t vm_clock_cta(const VmClocks *clocks, const VmClock *clock,
                      uint32_t cta);
// True if anything is known about some thread of this CTA (in the generic
// view).
bool vm_clock_meets(const VmClocks *clocks, const VmClock *clock, uint32_t cta);

#endif
