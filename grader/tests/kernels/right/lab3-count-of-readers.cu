// SPDX-License-Identifier: Apache-2.0
// Workers count themselves when they have read, and say in a flag before that
// whether it is over; one thread, which works nowhere, sets the count back
// before it asks again. Count and flag are relaxed, the additions release.
#include "lab.h"
#include <cuda/atomic>

namespace ptx = cuda::ptx;

constexpr unsigned workers = 96;

struct Counter {
    uint4 answer;
    uint64_t full;
    unsigned readers, over;
};

__device__ static void ask_on(Counter &c) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> readers(c.readers),
        over(c.over);
    do {
        readers.store(0, cuda::memory_order_relaxed);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::clusterlaunchcontrol_try_cancel(&c.answer, &c.full);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &c.full, 16);
        while (readers.load(cuda::memory_order_acquire) != workers) {
        }
    } while (!over.load(cuda::memory_order_relaxed));
}

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ Counter c;
    const unsigned me = threadIdx.x;
    if (me == 0) {
        ptx::mbarrier_init(&c.full, 1);
        c.over = c.readers = 0;
    }
    __syncthreads();
    if (me >= workers) {
        if (me == workers)
            ask_on(c);
        return;
    }
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> readers(c.readers),
        over(c.over);
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (unsigned parity = 0; bx >= 0; parity ^= 1) {
        for (int t = me; t < 128; t += workers)
            if (bx * 128 + t < n)
                data[bx * 128 + t] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(&c.full, parity)) {
        }
        const uint4 seen = c.answer;
        bx = -1;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(seen))
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                seen);
        ptx::fence_proxy_async(ptx::space_shared);
        if (bx < 0)
            over.store(1, cuda::memory_order_relaxed);
        readers.fetch_add(1, cuda::memory_order_release);
    }
}
