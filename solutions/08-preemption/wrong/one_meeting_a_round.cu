// expect: correct
// says: The index is handed over by accesses that order nothing
// Publishes the next index by an atomic: who reads the last one may be late.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"
#include <cuda/atomic>

namespace ptx = cuda::ptx;

__device__ static void meet(int id) {
    asm volatile("barrier.cta.sync %0;" ::"r"(id) : "memory");
}

extern "C" __global__ void preemption(float *__restrict__ data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ int next;
    const bool asker = threadIdx.x == 96;
    if (asker)
        ptx::mbarrier_init(&bar, 1);
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    unsigned phase = 0;
    while (true) {
        if (asker) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&answer, &bar);
        }
        for (long long i = (long long)bx * blockDim.x + threadIdx.x; i < n;
             i = n)
            data[i] *= alpha;
        if (asker) {
            while (!ptx::mbarrier_try_wait_parity(&bar, phase & 1))
                ;
            phase++;
            cuda::atomic_ref<int, cuda::thread_scope_block> to(next);
            const bool yes =
                ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
            to.store(
                yes ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                          int>(answer)
                    : -1,
                cuda::memory_order_relaxed);
            ptx::fence_proxy_async(ptx::space_shared);
        }
        meet(1);
        bx = cuda::atomic_ref<int, cuda::thread_scope_block>(next).load(
            cuda::memory_order_relaxed);
        if (bx < 0)
            break;
    }
}
