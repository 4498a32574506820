// SPDX-License-Identifier: Apache-2.0
// One thread takes up to twelve indices in a row; then all work on them. The
// others know the scalar from their first element on: in the last block, which
// is short, that is one of the twelve.
#include "lab.h"

namespace ptx = cuda::ptx;

struct Batch {
    enum { MOST = 12 };
    uint4 answer;
    uint64_t bar;
    int index[MOST];
    int count;
    bool is_last;
};

// By thread 0: asks until it is refused, or has as many as it wants.
__device__ static void fill(Batch *batch, unsigned *phase) {
    batch->count = 0;
    while (!batch->is_last && batch->count < Batch::MOST) {
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &batch->bar, 16);
        ptx::clusterlaunchcontrol_try_cancel(&batch->answer, &batch->bar);
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta,
                                              &batch->bar, *phase)) {
        }
        *phase ^= 1;
        const uint4 got = batch->answer;
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(got))
            batch->is_last = true;
        else
            batch->index[batch->count++] =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    got);
    }
}

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ Batch batch;
    unsigned phase = 0;
    float alpha = 0.f; // not known
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&batch.bar, 1);
        batch.index[0] = blockIdx.x;
        batch.count = 1;
        batch.is_last = false;
    }
    __syncthreads();
    bool more = true;
    while (more) {
        for (int k = 0; k < batch.count; k++) {
            const int i = batch.index[k] * blockDim.x + threadIdx.x;
            if (i >= n)
                continue;
            if (alpha == 0.f)
                alpha = compute_scalar();
            data[i] *= alpha;
        }
        more = !batch.is_last;
        __syncthreads();
        if (threadIdx.x == 0)
            fill(&batch, &phase);
        __syncthreads();
    }
}
