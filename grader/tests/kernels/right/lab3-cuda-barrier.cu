// SPDX-License-Identifier: Apache-2.0
// cuda::barrier with arrival tokens instead of a raw mbarrier and parity.
#include "lab.h"
#include <cuda/barrier>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ alignas(16) uint4 result;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();
    float alpha = compute_scalar();
    int bx = blockIdx.x;
    while (true) {
        cuda::barrier<cuda::thread_scope_block>::arrival_token tok;
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(
                &result, cuda::device::barrier_native_handle(bar));
            tok = cuda::device::barrier_arrive_tx(bar, 1, sizeof(result));
        } else
            tok = bar.arrive();
        int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        bar.wait(std::move(tok));
        uint4 r = result;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(r))
            break;
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(r);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
    }
}
