// SPDX-License-Identifier: Apache-2.0
// Kernels built to exhaust the checker: its memory, its time, its tables. Each
// does something wrong as well, at the end or throughout.
#include "short.h"

// 25,000 mbarriers in each of 40 blocks, and one more that is none.
// expect: BAR002 within 1
// run: --kernel a_million_mbarriers --grid 40 --block 256
// run: --dynamic-smem 200064
extern "C" __global__ void a_million_mbarriers() {
    extern __shared__ __align__(16) uint64_t many[];
    for (int i = threadIdx.x; i < 25000; i += blockDim.x)
        init(&many[i]);
    __syncthreads();
    for (int i = threadIdx.x; i < 25000; i += blockDim.x)
        arrive(&many[i]);
    if (threadIdx.x == 0 && blockIdx.x == 39)
        arrive(&many[25001]);
}

// Initialised and invalidated without end.
// expect: LIMIT within 1
// run: --kernel mbarriers_without_end --grid 8 --block 32 --max-steps 50000000
extern "C" __global__ void mbarriers_without_end() {
    __shared__ uint64_t bars[32];
    while (true) {
        init(&bars[threadIdx.x]);
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(
                         shared_address(&bars[threadIdx.x]))
                     : "memory");
    }
}

// 102,400 threads spin on a flag that nobody sets.
// expect: DEADLOCK within 1
// run: --kernel all_spin --grid 100 --block 1024 --arg buf:4
// run: --gpu-model b200 --max-steps 200000000
extern "C" __global__ void all_spin(volatile unsigned *flag) {
    while (*flag == 0) {
    }
}

// The same, each lane on its own path.
// expect: LIMIT within 1
// run: --kernel all_spin_apart --grid 100 --block 1024 --arg buf:128
// run: --gpu-model b200 --max-steps 200000000
extern "C" __global__ void all_spin_apart(volatile unsigned *flags) {
    unsigned lane = threadIdx.x % 32, seen = 0;
    for (unsigned i = 1; seen == 0; i++)
        if ((i + lane) % 32 == 0)
            seen = flags[lane];
}

static __device__ __noinline__ unsigned deeper(unsigned n, unsigned *out);

// Recursion by 8,192 threads, each lane with a depth of its own.
// expect: LIMIT within 1
// run: --kernel recursion --grid 8 --block 1024 --arg buf:4
extern "C" __global__ void recursion(unsigned *out) {
    out[0] = deeper(threadIdx.x * 977 + 1, out);
}

static __device__ unsigned deeper(unsigned n, unsigned *out) {
    volatile unsigned frame[64];
    for (int i = 0; i < 64; i++)
        frame[i] = n + i;
    if (out[0] == n)
        return 1;
    if (n % 3 == 0)
        return deeper(n * 5 + 1, out) + frame[n % 64];
    return deeper(n + 1, out) + frame[(n + 1) % 64];
}

// 10,000 requests of one block under way at once, each with its own slot.
// expect: CLC004 within 1
// run: --kernel ten_thousand_slots --grid 20 --block 1
// run: --dynamic-smem 160016
extern "C" __global__ void ten_thousand_slots() {
    extern __shared__ uint4 slots[];
    uint64_t *bar = (uint64_t *)&slots[10000];
    init(bar);
    for (int i = 0; i < 10000; i++)
        ask(&slots[i], bar);
    announce(bar, 160000);
}

// Requests without end.
// expect: LIMIT within 1
// run: --kernel asks_for_ever --grid 8 --block 1
extern "C" __global__ void asks_for_ever() {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    init(&bar);
    for (unsigned parity = 0;; parity ^= 1) {
        ask(&slot, &bar);
        announce(&bar);
        wait_for(&bar, parity);
        (void)granted(slot);
        fence_async();
    }
}

// Copies without end, and no wait for any.
// expect: MEM003|RACE002|LIMIT within 1
// run: --kernel copies_for_ever --grid 8 --block 32 --arg buf:4096
// run: --max-steps 1000000
extern "C" __global__ void copies_for_ever(unsigned *out) {
    __shared__ alignas(16) unsigned tile[32];
    while (true) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           out + threadIdx.x * 32, tile, 128);
        ptx::cp_async_bulk_commit_group();
    }
}

// Allocates until nothing is left, and writes through what it got.
// expect: MEM001|LIMIT within 1
// run: --kernel allocates_for_ever --grid 8 --block 256
// run: --max-steps 200000000
extern "C" __global__ void allocates_for_ever() {
    while (true) {
        volatile int *p = (volatile int *)malloc(64);
        p[0] = 1;
    }
}

// One word of each page of 256 MiB, by all blocks, with no order.
// expect: RACE001|LIMIT within 1
// run: --kernel a_word_a_page --grid 4 --block 256 --arg buf:268435456
extern "C" __global__ void a_word_a_page(unsigned *data) {
    for (unsigned long i = threadIdx.x; i < 65536; i += blockDim.x)
        data[i * 1024] = blockIdx.x;
}

// All of 64 MiB, by one block after the other, in bytes.
// expect: RACE001|LIMIT within 1
// run: --kernel bytes --grid 2 --block 1024 --arg buf:67108864
// run: --max-steps 50000000
extern "C" __global__ void bytes(unsigned char *data) {
    for (unsigned i = threadIdx.x; i < 67108864; i += blockDim.x)
        data[i] = blockIdx.x;
}

// Thousands of requests in one block; then it writes to their slots for ever.
// expect: LIMIT within 1
// run: --kernel writes_to_slots --grid 8 --block 1 --max-steps 3000000
extern "C" __global__ void writes_to_slots() {
    __shared__ uint4 slots[2900];
    __shared__ uint64_t bar;
    init(&bar);
    for (int i = 0; i < 2900; i++)
        ask(&slots[i], &bar);
    announce(&bar, 46400);
    wait_for(&bar, 0);
    volatile unsigned *words = (unsigned *)slots;
    while (true)
        for (int i = 0; i < 2900; i++)
            words[4 * i] = i;
}

// Prints long lines without end.
// expect: LIMIT within 1
// run: --kernel prints_for_ever --grid 8 --block 256 --max-steps 50000000
extern "C" __global__ void prints_for_ever() {
    for (int i = 0;; i++)
        printf("%999d %s\n", i, "a text that is read anew by each thread");
}
