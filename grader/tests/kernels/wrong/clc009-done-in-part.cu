// SPDX-License-Identifier: Apache-2.0
// A granted block is taken over, but not by all threads that it takes, or not
// along all axes.
#include "short.h"

// A shuffle brings the answer to the warp of thread 0, and to no other.
// expect: CLC009
// run: --kernel known_to_one_warp --grid 40 --block 128 --arg buf:20480
// says: 96 of 128 threads left before block
// says: Threads left the kernel from here. (line 34)
extern "C" __global__ void known_to_one_warp(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    int mine = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
        }
        out[mine * 128 + threadIdx.x] += 1;
        int next = -1;
        if (threadIdx.x == 0) {
            wait_for(&bar, parity);
            if (granted(answer))
                next = first_x(answer); // <- here
        }
        parity ^= 1;
        mine = __shfl_sync(0xFFFFFFFF, next, 0);
        if (mine < 0)
            break;
    }
}

// The last warp takes the flag from shared memory, and forgets the index.
// expect: CLC009
// run: --kernel one_warp_stays --grid 40 --block 128 --arg buf:20480
// says: 32 of 128 threads of block
extern "C" __global__ void one_warp_stays(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    int mine = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
        }
        out[mine * 128 + threadIdx.x] += 1;
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        if (threadIdx.x < 96)
            mine = first_x(copy); // <- here
    }
}

// The plane has two axes, and the answer is asked for one.
// expect: CLC009
// run: --kernel rows_are_forgotten --grid 6,8 --block 32 --arg buf:6144
// says: do not use its y
extern "C" __global__ void rows_are_forgotten(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, x = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
        }
        atomicAdd(&out[(blockIdx.y * 6 + x) * 32 + threadIdx.x], 1);
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        if (!granted(copy))
            break;
        x = first_x(copy); // <- here
    }
}

// Thread 0 tells the others through shared memory, and goes on with the index
// that it had.
// expect: CLC009
// run: --kernel teller_stays --grid 40 --block 64 --arg buf:10240
// says: 1 of 64 threads of block
extern "C" __global__ void teller_stays(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ int next;
    unsigned parity = 0;
    int mine = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (true) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
        }
        out[mine * 64 + threadIdx.x] += 1;
        if (threadIdx.x == 0) {
            wait_for(&bar, parity);
            next = granted(answer) ? first_x(answer) : -1; // <- here
        }
        parity ^= 1;
        __syncthreads();
        if (next < 0)
            break;
        if (threadIdx.x != 0)
            mine = next;
    }
}

// In a cluster of two, the upper half of each block leaves with its own index.
// expect: CLC009
// run: --kernel halves_of_a_cluster --grid 40 --block 64 --arg buf:10240
// says: 32 of 64 threads left before block
extern "C" __global__ void __cluster_dims__(2)
    halves_of_a_cluster(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    unsigned parity = 0, rank = cg::this_cluster().block_rank();
    int mine = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    bool more = true;
    while (more) {
        if (threadIdx.x == 0)
            announce(&bar);
        cg::this_cluster().sync();
        if (threadIdx.x == 0 && rank == 0) {
            acquire_reads();
            ask_for_all(&answer, &bar);
        }
        out[mine * 64 + threadIdx.x] += 1;
        if (threadIdx.x >= 32)
            return;
        wait_in_cluster(&bar, parity);
        parity ^= 1;
        uint4 copy = answer;
        release_reads();
        more = granted(copy);
        if (more)
            mine = first_x(copy) + rank; // <- here
    }
    cg::this_cluster().sync();
}
