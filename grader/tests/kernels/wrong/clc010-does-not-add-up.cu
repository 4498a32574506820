// SPDX-License-Identifier: Apache-2.0
// Requests that share a slot, and mbarriers whose bytes do not add up.
#include "short.h"

// Two requests at once, to steal twice as fast, with one slot for both.
// expect: CLC010
// run: --kernel two_at_once --grid 40 --block 32 --arg buf:160
extern "C" __global__ void two_at_once(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        ask(&answer, &bar);
        ask(&answer, &bar); // <- here
        announce(&bar, 32);
        out[blockIdx.x] += 1;
        wait_for(&bar, 0);
        if (granted(answer))
            out[first_x(answer)] += 1;
    }
}

// Each warp elects a lane, and each of these asks.
// expect: CLC010
// run: --kernel one_a_warp --grid 40 --block 96 --arg buf:160
extern "C" __global__ void one_a_warp(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar, 3);
    __syncthreads();
    asm volatile(
        "{ .reg .pred p; .reg .b32 l;\n\t"
        "elect.sync l|p, 0xffffffff;\n\t"
        "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], 16;\n\t"
        "@p clusterlaunchcontrol.try_cancel.async.shared::cta" // <- here
        ".mbarrier::complete_tx::bytes.b128 [%0], [%1]; }" ::"r"(
            shared_address(&answer)), // <- here
        "r"(shared_address(&bar))     // <- here
        : "memory");                  // <- here
    wait_for(&bar, 0);
    if (threadIdx.x == 0 && granted(answer))
        out[first_x(answer)] += 1;
}

// A ring of two slots whose scheduler runs one round too far ahead.
// expect: CLC010
// run: --kernel too_far_ahead --grid 40 --block 64 --arg buf:160
extern "C" __global__ void too_far_ahead(unsigned *out) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
    }
    __syncthreads();
    if (threadIdx.x == 32)
        for (int i = 0; i < 3; i++) {
            ask(&slot[i % 2], &full[i % 2]); // <- here
            announce(&full[i % 2]);
        }
    if (threadIdx.x == 0) {
        out[blockIdx.x] += 1;
        for (int i = 0; i < 3; i++) {
            wait_for(&full[i % 2], i / 2);
            if (granted(slot[i % 2]))
                out[first_x(slot[i % 2])] += 1;
        }
    }
}

// Nobody announces the 16 bytes: the arrival alone completes the phase.
// expect: CLC010
// run: --kernel no_announcement --grid 20 --block 32 --arg buf:80
extern "C" __global__ void no_announcement(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar); // <- here
            arrive(&bar);
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
