// SPDX-License-Identifier: Apache-2.0
// The PTX manual's example waits with the state that the arrival returned. One
// thread has arrived; with more than one in a block the others have no state.
#include "lab.h"

namespace ptx = cuda::ptx;

extern "C" __global__ void steal(int *times) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    int index = blockIdx.x;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        uint64_t state = 0;
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            state = ptx::mbarrier_arrive_expect_tx(
                ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &bar, 16);
            atomicAdd(&times[index], 1);
        }
#ifdef MENDED
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
        }
#else
        while (!ptx::mbarrier_try_wait(&bar, state)) {
        }
#endif
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(slot))
            break;
        index =
            ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(slot);
    }
}
