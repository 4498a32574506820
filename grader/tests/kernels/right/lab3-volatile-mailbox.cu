// SPDX-License-Identifier: Apache-2.0
// Thread 0 hands the next index to the others by volatile variables, with a
// fence on either side of the round.
#include "lab.h"
#include <cuda/atomic>

namespace ptx = cuda::ptx;

struct Desk {
    uint4 slot;
    uint64_t bar;
    volatile int next;
    volatile unsigned round;
    unsigned taken;
};

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ Desk desk;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&desk.bar, 1);
        desk.round = desk.taken = 0;
    }
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> taken(desk.taken);
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (unsigned round = 1; bx >= 0; round++) {
        const int i = bx * blockDim.x + threadIdx.x;
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&desk.slot, &desk.bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &desk.bar, 16);
        }
        if (i < n)
            data[i] *= alpha;
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(&desk.bar, (round - 1) & 1)) {
            }
            bx = ptx::clusterlaunchcontrol_query_cancel_is_canceled(desk.slot)
                     ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                           int>(desk.slot)
                     : -1;
            while (taken.load(cuda::memory_order_acquire) !=
                   (round - 1) * 127) {
            }
            desk.next = bx;
            __threadfence_block();
            desk.round = round;
        } else {
            while (desk.round != round) {
            }
            __threadfence_block();
            bx = desk.next;
            taken.fetch_add(1, cuda::memory_order_release);
        }
    }
}
