// SPDX-License-Identifier: Apache-2.0
// Inline PTX alone: addresses as numbers, mapa. Three stages.
#include "lab.h"

constexpr int STAGES = 3;

__device__ static uint32_t shared_address(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

__device__ static uint32_t rank_in_cluster(void) {
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ static void cluster_barrier(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

__device__ static void wait(uint32_t bar, int parity) {
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster"
                     ".shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar), "r"(parity)
                     : "memory");
}

// The row that this block is to do, or -1.
__device__ static int take(uint32_t slot, uint32_t full, uint32_t empty,
                           int parity) {
    int row;
    wait(full, parity);
    asm volatile(
        "{ .reg .b128 answer; .reg .pred yes; ld.shared.b128 answer, [%1];\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 yes, answer;"
        "\n\tmov.b32 %0, -1;\n\t@yes clusterlaunchcontrol.query_cancel"
        ".get_first_ctaid::x.b32.b128 %0, answer; }"
        : "=r"(row)
        : "r"(slot)
        : "memory");
    if (row >= 0)
        row += (int)rank_in_cluster();
    asm volatile("fence.proxy.async::generic.release.sync_restrict"
                 "::shared::cta.cluster;" ::
                     : "memory");
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        asm volatile("{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, "
                     "0;\n\tmbarrier.arrive.release.cluster.shared::cluster.b64"
                     " _, [remote]; }" ::"r"(empty)
                     : "memory");
    return row;
}

__device__ static void request(uint32_t slot, uint32_t full) {
    asm volatile(
        "fence.proxy.async::generic.acquire"
        ".sync_restrict::shared::cluster.cluster;\n\tclusterlaunchcontrol"
        ".try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
        ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(slot),
        "r"(full)
        : "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    scheduler(float *data, const int *starts, int rows) {
    __shared__ uint4 slots[STAGES];
    __shared__ uint64_t fulls[STAGES], empties[STAGES];
    uint32_t slot = shared_address(slots), full = shared_address(fulls),
             empty = shared_address(empties);
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                         "mbarrier.init.shared::cta.b64 [%1], 10;" ::"r"(full +
                                                                         8 * s),
                         "r"(empty + 8 * s)
                         : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_barrier();
    bool schedules = threadIdx.x < 32;
    float alpha = schedules ? 0 : compute_scalar();
    int row = blockIdx.x, s = 0, parity = 0;
    while (row >= 0) {
        if (schedules && threadIdx.x == 0) {
            if (rank_in_cluster() == 0) {
                wait(empty + 8 * s, parity ^ 1);
                request(slot + 16 * s, full + 8 * s);
            }
            asm volatile("mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta"
                         ".b64 _, [%0], 16;" ::"r"(full + 8 * s)
                         : "memory");
        }
        if (!schedules && row < rows)
            for (int i = starts[row] + threadIdx.x - 32; i < starts[row + 1];
                 i += 128)
                data[i] *= alpha;
        row = take(slot + 16 * s, full + 8 * s, empty + 8 * s, parity);
        s = s + 1 == STAGES ? 0 : s + 1;
        parity ^= s == 0;
    }
    cluster_barrier();
}
