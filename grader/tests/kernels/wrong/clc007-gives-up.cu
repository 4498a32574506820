// SPDX-License-Identifier: Apache-2.0
// Waits that end too soon: after a number of polls, or of ticks. test_wait does
// not block, and try_wait may return false any number of times, so an answer
// may come later than any of these kernels asks for it.
#include "short.h"

// Takes one block after the other; `wait` is the wait of every thread. The line
// at fault is the read behind it.
template <typename Wait>
INLINED void takes_blocks(unsigned *out, uint4 *slot, uint64_t *bar,
                          Wait wait) {
    unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        init(bar);
    for (unsigned round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            announce(bar);
            ask(slot, bar);
            out[block] += 1;
        }
        wait(round);
        uint4 copy = *slot;
        if (!granted(copy))
            break;
        block = first_x(copy);
    }
}

#define KERNEL(name, ...)                                    \
    extern "C" __global__ void name(unsigned *out) {         \
        __shared__ uint4 slot;                               \
        __shared__ uint64_t bar;                             \
        takes_blocks(out, &slot, &bar, [&](unsigned round) { \
            [[maybe_unused]] long long start = clock64();    \
            __VA_ARGS__                                      \
        });                                                  \
    }

INLINED unsigned long long wall() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

#define TEST ptx::mbarrier_test_wait_parity(&bar, round & 1)
#define TRY ptx::mbarrier_try_wait_parity(&bar, round & 1)
#define HINTED ptx::mbarrier_try_wait_parity(&bar, round & 1, 1000u)

// Ten polls.
// expect: CLC007
// run: --kernel ten_tests --grid 40 --block 64 --arg buf:160
KERNEL(ten_tests, for (int i = 0; i < 10 && !TEST; i++);)

// A hundred: far more than the polls after which a wait is parked in other
// schedules.
// expect: CLC007
// run: --kernel hundred_tests --grid 40 --block 64 --arg buf:160
KERNEL(hundred_tests, for (int i = 0; i < 100 && !TEST; i++);)

// expect: CLC007
// run: --kernel ten_tries --grid 40 --block 64 --arg buf:160
KERNEL(ten_tries, for (int i = 0; i < 10 && !TRY; i++);)

// expect: CLC007
// run: --kernel thousand_tries --grid 40 --block 64 --arg buf:160
KERNEL(thousand_tries, for (int i = 0; i < 1000 && !TRY; i++);)

// Each of them may be suspended for a microsecond.
// expect: CLC007
// run: --kernel thousand_hints --grid 40 --block 64 --arg buf:160
KERNEL(thousand_hints, for (int i = 0; i < 1000 && !HINTED; i++);)

// expect: CLC007
// run: --kernel many_tests --grid 40 --block 64 --arg buf:160
KERNEL(many_tests, for (int i = 0; i < 100000 && !TEST; i++);)

// expect: CLC007
// run: --kernel many_tries --grid 40 --block 64 --arg buf:160
KERNEL(many_tries, for (int i = 0; i < 100000 && !TRY; i++);)

// Counted up, down and to an end that is met.
// expect: CLC007
// run: --kernel million_tests --grid 40 --block 64 --arg buf:160
KERNEL(million_tests, for (int i = 0; i < 1000000 && !TEST; i++);)

// expect: CLC007
// run: --kernel millions_of_tries --grid 40 --block 64 --arg buf:160
KERNEL(millions_of_tries, for (long long i = 5000000; i > 0 && !TRY; i--);)

// expect: CLC007
// run: --kernel eight_million --grid 40 --block 64 --arg buf:160
KERNEL(
    eight_million, unsigned n = 0; while (!TRY) {
        n += 2;
        if (n == 16000000)
            break;
    })

// A million cycles are half a millisecond.
// expect: CLC007
// run: --kernel million_cycles --grid 40 --block 64 --arg buf:160
KERNEL(million_cycles, while (!TRY && clock64() - start < 1000000);)

// expect: CLC007
// run: --kernel cycles_of_tests --grid 40 --block 64 --arg buf:160
KERNEL(cycles_of_tests, while (!TEST && clock64() - start < 1000000);)

// Seconds, minutes, hours: by a count of 32 bits,
// expect: CLC007
// run: --kernel four_billion --grid 40 --block 64 --arg buf:160
KERNEL(four_billion, for (unsigned i = 0; i < 4100000000u && !TRY; i++);)

// of 64,
// expect: CLC007
// run: --kernel more_than_32_bits --grid 40 --block 64 --arg buf:160
KERNEL(more_than_32_bits,
       for (long long i = 0; i < 60000000000LL && !TEST; i++);)

// of which a multiple is compared,
// expect: CLC007
// run: --kernel multiplied --grid 40 --block 64 --arg buf:160
KERNEL(multiplied,
       for (unsigned long long i = 1; i * 250 < 1000000000000 && !TRY;) i++;)

// by the timer,
// expect: CLC007
// run: --kernel ten_seconds --grid 40 --block 64 --arg buf:160
KERNEL(ten_seconds, unsigned long long t = wall();
       while (!TRY && wall() - t < 10000000000);)

// until a deadline,
// expect: CLC007
// run: --kernel until_a_deadline --grid 40 --block 64 --arg buf:160
KERNEL(until_a_deadline, long long end = start + 30000000000000LL;
       while (!TRY && clock64() < end);)

// by the lower half of a clock, which overflows soon after,
// expect: CLC007
// run: --kernel narrow_clock --grid 40 --block 64 --arg buf:160
KERNEL(narrow_clock, unsigned t = clock();
       while (!TRY && (unsigned)clock() - t < 4200000000u);)

// expect: CLC007
// run: --kernel narrow_timer --grid 40 --block 64 --arg buf:160
KERNEL(narrow_timer, unsigned t = (unsigned)wall();
       while (!TEST && (unsigned)wall() - t < 4290000000u);)

// expect: CLC007
// run: --kernel signed_clock --grid 40 --block 64 --arg buf:160
KERNEL(signed_clock, int t = (int)clock();
       while (!TRY && (int)clock() - t < 2100000000);)

// in other units,
// expect: CLC007
// run: --kernel in_milliseconds --grid 40 --block 64 --arg buf:160
KERNEL(in_milliseconds, unsigned long long t = wall() / 1000000;
       while (!TRY && wall() / 1000000 - t < 90000);)

// expect: CLC007
// run: --kernel in_seconds --grid 40 --block 64 --arg buf:160
KERNEL(in_seconds, double t = (double)wall() * 1e-9;
       while (!TRY && (double)wall() * 1e-9 - t < 20.0);)

// by what it has slept,
// expect: CLC007
// run: --kernel sum_of_sleeps --grid 40 --block 64 --arg buf:160
KERNEL(sum_of_sleeps,
       for (unsigned long long slept = 0; slept < 20000000000 && !TRY;
            slept += 500) __nanosleep(500);)

// by both, whichever comes first,
// expect: CLC007
// run: --kernel count_and_clock --grid 40 --block 64 --arg buf:160
KERNEL(count_and_clock,
       for (unsigned i = 0;
            !TRY && i < 4000000000u && clock64() - start < 2000000000000LL;
            i++);)

// or by a hundred waits of a second each.
// expect: CLC007
// run: --kernel rounds_of_a_second --grid 40 --block 64 --arg buf:160
KERNEL(
    rounds_of_a_second, int tries = 0; while (!TRY && tries < 100) {
        unsigned long long t = wall();
        while (!TRY && wall() - t < 1000000000)
            ;
        tries++;
    })

// With sleeps that grow; 30 of them.
// expect: CLC007
// run: --kernel sleeps_longer --grid 40 --block 64 --arg buf:160
KERNEL(
    sleeps_longer, for (unsigned i = 0, ns = 8; i < 30 && !TRY; i++) {
        __nanosleep(ns);
        ns = ns < 4096 ? 2 * ns : ns;
    })

// Only the first wait of a block is bounded.
// expect: CLC007
// run: --kernel first_is_short --grid 40 --block 64 --arg buf:160
KERNEL(first_is_short, for (int i = 0; (round || i < 1000) && !TRY; i++);)

// Only the third one.
// expect: CLC006|CLC007
// run: --kernel third_is_short --grid 40 --block 64 --arg buf:160
KERNEL(third_is_short, for (int i = 0; (round != 2 || i < 1000) && !TRY; i++);)

// From the fourth one on.
// expect: CLC006|CLC007
// run: --kernel later_are_short --grid 40 --block 64 --arg buf:160
KERNEL(later_are_short, for (int i = 0; (round < 3 || i < 1000) && !TRY; i++);)

// One thread waits for its block, for a while.
// expect: CLC007
// run: --kernel one_for_all --grid 40 --block 64 --arg buf:160
extern "C" __global__ void one_for_all(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        init(&bar);
    for (unsigned round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_async();
            announce(&bar);
            ask(&slot, &bar);
            out[block] += 1;
            for (int i = 0; i < 5000 && !TRY; i++) {
            }
        }
        __syncthreads();    // <- here
        uint4 copy = slot;  // <- here
        if (!granted(copy)) // <- here
            break;
        block = first_x(copy);
    }
}

// In a cluster; rank 1 does not wait as long as it takes.
// expect: CLC007
// run: --kernel rank_1_is_short --grid 40 --block 32 --arg buf:160
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    rank_1_is_short(unsigned *out) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), block = blockIdx.x;
    if (threadIdx.x == 0)
        init_for_cluster(&bar);
    for (unsigned round = 0;; round++) {
        cluster.sync();
        if (cluster.thread_rank() == 0) {
            acquire_reads();
            ask_for_all(&slot, &bar);
        }
        if (threadIdx.x == 0) {
            announce(&bar);
            out[block] += 1;
        }
        for (int i = 0; rank == 0 || i < 2000; i++)
            if (ptx::mbarrier_try_wait_parity(
                    ptx::sem_acquire, ptx::scope_cluster, &bar, round & 1))
                break;
        uint4 copy = slot;  // <- here
        if (!granted(copy)) // <- here
            break;
        block = first_x(copy) + rank;
        release_reads();
    }
}
