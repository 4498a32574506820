// SPDX-License-Identifier: Apache-2.0
// Mbarriers whose life is over, and one that an array runs into.
#include "short.h"

// Invalidates the mbarrier before the last wait.
// expect: BAR002
// says: uses an mbarrier that is no longer valid
// run: --kernel invalidates_too_early --grid 1 --block 32
extern "C" __global__ void invalidates_too_early() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        arrive(&bar);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&bar))
            : "memory");
    __syncthreads();
    wait_for(&bar, 0); // <- here
}

// One row too many: it is where the mbarrier is.
// expect: BAR002
// says: from rows, which has 64 bytes, and lies outside it
// run: --kernel one_row_too_many --grid 1 --block 32 --arg i32:4 --arg buf:128
extern "C" __global__ void one_row_too_many(int row, unsigned *out) {
    __shared__ __align__(16) uint4 rows[4];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    if (threadIdx.x == 1)
        rows[row] = make_uint4(1, 2, 3, 4); // <- here
    if (threadIdx.x == 1)
        out[0] = rows[row - 1].x;
    __syncthreads();
    if (threadIdx.x == 0)
        arrive(&bar);
    wait_for(&bar, 0);
}
