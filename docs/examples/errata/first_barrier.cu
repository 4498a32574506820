// SPDX-License-Identifier: Apache-2.0
// The first cluster barrier of the PTX manual's example, in two editions:
// relaxed alone (BARRIER 0), relaxed behind the fence for mbarriers (1), full
// (2). Behind it the second block arrives at the first one's mbarrier, as an
// answer would.
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) first_barrier() {
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
#if BARRIER == 1
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
#endif
#if BARRIER < 2
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
#else
    ptx::barrier_cluster_arrive();
#endif
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    uint64_t *first =
        cooperative_groups::this_cluster().map_shared_rank(&bar, 0);
    if (blockIdx.x == 1)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                             ptx::space_cluster, first);
    else
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire,
                                              ptx::scope_cluster, &bar, 0)) {
        }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}
