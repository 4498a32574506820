// SPDX-License-Identifier: Apache-2.0
// The asking warp does no elements' work in its first turn: it tells the others
// by a flag in shared memory on which they spin, a sequence number with release
// and acquire.
#include "lab.h"
#include <cuda/atomic>

namespace ptx = cuda::ptx;
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;

struct Board {
    uint4 answer;
    uint64_t bar;
    int next[2];
    unsigned written; // how many indices stand or stood on the board
    unsigned read[2]; // how often each of the two was read, by 128 threads
};

__device__ static int fetch(Board &b, unsigned turn) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                   ptx::space_shared, &b.bar, 16);
    ptx::clusterlaunchcontrol_try_cancel(&b.answer, &b.bar);
    while (!ptx::mbarrier_try_wait_parity(&b.bar, turn & 1))
        ;
    const bool yes =
        ptx::clusterlaunchcontrol_query_cancel_is_canceled(b.answer);
    int bx = -1;
    if (yes)
        bx = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(
            b.answer);
    ptx::fence_proxy_async(ptx::space_shared);
    return bx;
}

extern "C" __global__ void block_clc(float *data, int n) {
    __shared__ Board board;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&board.bar, 1);
        board.written = board.read[0] = board.read[1] = 0;
    }
    __syncthreads();
    const float alpha = compute_scalar();
    int bx = blockIdx.x;
    for (unsigned turn = 0; bx >= 0; turn++) {
        if (threadIdx.x == 0) {
            while (Flag(board.read[turn & 1]).load(cuda::memory_order_acquire) <
                   turn / 2 * 128)
                ;
            board.next[turn & 1] = fetch(board, turn);
            Flag(board.written).store(turn + 1, cuda::memory_order_release);
        }
        const int i = bx * blockDim.x + threadIdx.x;
        if (i < n)
            data[i] *= alpha;
        while (Flag(board.written).load(cuda::memory_order_acquire) <= turn)
            __nanosleep(16);
        bx = board.next[turn & 1];
        Flag(board.read[turn & 1]).fetch_add(1, cuda::memory_order_release);
    }
}
