// SPDX-License-Identifier: Apache-2.0
// Waits that can never end.
#include "short.h"
#include <cuda/barrier>

// 8 bytes are announced, the size of a pointer to the answer.
// expect: DEADLOCK
// run: --kernel size_of_the_pointer --grid 20 --block 32 --arg buf:80
extern "C" __global__ void size_of_the_pointer(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    uint4 *slot = &answer;
    if (threadIdx.x == 0) {
        init(&bar);
        announce(&bar, sizeof slot);
        ask(slot, &bar);
        out[blockIdx.x] += 1;
        wait_for(&bar, 0); // <- here
        if (granted(answer))
            out[first_x(answer)] += 1;
    }
}

// at the mbarrier that this thread is to arrive at.
// expect: DEADLOCK
// run: --kernel elects_alone --grid 4 --block 32
extern "C" __global__ void elects_alone() {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        init(&bar);
    __syncthreads();
    if (threadIdx.x == 0) {
        // here:
        asm volatile("{ .reg .pred p; .reg .b32 l;\n\t"
                     "elect.sync l|p, 0xffffffff;\n\t"
                     "@p mbarrier.arrive.shared::cta.b64 _, [%0]; }" ::"r"(
                         shared_address(&bar))
                     : "memory");
    } else {
        wait_for(&bar, 0); // <- here
    }
}

// The phase does not flip; in a schedule where the answer is quick, the second
// wait is for a phase that nobody completes.
// expect: DEADLOCK
// run: --kernel never_flips --grid 20 --block 32 --arg buf:80
extern "C" __global__ void never_flips(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            out[block] += 1;
        }
        for (int i = 0; i < 200; i++)
            __nanosleep(10);
        wait_for(&bar, 0); // <- here
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
    }
}

// The empty mbarrier counts two consumer warps, and one thread arrives.
// expect: DEADLOCK
// run: --kernel nobody_empties --grid 20 --block 96 --arg buf:80
extern "C" __global__ void nobody_empties(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full);
        init(&empty, 2);
    }
    __syncthreads();
    if (threadIdx.x >= 64) {
        for (int i = 0; threadIdx.x == 64; i++) {
            if (i)
                wait_for(&empty, (i & 1) ^ 1); // <- here
            announce(&full);
            ask(&slot, &full);
            wait_for(&full, i & 1);
            if (!granted(slot))
                break;
            fence_async();
        }
    } else {
        unsigned block = blockIdx.x;
        for (int i = 0;; i++) {
            if (threadIdx.x == 0)
                out[block] += 1;
            wait_for(&full, i & 1); // <- here
            uint4 copy = slot;
            if (!granted(copy))
                break;
            block = first_x(copy);
            fence_async();
            if (threadIdx.x == 0)
                arrive(&empty);
        }
    }
}

// Two warps take two locks of mbarriers in opposite orders.
// expect: DEADLOCK
// run: --kernel opposite_orders --grid 4 --block 64
extern "C" __global__ void opposite_orders() {
    __shared__ uint64_t a, b;
    if (threadIdx.x == 0) {
        init(&a, 32);
        init(&b, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        wait_for(&b, 0); // <- here
        arrive(&a);
    } else {
        wait_for(&a, 0); // <- here
        arrive(&b);
    }
}

// Each block of the cluster announces the bytes of both.
// expect: DEADLOCK
// run: --kernel bytes_of_both --grid 8 --block 1 --arg buf:32
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    bytes_of_both(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    init_for_cluster(&bar);
    cluster.sync();
    if (cluster.block_rank() == 1)
        ask_for_all(&answer, &bar);
    announce(&bar, 2 * sizeof(uint4));
    wait_in_cluster(&bar, 0); // <- here
    if (granted(answer))
        out[first_x(answer) + cluster.block_rank()] = 1;
    cluster.sync();
}

// cuda::barrier of the block, with a thread count from before the producer
// warp was added.
// expect: DEADLOCK
// run: --kernel count_is_old --grid 4 --block 96
extern "C" __global__ void count_is_old() {
    __shared__ cuda::std::aligned_storage_t<8, 8> memory;
    auto *bar = (cuda::barrier<cuda::thread_scope_block> *)&memory;
    if (threadIdx.x == 0)
        init(bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x < 64)
        bar->arrive_and_wait(); // <- here
}

// Spins on a flag that the block which would set it, not yet started, waits
// for a place to set.
// expect: DEADLOCK
// run: --kernel waits_for_the_last --grid 20 --block 32 --arg buf:4
// run: --max-steps 1000000
extern "C" __global__ void waits_for_the_last(unsigned *flag) {
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        atomicExch(flag, 1);
    while (atomicAdd(flag, 0) == 0) { // <- here
    }
}

// A barrier of the whole grid by hand: more blocks than fit at once.
// expect: DEADLOCK
// run: --kernel grid_barrier --grid 20 --block 32 --arg buf:4
// run: --max-steps 1000000
extern "C" __global__ void grid_barrier(unsigned *arrived) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < gridDim.x) { // <- here
        }
    }
    __syncthreads();
}

// The thread that is to set the flag waits at a barrier for those that spin.
// expect: DEADLOCK
// run: --kernel setter_waits --grid 2 --block 64 --arg buf:256
extern "C" __global__ void setter_waits(unsigned *out) {
    __shared__ volatile unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        while (flag == 0) { // <- here
        }
    __syncthreads();
    if (threadIdx.x == 0)
        flag = 1;
    out[threadIdx.x] = flag;
}

// A loop that counts its polls, for a flag that is set behind a barrier.
// expect: DEADLOCK
// says: reads flag again and again
// run: --kernel counts_its_polls --grid 1 --block 64 --arg buf:256
extern "C" __global__ void counts_its_polls(unsigned *out) {
    __shared__ volatile unsigned flag;
    unsigned polls = 0;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x >= 32)
        while (flag == 0) // <- here
            polls++;
    __syncthreads();
    if (threadIdx.x == 0)
        flag = 1;
    out[threadIdx.x] = polls;
}
