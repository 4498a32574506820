// SPDX-License-Identifier: Apache-2.0
// Cluster barriers in two halves: a thread arrives when it has read the answer,
// and waits just before the next request. The blocks learn their ranks from PTX
// registers.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2) cluster_clc(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    auto token = cluster.barrier_arrive();
    const float alpha = compute_scalar();
    unsigned base = blockIdx.x - rank;
    for (uint32_t phase = 0;; phase ^= 1) {
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar,
                                           sizeof answer);
        cluster.barrier_wait(std::move(token));
        if (rank == 1 && threadIdx.x == 0) {
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
        }
        const unsigned i = (base + rank) * blockDim.x + threadIdx.x;
        if (i < (unsigned)n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire,
                                              ptx::scope_cluster, &bar, phase))
            ;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            return;
        base =
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(
                answer);
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        token = cluster.barrier_arrive();
    }
}
