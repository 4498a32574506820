// SPDX-License-Identifier: Apache-2.0
// Variables are read to which nobody has given a value. The compiler keeps them
// in registers, and warns of some.
#include "short.h"

// The parity that is waited for.
// expect: MEM003
// run: --kernel parity --grid 1 --block 32 --arg buf:4 --arg i32:3
extern "C" __global__ void parity(unsigned *out, int n) {
    __shared__ uint64_t bar;
    unsigned phase;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 32);
    __syncthreads();
    for (int i = 0; i < n; i++) {
        ptx::mbarrier_arrive(&bar);
        while (!ptx::mbarrier_try_wait_parity(&bar, phase)) // <- here
            continue;
        phase ^= 1;
    }
    out[0] = n;
}

// One thread takes a place for its warp, and does not tell the others.
// expect: MEM003
// run: --kernel place_of_one --grid 1 --block 32 --arg buf:4 --arg buf:256
extern "C" __global__ void place_of_one(unsigned *count, unsigned *out) {
    unsigned from;
    if (threadIdx.x == 0)
        from = atomicAdd(count, 32);
    out[from + threadIdx.x] = 1; // <- here
}

// Whether there is a best so far is known only from the second round on.
// expect: MEM003
// run: --kernel whether --grid 1 --block 32 --arg buf:128:iota32 --arg buf:128
extern "C" __global__ void whether(const unsigned *in, unsigned *out) {
    unsigned odd;
    for (int i = 0; i < 8; i++) {
        asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0; @p bra EVEN; "
                     "st.global.u32 [%1], %2; EVEN: }"
                     :
                     : "r"(odd), "l"(out + threadIdx.x), "r"(i)); // <- here
        odd = in[i] & 1;
    }
}
