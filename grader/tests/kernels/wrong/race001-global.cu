// SPDX-License-Identifier: Apache-2.0
// Two threads, one place in global memory or in another block's shared memory,
// at least one of them writes, and nothing orders them.
#include "short.h"

__device__ unsigned flag, payload, ticket;

// Neighbouring blocks share an element at their border.
// expect: RACE001
// run: --kernel shared_border --grid 4 --block 32 --arg buf:1024:iota32
extern "C" __global__ void shared_border(unsigned *data) {
    int i = blockIdx.x * 32 + threadIdx.x;
    data[i + 1] += data[i]; // <- here
}

// The stolen index and a static stride, both: some blocks are done twice.
// expect: RACE001
// run: --kernel done_twice --grid 20 --block 32 --arg buf:2560
extern "C" __global__ void done_twice(unsigned *out) {
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
        }
        out[block * 32 + threadIdx.x] += 1;                   // <- here
        out[(block + 1) % gridDim.x * 32 + threadIdx.x] += 1; // <- here
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
    }
}

// A message with a volatile flag and no fence.
// expect: RACE001
// run: --kernel message_without_fence --grid 2 --block 1 --arg buf:4
extern "C" __global__ void message_without_fence(unsigned *out) {
    if (blockIdx.x == 0) {
        payload = 42; // <- here
        *(volatile unsigned *)&flag = 1;
    } else {
        while (*(volatile unsigned *)&flag == 0) {
        }
        out[0] = payload; // <- here
    }
}

// The payload is volatile as well: no race, and still nothing puts it in front
// of the flag.
// expect: RACE001 advisory
// run: --kernel volatile_message --grid 2 --block 1 --arg buf:4
extern "C" __global__ void volatile_message(unsigned *out) {
    if (blockIdx.x == 0) {
        *(volatile unsigned *)&payload = 42;
        *(volatile unsigned *)&flag = 1;
    } else {
        while (*(volatile unsigned *)&flag == 0) {
        }
        out[0] = *(volatile unsigned *)&payload; // <- here
    }
}

// The fence of who sets the flag alone: who waits needs one, too.
// expect: RACE001 advisory
// run: --kernel waits_without_fence --grid 2 --block 1 --arg buf:4
extern "C" __global__ void waits_without_fence(unsigned *out) {
    if (blockIdx.x == 0) {
        *(volatile unsigned *)&payload = 42;
        __threadfence();
        *(volatile unsigned *)&flag = 1;
    } else {
        while (*(volatile unsigned *)&flag == 0)
            __nanosleep(40);
        out[0] = *(volatile unsigned *)&payload; // <- here
    }
}

// The same with a plain flag: a data race on the flag itself.
// expect: RACE001
// run: --kernel plain_flag --grid 2 --block 1 --arg buf:4
extern "C" __global__ void plain_flag(unsigned *out) {
    if (blockIdx.x == 0) {
        payload = 42; // <- here
        __threadfence();
        flag = 1; // <- here
    } else {
        unsigned seen = 0;
        for (int i = 0; i < 1000 && !seen; i++)
            asm volatile("ld.global.u32 %0, [%1];" // <- here
                         : "=r"(seen)
                         : "l"(&flag)
                         : "memory"); // <- here
        __threadfence();
        if (seen)
            out[0] = payload; // <- here
    }
}

// Released and acquired, but within the block; the partner is another block.
// expect: RACE001
// run: --kernel scope_of_the_block --grid 2 --block 1 --arg buf:4
extern "C" __global__ void scope_of_the_block(unsigned *out) {
    if (blockIdx.x == 0) {
        payload = 42; // <- here
        // here:
        asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(&flag)
                     : "memory");
    } else {
        unsigned seen;
        do
            // here:
            asm volatile("ld.acquire.cta.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&flag)
                         : "memory");
        while (seen == 0);
        out[0] = payload; // <- here
    }
}

// The consumer acquires; the producer does not release.
// expect: RACE001
// run: --kernel acquire_alone --grid 2 --block 1 --arg buf:4
extern "C" __global__ void acquire_alone(unsigned *out) {
    if (blockIdx.x == 0) {
        payload = 42; // <- here
        asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(&flag)
                     : "memory");
    } else {
        unsigned seen;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(&flag)
                         : "memory");
        while (seen == 0);
        out[0] = payload; // <- here
    }
}

// The last block adds up what the others stored: counted with an atomic, and
// the fence is forgotten.
// expect: RACE001
// run: --kernel last_block_adds --grid 8 --block 32 --arg buf:32 --arg buf:4
extern "C" __global__ void last_block_adds(unsigned *part, unsigned *sum) {
    if (threadIdx.x != 0)
        return;
    part[blockIdx.x] = blockIdx.x; // <- here
    if (atomicAdd(&ticket, 1) != gridDim.x - 1)
        return;
    unsigned all = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
        all += part[i]; // <- here
    *sum = all;
}

// atomicAdd_block on what other blocks add to as well.
// expect: RACE001
// run: --kernel atomic_of_the_block --grid 8 --block 32 --arg buf:4
extern "C" __global__ void atomic_of_the_block(unsigned *sum) {
    atomicAdd_block(sum, 1); // <- here
}

// A progress counter is read by an ordinary load while others add to it.
// expect: RACE001
// run: --kernel plain_read_of_a_counter --grid 8 --block 32 --arg buf:4
// run: --arg buf:32
extern "C" __global__ void plain_read_of_a_counter(unsigned *count,
                                                   unsigned *seen) {
    atomicAdd(count, 1); // <- here
    if (threadIdx.x == 0)
        seen[blockIdx.x] = *count > 100; // <- here
}

// Distributed shared memory, with a barrier of the block where one of the
// cluster is needed.
// expect: RACE001
// run: --kernel block_barrier_for_cluster --grid 8 --block 32 --arg buf:1024
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    block_barrier_for_cluster(unsigned *out) {
    __shared__ unsigned tile[32];
    auto cluster = cg::this_cluster();
    tile[threadIdx.x] = blockIdx.x; // <- here
    cluster.sync();
    tile[threadIdx.x] = blockIdx.x + 1; // <- here
    __syncthreads();
    // here:
    out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(
        &tile[31 - threadIdx.x], cluster.block_rank() ^ 1);
    cluster.sync();
}

// The arrival at the cluster barrier is relaxed, and there is no fence.
// expect: RACE001
// run: --kernel relaxed_cluster_barrier --grid 8 --block 32 --arg buf:1024
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    relaxed_cluster_barrier(unsigned *out) {
    __shared__ unsigned tile[32];
    auto cluster = cg::this_cluster();
    tile[threadIdx.x] = blockIdx.x; // <- here
    ptx::barrier_cluster_arrive(ptx::sem_relaxed);
    ptx::barrier_cluster_wait();
    // here:
    out[blockIdx.x * 32 + threadIdx.x] = *cluster.map_shared_rank(
        &tile[31 - threadIdx.x], cluster.block_rank() ^ 1);
    cluster.sync();
}

// Both ranks write their result to rank 0.
// expect: RACE001
// run: --kernel both_write --grid 8 --block 32 --arg buf:16
extern "C" __global__ void __cluster_dims__(2, 1, 1) both_write(unsigned *out) {
    __shared__ unsigned result;
    auto cluster = cg::this_cluster();
    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&result, 0) = blockIdx.x; // <- here
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[blockIdx.x / 2] = result;
}

// All threads store the same: no harm on known hardware, and a race.
// expect: RACE001 advisory
// run: --kernel all_say_yes --grid 4 --block 32 --arg buf:4
extern "C" __global__ void all_say_yes(unsigned *found) {
    *found = 1; // <- here
}
