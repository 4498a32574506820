// expect: rules RACE001
// Thread 0 clears the place of the next index while the others may still read it: they load it in
// any case, and use it.
// SPDX-License-Identifier: Apache-2.0
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ int place, has_next;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        place = has_next = 0;
    }
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (unsigned turn = 0;; turn++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared, &bar, 16);
        }
        const int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        if (threadIdx.x == 0) {
            while (!ptx::mbarrier_try_wait_parity(&bar, turn & 1)) {
            }
            has_next = ptx::clusterlaunchcontrol_query_cancel_is_canceled(slot);
            if (has_next)
                place =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(slot);
        }
        __syncthreads();
        const bool goes_on = has_next;
        int next = -1;
        if (goes_on)
            next = place;
        if (goes_on && threadIdx.x == 0)
            place = -1;
        if (next < 0)
            return;
        bx = next;
    }
}
