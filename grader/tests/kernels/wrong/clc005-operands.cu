// SPDX-License-Identifier: Apache-2.0
// Operands that a request cannot have.
#include "short.h"

__device__ uint4 answers[64];
__device__ uint64_t global_bar;

// A slot for each block in global memory, to see all answers afterwards.
// expect: CLC005
// run: --kernel slot_in_global --grid 20 --block 32 --arg buf:80
extern "C" __global__ void slot_in_global(unsigned *out) {
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar);
        announce(&bar);
        ask(&answers[blockIdx.x], &bar); // <- here
        wait_for(&bar, 0);
        out[blockIdx.x] = granted(answers[blockIdx.x]);
    }
}

// The slot is a local variable of the thread that asks.
// expect: CLC005
// run: --kernel slot_on_the_stack --grid 20 --block 1 --arg buf:80
extern "C" __global__ void slot_on_the_stack(unsigned *out) {
    __shared__ uint64_t bar;
    uint4 answer;
    init(&bar);
    announce(&bar);
    ask(&answer, &bar); // <- here
    wait_for(&bar, 0);
    out[blockIdx.x] = granted(answer);
}

// A structure with the mbarrier first: the answer is at offset 8.
struct __align__(8) Mailbox {
    uint64_t bar;
    unsigned answer[4];
};

// expect: CLC005
// run: --kernel slot_behind_bar --grid 20 --block 32 --arg buf:80
extern "C" __global__ void slot_behind_bar(unsigned *out) {
    __shared__ __align__(16) Mailbox box;
    if (threadIdx.x == 0) {
        init(&box.bar);
        announce(&box.bar);
        // here:
        asm volatile("clusterlaunchcontrol.try_cancel.async.mbarrier"
                     "::complete_tx::bytes.b128 [%0], [%1];" ::"l"(box.answer),
                     "l"(&box.bar)
                     : "memory");
        wait_for(&box.bar, 0);
        out[blockIdx.x] = box.answer[0];
    }
}

// Dynamic shared memory cut up by hand: 20 bytes of flags, then the slot.
// expect: CLC005
// run: --kernel cut_by_hand --grid 20 --block 32 --dynamic-smem 64 --arg buf:80
extern "C" __global__ void cut_by_hand(unsigned *out) {
    extern __shared__ __align__(16) char memory[];
    uint64_t *bar = (uint64_t *)memory;
    uint4 *slot = (uint4 *)(memory + 8 + 5 * sizeof(int) + 4);
    slot = (uint4 *)((char *)slot - 8);
    if (threadIdx.x == 0) {
        init(bar);
        announce(bar);
        ask(slot, bar); // <- here
        wait_for(bar, 0);
        out[blockIdx.x] = 1;
    }
}

// One slot for the cluster, in rank 0: rank 1 asks into its neighbour's.
// expect: CLC005
// run: --kernel into_the_neighbour --grid 20 --block 32 --arg buf:80
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    into_the_neighbour(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0) {
        uint4 *slot = cluster.map_shared_rank(&answer, 0);
        announce(&bar);
        ask(slot, &bar); // <- here
        wait_in_cluster(&bar, 0);
        out[blockIdx.x] = granted(answer);
    }
    cluster.sync();
}

// Nobody has initialised the mbarrier: shared memory is not zero by itself,
// and a zero would be no mbarrier either.
// expect: CLC005
// run: --kernel no_init --grid 20 --block 32 --arg buf:80
extern "C" __global__ void no_init(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ask(&answer, &bar); // <- here
        announce(&bar);
        wait_for(&bar, 0);
        out[blockIdx.x] = granted(answer);
    }
}

// The mbarrier lives in global memory, "so that all blocks can wait".
// expect: CLC005
// run: --kernel bar_in_global --grid 20 --block 32 --arg buf:80
extern "C" __global__ void bar_in_global(unsigned *out) {
    __shared__ uint4 answer;
    if (threadIdx.x == 0) {
        ask(&answer, &global_bar); // <- here
        out[blockIdx.x] = granted(answer);
    }
}

// The mbarrier is packed behind four bytes.
// expect: CLC005
// run: --kernel bar_packed --grid 20 --block 32 --arg buf:80
extern "C" __global__ void bar_packed(unsigned *out) {
    __shared__ __align__(16) unsigned memory[16];
    if (threadIdx.x == 0) {
        uint64_t *bar = (uint64_t *)(memory + 5);
        ask((uint4 *)memory, bar); // <- here
        out[blockIdx.x] = 1;
    }
}

// Warp 1 initialises while warp 0 asks: nothing orders the two.
// expect: CLC005
// run: --kernel init_not_ordered --grid 20 --block 64 --arg buf:80
extern "C" __global__ void init_not_ordered(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, block = blockIdx.x;
    if (threadIdx.x == 32)
        init(&bar);
    while (true) {
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar); // <- here
            announce(&bar);
            out[block] += 1;
        }
        __syncthreads();
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        block = first_x(copy);
        __syncthreads();
    }
}
