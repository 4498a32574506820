// expect: rules BAR001
// says: nothing tells its block that the phase before is over
// The leader of the cluster announces the bytes of the next answer for both
// blocks when it has the last one. Whether the other block has it, too, is
// nobody's concern: a barrier of the cluster comes only behind that.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ static void announce_in(uint64_t *bar, unsigned rank) {
    uint64_t *there = cg::this_cluster().map_shared_rank(bar, rank);
    asm volatile(
        "{\n\t.reg .b32 at;\n\t"
        "cvt.u32.u64 at, %0;\n\t"
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 "
        "_, [at], 16;\n\t}" ::"l"(__cvta_generic_to_shared(there))
        : "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    const unsigned rank = cg::cluster_group::block_rank();
    const bool leads = rank == 0 && threadIdx.x == 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    const float alpha = compute_scalar();
    cg::cluster_group::sync();

    int block = blockIdx.x;
    for (unsigned round = 0;; round++) {
        if (leads) {
            announce_in(&bar, 0);
            announce_in(&bar, 1);
        }
        cg::cluster_group::sync();
        if (leads) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
        }
        const int i = block * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &bar, round & 1)) {
        }
        const uint4 copy = answer;
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy))
            break;
        block = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    copy) +
                (int)rank;
    }
    cg::cluster_group::sync();
}
