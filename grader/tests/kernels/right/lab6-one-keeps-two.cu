// SPDX-License-Identifier: Apache-2.0
// A rolling pair: one thread waits for the older answer, asks again in its slot
// at once, and tells the block. After a refusal it takes what is still under
// way.
#include "lab.h"

namespace ptx = cuda::ptx;

struct Pair {
    uint4 slot[2];
    uint64_t bar[2];
};

__device__ static void ask(Pair &p, int s) {
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                   ptx::space_shared, &p.bar[s], 16);
    ptx::clusterlaunchcontrol_try_cancel(&p.slot[s], &p.bar[s]);
}

// What the one thread keeps: the number of requests, and of answers taken.
struct Keeper {
    unsigned asked, taken;
    bool asking;
    __device__ int take(Pair &p) {
        int index = -1;
        while (index < 0 && taken < asked) {
            const int s = taken % 2;
            while (!ptx::mbarrier_try_wait_parity(&p.bar[s], taken / 2 % 2))
                ;
            taken++;
            if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(p.slot[s]))
                index =
                    ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<
                        int>(p.slot[s]);
            else
                asking = false;
            if (asking) {
                ask(p, s);
                asked++;
            }
        }
        return index;
    }
};

extern "C" __global__ void pipelined_clc(float *data, int n) {
    __shared__ Pair pair;
    __shared__ int next[2];
    Keeper keeper = {2, 0, true};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&pair.bar[0], 1);
        ptx::mbarrier_init(&pair.bar[1], 1);
        ask(pair, 0);
        ask(pair, 1);
    }
    const float alpha = compute_scalar();
    int turn = 0;
    for (int bx = blockIdx.x; bx >= 0; bx = next[turn ^= 1]) {
        if (threadIdx.x == 0)
            next[turn ^ 1] = keeper.take(pair);
        const int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        __syncthreads();
    }
}
