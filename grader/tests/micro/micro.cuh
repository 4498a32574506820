// SPDX-License-Identifier: Apache-2.0
// What the kernels here share: PTX operations that CUDA C++ has no function
// for. Each is one instruction, so that a finding in it belongs to its caller's
// line. `in` holds the words 0, 1, 2, ...; `out` holds zeros; both n = 1000.
#pragma once

#define MICRO extern "C" __global__ void
#define MICRO_CLUSTER(size)                                                    \
    extern "C" __global__ void __cluster_dims__(size, 1, 1)
#define OPERATION static __device__ __forceinline__

// ---- loads and stores with an order and a scope ---------------------------

OPERATION void store_release(int *at, int value) {
    asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(at), "r"(value)
                 : "memory");
}
OPERATION void store_release_cta(int *at, int value) {
    asm volatile("st.release.cta.s32 [%0], %1;" ::"l"(at), "r"(value)
                 : "memory");
}
OPERATION void store_relaxed(int *at, int value) {
    asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(at), "r"(value)
                 : "memory");
}
OPERATION int load_acquire(int *at) {
    int value;
    asm volatile("ld.acquire.gpu.s32 %0, [%1];"
                 : "=r"(value)
                 : "l"(at)
                 : "memory");
    return value;
}
OPERATION int load_acquire_cta(int *at) {
    int value;
    asm volatile("ld.acquire.cta.s32 %0, [%1];"
                 : "=r"(value)
                 : "l"(at)
                 : "memory");
    return value;
}
OPERATION int load_relaxed(int *at) {
    int value;
    asm volatile("ld.relaxed.gpu.s32 %0, [%1];"
                 : "=r"(value)
                 : "l"(at)
                 : "memory");
    return value;
}

// ---- addresses in shared memory ---------------------------------------------

OPERATION unsigned shared_address(const void *at) {
    return (unsigned)__cvta_generic_to_shared(at);
}

// ---- barriers by number -----------------------------------------------------

OPERATION void named_sync(int barrier, int threads) {
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(threads)
                 : "memory");
}
OPERATION void named_arrive(int barrier, int threads) {
    asm volatile("barrier.arrive %0, %1;" ::"r"(barrier), "r"(threads)
                 : "memory");
}

// ---- clusters ---------------------------------------------------------------

OPERATION unsigned cluster_rank() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
OPERATION void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
OPERATION void cluster_arrive_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
OPERATION void cluster_wait() {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
OPERATION void cluster_fence() {
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
}
// The same variable in the block of that rank.
template <typename T> OPERATION T *in_block(T *mine, unsigned rank) {
    unsigned long long theirs;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
    return (T *)theirs;
}

// ---- mbarriers of the own block ---------------------------------------------

typedef unsigned long long Mbarrier;

OPERATION void mbarrier_init(Mbarrier *bar, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)),
                 "r"(arrivals)
                 : "memory");
}
OPERATION void mbarrier_inval(Mbarrier *bar) {
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(bar))
                 : "memory");
}
OPERATION void mbarrier_arrive(Mbarrier *bar) {
    asm volatile("{ .reg .b64 state;\n"
                 "  mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(
                     shared_address(bar))
                 : "memory");
}
OPERATION void mbarrier_arrive_relaxed(Mbarrier *bar) {
    asm volatile("{ .reg .b64 state;\n"
                 "  mbarrier.arrive.relaxed.cta.shared.b64 state, [%0]; }" ::"r"(
                     shared_address(bar))
                 : "memory");
}
OPERATION void mbarrier_expect(Mbarrier *bar, int bytes) {
    asm volatile("{ .reg .b64 state;\n"
                 "  mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::
                     "r"(shared_address(bar)),
                 "r"(bytes)
                 : "memory");
}
OPERATION bool mbarrier_done(Mbarrier *bar, int parity) {
    int done;
    asm volatile("{ .reg .pred done;\n"
                 "  mbarrier.try_wait.parity.shared.b64 done, [%1], %2;\n"
                 "  selp.s32 %0, 1, 0, done; }"
                 : "=r"(done)
                 : "r"(shared_address(bar)), "r"(parity)
                 : "memory");
    return done != 0;
}
OPERATION bool mbarrier_done_relaxed(Mbarrier *bar, int parity) {
    int done;
    asm volatile("{ .reg .pred done;\n"
                 "  mbarrier.try_wait.parity.relaxed.cta.shared.b64"
                 " done, [%1], %2;\n"
                 "  selp.s32 %0, 1, 0, done; }"
                 : "=r"(done)
                 : "r"(shared_address(bar)), "r"(parity)
                 : "memory");
    return done != 0;
}

// ---- copies -----------------------------------------------------------------

OPERATION void copy_4(void *to_shared, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     shared_address(to_shared)),
                 "l"(from)
                 : "memory");
}
OPERATION void copy_commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int LEFT> OPERATION void copy_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
OPERATION void bulk_load(void *to_shared, const void *from, int bytes,
                         Mbarrier *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global"
                 ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to_shared)),
                 "l"(from), "r"(bytes), "r"(shared_address(bar))
                 : "memory");
}
OPERATION void bulk_store(void *to, const void *from_shared, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group"
                 " [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from_shared)), "r"(bytes)
                 : "memory");
}
OPERATION void bulk_commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
OPERATION void bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
OPERATION void bulk_wait() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
OPERATION void proxy_fence() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
