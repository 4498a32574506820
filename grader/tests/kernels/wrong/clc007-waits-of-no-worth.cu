// SPDX-License-Identifier: Apache-2.0
// Answers that are read too early although the kernel waits: the report has to
// say what is wrong with the wait.
#include "short.h"

// Tries once: that may return false, however long one waited.
// expect: CLC007
// says: Poll until the wait says that the phase is complete
// run: --kernel tries_and_goes_on --grid 20 --block 32 --arg buf:80
extern "C" __global__ void tries_and_goes_on(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        announce(&bar);
        ask(&slot, &bar);
    }
    __syncthreads();
    ptx::mbarrier_try_wait_parity(&bar, 0); // <- here
    if (granted(slot) && first_x(slot) > 20) // <- here
        out[0] = 1;
}

// Waits at an mbarrier, but not at that of the answer.
// expect: CLC007
// says: This thread has waited at another mbarrier
// run: --kernel waits_at_another --grid 20 --block 32 --arg buf:80
extern "C" __global__ void waits_at_another(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar[2];
    if (threadIdx.x == 0) {
        init(&bar[0]);
        init(&bar[1]);
        announce(&bar[0]);
        arrive(&bar[1]);
        ask(&slot, &bar[0]);
    }
    __syncthreads();
    wait_for(&bar[1], 0);
    if (granted(slot) && first_x(slot) > 20) // <- here
        out[0] = 1;
}
