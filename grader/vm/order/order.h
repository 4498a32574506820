// SPDX-License-Identifier: Apache-2.0
// What happens before what: barriers, fences, atomics and mbarriers move clocks
// (clock.h) from thread to thread; shadow.c asks them whether two accesses are
// ordered. docs/semantics.md says where each rule comes from; no published
// model covers the async proxy, so that part is an extension of the PTX
// memory model.
//
// All functions may be called only while vm->order is there: the launch checks
// the order of accesses.
#ifndef CLCLAB_VM_ORDER_ORDER_H
#define CLCLAB_VM_ORDER_ORDER_H

#include "vm/machine/machine.h"
#include "vm/order/clock.h"

typedef struct VmMessage {        // what was released at a location
    uint64_t key;                 // of the location; 0: free
    uint32_t cta;                 // serial: of the last writer
    VmClock *clocks[SCOPE_COUNT]; // by the widest scope it was released at
} VmMessage;

struct VmOrder {
    VmClocks clocks;
    uint32_t time;        // see clock.h; below VM_AGENT
    uint32_t start;       // of the launch
    uint32_t agents;      // numbers given to agents so far
    uint32_t first_agent; // of the launch
    bool only_barriers;   // nothing in the program orders threads of a CTA but
                          // barriers of the whole CTA
    bool is_incomplete;   // a limit was reached: not all was recorded
    uint32_t *linear;     // by serial number of a CTA: linear index
    size_t cta_count, cta_capacity;
    VmMessage *messages; // a hash table
    size_t message_count, message_room;
    uint32_t slots[16]; // where answers go: offsets in shared memory
    uint32_t slot_count;
    struct VmShadow *shadow; // shadow.c
};

// ---- a launch ------------------------------------------------------------

void vm_order_begin(Vm *vm); // sets vm->order, if the launch wants it
void vm_order_end(Vm *vm);   // after all CTAs have ended
void vm_order_free(Vm *vm);
void vm_order_cta_start(VmCta *cta);
void vm_order_cta_end(VmCta *cta); // its warps will run no more
void vm_order_cluster_end(VmCluster *cluster);
void vm_order_fences_end(VmWarp *w);
// A limit was reached: says so once, as LIMIT.
void vm_order_incomplete(Vm *vm, FactWord records);

// ---- clocks of threads ---------------------------------------------------

static inline VmClock *vm_known(const VmWarp *w, uint32_t lane) {
    return w->order.known[w->order.known_apart ? lane : 0];
}

// The number of a thread in clocks and shadows.
static inline uint32_t vm_who(const VmWarp *w, uint32_t lane) {
    return w->serial << 5 | lane;
}

void vm_order_learn(VmWarp *w, uint32_t lanes, VmClock *clock);

// A relaxed access of this warp has nothing to publish and nothing to receive:
// it moves no clock.
static inline bool vm_order_is_quiet(const VmWarp *w) {
    const VmClock *known = w->order.known[0];
    return w->vm->order->message_count == 0 && !w->order.fences &&
           !w->order.known_apart &&
           (!known || known->known[known->count - 1].key >> 40 == VIEW_GENERIC);
}
// What a lane did before this time, its fences of proxies have carried to the
// view. (Its clock says so only to others, once they meet.)
uint32_t vm_order_carried(const VmWarp *w, VmView view, uint32_t lane);

// ---- synchronisation -----------------------------------------------------

void vm_order_warp_sync(VmWarp *w, uint32_t lanes);
// `in_parts`: the barrier is not for the whole CTA, or not to wait at.
void vm_order_barrier_arrive(VmWarp *w, VmBarrier *b, uint32_t lanes,
                             bool in_parts);
// What those who waited at a barrier learn; references of the caller's.
typedef struct VmLesson {
    VmClock *arrived; // what those who arrived knew
    VmClock *clock;   // and what is known now
    uint32_t before;  // of all of the CTA what it did before; 0: in parts
} VmLesson;
VmLesson vm_order_barrier_done(VmCta *cta, const VmBarrier *b);
void vm_order_barrier_learn(VmWarp *w, uint32_t lanes, const VmLesson *lesson);
void vm_order_barrier_over(Vm *vm, VmLesson *lesson);
void vm_order_cluster_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes);
// The phase completes; `w` executes the last arrival (NULL: an exit).
void vm_order_cluster_done(VmCluster *cluster, const VmWarp *w);
void vm_order_fence(VmWarp *w, const VmInstr *in, uint32_t lanes);

typedef enum VmProxyFence {
    FENCE_FULL,    // fence.proxy.async
    FENCE_RELEASE, // the halves of the directional pair
    FENCE_ACQUIRE,
    FENCE_INIT, // fence.mbarrier_init
} VmProxyFence;
typedef struct VmFenceReach { // the memory that it is for
    bool shared, global;
} VmFenceReach;
void vm_order_proxy_fence(VmWarp *w, uint32_t lanes, VmProxyFence kind,
                          VmFenceReach reach);

// A strong load, store or atomic of a lane has just been done at `where`.
void vm_order_strong(VmWarp *w, const VmInstr *in, uint32_t lane,
                     const VmWhere *where, VmAccess access);

// ---- mbarriers -----------------------------------------------------------

void vm_order_mbarrier_init(VmWarp *w, uint32_t lane, VmMbarrier *bar);
// True if the init is ordered before what this lane does now; and so the first
// look at a refusal, of a CTA that has had one.
bool vm_order_initialised(const VmWarp *w, uint32_t lane,
                          const VmMbarrier *bar);
void vm_order_refusal(const VmWarp *w, uint32_t lane);
bool vm_order_was_refused(const VmWarp *w, uint32_t lane);
void vm_order_mbarrier_arrive(VmWarp *w, const VmInstr *in, uint32_t lanes,
                              const VmCta *owner, VmMbarrier *bar);
void vm_order_mbarrier_phase(Vm *vm, VmMbarrier *bar); // it completes
void vm_order_mbarrier_wait(VmWarp *w, const VmInstr *in, uint32_t lanes,
                            const VmMbarrier *bar);
void vm_order_mbarrier_end(Vm *vm, VmMbarrier *bar);

#endif
