// SPDX-License-Identifier: Apache-2.0
// A loop in a cluster of two in which each block takes the decoded index as it
// is, as the PTX manual's example does. Each block counts the index that it
// works on.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(2) count(int *times) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    int index = blockIdx.x;
    unsigned parity = 0;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    for (;; parity ^= 1) {
        cg::cluster_group::sync();
        if (threadIdx.x == 0) {
            if (cg::cluster_group::block_rank() == 0) {
                ptx::fence_proxy_async_generic_sync_restrict(
                    ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
                ptx::clusterlaunchcontrol_try_cancel_multicast(&slot, &bar);
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                           ptx::space_shared, &bar, 16);
            atomicAdd(&times[index], 1);
        }
        while (!ptx::mbarrier_try_wait_parity(
            ptx::sem_acquire, ptx::scope_cluster, &bar, parity)) {
        }
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(slot))
            break;
        index =
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(slot);
#ifdef MENDED
        index += cg::cluster_group::block_rank();
#endif
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
    }
}
