// expect: schedules CLC001
// SPDX-License-Identifier: Apache-2.0
// Three warps work; one thread of the fourth asks. Who has seen a refusal gives
// the slots back first and sets the flag to stop then: if all of them are slow
// at that, the asking thread finds the slots free, and no flag.
#include "lab.h"
#include <cuda/atomic>

namespace ptx = cuda::ptx;

constexpr int batch = 4, workers = 96;

struct Shelf {
    uint4 slot[batch];
    uint64_t full, empty;
    unsigned over;
};

__device__ static void wait_for(uint64_t *bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

__device__ static void asks(Shelf &shelf) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> over(shelf.over);
    for (unsigned round = 0;; round++) {
        if (round > 0)
            wait_for(&shelf.empty, (round - 1) & 1);
        if (over.load(cuda::memory_order_relaxed))
            return;
        ptx::fence_proxy_async(ptx::space_shared);
        for (int s = 0; s < batch; s++)
            ptx::clusterlaunchcontrol_try_cancel(&shelf.slot[s], &shelf.full);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &shelf.full,
                                       sizeof shelf.slot);
    }
}

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ Shelf shelf;
    const int me = threadIdx.x;
    if (me == 0) {
        ptx::mbarrier_init(&shelf.full, 1);
        ptx::mbarrier_init(&shelf.empty, workers);
        shelf.over = 0;
    }
    __syncthreads();
    if (me >= workers) {
        if (me == workers)
            asks(shelf);
        return;
    }
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> over(shelf.over);
    const float alpha = compute_scalar();
    auto scale = [&](int bx) {
        for (int t = me; t < 128; t += workers)
            if (bx * 128 + t < n)
                data[bx * 128 + t] *= alpha;
    };
    scale(blockIdx.x);
    bool more = true;
    for (unsigned round = 0; more; round++) {
        wait_for(&shelf.full, round & 1);
        int index[batch], count = 0;
        for (int s = 0; s < batch; s++)
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(
                    shelf.slot[s]))
                index[count++] =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(shelf.slot[s]);
        more = count == batch;
        ptx::fence_proxy_async(ptx::space_shared);
        (void)ptx::mbarrier_arrive(&shelf.empty);
        if (!more)
            over.store(1, cuda::memory_order_relaxed);
        for (int k = 0; k < count; k++)
            scale(index[k]);
    }
}
