// SPDX-License-Identifier: Apache-2.0
// Four mbarriers; the last warp asks and takes the answers, lane by lane, and
// compacts what was granted into a list in shared memory for the block. Two
// lists in turn.
#include "lab.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr unsigned BATCH = 4;

struct Desk {
    uint4 slot[BATCH];
    uint64_t bar[BATCH];
    int index[2][BATCH];
    unsigned count[2];
};

__device__ static void ask_all(Desk &d) {
    for (unsigned s = 0; s < BATCH; s++)
        ptx::clusterlaunchcontrol_try_cancel(&d.slot[s], &d.bar[s]);
    for (unsigned s = 0; s < BATCH; s++)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &d.bar[s], 16);
}

// The whole warp: lane s takes answer s.
__device__ static void take_all(Desk &d, unsigned lane, unsigned round) {
    bool got = false;
    int bx = 0;
    if (lane < BATCH) {
        while (!ptx::mbarrier_try_wait_parity(&d.bar[lane], round & 1))
            ;
        got = ptx::clusterlaunchcontrol_query_cancel_is_canceled(d.slot[lane]);
        if (got)
            bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                d.slot[lane]);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    const unsigned votes = __ballot_sync(~0u, got);
    if (got)
        d.index[round & 1][__popc(votes & ((1u << lane) - 1))] = bx;
    if (lane == 0)
        d.count[round & 1] = __popc(votes);
    __syncwarp();
}

extern "C" __global__ void batch_clc(float *data, int n) {
    __shared__ Desk desk;
    const unsigned lane = threadIdx.x & 31;
    const bool clerk = threadIdx.x >= blockDim.x - 32;
    if (clerk && lane < BATCH)
        ptx::mbarrier_init(&desk.bar[lane], 1);
    __syncwarp();
    const float alpha = compute_scalar();
    const auto scale = [&](int bx) {
        const unsigned i = bx * blockDim.x + threadIdx.x;
        if (i < (unsigned)n)
            data[i] *= alpha;
    };
    if (clerk && lane == 0)
        ask_all(desk);
    scale(blockIdx.x);
    for (unsigned round = 0;; round++) {
        if (clerk) {
            take_all(desk, lane, round);
            if (lane == 0 && desk.count[round & 1] == BATCH)
                ask_all(desk);
        }
        __syncthreads();
        const unsigned count = desk.count[round & 1];
        for (unsigned k = 0; k < count; k++)
            scale(desk.index[round & 1][k]);
        if (count < BATCH)
            break;
    }
}
