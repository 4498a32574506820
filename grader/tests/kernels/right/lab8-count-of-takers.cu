// SPDX-License-Identifier: Apache-2.0
// The thread that asks hands over one index at a time: it writes the index, sets
// the count of those who have taken it back, and then the number of the round.
// Each of the others adds one when it has taken the index; who has taken a
// refusal closes the counter before.
#include "lab.h"
#include <cuda/atomic>

namespace ptx = cuda::ptx;
using Word = cuda::atomic_ref<int, cuda::thread_scope_block>;

constexpr int takers = 96;

struct Counter {
    uint4 slot;
    uint64_t bar;
    int index, round, taken, closed;
};

__device__ static int ask(Counter &c, int round) {
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(&c.slot, &c.bar);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                   ptx::space_shared, &c.bar, 16);
    while (!ptx::mbarrier_try_wait_parity(&c.bar, (round - 1) & 1)) {
    }
    return ptx::clusterlaunchcontrol_query_cancel_is_canceled(c.slot)
               ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                     c.slot)
               : -1;
}

__device__ static void serve(Counter &c) {
    for (int round = 1; !Word(c.closed).load(cuda::memory_order_relaxed);
         round++) {
        Word(c.index).store(ask(c, round), cuda::memory_order_relaxed);
        Word(c.taken).store(0, cuda::memory_order_relaxed);
        Word(c.round).store(round, cuda::memory_order_release);
        while (Word(c.taken).load(cuda::memory_order_acquire) < takers) {
        }
    }
}

extern "C" __global__ void preemption(float *data, int n) {
    __shared__ Counter counter;
    const int me = threadIdx.x;
    if (me == 0) {
        ptx::mbarrier_init(&counter.bar, 1);
        counter.round = counter.taken = 0;
        counter.index = counter.closed = 0;
    }
    __syncthreads();
    if (me >= takers) {
        if (me == takers)
            serve(counter);
        return;
    }
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (int round = 1; bx >= 0; round++) {
        for (int t = me; t < 128; t += takers)
            if (bx * 128 + t < n)
                data[bx * 128 + t] *= alpha;
        while (Word(counter.round).load(cuda::memory_order_acquire) < round) {
        }
        bx = Word(counter.index).load(cuda::memory_order_relaxed);
        if (bx < 0)
            Word(counter.closed).store(1, cuda::memory_order_relaxed);
        Word(counter.taken).fetch_add(1, cuda::memory_order_release);
    }
}
