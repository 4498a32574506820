// SPDX-License-Identifier: Apache-2.0
// An mbarrier is initialised where one lives already.
#include "short.h"
#include <cuda/barrier>

// The initialisation stands inside the loop, to "reset" the phase.
// expect: BAR003
// run: --kernel resets_it --grid 20 --block 32 --arg buf:80
extern "C" __global__ void resets_it(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned block = blockIdx.x;
    while (true) {
        if (threadIdx.x == 0) {
            init(&bar); // <- here
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            out[block] += 1;
        }
        __syncthreads();
        wait_for(&bar, 0);
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
        __syncthreads();
    }
}

// Each thread initialises it: no `if`.
// expect: BAR003
// run: --kernel everyone_does --grid 4 --block 32
extern "C" __global__ void everyone_does() {
    __shared__ uint64_t bar;
    // here:
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(shared_address(&bar))
        : "memory");
    arrive(&bar);
}

// The first thread of each warp does: with one warp that was right.
// expect: BAR003
// run: --kernel each_warp_does --grid 4 --block 64
extern "C" __global__ void each_warp_does() {
    __shared__ uint64_t bar;
    if (threadIdx.x % 32 == 0)
        init(&bar, 2); // <- here
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        arrive(&bar);
    wait_for(&bar, 0);
}

// A second stage takes the same memory for its barrier without inval.
// expect: BAR003
// run: --kernel second_stage --grid 4 --block 32
extern "C" __global__ void second_stage() {
    __shared__ cuda::std::aligned_storage_t<8, 8> memory;
    auto *bar = (cuda::barrier<cuda::thread_scope_block> *)&memory;
    if (threadIdx.x == 0)
        init(bar, 32);
    __syncthreads();
    bar->arrive_and_wait();
    __syncthreads();
    if (threadIdx.x == 0)
        init(bar, 16); // <- here
    __syncthreads();
}
