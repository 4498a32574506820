// SPDX-License-Identifier: Apache-2.0
// Short names for what most kernels here do rightly, so that what one of them
// does wrongly stands out. All are inlined: findings are to name the line of
// the call.
#ifndef CLC_SHORT_H
#define CLC_SHORT_H

#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define INLINED static __device__ __forceinline__

INLINED void init(uint64_t *bar, unsigned arrivals = 1) {
    ptx::mbarrier_init(bar, arrivals);
}

INLINED void init_for_cluster(uint64_t *bar, unsigned arrivals = 1) {
    ptx::mbarrier_init(bar, arrivals);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
}

INLINED void ask(uint4 *slot, uint64_t *bar) {
    ptx::clusterlaunchcontrol_try_cancel(slot, bar);
}

INLINED void ask_for_all(uint4 *slot, uint64_t *bar) {
    ptx::clusterlaunchcontrol_try_cancel_multicast(slot, bar);
}

INLINED void announce(uint64_t *bar, unsigned bytes = 16) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                   ptx::space_shared, bar, bytes);
}

INLINED void arrive(uint64_t *bar) {
    ptx::mbarrier_arrive(bar);
}

INLINED void wait_for(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

INLINED void wait_in_cluster(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          bar, parity)) {
    }
}

INLINED bool granted(uint4 answer) {
    return ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
}

INLINED int first_x(uint4 answer) {
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
        answer);
}

INLINED int first_y(uint4 answer) {
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(
        answer);
}

INLINED void fence_async() {
    ptx::fence_proxy_async(ptx::space_shared);
}

INLINED void release_reads() {
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
}

INLINED void acquire_reads() {
    ptx::fence_proxy_async_generic_sync_restrict(
        ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
}

INLINED uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

// At the mbarrier of the CTA of another rank.
INLINED void arrive_at(uint64_t *bar, unsigned rank) {
    asm volatile("{ .reg .b32 far;\n\t"
                 "mapa.shared::cluster.u32 far, %0, %1;\n\t"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                 "[far]; }" ::"r"(shared_address(bar)),
                 "r"(rank)
                 : "memory");
}

// Waits for the answer, reads it and decodes it, in each thread; false: over.
INLINED bool next_block(const uint4 *slot, uint64_t *bar, unsigned &parity,
                        unsigned &block) {
    wait_for(bar, parity);
    parity ^= 1;
    uint4 copy = *slot;
    if (!granted(copy))
        return false;
    block = first_x(copy);
    return true;
}

// What a scheduling thread does, rightly.
INLINED void schedule(uint4 *slot, uint64_t *full, uint64_t *empty) {
    for (unsigned i = 0;; i++) {
        if (i)
            wait_for(empty, (i & 1) ^ 1);
        announce(full);
        ask(slot, full);
        wait_for(full, i & 1);
        if (!granted(*slot))
            break;
        fence_async();
    }
}

#endif
