// SPDX-License-Identifier: Apache-2.0
// Case 11: A fresh start every morning
//
// "Parities confuse everybody, so we start each round afresh: the barrier is set
// up again, and the phase to wait for is always phase 0. No variable, no
// mistake. It has been through our tests for a year. The vendor's sanitizer does
// not like it, and will not say why."
//
// clclab run: --grid 40 --block 64 --arg buf:10240:iota32
// output: 2fc9a4336932587c
// DIAGNOSIS: BAR003
// Line 28. From the second round on, the mbarrier is live when it is
// initialised. It is set up once; then the parity alternates.
#include "lab.h"

namespace ptx = cuda::ptx;

__device__ static uint32_t shared(const void *address) {
    return (uint32_t)__cvta_generic_to_shared(address);
}

extern "C" __global__ void fresh_start(unsigned *data) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    uint32_t answer_at = shared(&answer), bar_at = shared(&bar);
    int bx = blockIdx.x;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar_at)
                     : "memory");
    for (unsigned round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("fence.proxy.async.shared::cta;\n\t"
                         "clusterlaunchcontrol.try_cancel.async.shared::cta"
                         ".mbarrier::complete_tx::bytes.b128 [%0], [%1];\n\t"
                         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], "
                         "16;" ::"r"(answer_at),
                         "r"(bar_at)
                         : "memory");
        data[bx * blockDim.x + threadIdx.x] *= 2;
        while (!ptx::mbarrier_try_wait_parity(&bar, round & 1)) {
        }
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
    }
}
