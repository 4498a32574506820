// SPDX-License-Identifier: Apache-2.0
// What every lab includes. Read the first two parts; the other two you may
// skip, though the last shows which arguments the functions of lab 3 take:
//
//   1. The prologue    compute_scalar(), which your kernels call.
//   2. The launch      what labs 1 and 2 ask you to decide.
//   3. For the grader  kernels that it launches itself.
//   4. For old tools   CLC functions that some versions of libcu++ lack.
//
// Keep this file as it is: the grader uses its own copy.
#ifndef CLC_LAB_H
#define CLC_LAB_H

#include <cooperative_groups.h>
#include <cuda/ptx>
#include <stdint.h>

// ---- 1. The prologue -----------------------------------------------------

// What compute_scalar() works on. The grader writes other values before each
// launch, so the result cannot be known in advance.
struct LabSecret {
    float seed; // in (1.25, 1.75)
    int rounds; // how costly the prologue is
};

extern "C" {

__constant__ struct LabSecret clclab_secret = {1.5f, 64};

// The prologue: it stands for the work that a block does before it can start
// on its elements, such as computing the coefficients of a convolution. The
// value is the same for all threads of a launch and lies in (1.25, 1.75). Each
// round needs the result of the one before, and the compiler can neither
// remove a call nor move it out of a loop: each call costs its full price.
__device__ __noinline__ float compute_scalar(void) {
    float x = clclab_secret.seed;
    for (int round = 0; round < clclab_secret.rounds; round++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                     : "+f"(x)
                     : "f"(-0.96f), "f"(2.9498f));
    return x;
}

} // extern "C"

// ---- 2. The launch -------------------------------------------------------

struct LaunchQuery {
    int n;                 // elements in data
    int threads_per_block; // fixed by the lab
    int sm_count;          // streaming multiprocessors of the device
    int blocks_per_sm;     // blocks of this kernel that fit on one SM at once
};

struct LaunchPlan {
    int blocks; // in the grid
};

// Labs 1 and 2: you define it.
__device__ LaunchPlan launch_plan(LaunchQuery q);

// ---- 3. For the grader ---------------------------------------------------

extern "C" __global__ void clclab_prologue(float *value) {
    *value = compute_scalar();
}

#ifdef CLCLAB_LAUNCH_PLAN
extern "C" __global__ void clclab_launch_plan(LaunchQuery q, LaunchPlan *plan) {
    *plan = launch_plan(q);
}
#endif

// ---- 4. For old tools ----------------------------------------------------

namespace cuda {
namespace ptx {

__device__ static inline uint32_t clclab_smem(const void *address) {
    return (uint32_t)__cvta_generic_to_shared(address);
}

// CUDA 13.0's libcu++ offers the multicast request on sm_100a alone, though
// ptxas accepts it wherever this condition holds: targets with an "a" or an
// "f" (PTX ISA, clusterlaunchcontrol.try_cancel). This one is no template, so
// a call chooses it over libcu++'s.
#if defined(__CUDA_ARCH_SPECIFIC__) ||        \
    defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || \
    defined(__CUDA_ARCH_FEAT_SM100_ALL) ||    \
    defined(__CUDA_ARCH_FEAT_SM101_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL)
__device__ static inline void
clusterlaunchcontrol_try_cancel_multicast(void *result, uint64_t *bar) {
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta"
                 ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128"
                 " [%0], [%1];"
                 :
                 : "r"(clclab_smem(result)), "r"(clclab_smem(bar))
                 : "memory");
}
#else // there is none: a call compiles, and does not link
__device__ void clusterlaunchcontrol_try_cancel_multicast(void *result,
                                                          uint64_t *bar);
#endif

// CUDA 12.8 has the instructions, but its libcu++ has none of the functions.
#if !__has_include(<cuda/__ptx/instructions/clusterlaunchcontrol.h>)

__device__ static inline void clusterlaunchcontrol_try_cancel(void *result,
                                                              uint64_t *bar) {
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta"
                 ".mbarrier::complete_tx::bytes.b128 [%0], [%1];"
                 :
                 : "r"(clclab_smem(result)), "r"(clclab_smem(bar))
                 : "memory");
}

// The 16 opaque bytes as two registers.
template <typename B128>
__device__ static inline longlong2 clclab_halves(B128 answer) {
    static_assert(sizeof(B128) == 16, "an answer has 16 bytes");
    return *reinterpret_cast<longlong2 *>(&answer);
}

template <typename B128>
__device__ static inline bool
clusterlaunchcontrol_query_cancel_is_canceled(B128 answer) {
    longlong2 half = clclab_halves(answer);
    uint32_t is_canceled;
    asm("{\n\t.reg .b128 answer;\n\t.reg .pred yes;\n\t"
        "mov.b128 answer, {%1, %2};\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 yes, answer;"
        "\n\tselp.b32 %0, 1, 0, yes;\n\t}"
        : "=r"(is_canceled)
        : "l"(half.x), "l"(half.y));
    return is_canceled != 0;
}

#define CLCLAB_FIRST_CTAID(axis)                                        \
    template <typename B32, typename B128>                              \
    __device__ static inline B32                                        \
        clusterlaunchcontrol_query_cancel_get_first_ctaid_##axis(       \
            B128 answer) {                                              \
        longlong2 half = clclab_halves(answer);                         \
        uint32_t index;                                                 \
        asm("{\n\t.reg .b128 answer;\n\tmov.b128 answer, {%1, %2};\n\t" \
            "clusterlaunchcontrol.query_cancel.get_first_ctaid::" #axis \
            ".b32.b128 %0, answer;\n\t}"                                \
            : "=r"(index)                                               \
            : "l"(half.x), "l"(half.y));                                \
        return (B32)index;                                              \
    }
CLCLAB_FIRST_CTAID(x)
CLCLAB_FIRST_CTAID(y)
CLCLAB_FIRST_CTAID(z)
#undef CLCLAB_FIRST_CTAID

__device__ static inline void
fence_proxy_async_generic_sync_restrict(sem_acquire_t, space_cluster_t,
                                        scope_cluster_t) {
    asm volatile("fence.proxy.async::generic.acquire.sync_restrict"
                 "::shared::cluster.cluster;" ::
                     : "memory");
}

__device__ static inline void
fence_proxy_async_generic_sync_restrict(sem_release_t, space_shared_t,
                                        scope_cluster_t) {
    asm volatile("fence.proxy.async::generic.release.sync_restrict"
                 "::shared::cta.cluster;" ::
                     : "memory");
}

#define CLCLAB_ARRIVE_EXPECT_TX(scope)                                   \
    __device__ static inline uint64_t mbarrier_arrive_expect_tx(         \
        sem_relaxed_t, scope_##scope##_t, space_shared_t, uint64_t *bar, \
        uint32_t bytes) {                                                \
        uint64_t state;                                                  \
        asm volatile("mbarrier.arrive.expect_tx.relaxed." #scope         \
                     ".shared::cta.b64 %0, [%1], %2;"                    \
                     : "=l"(state)                                       \
                     : "r"(clclab_smem(bar)), "r"(bytes)                 \
                     : "memory");                                        \
        return state;                                                    \
    }
CLCLAB_ARRIVE_EXPECT_TX(cta)
CLCLAB_ARRIVE_EXPECT_TX(cluster)
#undef CLCLAB_ARRIVE_EXPECT_TX

#endif

} // namespace ptx
} // namespace cuda

#endif
