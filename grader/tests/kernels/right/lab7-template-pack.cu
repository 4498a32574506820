// SPDX-License-Identifier: Apache-2.0
// The batch is a template argument and the four steps are unrolled by a pack;
// all answers are loaded first, then asked, and a select keeps index or -1.
#include "lab.h"
#include <cuda/std/utility>

namespace ptx = cuda::ptx;

template <int N> struct Batch {
    uint4 answer[N];
    uint64_t bar;

    template <int... S>
    __device__ bool decode(int (&bx)[N],
                           cuda::std::integer_sequence<int, S...>) const {
        const uint4 copy[] = {answer[S]...};
        const bool yes[] = {
            ptx::clusterlaunchcontrol_query_cancel_is_canceled(copy[S])...};
        ((bx[S] =
              yes[S] ? ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                           int>(copy[S])
                     : -1),
         ...);
        return (yes[S] && ...);
    }
    __device__ void ask(int s) {
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                ptx::space_shared, &bar, 16);
        ptx::clusterlaunchcontrol_try_cancel(&answer[s], &bar);
        (void)ptx::mbarrier_arrive(&bar);
    }
};

template <int N>
__device__ static void steal(float *data, size_t n, Batch<N> &batch) {
    const float alpha = compute_scalar();
    int bx[N] = {(int)blockIdx.x};
    for (int s = 1; s < N; s++)
        bx[s] = -1;
    uint32_t parity = 0;
    bool all = true;
    auto work = [&] {
        for (int index : bx)
            if (size_t i = (size_t)index * blockDim.x + threadIdx.x;
                index >= 0 && i < n)
                data[i] *= alpha;
    };
    while (all) {
        ptx::fence_proxy_async_generic_sync_restrict(
            ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
        __syncthreads();
        if (threadIdx.x % 32 == 7)
            batch.ask(threadIdx.x / 32);
        work();
        while (!ptx::mbarrier_try_wait_parity(&batch.bar, parity)) {
        }
        parity ^= 1;
        all = batch.decode(bx, cuda::std::make_integer_sequence<int, N>());
    }
    work();
}

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ Batch<4> batch;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&batch.bar, 4);
    steal(data, n, batch);
}
