// SPDX-License-Identifier: Apache-2.0
// No multicast: rank 0's scheduler asks in its own block, decodes, and sends
// the number to both blocks by st.async, which completes the bytes at their
// mbarriers.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

struct Mail { // in each block
    int first[2];
    uint64_t full[2];  // four bytes came
    uint64_t empty[2]; // in rank 0: eight warps have read
    uint4 answer;      // in rank 0
    uint64_t bar;
};

__device__ static void wait(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          bar, parity))
        ;
}

__device__ static int next_cluster(Mail &m, unsigned k) {
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                   ptx::space_shared, &m.bar, 16);
    ptx::clusterlaunchcontrol_try_cancel(&m.answer, &m.bar);
    wait(&m.bar, k & 1);
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(m.answer))
        return -1;
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
        m.answer);
}

__device__ static void serve(Mail &m) {
    auto cluster = cg::this_cluster();
    int first;
    unsigned k = 0;
    do {
        first = next_cluster(m, k);
        const unsigned s = k % 2;
        wait(&m.empty[s], (k / 2 & 1) ^ 1);
        for (unsigned r = 0; r < 2; r++)
            ptx::st_async(cluster.map_shared_rank(&m.first[s], r), first,
                          cluster.map_shared_rank(&m.full[s], r));
        k++;
    } while (first >= 0);
}

__device__ static void work(Mail &m, float *data, const int *starts, int rows) {
    auto cluster = cg::this_cluster();
    const float alpha = compute_scalar();
    const bool speaks = threadIdx.x % 32 == 0;
    int row = blockIdx.x;
    for (unsigned k = 0;; k++) {
        if (row < rows)
            for (int i = starts[row] + threadIdx.x; i < starts[row + 1];
                 i += 128)
                data[i] *= alpha;
        const unsigned s = k % 2;
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &m.full[s], 4);
        wait(&m.full[s], k / 2 & 1);
        const int first = m.first[s];
        __syncwarp();
        if (speaks)
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                                 ptx::space_cluster,
                                 cluster.map_shared_rank(&m.empty[s], 0));
        if (first < 0)
            return;
        row = first + cluster.block_rank();
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    scheduler(float *data, const int *starts, int rows) {
    __shared__ Mail mail;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) {
            ptx::mbarrier_init(&mail.full[s], 1);
            ptx::mbarrier_init(&mail.empty[s], 8);
        }
        ptx::mbarrier_init(&mail.bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cg::this_cluster().sync();
    if (threadIdx.x < 128)
        work(mail, data, starts, rows);
    else if (threadIdx.x == 128 && cg::this_cluster().block_rank() == 0)
        serve(mail);
    cg::this_cluster().sync();
}
