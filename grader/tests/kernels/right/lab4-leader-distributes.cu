// SPDX-License-Identifier: Apache-2.0
// No multicast: rank 0 asks for both and writes the index to its neighbour.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    __shared__ uint4 result;
    __shared__ uint64_t bar;
    __shared__ int next;
    auto cluster = cg::this_cluster();
    auto block = cg::this_thread_block();
    int phase = 0;
    if (block.thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    cluster.sync();
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (;;) {
        if (cluster.block_rank() == 0 && block.thread_rank() == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&result, &bar);
            while (!ptx::mbarrier_try_wait_parity(&bar, phase)) {
            }
            bool ok =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(result);
            int v =
                ok ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                         int>(result)
                   : -1;
            ptx::fence_proxy_async(ptx::space_shared);
            for (int r = 0; r < 2; r++)
                *cluster.map_shared_rank(&next, r) = v < 0 ? -1 : v + r;
            phase ^= 1;
        }
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        cluster.sync();
        bx = next;
        cluster.sync();
        if (bx < 0)
            break;
    }
}
