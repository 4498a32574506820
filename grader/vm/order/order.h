// SPDX-License-Identifier: Apache-2.0
// The happens-before order: barriers, fences, atomics and mbarriers pass vector
// clocks (clock.h) from thread to thread, and shadow.c queries them to decide
// whether two accesses are ordered. docs/semantics.md says where each rule
// comes from. No published model covers the async proxy, so that part extends
// the PTX memory model.
//
// All functions require that vm->order is not NULL, that is, that the launch
// checks the order of accesses.
#ifndef CLCLAB_VM_ORDER_ORDER_H
#define CLCLAB_VM_ORDER_ORDER_H

#include "result/facts.h"
#include "vm/machine/machine.h"
#include "vm/order/clock.h"

typedef struct VmMessage {        // what was released at a memory location
    uint64_t key;                 // identifies the location; 0: a free entry
    uint32_t cta;                 // serial number of the last writer's CTA
    VmClock *clocks[SCOPE_COUNT]; // by the widest scope of the release
} VmMessage;

// What the code says of a load (flag.c): whether it waits, or, if it comes
// behind such a one, whether it counts on the order of the two, for data that
// was written at `loc`.
typedef struct VmKnownLook {
    const VmInstr *look, *behind;
    uint32_t loc;
    bool answer;
} VmKnownLook;

typedef struct VmIdleLoads { // whether what they read may not be used (race.c)
    const VmFunc *func;
    uint32_t loc; // of the loads
    bool is_idle;
} VmIdleLoads;

typedef struct VmGuess { // what vm_guess_is_checked has answered
    const VmFunc *func;
    uint32_t load, swap;
    bool is_checked;
} VmGuess;

struct VmOrder {
    VmClocks clocks;
    uint32_t time;        // logical time (clock.h); below VM_AGENT
    uint32_t start;       // logical time at which the launch began
    uint32_t agents;      // number of agents so far
    uint32_t first_agent; // first agent of this launch
    bool only_barriers;   // nothing but barriers of the whole CTA orders the
                          // threads of a CTA in this program
    bool waits;           // it may wait for words of memory to change: each
                          // strong store has a time of its own
    bool looks_strongly;  // it has strong loads
    bool asks, copies;    // the program has requests; other asynchronous
                          // operations
    bool is_incomplete;   // a limit was reached, so some accesses are not
                          // recorded
    bool is_lost;         // so is what orders them: nothing is judged any more
    bool lanes_together, release_due; // order.c: the lanes of an instruction
                                      // make their accesses; one has released
    uint32_t *linear; // by serial number of a CTA: its linear index
    size_t cta_count, cta_capacity;
    VmMessage *messages; // a hash table
    size_t message_count, message_room;
    uint32_t slots[16]; // destinations of answers: offsets in shared memory
    uint32_t slot_count;
    struct {
        uint32_t read, written; // locations
    } loose[LOOSE_READS];
    uint32_t loose_count;    // see LooseRead
    VmIdleLoads idle[64];    // the last ones, by their location
    VmGuess guess;           // the last one
    VmKnownLook looks[256];  // the last ones, by their hash
    struct VmShadow *shadow; // shadow.c
    bool keeps_old;          // older values may be read (old.h)
    struct VmOld *old;       // old.c; NULL: none are kept
    const uint8_t *served;   // the one that the present load is to read; NULL:
                             // what is there
};

// ---- a launch ------------------------------------------------------------

void vm_order_begin(Vm *vm); // sets vm->order if the launch checks order
void vm_order_end(Vm *vm);   // after all CTAs have ended
void vm_order_free(Vm *vm);
void vm_order_cta_start(VmCta *cta);
void vm_order_cta_end(VmCta *cta); // its warps no longer run
void vm_order_cluster_end(VmCluster *cluster);
void vm_order_fences_end(VmWarp *w);
// Reports once, as LIMIT, that a limit was reached: some accesses are not
// recorded. The second also says that two accesses may be ordered by what is
// not: from here on the order of accesses breaks no rule.
void vm_order_incomplete(Vm *vm, FactWord records);
void vm_order_lost(Vm *vm, FactWord records);

// ---- clocks of threads ---------------------------------------------------

static inline VmClock *vm_known(const VmWarp *w, uint32_t lane) {
    return w->known[w->order.known_apart ? lane : 0];
}

// True if these lanes know the same.
static inline bool vm_know_alike(const VmWarp *w, uint32_t lanes) {
    const VmClock *first = vm_known(w, (uint32_t)__builtin_ctz(lanes));
    for (; lanes && w->order.known_apart; lanes &= lanes - 1)
        if (w->known[__builtin_ctz(lanes)] != first)
            return false;
    return true;
}

// The number that identifies a thread in clocks and shadow memory.
static inline uint32_t vm_who(const VmWarp *w, uint32_t lane) {
    return w->serial << 5 | lane;
}

void vm_order_learn(VmWarp *w, uint32_t lanes, VmClock *clock);

// True if a relaxed access by this warp has nothing to publish and nothing to
// receive, so that it changes no clock.
static inline bool vm_order_is_quiet(const VmWarp *w) {
    const VmClock *known = w->known[0];
    return w->vm->order->message_count == 0 && !w->vm->order->keeps_old &&
           !w->order.fences && !w->order.known_apart &&
           (!known || known->known[known->count - 1].key >> 40 == VIEW_GENERIC);
}
// The logical time before which a lane's own accesses have been carried to the
// view by its proxy fences. (The lane's clock does not contain them; the clocks
// of other threads get them when they synchronise with it.)
uint32_t vm_order_carried(const VmWarp *w, VmView view, uint32_t lane);

// ---- synchronisation -----------------------------------------------------

// Lets the logical time go on, and returns it.
uint32_t vm_order_step(Vm *vm);
// The number of the first of `count` new agents.
uint32_t vm_order_agents(Vm *vm, uint32_t count);
// To be called before a store or an atomic.
static inline void vm_order_store(Vm *vm, const VmInstr *in) {
    if (in->sem != SEM_WEAK && vm->order->waits)
        vm_order_step(vm);
}
// Whether the lane has received what `who` did at `time`, and lacks the fence
// that would let it take effect; whether it acquired when it looked at `since`
// by `look`, or has run a fence behind that, in a scope that includes `who`.
bool vm_order_is_pending(const VmWarp *w, uint32_t lane, uint32_t who,
                         uint32_t time);
bool vm_order_has_acquired(const VmWarp *w, uint32_t lane, uint32_t who,
                           const VmInstr *look, uint32_t since);

void vm_order_warp_sync(VmWarp *w, uint32_t lanes);
// `in_parts`: the barrier does not include the whole CTA, or some threads
// arrive without waiting.
void vm_order_barrier_arrive(VmWarp *w, VmBarrier *b, uint32_t lanes,
                             bool in_parts);
// What the threads that waited at a barrier learn. The caller owns the
// references.
typedef struct VmLesson {
    VmClock *arrived; // what the threads knew when they arrived
    VmClock *clock;   // what they know now
    uint32_t before;  // logical time before which everything done by the CTA is
                      // known; 0: not the whole CTA
} VmLesson;
VmLesson vm_order_barrier_done(VmCta *cta, const VmBarrier *b);
void vm_order_barrier_learn(VmWarp *w, uint32_t lanes, const VmLesson *lesson);
void vm_order_barrier_over(Vm *vm, VmLesson *lesson);
void vm_order_cluster_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes);
// The phase completes. `w` executes the last arrival (NULL: a thread exited).
void vm_order_cluster_done(VmCluster *cluster, const VmWarp *w);
void vm_order_cluster_wait(VmWarp *w, uint32_t lanes); // ... and is waited for
void vm_order_fence(VmWarp *w, const VmInstr *in, uint32_t lanes);

typedef enum VmProxyFence {
    FENCE_FULL,    // fence.proxy.async
    FENCE_RELEASE, // with FENCE_ACQUIRE: the two halves of the directional pair
    FENCE_ACQUIRE,
    FENCE_INIT, // fence.mbarrier_init
} VmProxyFence;
// The memory that a fence covers: that of the space that it names (PTX_SPACE_
// SHARED, with is_cluster that of all CTAs of the cluster, or GLOBAL), or all.
typedef struct VmFenceReach {
    PtxSpace space; // PTX_SPACE_GENERIC: all
    bool is_cluster;
} VmFenceReach;
// Notes the half, for reports: it orders nothing by itself.
void vm_order_half(VmWarp *w, uint32_t lanes, VmProxyFence kind, uint32_t loc);
// Notes the full fence, for reports.
void vm_order_full(VmWarp *w, uint32_t lanes, VmFenceReach reach, uint32_t loc);
// The view that a full fence gives to accesses of other CTAs.
VmView vm_order_reach_view(VmFenceReach reach);
void vm_order_proxy_fence(VmWarp *w, uint32_t lanes, VmProxyFence kind,
                          VmFenceReach reach);

// A lane has just executed a strong access at `where`; or some lanes a load, or
// atomics that have left the value as it was.
void vm_order_strong(VmWarp *w, const VmInstr *in, uint32_t lanes,
                     const VmWhere *where, VmAccess access);
// Identifies a place in memory.
uint64_t vm_order_place(const VmWhere *where);
// Before and after the strong accesses of the lanes of one instruction: what
// they release gets one time. Nothing if order is not checked.
void vm_order_lanes_begin(Vm *vm, const VmInstr *in);
void vm_order_lanes_end(Vm *vm);

// ---- mbarriers -----------------------------------------------------------

void vm_order_mbarrier_init(VmWarp *w, uint32_t lane, VmMbarrier *bar);
// True if the init is ordered before what this lane does now.
bool vm_order_initialised(const VmWarp *w, uint32_t lane,
                          const VmMbarrier *bar);
// What this lane does now; whether what was done then happens before what this
// lane does now.
VmMoment vm_order_now(const VmWarp *w, uint32_t lane);
bool vm_order_follows(const VmWarp *w, uint32_t lane, VmMoment moment);
void vm_order_mbarrier_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes,
                              const VmCta *owner, VmMbarrier *bar);
// Who waits for this phase will know this too.
void vm_order_mbarrier_passes(Vm *vm, VmMbarrier *bar, VmKnown known);
void vm_order_mbarrier_phase(Vm *vm, VmMbarrier *bar); // the phase completes
void vm_order_mbarrier_wait(VmWarp *w, const VmInstr *in, uint32_t lanes,
                            const VmMbarrier *bar);
void vm_order_mbarrier_end(Vm *vm, VmMbarrier *bar);

#endif
