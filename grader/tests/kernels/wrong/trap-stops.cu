// SPDX-License-Identifier: Apache-2.0
// Kernels that end in a trap.
#include "short.h"

// An index that "cannot happen".
// expect: TRAP
// run: --kernel cannot_happen --grid 20 --block 32 --arg buf:80 --arg i32:16
extern "C" __global__ void cannot_happen(unsigned *out, int n) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            if (block >= n)
                __trap(); // <- here
            out[block] += 1;
        }
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
    }
}

// A breakpoint that was left in.
// expect: TRAP
// run: --kernel left_in --grid 2 --block 32 --arg buf:256
extern "C" __global__ void left_in(unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 40)
        __brkpt(); // <- here
    out[i] = i;
}

// A time-out of the wait's own: a wait that takes long is taken for a hang.
// expect: TRAP
// run: --kernel own_time_out --grid 20 --block 1 --arg buf:80
extern "C" __global__ void own_time_out(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    init(&bar);
    announce(&bar);
    ask(&answer, &bar);
    for (int tries = 0; !ptx::mbarrier_test_wait_parity(&bar, 0); tries++)
        if (tries == 3)
            asm volatile("trap;"); // <- here
    if (granted(answer))
        out[first_x(answer)] = 1;
}
