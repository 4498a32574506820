// SPDX-License-Identifier: Apache-2.0
// Ordinary accesses beside those of the asynchronous proxy.
#include "short.h"

// The slot is cleared while the answer is on its way to it.
// expect: RACE002
// run: --kernel clears_the_slot --grid 20 --block 32 --arg buf:80
extern "C" __global__ void clears_the_slot(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        ask(&answer, &bar);
        answer = make_uint4(0, 0, 0, 0); // <- here
        announce(&bar);
        wait_for(&bar, 0);
        if (granted(answer))
            out[first_x(answer)] = 1;
    }
}

// The next tile is written into the buffer that a copy still reads.
// expect: RACE002
// run: --kernel buffer_still_read --grid 4 --block 32 --arg buf:1024
extern "C" __global__ void buffer_still_read(unsigned *out) {
    __shared__ alignas(16) unsigned tile[32];
    for (int round = 0; round < 2; round++) {
        tile[threadIdx.x] = round; // <- here
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                               out + (blockIdx.x * 2 + round) * 32, tile, 128);
            ptx::cp_async_bulk_commit_group();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// The tile is written by all, and copied out with no proxy fence between.
// expect: RACE002
// run: --kernel no_proxy_fence --grid 4 --block 32 --arg buf:512
extern "C" __global__ void no_proxy_fence(unsigned *out) {
    __shared__ alignas(16) unsigned tile[32];
    tile[threadIdx.x] = threadIdx.x; // <- here
    __syncthreads();
    if (threadIdx.x == 0) {
        // here:
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           out + blockIdx.x * 32, tile, 128);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// A tile that a copy brings in is read before its mbarrier was waited for.
// expect: RACE002
// run: --kernel reads_too_early --grid 4 --block 32 --arg buf:512 --arg buf:512
extern "C" __global__ void reads_too_early(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned tile[32];
    __shared__ uint64_t bar;
    tile[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        init(&bar);
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 128);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile,
                           in + blockIdx.x * 32, 128, &bar);
    }
    out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x]; // <- here
    wait_for(&bar, 0);
}
