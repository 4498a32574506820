// SPDX-License-Identifier: Apache-2.0
// Loops that wait as long as it takes, in the styles that people use: for an
// mbarrier, and for a word of shared memory.
#include "right.h"

#include <cassert>
#include <cstdio>
#include <cuda/std/chrono>

// Takes one block after the other; `wait` waits for the phase of this parity.
template <typename Wait>
__device__ static inline void takes_blocks(unsigned *data, uint4 *slot,
                                           uint64_t *bar, Wait wait) {
    if (threadIdx.x == 0)
        ptx::mbarrier_init(bar, 1);
    unsigned parity = 0;
    for (int mine = blockIdx.x;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(slot, bar);
            announce(bar, 16);
        }
        work_on_block(data, mine);
        wait(parity);
        if (!granted(*slot))
            break;
        mine = first_x(*slot);
        release_slot();
    }
}

// The sleep doubles, up to a quarter of a microsecond.
// run: --kernel backs_off --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void backs_off(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        for (unsigned ns = 8; !ptx::mbarrier_test_wait_parity(&bar, parity);) {
            __nanosleep(ns);
            ns = ns < 256 ? 2 * ns : 256;
        }
    });
}

// Spins before it sleeps, as some libraries do.
// run: --kernel spins_then_sleeps --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void spins_then_sleeps(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        for (int polls = 0; !ptx::mbarrier_try_wait_parity(&bar, parity);)
            if (polls < 64)
                polls++;
            else
                __nanosleep(100);
    });
}

// Counts its polls, for a report of its own, and waits all the same.
// run: --kernel counts_polls --grid 16 --block 32 --arg buf:2048:iota32
//      --arg buf:64
// gives: 0 2*i+1
extern "C" __global__ void counts_polls(unsigned *data, unsigned *most) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned polls = 0;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        while (!ptx::mbarrier_try_wait_parity(&bar, parity))
            polls++;
    });
    if (polls == ~0u)
        atomicAdd(most, 1);
}

// So does one that traps after a hundred million polls: it never does.
// run: --kernel traps_after_many_polls --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void traps_after_many_polls(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        for (int n = 0; !ptx::mbarrier_try_wait_parity(&bar, parity); n++)
            if (n == 100000000)
                __trap();
    });
}

// Polls shared memory, and counts: a thread of the other warp adds up its block
// before it says that it is there.
// run: --kernel counts_in_shared --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void counts_in_shared(unsigned *data) {
    __shared__ unsigned there, sum;
    if (threadIdx.x == 0)
        there = 0;
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> flag(there);
    unsigned at = blockIdx.x * 64;
    if (threadIdx.x == 32) {
        unsigned n = 0;
        for (unsigned i = 0; i < 64; i++)
            n += data[at + i];
        sum = n;
        flag.store(1, cuda::std::memory_order_release);
    }
    long long polls = 0;
    while (flag.load(cuda::std::memory_order_acquire) == 0)
        if (++polls > 1000000000)
            __trap();
    __syncthreads();
    data[at + threadIdx.x] = 2 * data[at + threadIdx.x] + (sum != 0);
}

// A watchdog, for whoever looks for a deadlock: ten seconds are no wait.
// run: --kernel traps_after_ten_seconds --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void traps_after_ten_seconds(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        long long start = clock64();
        while (!ptx::mbarrier_try_wait_parity(&bar, parity))
            if (clock64() - start > 20000000000LL)
                __trap();
    });
}

// The same by the clock on the wall, between sleeps.
// run: --kernel looks_at_the_wall --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void looks_at_the_wall(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        auto start = cuda::std::chrono::system_clock::now();
        while (!ptx::mbarrier_test_wait_parity(&bar, parity)) {
            __nanosleep(200);
            if (cuda::std::chrono::system_clock::now() - start >
                cuda::std::chrono::seconds(10))
                __trap();
        }
    });
}

// A function that prints and traps, after a count and after a minute.
__device__ __noinline__ static void is_late(int polls) {
    printf("late: %d\n", polls);
    __trap();
}

// run: --kernel traps_in_a_function --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void traps_in_a_function(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        long long start = clock64();
        for (int n = 0; !ptx::mbarrier_try_wait_parity(&bar, parity); n++)
            if (n == 2000000000 || clock64() - start > 120000000000LL)
                is_late(n);
    });
}

// An assertion, about a clock of 32 bits.
// run: --kernel asserts_in_time --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void asserts_in_time(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        unsigned start = clock();
        while (!ptx::mbarrier_try_wait_parity(&bar, parity))
            assert((unsigned)clock() - start < 4000000000u);
    });
}

// The wait says whether it has ended, and who has called it traps.
// run: --kernel tells_and_traps --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void tells_and_traps(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        auto waits = [&] {
            for (long long n = 0; n < 5000000000LL; n++)
                if (ptx::mbarrier_try_wait_parity(&bar, parity))
                    return true;
            return false;
        };
        if (!waits())
            __trap();
    });
}

// Counts the seconds that it has waited, and waits on.
// run: --kernel counts_seconds --grid 24 --block 64 --arg buf:6144:iota32
//      --arg buf:4
// gives: 0 2*i+1
extern "C" __global__ void counts_seconds(unsigned *data, unsigned *most) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned long long seconds = 0;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        long long start = clock64();
        while (!ptx::mbarrier_try_wait_parity(&bar, parity))
            if (clock64() - start > 1000000000LL) {
                seconds++;
                start = clock64();
            }
    });
    if (seconds == ~0ull)
        atomicAdd(most, 1);
}

// Sleeps longer, the longer it has waited.
// run: --kernel sleeps_by_the_clock --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void sleeps_by_the_clock(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        long long start = clock64();
        while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
            long long waited = clock64() - start;
            if (waited > 4000000)
                __nanosleep(1000000);
            else if (waited > 40000)
                __nanosleep((unsigned)(waited / 4));
        }
    });
}

// Gives up, does something else, and comes back to the same wait.
// run: --kernel comes_back --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void comes_back(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ unsigned idle[64];
    takes_blocks(data, &slot, &bar, [&](unsigned parity) {
        idle[threadIdx.x] = 0;
        for (bool done = false; !done;) {
            for (int i = 0; i < 100 && !done; i++)
                done = ptx::mbarrier_try_wait_parity(&bar, parity);
            if (!done && idle[threadIdx.x] < 3)
                idle[threadIdx.x]++;
        }
    });
}

// One thread waits for the answer; the others spin on a flag that it sets.
template <typename Spin>
__device__ static inline void told_by_a_flag(unsigned *data, uint4 *slot,
                                             uint64_t *bar, unsigned *flag,
                                             Spin spin) {
    unsigned round = 0;
    if (threadIdx.x == 0)
        *flag = 0;
    takes_blocks(data, slot, bar, [&](unsigned parity) {
        round++;
        if (threadIdx.x == 0) {
            wait_for(bar, parity);
            __threadfence_block();
            *(volatile unsigned *)flag = round;
        }
        while (*(volatile unsigned *)flag != round)
            spin();
        __threadfence_block();
    });
}

// run: --kernel spins_on_a_flag --grid 24 --block 128 --arg buf:12288:iota32
// gives: 0 2*i+1
extern "C" __global__ void spins_on_a_flag(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ unsigned flag;
    told_by_a_flag(data, &slot, &bar, &flag, [] {});
}

// run: --kernel sleeps_on_a_flag --grid 24 --block 128 --arg buf:12288:iota32
// gives: 0 2*i+1
extern "C" __global__ void sleeps_on_a_flag(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ unsigned flag;
    told_by_a_flag(data, &slot, &bar, &flag, [] { __nanosleep(40); });
}

// The flag is an atomic that compares and swaps.
// run: --kernel takes_a_lock --grid 6 --block 64 --arg buf:4 --arg buf:4
// gives: 1 6
extern "C" __global__ void takes_a_lock(unsigned *lock, unsigned *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        unsigned old = *(volatile unsigned *)sum;
        for (long long start = clock64(); clock64() - start < 20000;) {
        }
        *(volatile unsigned *)sum = old + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
