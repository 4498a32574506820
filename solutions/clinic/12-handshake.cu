// SPDX-License-Identifier: Apache-2.0
// Case 12: The handshake
//
// "Two blocks swap their sums. Each waits at its own barrier until the other has
// rung. A full cluster barrier at the start seemed a lot, and only the meeting
// matters, so we took the relaxed one: it is documented to be cheaper. It was.
// Then the compiler was updated, and one pair in a hundred thousand waits for
// ever."
//
// clclab run: --grid 16 --block 32 --arg buf:2048:iota32 --arg buf:64
// output: a9650b1fa3b66e3a
// DIAGNOSIS: BAR004
// Line 45. A relaxed arrival at the cluster barrier orders nothing by itself: the
// neighbour's arrival may come before the initialisation. It takes
// fence.mbarrier_init, or an arrival that releases.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ static uint32_t shared(const void *address) {
    return (uint32_t)__cvta_generic_to_shared(address);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    handshake(const unsigned *data, unsigned *sums) {
    __shared__ uint64_t bar;
    __shared__ unsigned theirs;
    uint32_t bar_at = shared(&bar);
    auto cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                     "fence.mbarrier_init.release.cluster;" ::"r"(
                         bar_at)
                     : "memory");
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
    unsigned sum =
        __reduce_add_sync(0xffffffff, data[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        *cluster.map_shared_rank(&theirs, other) = sum;
        uint32_t far;
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(far)
            : "r"(bar_at), "r"(other));
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                far)
            : "memory");
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &bar, 0)) {
        }
        sums[blockIdx.x] = sum + theirs;
    }
    cluster.sync();
}
