// SPDX-License-Identifier: Apache-2.0
// A thread of rank 0 asks for both blocks and is two clusters ahead at most: it
// writes indices by relaxed stores into a ring in each block and arrives there.
// Warps arrive at rank 0 when they have read; one that has read the end sets a
// word there before, and the asking thread leaves when it sees that.
#include "lab.h"
#include <cuda/atomic>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

constexpr int workers = 128, stages = 2;

struct Ring {
    uint4 answer;
    uint64_t came, written[stages], read[stages];
    int row[stages], ended;
};

__device__ static void wait(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          bar, parity))
        ;
}

__device__ static void arrive(uint64_t *bar, unsigned rank) {
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                         ptx::space_cluster,
                         cg::this_cluster().map_shared_rank(bar, rank));
}

__device__ static int ask(Ring &r, unsigned k) {
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(&r.answer, &r.came);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                   ptx::space_shared, &r.came, 16);
    wait(&r.came, k & 1);
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(r.answer))
        return -2;
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
        r.answer);
}

__device__ static void serve(Ring &r) {
    auto cluster = cg::this_cluster();
    int first = 0;
    for (unsigned k = 0;; k++) {
        const unsigned s = k % stages, parity = k / stages & 1;
        wait(&r.read[s], parity ^ 1);
        if (Word(r.ended).load(cuda::memory_order_relaxed))
            return;
        if (first >= 0)
            first = ask(r, k);
        for (int rank = 0; rank < 2; rank++) {
            Word(*cluster.map_shared_rank(&r.row[s], rank))
                .store(first + rank, cuda::memory_order_relaxed);
            arrive(&r.written[s], rank);
        }
    }
}

__device__ static void work(Ring &r, float *data, const int *starts, int rows) {
    auto cluster = cg::this_cluster();
    const float alpha = compute_scalar();
    int row = blockIdx.x;
    for (unsigned k = 0; row >= 0; k++) {
        if (row < rows)
            for (int i = starts[row] + threadIdx.x; i < starts[row + 1];
                 i += workers)
                data[i] *= alpha;
        const unsigned s = k % stages;
        wait(&r.written[s], k / stages & 1);
        row = Word(r.row[s]).load(cuda::memory_order_relaxed);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            if (row < 0)
                Word(*cluster.map_shared_rank(&r.ended, 0))
                    .store(1, cuda::memory_order_relaxed);
            arrive(&r.read[s], 0);
        }
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    scheduler(float *data, const int *starts, int rows) {
    __shared__ Ring ring;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&ring.came, 1);
        for (int s = 0; s < stages; s++) {
            ptx::mbarrier_init(&ring.written[s], 1);
            ptx::mbarrier_init(&ring.read[s], 2 * workers / 32);
            ring.row[s] = 0;
        }
        ring.ended = 0;
    }
    cluster.sync();
    if (threadIdx.x < workers)
        work(ring, data, starts, rows);
    else if (threadIdx.x == workers && cluster.block_rank() == 0)
        serve(ring);
    cluster.sync();
}
