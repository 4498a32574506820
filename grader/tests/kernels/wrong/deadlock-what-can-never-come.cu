// SPDX-License-Identifier: Apache-2.0
// Waits that can never end, each for another reason, which the report has to
// name: advice on the parity helps few of them.
#include "short.h"

// Waits in front of the request: no parity helps.
// expect: DEADLOCK
// says: Let the request, or the arrival, come before the wait for it.
// run: --kernel waits_before_it_asks --grid 20 --block 32 --arg buf:80
extern "C" __global__ void waits_before_it_asks(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    while (true) {
        wait_for(&bar, parity); // <- here
        if (threadIdx.x == 0) {
            announce(&bar);
            ask(&slot, &bar);
        }
        parity ^= 1;
        if (!granted(slot))
            break;
        out[first_x(slot)] = 1;
    }
}

// The second warp sleeps while two phases complete: one parity cannot tell the
// third from the first.
// expect: DEADLOCK
// says: The phase that this thread needs came and went
// run: --kernel sleeps_through_two --grid 1 --block 64 --arg buf:4
extern "C" __global__ void sleeps_through_two(unsigned *out) {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive(&bar);
        wait_for(&bar, 0);
        arrive(&bar);
    }
    __syncthreads();
    if (threadIdx.x >= 32)
        wait_for(&bar, 0); // <- here
    if (threadIdx.x == 0)
        out[0] = 1;
}

// One parity for two mbarriers, flipped behind each wait.
// expect: DEADLOCK
// says: its parity is one phase ahead of this mbarrier
// run: --kernel one_parity_for_two --grid 1 --block 32
extern "C" __global__ void one_parity_for_two() {
    __shared__ uint64_t bar[2];
    unsigned parity = 0;
    if (threadIdx.x == 0) {
        init(&bar[0]);
        init(&bar[1]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive(&bar[0]);
        arrive(&bar[1]);
    }
    wait_for(&bar[0], parity);
    parity ^= 1;
    wait_for(&bar[1], parity); // <- here
}

// Counts ten arrivals, and eight come: the others have left.
// expect: DEADLOCK
// says: 24 threads of block 0 have left the kernel, the last from here.
// run: --kernel the_others_have_left --grid 1 --block 32
extern "C" __global__ void the_others_have_left() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar, 10);
    __syncthreads();
    if (threadIdx.x >= 8)
        return;
    arrive(&bar);
    wait_for(&bar, 0); // <- here
}

// Lanes wait for lane 0 at a __syncwarp, and lane 0 at an mbarrier where nobody
// arrives: the mbarrier is what holds all of them up.
// expect: DEADLOCK
// says: phase 0 lacks its arrival
// run: --kernel lanes_wait_for_one --grid 1 --block 32
extern "C" __global__ void lanes_wait_for_one() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar);
    __syncwarp();
    if (threadIdx.x == 0)
        wait_for(&bar, 0); // <- here
    __syncwarp();
}
