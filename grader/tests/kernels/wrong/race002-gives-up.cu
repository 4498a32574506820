// SPDX-License-Identifier: Apache-2.0
// Waits for copies that end after a number of polls: the copy may come later.
#include "short.h"

INLINED bool is_complete(uint64_t *bar, unsigned parity) {
    return ptx::mbarrier_try_wait_parity(bar, parity);
}

// A bulk copy into shared memory.
// expect: RACE002
// run: --kernel loads --grid 4 --block 64 --arg buf:4096 --arg buf:4096
extern "C" __global__ void loads(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned tile[64];
    __shared__ uint64_t bar;
    unsigned t = threadIdx.x, first = blockIdx.x * 256;
    tile[t] = 0;
    if (t == 0)
        init(&bar);
    for (unsigned turn = 0; turn < 4; turn++) {
        __syncthreads();
        if (t == 0) {
            fence_async();
            announce(&bar, sizeof tile);
            // here:
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile,
                               in + first + turn * 64, sizeof tile, &bar);
        }
        for (int i = 0; i < 3000 && !is_complete(&bar, turn & 1); i++) {
        }
        out[first + turn * 64 + t] = tile[63 - t]; // <- here
    }
}
