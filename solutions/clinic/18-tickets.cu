// SPDX-License-Identifier: Apache-2.0
// Case 18: The slot is free again
//
// "One warp asks, two warps work. The asking warp leaves each index in one of
// two slots, and gets the slot back when both have said that they are through
// with it. With one slot it never failed. Since there are two, the benchmark
// hangs: not today, perhaps tomorrow, always with many repetitions. We suspect
// the driver."
//
// clclab run: --grid 40 --block 96 --arg buf:10240:iota32
// output: 83ba895644aa569b
// DIAGNOSIS: RACE001
// Line 44. The slot is given back in front of the read: the arrival at line 57
// frees it, and the asking warp may write the next index before this one is
// read. Read, let the warp meet, then arrive. (From the field:
// docs/bugs-of-the-field.md.)
#include "lab.h"

namespace ptx = cuda::ptx;

constexpr int SLOTS = 2;

struct Ring {
    int tile[SLOTS];
    uint64_t full[SLOTS], empty[SLOTS];
};

__device__ static void wait(uint64_t *bar, int parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

__device__ static void ask(Ring *ring, uint4 *answer, uint64_t *bar) {
    int tile = 0;
    for (int round = 0; tile >= 0; round++) {
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::clusterlaunchcontrol_try_cancel(answer, bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                       ptx::space_shared, bar, 16);
        wait(bar, round & 1);
        tile = -1;
        if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(*answer))
            tile =
                ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
                    *answer);
        int slot = round % SLOTS;
        wait(&ring->empty[slot], (round / SLOTS & 1) ^ 1);
        ring->tile[slot] = tile;
        ptx::mbarrier_arrive(&ring->full[slot]);
    }
}

__device__ static void work(Ring *ring, unsigned *data) {
    int thread = threadIdx.x - 32;
    int tile = blockIdx.x;
    for (int round = 0; tile >= 0; round++) {
        data[tile * 64 + thread] += 13;
        int slot = round % SLOTS;
        wait(&ring->full[slot], round / SLOTS & 1);
        tile = ring->tile[slot];
        __syncwarp();
        if (thread % 32 == 0)
            ptx::mbarrier_arrive(&ring->empty[slot]);
    }
}

extern "C" __global__ void tickets(unsigned *data) {
    __shared__ Ring ring;
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        for (int slot = 0; slot < SLOTS; slot++) {
            ptx::mbarrier_init(&ring.full[slot], 1);
            ptx::mbarrier_init(&ring.empty[slot], 2);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        ask(&ring, &answer, &bar);
    if (threadIdx.x >= 32)
        work(&ring, data);
}
