// SPDX-License-Identifier: Apache-2.0
// Arrivals and bytes of an mbarrier beyond what it can count.
#include "short.h"
#include <cuda/barrier>

// The number of expected arrivals is that of the whole grid: above 2^20 - 1.
// expect: BAR001
// run: --kernel counts_the_grid --grid 4 --block 64 --arg i32:20000
extern "C" __global__ void counts_the_grid(int blocks) {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar, blocks * blockDim.x); // <- here
    __syncthreads();
}

// The number of consumer warps comes out as zero with a block of one warp.
// expect: BAR001
// run: --kernel no_consumers --grid 4 --block 32
extern "C" __global__ void no_consumers() {
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, blockDim.x / 32 - 1); // <- here
    }
    __syncthreads();
}

// Announces the size of a whole matrix in one phase.
// expect: BAR001
// run: --kernel announces_too_much --grid 4 --block 32 --arg i32:1024
extern "C" __global__ void announces_too_much(int n) {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        announce(&bar, n * n * sizeof(float)); // <- here
    }
    __syncthreads();
}

// The same in portions: the first is within the range, the sum is not.
// expect: BAR001
// run: --kernel in_portions --grid 4 --block 1
extern "C" __global__ void in_portions() {
    __shared__ uint64_t bar;
    uint32_t at = shared_address(&bar);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    for (int i = 0; i < 20; i++)
        // here:
        asm volatile(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(
                at),
            "r"(65536));
}

// One thread arrives for its warp, with 32, and so do the other 31.
// expect: BAR001
// run: --kernel each_for_all --grid 4 --block 32
extern "C" __global__ void each_for_all() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar, 48);
    __syncthreads();
    // here:
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 32;" ::"r"(
                     shared_address(&bar))
                 : "memory");
}

// cuda::barrier: more arrivals at once than were announced.
// expect: BAR001
// run: --kernel arrives_for_two_blocks --grid 4 --block 64
extern "C" __global__ void arrives_for_two_blocks() {
    __shared__ cuda::std::aligned_storage_t<8, 8> memory;
    auto *bar = (cuda::barrier<cuda::thread_scope_block> *)&memory;
    if (threadIdx.x == 0)
        init(bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0)
        (void)bar->arrive(2 * blockDim.x); // <- here
    __syncthreads();
}
