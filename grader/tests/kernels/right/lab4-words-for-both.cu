// SPDX-License-Identifier: Apache-2.0
// No multicast: a thread of rank 0 asks for both, writes each block's index by a
// relaxed store and arrives there. The workers of both arrive at rank 0 when they
// have read, and who has read a -1 says so in rank 0's word before.
#include "lab.h"
#include <cuda/atomic>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;

constexpr int workers = 96;

struct Mail {
    uint4 answer;
    uint64_t came, written, read;
    int index, stop;
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

__device__ static void serve(Mail &m) {
    auto cluster = cg::this_cluster();
    for (unsigned parity = 0; !Word(m.stop).load(cuda::memory_order_relaxed);
         parity ^= 1) {
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::clusterlaunchcontrol_try_cancel(&m.answer, &m.came);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                       ptx::space_shared, &m.came, 16);
        wait(&m.came, parity);
        int first = -2;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(m.answer))
            first =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    m.answer);
        Word(*cluster.map_shared_rank(&m.index, 0))
            .store(first, cuda::memory_order_relaxed);
        arrive(&m.written, 0);
        Word(*cluster.map_shared_rank(&m.index, 1))
            .store(first + 1, cuda::memory_order_relaxed);
        arrive(&m.written, 1);
        wait(&m.read, parity);
    }
}

__device__ static void work(Mail &m, float *data, int n) {
    auto cluster = cg::this_cluster();
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (unsigned parity = 0; bx >= 0; parity ^= 1) {
        for (int t = threadIdx.x; t < 128; t += workers)
            if (bx * 128 + t < n)
                data[bx * 128 + t] *= alpha;
        wait(&m.written, parity);
        bx = Word(m.index).load(cuda::memory_order_relaxed);
        if (bx < 0)
            Word(*cluster.map_shared_rank(&m.stop, 0))
                .store(1, cuda::memory_order_relaxed);
        arrive(&m.read, 0);
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    cluster_clc(float *data, int n) {
    __shared__ Mail mail;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&mail.came, 1);
        ptx::mbarrier_init(&mail.written, 1);
        ptx::mbarrier_init(&mail.read, 2 * workers);
        mail.index = mail.stop = 0;
    }
    cluster.sync();
    if (threadIdx.x < workers)
        work(mail, data, n);
    else if (threadIdx.x == workers && cluster.block_rank() == 0)
        serve(mail);
    cluster.sync();
}
