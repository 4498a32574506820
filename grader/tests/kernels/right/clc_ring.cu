// SPDX-License-Identifier: Apache-2.0
// Warp-specialised kernels: a thread that schedules, warps that work, and
// rings of slots between them with "full" and "empty" barriers.
#include "right.h"

template <int Stages> struct Ring {
    uint4 slot[Stages];
    uint64_t full[Stages], empty[Stages];
};

template <int Stages>
__device__ static inline void make_ring(Ring<Stages> &ring, unsigned readers) {
    for (int s = 0; s < Stages; s++) {
        ptx::mbarrier_init(&ring.full[s], 1);
        ptx::mbarrier_init(&ring.empty[s], readers);
    }
}

// A position in a ring: the slot, and the parity of its present phase.
template <int Stages> struct Cursor {
    unsigned slot = 0, parity = 0;
    __device__ void advance() {
        if (++slot == Stages) {
            slot = 0;
            parity ^= 1;
        }
    }
};

// Asks for one block after the other until one is refused.
template <int Stages>
__device__ static inline void schedule(Ring<Stages> &ring) {
    Cursor<Stages> at;
    bool more = true;
    do {
        // The first pass over the ring: parity 1 of a new barrier is over.
        wait_for(&ring.empty[at.slot], at.parity ^ 1);
        announce(&ring.full[at.slot], 16);
        ptx::clusterlaunchcontrol_try_cancel(&ring.slot[at.slot],
                                             &ring.full[at.slot]);
        wait_for(&ring.full[at.slot], at.parity);
        more = granted(ring.slot[at.slot]);
        ptx::fence_proxy_async(ptx::space_shared);
        at.advance();
    } while (more);
}

// Two stages; each of the 64 working threads fences and arrives for itself.
// run: --kernel threads_empty_slots --grid 24 --block 96 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void threads_empty_slots(unsigned *data) {
    __shared__ Ring<2> ring;
    if (threadIdx.x == 64)
        make_ring(ring, 64);
    __syncthreads();
    if (threadIdx.x >= 64) {
        if (threadIdx.x == 64)
            schedule(ring);
        return;
    }
    Cursor<2> at;
    for (int mine = blockIdx.x;; at.advance()) {
        work(data, mine * 64 + threadIdx.x);
        wait_for(&ring.full[at.slot], at.parity);
        uint4 answer = ring.slot[at.slot];
        if (!granted(answer))
            return;
        mine = first_x(answer);
        ptx::fence_proxy_async(ptx::space_shared);
        (void)ptx::mbarrier_arrive(&ring.empty[at.slot]);
    }
}

// Four stages; all lanes fence, one lane a warp arrives; warp 0 schedules.
// run: --kernel warps_empty_slots --grid 24 --block 96 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void warps_empty_slots(unsigned *data) {
    __shared__ Ring<4> ring;
    if (threadIdx.x == 0)
        make_ring(ring, 2);
    __syncthreads();
    if (threadIdx.x < 32) {
        cg::invoke_one(cg::coalesced_threads(), [&] { schedule(ring); });
        return;
    }
    Cursor<4> at;
    for (int mine = blockIdx.x;; at.advance()) {
        work(data, mine * 64 + threadIdx.x - 32);
        wait_for(&ring.full[at.slot], at.parity);
        uint4 answer = ring.slot[at.slot];
        if (!granted(answer))
            return;
        mine = first_x(answer);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            (void)ptx::mbarrier_arrive(&ring.empty[at.slot]);
    }
}

// The scheduler keeps two requests in flight, decodes, and passes numbers on
// through a ring of its own; the workers never see an answer.
struct Numbers {
    int value[3];
    uint64_t full[3], empty[3];
};

// run: --kernel passes_numbers --grid 24 --block 96 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void passes_numbers(unsigned *data) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar[2];
    __shared__ Numbers numbers;
    if (threadIdx.x == 95) {
        for (int s = 0; s < 2; s++)
            ptx::mbarrier_init(&bar[s], 1);
        for (int s = 0; s < 3; s++) {
            ptx::mbarrier_init(&numbers.full[s], 1);
            ptx::mbarrier_init(&numbers.empty[s], 64);
        }
    }
    __syncthreads();
    Cursor<3> at;
    if (threadIdx.x >= 64) {
        if (threadIdx.x != 95)
            return;
        auto pass = [&](int value) {
            wait_for(&numbers.empty[at.slot], at.parity ^ 1);
            numbers.value[at.slot] = value;
            (void)ptx::mbarrier_arrive(&numbers.full[at.slot]);
            at.advance();
        };
        for (int s = 0; s < 2; s++) {
            announce(&bar[s], 16);
            ptx::clusterlaunchcontrol_try_cancel(&slot[s], &bar[s]);
        }
        bool asking = true;
        int in_flight = 2;
        for (Cursor<2> asked; in_flight > 0; asked.advance()) {
            wait_for(&bar[asked.slot], asked.parity);
            uint4 answer = slot[asked.slot];
            in_flight--;
            asking = asking && granted(answer);
            if (asking) {
                ptx::fence_proxy_async(ptx::space_shared);
                announce(&bar[asked.slot], 16);
                ptx::clusterlaunchcontrol_try_cancel(&slot[asked.slot],
                                                     &bar[asked.slot]);
                in_flight++;
            }
            if (granted(answer))
                pass(first_x(answer));
        }
        pass(-1);
        return;
    }
    for (int mine = blockIdx.x; mine >= 0; at.advance()) {
        work(data, mine * 64 + threadIdx.x);
        wait_for(&numbers.full[at.slot], at.parity);
        mine = numbers.value[at.slot];
        (void)ptx::mbarrier_arrive(&numbers.empty[at.slot]);
    }
}

// A scheduler, a loader that feeds tiles by bulk copies, and workers: the
// loader and the workers both read each answer.
// run: --kernel scheduler_loader_workers --grid 24 --block 128
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void scheduler_loader_workers(unsigned *data) {
    __shared__ alignas(16) unsigned tile[2][64];
    __shared__ uint64_t loaded[2], used[2];
    __shared__ Ring<2> ring;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        make_ring(ring, 3);
        for (int s = 0; s < 2; s++) {
            ptx::mbarrier_init(&loaded[s], 1);
            ptx::mbarrier_init(&used[s], 64);
        }
    }
    __syncthreads();
    Cursor<2> at;
    int mine = blockIdx.x;
    auto next = [&] {
        wait_for(&ring.full[at.slot], at.parity);
        uint4 answer = ring.slot[at.slot];
        ptx::fence_proxy_async(ptx::space_shared);
        return granted(answer) ? first_x(answer) : -1;
    };
    if (warp == 0) {
        if (lane == 0)
            schedule(ring);
    } else if (warp == 1) {
        for (; lane == 0 && mine >= 0; at.advance()) {
            wait_for(&used[at.slot], at.parity ^ 1);
            announce(&loaded[at.slot], sizeof tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global,
                               tile[at.slot], data + mine * 64, sizeof tile[0],
                               &loaded[at.slot]);
            mine = next();
            (void)ptx::mbarrier_arrive(&ring.empty[at.slot]);
        }
    } else {
        for (; mine >= 0; at.advance()) {
            unsigned t = threadIdx.x - 64;
            wait_for(&loaded[at.slot], at.parity);
            data[mine * 64 + t] = 2 * tile[at.slot][t] + 1;
            ptx::fence_proxy_async(ptx::space_shared);
            (void)ptx::mbarrier_arrive(&used[at.slot]);
            mine = next();
            __syncwarp();
            if (lane == 0)
                (void)ptx::mbarrier_arrive(&ring.empty[at.slot]);
        }
    }
}

// Named barriers instead of mbarriers between scheduler and workers: a
// barrier says "there is a number", another "it has been read".
__device__ static inline void meet(unsigned barrier) {
    asm volatile("barrier.sync %0, 96;" ::"r"(barrier) : "memory");
}

__device__ static inline void tell(unsigned barrier) {
    asm volatile("barrier.arrive %0, 96;" ::"r"(barrier) : "memory");
}

// run: --kernel named_barriers_feed --grid 24 --block 96 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void named_barriers_feed(unsigned *data) {
    enum { THERE = 1, READ = 2 };
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ int number;
    int mine = blockIdx.x;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            ptx::mbarrier_init(&bar, 1);
        for (unsigned parity = 0; mine >= 0; parity ^= 1) {
            if (threadIdx.x == 0) {
                announce(&bar, 16);
                ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
                wait_for(&bar, parity);
                uint4 answer = slot;
                mine = granted(answer) ? first_x(answer) : -1;
                ptx::fence_proxy_async(ptx::space_shared);
            }
            mine = __shfl_sync(0xffffffff, mine, 0);
            meet(READ);
            if (threadIdx.x == 0)
                number = mine;
            tell(THERE);
        }
    } else {
        while (mine >= 0) {
            tell(READ);
            work(data, mine * 64 + threadIdx.x - 32);
            meet(THERE);
            mine = number;
        }
    }
}

// Warp groups hand registers over: 128 threads give them up, 128 take them.
// run: --kernel hands_registers_over --grid 16 --block 256
//      --arg buf:8192:iota32
// gives: 0 2*i+1
extern "C" __global__ void __launch_bounds__(256, 1)
    hands_registers_over(unsigned *data) {
    __shared__ Ring<3> ring;
    if (threadIdx.x == 0)
        make_ring(ring, 4);
    __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0)
            schedule(ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
        Cursor<3> at;
        for (int mine = blockIdx.x;; at.advance()) {
            work(data, mine * 128 + threadIdx.x - 128);
            wait_for(&ring.full[at.slot], at.parity);
            uint4 answer = ring.slot[at.slot];
            if (!granted(answer))
                break;
            mine = first_x(answer);
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (threadIdx.x % 32 == 31)
                (void)ptx::mbarrier_arrive(&ring.empty[at.slot]);
        }
    }
}

// The directional pair with an "empty" mbarrier between its halves.
// run: --kernel pair_round_mbarriers --grid 24 --block 96
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void pair_round_mbarriers(unsigned *data) {
    __shared__ Ring<2> ring;
    if (threadIdx.x == 64)
        make_ring(ring, 64);
    __syncthreads();
    Cursor<2> at;
    if (threadIdx.x < 64) {
        for (int mine = blockIdx.x;; at.advance()) {
            work(data, mine * 64 + threadIdx.x);
            wait_for(&ring.full[at.slot], at.parity);
            uint4 answer = ring.slot[at.slot];
            if (!granted(answer))
                return;
            mine = first_x(answer);
            release_slot();
            (void)ptx::mbarrier_arrive(&ring.empty[at.slot]);
        }
    }
    for (bool more = threadIdx.x == 64; more; at.advance()) {
        wait_for(&ring.empty[at.slot], at.parity ^ 1);
        acquire_slot();
        ptx::clusterlaunchcontrol_try_cancel(&ring.slot[at.slot],
                                             &ring.full[at.slot]);
        announce(&ring.full[at.slot], 16);
        wait_for(&ring.full[at.slot], at.parity);
        more = granted(ring.slot[at.slot]);
        release_slot();
    }
}
