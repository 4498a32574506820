// SPDX-License-Identifier: Apache-2.0
// Multicast, but one thread a block waits and decodes; the block has the index
// through its own shared memory, and the barrier of the cluster does for both
// ends of it.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

template <class Body> __device__ static void for_each_stolen(Body body) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ unsigned next[2];
    constexpr unsigned none = ~0u;
    const auto cluster = cg::this_cluster();
    const bool speaker = threadIdx.x == blockDim.x - 1;
    if (speaker)
        ptx::mbarrier_init(&bar, 1);
    unsigned turn = 0;
    for (unsigned bx = blockIdx.x; bx != none; bx = next[turn++ % 2]) {
        cluster.sync();
        if (speaker) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
            if (cluster.block_rank() == 0) {
                ptx::fence_proxy_async_generic_sync_restrict(
                    ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
            }
        }
        body(bx);
        if (speaker) {
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cluster, &bar, turn % 2))
                ;
            unsigned to = none;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
                to = cluster.block_rank() +
                     ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                         unsigned>(answer);
            next[turn % 2] = to;
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        }
        __syncthreads();
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    const float alpha = compute_scalar();
    for_each_stolen([=](unsigned bx) {
        const unsigned i = bx * blockDim.x + threadIdx.x;
        if (i < (unsigned)n)
            data[i] *= alpha;
    });
}
