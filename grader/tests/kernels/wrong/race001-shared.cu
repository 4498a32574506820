// SPDX-License-Identifier: Apache-2.0
// Two threads, one place in shared memory, at least one of them writes, and
// nothing orders them.
#include "short.h"

// No barrier between the store and the neighbour's load.
// expect: RACE001|MEM003
// run: --kernel reversed --grid 2 --block 64 --arg buf:512:iota32
extern "C" __global__ void reversed(unsigned *data) {
    __shared__ unsigned tile[64];
    unsigned *mine = data + blockIdx.x * 64;
    tile[threadIdx.x] = mine[threadIdx.x];      // <- here
    mine[threadIdx.x] = tile[63 - threadIdx.x]; // <- here
}

// One barrier a round where two are needed: the tile is written again while
// slow threads still read.
// expect: RACE001
// run: --kernel reused_too_soon --grid 2 --block 64 --arg buf:4096:iota32
// run: --arg i32:4
extern "C" __global__ void reused_too_soon(unsigned *data, int tiles) {
    __shared__ unsigned tile[64];
    for (int t = 0; t < tiles; t++) {
        tile[threadIdx.x] = data[t * 64 + threadIdx.x]; // <- here
        __syncthreads();
        data[(t + tiles) * 64 + threadIdx.x] +=
            tile[(threadIdx.x + 33) % 64]; // <- here
    }
}

// A reduction whose last steps count on a warp that runs in step.
// expect: RACE001
// run: --kernel warp_in_step --grid 2 --block 64 --arg buf:512:iota32
// run: --arg buf:8
extern "C" __global__ void warp_in_step(const unsigned *data, unsigned *sums) {
    __shared__ unsigned sum[64];
    sum[threadIdx.x] = data[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 32)
        for (int step = 32; step > 0; step /= 2) {
            sum[threadIdx.x] += sum[threadIdx.x + step]; // <- here
            asm volatile("" ::: "memory"); // so that nothing stays in registers
        }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum[0];
}

// A shuffle between the store and the load: it orders nothing in memory.
// expect: RACE001
// run: --kernel shuffle_for_barrier --grid 2 --block 32 --arg buf:256:iota32
extern "C" __global__ void shuffle_for_barrier(unsigned *data) {
    __shared__ unsigned tile[32];
    unsigned v = data[blockIdx.x * 32 + threadIdx.x];
    tile[threadIdx.x] = v; // <- here
    unsigned count = __popc(__ballot_sync(0xffffffff, v > 16));
    data[blockIdx.x * 32 + threadIdx.x] =
        tile[(threadIdx.x + count) % 32]; // <- here
}

// Bytes side by side are apart; these overlap in one byte.
// expect: RACE001
// run: --kernel overlap_in_a_byte --grid 2 --block 32 --arg buf:64
extern "C" __global__ void overlap_in_a_byte(unsigned char *out) {
    __shared__ alignas(4) unsigned char bytes[64];
    bytes[threadIdx.x] = threadIdx.x; // <- here
    if (threadIdx.x == 31)
        *(volatile unsigned short *)(bytes + 30) = 7; // <- here
    __syncthreads();
    out[threadIdx.x] = bytes[threadIdx.x];
}

// The counter is updated atomically, and set to zero by an ordinary store.
// expect: RACE001|MEM003
// run: --kernel zeroed_beside_atomics --grid 2 --block 64 --arg buf:8
extern "C" __global__ void zeroed_beside_atomics(unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;        // <- here
    atomicAdd(&count, 1); // <- here
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = count;
}

// All threads add to one sum without an atomic.
// expect: RACE001
// run: --kernel lost_updates --grid 2 --block 64 --arg buf:512:iota32
extern "C" __global__ void lost_updates(unsigned *data) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    sum += data[blockIdx.x * 64 + threadIdx.x]; // <- here
    __syncthreads();
    if (threadIdx.x == 0)
        data[blockIdx.x] = sum;
}

// Warp 1 is told by a flag that the tile is full; the flag is volatile, and
// there is no fence on either side.
// expect: RACE001
// run: --kernel flag_without_fence --grid 2 --block 64 --arg buf:256
extern "C" __global__ void flag_without_fence(unsigned *out) {
    __shared__ unsigned tile[32];
    __shared__ volatile unsigned full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x; // <- here
        __syncwarp();
        if (threadIdx.x == 0)
            full = 1;
    } else {
        while (full == 0) {
        }
        out[blockIdx.x * 32 + threadIdx.x - 32] =
            tile[63 - threadIdx.x]; // <- here
    }
}

// The next index is left in shared memory for all, and the barrier that keeps
// the writer from the next round is missing.
// expect: RACE001
// run: --kernel next_index --grid 20 --block 64 --arg buf:80
extern "C" __global__ void next_index(unsigned *out) {
    __shared__ uint4 answer;
    __shared__ uint64_t bar;
    __shared__ int next;
    unsigned parity = 0;
    int block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    while (block >= 0) {
        if (threadIdx.x == 0) {
            out[block] += 1;
            fence_async();
            ask(&answer, &bar);
            announce(&bar);
            wait_for(&bar, parity);
            uint4 copy = answer;
            next = granted(copy) ? first_x(copy) : -1; // <- here
        }
        parity ^= 1;
        __syncthreads();
        block = next; // <- here
    }
}

// Named barriers for two halves: the exchange between the halves has none.
// expect: RACE001|MEM003
// run: --kernel halves --grid 2 --block 128 --arg buf:1024
extern "C" __global__ void halves(unsigned *out) {
    __shared__ unsigned tile[128];
    tile[threadIdx.x] = threadIdx.x; // <- here
    asm volatile("bar.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
    out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x]; // <- here
}

// Arrives relaxed on the mbarrier that hands the tile over.
// expect: RACE001
// run: --kernel relaxed_handover --grid 2 --block 64 --arg buf:256
extern "C" __global__ void relaxed_handover(unsigned *out) {
    __shared__ unsigned tile[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        init(&full, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x; // <- here
        asm volatile(
            "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(
                shared_address(&full))
            : "memory");
    } else {
        wait_for(&full, 0);
        out[blockIdx.x * 32 + threadIdx.x - 32] =
            tile[63 - threadIdx.x]; // <- here
    }
}

// A warp that loads and a warp that sums up, each in a loop of its own: the one
// hands tiles over, and the other does not say when it has read them.
// expect: RACE001
// says: The two are in branches that different threads take
// run: --kernel loads_ahead --grid 2 --block 64 --arg buf:1024 --arg u32:4
extern "C" __global__ void loads_ahead(unsigned *data, unsigned rounds) {
    __shared__ unsigned tile[32];
    __shared__ uint64_t full[4];
    if (threadIdx.x < 4)
        init(&full[threadIdx.x], 32);
    __syncthreads();
    unsigned lane = threadIdx.x % 32;
    unsigned *own = data + blockIdx.x * 128;
    if (threadIdx.x < 32) {
        for (unsigned k = 0; k < rounds; k++) {
            tile[lane] = own[k * 32 + lane] + k; // <- here
            arrive(&full[k]);
        }
    } else {
        for (unsigned k = 0; k < rounds; k++) {
            wait_for(&full[k], 0);
            own[k * 32 + lane] += tile[31 - lane]; // <- here
        }
    }
}
