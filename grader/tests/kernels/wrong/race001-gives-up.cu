// SPDX-License-Identifier: Apache-2.0
// Waits for the arrivals of other threads that end after a number of polls.
#include "short.h"

// The first warp writes, and arrives; the second one reads when it has waited
// long enough, it thinks.
// expect: RACE001
// run: --kernel reads_too_early --grid 4 --block 64 --arg buf:512
extern "C" __global__ void reads_too_early(unsigned *out) {
    __shared__ unsigned data[32];
    __shared__ uint64_t bar;
    unsigned t = threadIdx.x;
    data[t % 32] = 0;
    if (t == 0)
        init(&bar, 32);
    __syncthreads();
    if (t < 32) {
        data[t] = t; // <- here
        arrive(&bar);
        return;
    }
    for (int i = 0; i < 2000; i++)
        if (ptx::mbarrier_test_wait_parity(&bar, 0))
            break;
    out[blockIdx.x * 32 + t - 32] = data[63 - t]; // <- here
}
