// SPDX-License-Identifier: Apache-2.0
// Four threads ask, each with an mbarrier of its own, for which everybody waits
// in turn.
#include "lab.h"

namespace ptx = cuda::ptx;

enum { ASKERS = 4 };

__device__ static int take(const uint4 &answer) {
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer))
        return -1;
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
        answer);
}

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ uint4 answers[ASKERS];
    __shared__ uint64_t bars[ASKERS];
    if (threadIdx.x < ASKERS)
        ptx::mbarrier_init(&bars[threadIdx.x], 1);
    float alpha = compute_scalar();
    int held[ASKERS] = {(int)blockIdx.x, -1, -1, -1};
    bool more = true;
    for (int parity = 0; more; parity ^= 1) {
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x < ASKERS) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                           ptx::space_shared,
                                           &bars[threadIdx.x], 16);
            ptx::clusterlaunchcontrol_try_cancel(&answers[threadIdx.x],
                                                 &bars[threadIdx.x]);
        }
        __syncthreads(); // all is asked for before a refusal is seen
        for (int s = 0; s < ASKERS; s++)
            if (held[s] >= 0 &&
                held[s] * (int)blockDim.x + (int)threadIdx.x < n)
                data[held[s] * blockDim.x + threadIdx.x] *= alpha;
        for (int s = 0; s < ASKERS; s++) {
            while (!ptx::mbarrier_try_wait_parity(&bars[s], parity)) {
            }
            held[s] = take(answers[s]);
            more = more && held[s] >= 0;
        }
    }
    for (int s = 0; s < ASKERS; s++)
        if (held[s] >= 0 && held[s] * (int)blockDim.x + (int)threadIdx.x < n)
            data[held[s] * blockDim.x + threadIdx.x] *= alpha;
}
