// SPDX-License-Identifier: Apache-2.0
// Two cuda::barriers of all threads: each thread arrives and waits with its own
// token, and thread 0's arrivals announce the bytes. They stand for the block's
// barrier too.
#include "lab.h"
#include <cuda/barrier>
#include <cuda/std/utility>

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ static bool decode(const uint4 &answer, int &index) {
    const bool granted =
        ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer);
    if (granted)
        index = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            answer);
    return granted;
}

extern "C" __global__ void pipelined_clc(float *data, int n) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier first, second;
    __shared__ uint4 answers[2];
    const bool leader = threadIdx.x == 0;
    if (leader) {
        init(&first, blockDim.x);
        init(&second, blockDim.x);
    }
    __syncthreads();
    const float alpha = compute_scalar();
    auto work = [data, n, alpha](int index) {
        const int i = index * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
    };
    int own = blockIdx.x, other = 0;
    bool a, b;
    do {
        if (leader) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(
                &answers[0], cuda::device::barrier_native_handle(first));
            ptx::clusterlaunchcontrol_try_cancel(
                &answers[1], cuda::device::barrier_native_handle(second));
        }
        auto one = leader ? cuda::device::barrier_arrive_tx(first, 1, 16)
                          : first.arrive();
        auto two = leader ? cuda::device::barrier_arrive_tx(second, 1, 16)
                          : second.arrive();
        work(own);
        first.wait(cuda::std::move(one));
        a = decode(answers[0], other);
        if (a)
            work(other);
        second.wait(cuda::std::move(two));
        b = decode(answers[1], own);
        __syncthreads();
    } while (a && b);
    if (b)
        work(own);
}
