// SPDX-License-Identifier: Apache-2.0
// The first warp of each block waits and decodes, and hands the index on in
// shared memory; the others only meet the barriers.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ int next;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        next = blockIdx.x;
    }
    float alpha = compute_scalar();
    cg::cluster_group::sync();
    for (int phase = 0; next >= 0; phase ^= 1) {
        int i = next * blockDim.x + threadIdx.x;
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
            if (cg::cluster_group::block_rank() == 0) {
                ptx::fence_proxy_async_generic_sync_restrict(
                    ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
            }
        }
        if (i < n)
            data[i] *= alpha;
        __syncthreads(); // all have read the index
        if (threadIdx.x < 32) {
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_acquire, ptx::scope_cluster, &bar, phase)) {
            }
            int mine = -1;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
                mine = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                           int>(answer) +
                       (int)cg::cluster_group::block_rank();
            ptx::fence_proxy_async_generic_sync_restrict(
                ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
            __syncwarp();
            if (threadIdx.x == 0)
                next = mine;
        }
        cg::cluster_group::sync();
    }
}
