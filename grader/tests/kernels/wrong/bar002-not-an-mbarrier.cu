// SPDX-License-Identifier: Apache-2.0
// An mbarrier that is none yet, is none any more, or is used like memory.
#include "short.h"

// Only the first of the ring's mbarriers is initialised.
// expect: BAR002
// run: --kernel only_the_first --grid 4 --block 32
extern "C" __global__ void only_the_first() {
    __shared__ uint64_t ring[4];
    if (threadIdx.x == 0)
        init(ring);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            arrive(&ring[i]); // <- here
}

// Invalidated at the end of each round, and used in the next one.
// expect: BAR002
// run: --kernel invalidated_in_the_loop --grid 4 --block 32
extern "C" __global__ void invalidated_in_the_loop() {
    __shared__ uint64_t bar;
    uint32_t at = shared_address(&bar);
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0)
            // here:
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at)
                         : "memory");
        wait_for(&bar, round & 1);
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at)
                         : "memory");
        __syncthreads();
    }
}

// All of shared memory is cleared after the mbarrier was initialised.
// expect: BAR002
// run: --kernel clears_everything --grid 4 --block 32
extern "C" __global__ void clears_everything() {
    __shared__ struct {
        unsigned histogram[30];
        uint64_t bar;
    } s;
    if (threadIdx.x == 0)
        init(&s.bar);
    for (int i = threadIdx.x; i < sizeof s / 4; i += 32)
        ((volatile unsigned *)&s)[i] = 0; // <- here
    __syncthreads();
    if (threadIdx.x == 0)
        arrive(&s.bar);
}

// Looks into the object to see whether it is initialised.
// expect: BAR002
// run: --kernel looks_inside --grid 4 --block 32 --arg buf:16
extern "C" __global__ void looks_inside(unsigned *out) {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        if (*(volatile uint64_t *)&bar != 0) // <- here
            out[blockIdx.x] = 1;
    }
}

// The object is moved to where the next stage expects it.
// expect: BAR002
// run: --kernel moves_it --grid 4 --block 1
extern "C" __global__ void moves_it() {
    __shared__ uint64_t bars[2];
    init(&bars[0]);
    *(volatile uint64_t *)&bars[1] = *(volatile uint64_t *)&bars[0]; // <- here
    arrive(&bars[1]);
}

// A named mbarrier in dynamic shared memory lies over the tile's last row.
// expect: BAR002
// run: --kernel lies_over_the_tile --grid 4 --block 32 --dynamic-smem 1024
extern "C" __global__ void lies_over_the_tile() {
    extern __shared__ __align__(16) char memory[];
    float *tile = (float *)memory;
    uint64_t *bar = (uint64_t *)(memory + 1024 - 16);
    if (threadIdx.x == 0)
        init(bar);
    __syncthreads();
    for (int row = 0; row < 8; row++)
        tile[row * 32 + threadIdx.x] = (float)row; // <- here
    __syncthreads();
    if (threadIdx.x == 0)
        arrive(bar);
}
