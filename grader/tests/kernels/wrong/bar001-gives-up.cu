// SPDX-License-Identifier: Apache-2.0
// Waits for the arrivals of those who read that end after a number of polls.
#include "short.h"

INLINED bool is_complete(uint64_t *bar, unsigned parity) {
    return ptx::mbarrier_try_wait_parity(bar, parity);
}

// The warp that consumes arrives when it has read. The one that copies does not
// wait for that as long as it takes: it announces bytes in a phase that is not
// complete.
// expect: BAR001
// run: --kernel copies_over --grid 2 --block 64 --arg buf:4096 --arg buf:4096
extern "C" __global__ void copies_over(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned tile[2][32];
    __shared__ uint64_t full[2], empty[2];
    unsigned t = threadIdx.x, first = blockIdx.x * 512;
    if (t == 0)
        for (int s = 0; s < 2; s++) {
            init(&full[s]);
            init(&empty[s], 32);
        }
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) {
        unsigned s = k % 2, parity = k / 2 & 1;
        if (t == 32) {
            for (int i = 0; i < 1000 && !is_complete(&empty[s], parity ^ 1);)
                i++;
            announce(&full[s], sizeof tile[0]); // <- here
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s],
                               in + first + k * 32, sizeof tile[0], &full[s]);
        } else if (t < 32) {
            wait_for(&full[s], parity);
            out[first + k * 32 + t] = tile[s][31 - t];
            fence_async();
            arrive(&empty[s]);
        }
    }
}
