// SPDX-License-Identifier: Apache-2.0
// Slow, and right: one thread works on all elements of an index, one after the
// other. Another kernel waits long for it, measured in cycles, but for no more
// than two indices.
#include "lab.h"

namespace ptx = cuda::ptx;

// The thread that does everything; the others of the block leave at once.
extern "C" __global__ void preemption(float *data, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t here;
    if (threadIdx.x > 0)
        return;
    ptx::mbarrier_init(&here, 1);
    const float alpha = compute_scalar();
    int block = blockIdx.x;
    for (unsigned round = 0; block >= 0; round++) {
        ptx::clusterlaunchcontrol_try_cancel(&answer, &here);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &here, sizeof answer);
        const int first = block * (int)blockDim.x;
        for (int i = first; i < n && i < first + (int)blockDim.x; i++)
            data[i] *= alpha;
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &here, round % 2)) {
        }
        const uint4 got = answer;
        block =
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(got)
                ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                      got)
                : -1;
        ptx::fence_proxy_async(ptx::space_shared); // the next answer is written
    }
}
