// SPDX-License-Identifier: Apache-2.0
// One thread asks twice, decodes both answers, writes the indices by relaxed
// stores and arrives. The workers arrive when they have read; who has read a -1
// says so in a word before, and the asking thread looks at it behind its wait.
#include "lab.h"
#include <cuda/atomic>

namespace ptx = cuda::ptx;
using Word = cuda::atomic_ref<int, cuda::thread_scope_block>;

constexpr int workers = 96;

struct Office {
    uint4 answer[2];
    uint64_t came[2], written, read;
    int index[2], stop;
};

__device__ static void wait(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity))
        ;
}

__device__ static void serve(Office &o) {
    for (unsigned parity = 0; !Word(o.stop).load(cuda::memory_order_relaxed);
         parity ^= 1) {
        ptx::fence_proxy_async(ptx::space_shared);
        for (int s = 0; s < 2; s++)
            ptx::clusterlaunchcontrol_try_cancel(&o.answer[s], &o.came[s]);
        for (int s = 0; s < 2; s++)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &o.came[s], 16);
        for (int s = 0; s < 2; s++) {
            wait(&o.came[s], parity);
            const bool yes =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(o.answer[s]);
            Word(o.index[s])
                .store(
                    yes ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                              int>(o.answer[s])
                        : -1,
                    cuda::memory_order_relaxed);
        }
        (void)ptx::mbarrier_arrive(&o.written);
        wait(&o.read, parity);
    }
}

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ Office office;
    const int me = threadIdx.x;
    if (me == 0) {
        for (int s = 0; s < 2; s++) {
            ptx::mbarrier_init(&office.came[s], 1);
            office.index[s] = 0;
        }
        ptx::mbarrier_init(&office.written, 1);
        ptx::mbarrier_init(&office.read, workers);
        office.stop = 0;
    }
    __syncthreads();
    if (me >= workers) {
        if (me == workers)
            serve(office);
        return;
    }
    const float alpha = compute_scalar();
    auto work = [&](int bx) {
        for (int t = me; t < 128; t += workers)
            if (bx >= 0 && bx * 128 + t < n)
                data[bx * 128 + t] *= alpha;
    };
    work(blockIdx.x);
    bool more = true;
    for (unsigned parity = 0; more; parity ^= 1) {
        wait(&office.written, parity);
        const int a = Word(office.index[0]).load(cuda::memory_order_relaxed),
                  b = Word(office.index[1]).load(cuda::memory_order_relaxed);
        more = a >= 0 && b >= 0;
        if (!more)
            Word(office.stop).store(1, cuda::memory_order_relaxed);
        (void)ptx::mbarrier_arrive(&office.read);
        work(a);
        work(b);
    }
}
