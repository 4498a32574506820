// SPDX-License-Identifier: Apache-2.0
// The 16 bytes of an answer are opaque: only query_cancel reads them.
#include "short.h"

// "The first word is the index", as a look into the debugger showed.
// expect: CLC008
// run: --kernel first_word --grid 20 --block 32 --arg buf:80
extern "C" __global__ void first_word(unsigned *out) {
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
            out[block] += 1; // <- here
        }
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = copy.x; // <- here
    }
}

// A bit of the last word is taken for "canceled".
// expect: CLC008
// run: --kernel bit_of_the_last_word --grid 20 --block 1 --arg buf:80
extern "C" __global__ void bit_of_the_last_word(unsigned *out) {
    __shared__ alignas(16) volatile unsigned slot[4];
    __shared__ uint64_t bar;
    init(&bar);
    for (unsigned parity = 0, block = blockIdx.x;; parity ^= 1) {
        fence_async();
        ask((uint4 *)slot, &bar);
        announce(&bar);
        out[block] += 1;
        wait_for(&bar, parity);
        if ((slot[3] & 1) == 0) // <- here
            break;
        block = first_x(*(uint4 *)slot);
    }
}

// The second word is written down as "the row", a number from 0 on.
// expect: CLC008
// run: --kernel written_down --grid 20 --block 32 --arg buf:80 --arg buf:320
extern "C" __global__ void written_down(unsigned *out, uint4 *log) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        announce(&bar);
        ask(&answer, &bar);
        wait_for(&bar, 0);
        out[blockIdx.x] = 1;
        log[blockIdx.x].x = answer.y + 1; // <- here
        if (granted(answer))
            out[first_x(answer)] = 1;
    }
}

// Compared with the answer of the round before: "again the same?"
// expect: CLC008
// run: --kernel compared --grid 20 --block 1 --arg buf:80
extern "C" __global__ void compared(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    uint4 last = make_uint4(0, 0, 0, 0);
    init(&bar);
    for (unsigned parity = 0, block = blockIdx.x;; parity ^= 1) {
        fence_async();
        ask(&answer, &bar);
        announce(&bar);
        out[block] += 1;
        wait_for(&bar, parity);
        uint4 copy = answer;
        if (copy.x == last.x && copy.y == last.y) // <- here
            break;
        if (!granted(copy))
            break;
        block = first_x(copy);
        last = copy;
    }
}

// The lanes get one word of it by a shuffle, and compute an address from it.
// expect: CLC008
// run: --kernel shuffled --grid 20 --block 32 --arg buf:80 --arg buf:128
extern "C" __global__ void shuffled(unsigned *out, unsigned *places) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    uint4 copy = make_uint4(0, 0, 0, 0);
    if (threadIdx.x == 0) {
        init(&bar);
        announce(&bar);
        ask(&answer, &bar);
        wait_for(&bar, 0);
        copy = answer;
        out[blockIdx.x] = granted(copy);
        if (granted(copy))
            out[first_x(copy)] = 1;
    }
    unsigned word = __shfl_sync(0xffffffff, copy.z, 0);
    places[(threadIdx.x + word) % 32] = 1; // <- here
}

// An "empty" answer is recognised by a pattern written there before.
// expect: CLC008
// run: --kernel by_pattern --grid 20 --block 32 --arg buf:80
extern "C" __global__ void by_pattern(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        answer.w = 0xdeadbeef;
        fence_async();
        announce(&bar);
        ask(&answer, &bar);
        wait_for(&bar, 0);
        out[blockIdx.x] = 1;
        unsigned w = ((volatile uint4 *)&answer)->w;
        if (w != 0xdeadbeef && granted(answer)) // <- here
            out[first_x(answer)] = 1;
    }
}
