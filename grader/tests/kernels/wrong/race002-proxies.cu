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
