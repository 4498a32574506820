// SPDX-License-Identifier: Apache-2.0
// The parity is that of a round's number; readers run the full fence; each
// block announces before the cluster meets.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    const unsigned rank = cg::cluster_group::block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (int round = 0; bx >= 0; round++) {
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
        cg::cluster_group::sync();
        if (rank == 0 && threadIdx.x == 0)
            ptx::clusterlaunchcontrol_try_cancel_multicast(&answer, &bar);
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &bar, round % 2)) {
        }
        bx = -1;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                     answer) +
                 (int)rank;
        ptx::fence_proxy_async(ptx::space_shared);
    }
}
