// SPDX-License-Identifier: Apache-2.0
// What releases publish and acquires receive: see order.c, which has the
// functions. Private to it and to meet.c.
#ifndef CLCLAB_VM_ORDER_RELEASE_H
#define CLCLAB_VM_ORDER_RELEASE_H

#include "vm/order/order.h"

static inline VmClocks *vm_clocks_of(const VmWarp *w) {
    return &w->vm->order->clocks;
}

static inline void vm_clock_set(VmClocks *clocks, VmClock **at,
                                VmClock *clock) {
    vm_clock_drop(clocks, *at);
    *at = clock;
}

static inline void vm_clock_add(VmClocks *clocks, VmClock **at, VmClock *more) {
    vm_clock_set(clocks, at, vm_clock_join(clocks, *at, more));
}

static inline VmKnown vm_release_entry(const VmWarp *w, VmView view,
                                       uint32_t lanes, uint32_t time) {
    return (VmKnown){vm_known_key(view, KNOWN_WARP, w->serial), lanes, time};
}

static inline bool vm_sem_releases(VmSem sem) {
    return sem == SEM_RELEASE || sem == SEM_ACQ_REL;
}

static inline bool vm_sem_acquires(VmSem sem) {
    return sem == SEM_ACQUIRE || sem == SEM_ACQ_REL;
}

// The union of what the lanes know.
VmClock *vm_release_learnt(VmWarp *w, uint32_t lanes);
VmClock *vm_clock_and(VmClocks *clocks, VmClock *clock, VmKnown known);
// What the lanes know, with what proxy fences have carried over; the same with
// their own past before a time; and what a relaxed operation at `scope`
// publishes.
VmClock *vm_release_known(VmWarp *w, uint32_t lanes);
VmClock *vm_release(VmWarp *w, uint32_t lanes, uint32_t time);
VmClock *vm_release_relaxed(VmWarp *w, uint32_t lanes, VmScope scope);
// Lanes receive what was released: now, or at their next fence whose scope is
// at least `scope`. The second lets it take effect.
void vm_release_receive(VmWarp *w, uint32_t lanes, VmClock *clock, bool now,
                        VmScope scope);
void vm_release_pending(VmWarp *w, uint32_t lanes, VmScope scope);

#endif
