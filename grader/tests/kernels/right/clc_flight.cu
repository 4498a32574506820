// SPDX-License-Identifier: Apache-2.0
// Several requests in flight. Once a refusal was seen nobody asks again, and
// what is in flight by then is awaited and, where granted, worked on.
#include "right.h"
#include <cuda/atomic>

__device__ static inline void request(uint4 *slot, uint64_t *bar) {
    ptx::clusterlaunchcontrol_try_cancel(slot, bar);
    announce(bar, 16);
}

// Two slots with an mbarrier each. The second barrier keeps a thread from
// seeing a refusal before the other slot's request is issued.
// run: --kernel two_slots --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void two_slots(unsigned *data) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar[2];
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            ptx::mbarrier_init(&bar[s], 1);
            request(&slot[s], &bar[s]);
        }
    __syncthreads();
    work_on_block(data, blockIdx.x);
    bool asking = true;
    int in_flight = 2;
    for (unsigned turn = 0; in_flight > 0; turn++) {
        unsigned s = turn & 1;
        wait_for(&bar[s], turn >> 1 & 1);
        in_flight--;
        uint4 answer = slot[s];
        bool yes = granted(answer);
        int mine = yes ? first_x(answer) : 0;
        asking = asking && yes;
        release_slot();
        __syncthreads();
        if (asking) {
            in_flight++;
            if (threadIdx.x == 0) {
                acquire_slot();
                request(&slot[s], &bar[s]);
            }
        }
        if (yes)
            work_on_block(data, mine);
        __syncthreads();
    }
}

// Three slots, and one thread alone that asks, sees and decodes.
// run: --kernel three_slots --grid 40 --block 32 --arg buf:5120:iota32
// gives: 0 2*i+1
extern "C" __global__ void three_slots(unsigned *data) {
    __shared__ uint4 slot[3];
    __shared__ uint64_t bar[3];
    bool asking = true;
    unsigned in_flight = 3, turn = 0;
    if (threadIdx.x == 0)
        for (int s = 0; s < 3; s++) {
            ptx::mbarrier_init(&bar[s], 1);
            request(&slot[s], &bar[s]);
        }
    int mine = blockIdx.x;
    do {
        work_on_block(data, mine);
        mine = -1;
        if (threadIdx.x == 0) {
            for (; mine < 0 && in_flight > 0; turn++) {
                unsigned s = turn % 3;
                wait_for(&bar[s], turn / 3 & 1);
                uint4 answer = slot[s];
                if (granted(answer))
                    mine = first_x(answer);
                else
                    asking = false;
                in_flight--;
                if (asking) {
                    ptx::fence_proxy_async(ptx::space_shared);
                    request(&slot[s], &bar[s]);
                    in_flight++;
                }
            }
        }
        mine = __shfl_sync(0xffffffff, mine, 0);
    } while (mine >= 0);
}

// Two answers on one mbarrier: one arrival that announces 32 bytes.
// run: --kernel one_barrier_two_answers --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void one_barrier_two_answers(unsigned *data) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    work_on_block(data, blockIdx.x);
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot[0], &bar);
            ptx::clusterlaunchcontrol_try_cancel(&slot[1], &bar);
            announce(&bar, sizeof slot);
        }
        wait_for(&bar, parity);
        bool all = true;
        for (int s = 0; s < 2; s++) {
            uint4 answer = slot[s];
            if (granted(answer))
                work_on_block(data, first_x(answer));
            else
                all = false;
        }
        release_slot();
        if (!all)
            return;
    }
}

// Two threads of two warps ask, each for its slot; both arrive on one
// mbarrier, and each announces its own 16 bytes.
// run: --kernel two_askers --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void two_askers(unsigned *data) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar;
    unsigned warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 2);
    __syncthreads();
    work_on_block(data, blockIdx.x);
    bool all = true;
    for (unsigned parity = 0; all; parity ^= 1) {
        if (threadIdx.x % 32 == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            announce(&bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&slot[warp], &bar);
        }
        wait_for(&bar, parity);
        for (int s = 0; s < 2; s++) {
            uint4 answer = slot[s];
            bool yes = granted(answer);
            if (yes)
                work_on_block(data, first_x(answer));
            all = all && yes;
        }
        __syncthreads();
    }
}

// Each warp asks for itself and works on a block alone. They ask in rounds:
// the barrier stands between the last request and the first look.
// run: --kernel warps_in_rounds --grid 32 --block 128 --arg buf:4096:iota32
// gives: 0 2*i+1
extern "C" __global__ void warps_in_rounds(unsigned *data) {
    __shared__ uint4 slot[4];
    __shared__ uint64_t bar[4];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0)
        ptx::mbarrier_init(&bar[warp], 1);
    if (warp == 0)
        work(data, blockIdx.x * 32 + lane);
    unsigned parity = 0;
    bool yes;
    do {
        if (lane == 0)
            request(&slot[warp], &bar[warp]);
        __syncthreads();
        int mine = -1;
        if (lane == 0) {
            wait_for(&bar[warp], parity);
            uint4 answer = slot[warp];
            if (granted(answer))
                mine = first_x(answer);
            ptx::fence_proxy_async(ptx::space_shared);
        }
        mine = __shfl_sync(0xffffffff, mine, 0);
        parity ^= 1;
        yes = mine >= 0;
        if (yes)
            work(data, mine * 32 + lane);
    } while (__syncthreads_and(yes));
}

// Each warp asks for itself, whenever it wants. A lock in shared memory makes
// "nobody has seen a refusal yet, so I ask" one step.
__device__ static inline void lock(unsigned *word) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> ref(*word);
    while (ref.exchange(1, cuda::memory_order_acquire) != 0)
        __nanosleep(40);
}

__device__ static inline void unlock(unsigned *word) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block>(*word).store(
        0, cuda::memory_order_release);
}

// run: --kernel warps_under_a_lock --grid 32 --block 128
//      --arg buf:4096:iota32
// gives: 0 2*i+1
extern "C" __global__ void warps_under_a_lock(unsigned *data) {
    __shared__ uint4 slot[4];
    __shared__ uint64_t bar[4];
    __shared__ unsigned word;
    __shared__ bool closed;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        word = 0;
        closed = false;
    }
    if (lane == 0)
        ptx::mbarrier_init(&bar[warp], 1);
    __syncthreads();
    int mine = warp == 0 ? (int)blockIdx.x : -1;
    for (unsigned parity = 0;; parity ^= 1) {
        bool asked = false;
        if (lane == 0) {
            lock(&word);
            asked = !closed;
            if (asked) {
                ptx::fence_proxy_async(ptx::space_shared);
                request(&slot[warp], &bar[warp]);
            }
            unlock(&word);
        }
        if (mine >= 0)
            work(data, mine * 32 + lane);
        mine = -1;
        if (asked) {
            wait_for(&bar[warp], parity);
            lock(&word);
            uint4 answer = slot[warp];
            if (granted(answer))
                mine = first_x(answer);
            else
                closed = true;
            unlock(&word);
        }
        mine = __shfl_sync(0xffffffff, mine, 0);
        if (mine < 0)
            break;
    }
}

// The second request is issued before the first answer is looked at, and both
// answers are final: the block asks twice in its life.
// run: --kernel asks_twice --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void asks_twice(unsigned *data) {
    __shared__ struct {
        uint4 slot;
        uint64_t bar;
    } first, second;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&first.bar, 1);
        ptx::mbarrier_init(&second.bar, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        request(&first.slot, &first.bar);
    work_on_block(data, blockIdx.x);
    if (threadIdx.x == 32)
        request(&second.slot, &second.bar);
    __syncthreads();
    wait_for(&first.bar, 0);
    if (granted(first.slot))
        work_on_block(data, first_x(first.slot));
    wait_for(&second.bar, 0);
    if (granted(second.slot))
        work_on_block(data, first_x(second.slot));
}

// A batch of four a round: 64 bytes on one mbarrier, one answer a warp.
// run: --kernel batches --grid 50 --block 128 --arg buf:6400:iota32
// gives: 0 2*i+1
extern "C" __global__ void batches(unsigned *data) {
    __shared__ uint4 slot[4];
    __shared__ uint64_t bar;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = warp == 3 ? (int)blockIdx.x : -1;
    bool more = true;
    for (unsigned parity = 0; more; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                    ptx::space_shared, &bar, sizeof slot);
            for (uint4 &one : slot)
                ptx::clusterlaunchcontrol_try_cancel(&one, &bar);
            (void)ptx::mbarrier_arrive(&bar);
        }
        if (mine >= 0)
            work(data, mine * 32 + lane);
        __syncthreads();
        wait_for(&bar, parity);
        uint4 answer = slot[warp];
        bool yes = granted(answer);
        mine = yes ? first_x(answer) : -1;
        more = __syncthreads_and(yes);
    }
    if (mine >= 0)
        work(data, mine * 32 + lane);
}
