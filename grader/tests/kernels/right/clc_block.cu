// SPDX-License-Identifier: Apache-2.0
// One request in flight, blocks without a cluster: who asks, how the bytes are
// announced, how the answer is awaited, who reads it.
#include "right.h"

// All threads wait and read; the directional pair of fences; the bytes are
// announced after the request.
// run: --kernel pair_of_fences --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void pair_of_fences(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    unsigned parity = 0;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    for (int mine = blockIdx.x;;) {
        block.sync();
        if (block.thread_rank() == 0) {
            acquire_slot();
            cg::invoke_one(cg::coalesced_threads(), [&] {
                ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            });
            announce(&bar, sizeof slot);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        release_slot();
    }
}

// The bytes are announced before the request; a barrier, then the full fence
// in the thread that asks.
// run: --kernel announced_first --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void announced_first(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned turn = 0;; turn++) {
        if (threadIdx.x == 0) {
            announce(&bar, 16);
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        }
        work_on_block(data, mine);
        wait_for(&bar, turn & 1);
        if (!granted(slot))
            break;
        mine = first_x(slot);
        __syncthreads();
    }
}

// expect_tx and the arrival are two instructions, the request between them.
// run: --kernel arrives_apart --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void arrives_apart(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    unsigned parity = 0;
    bool more = true;
    while (more) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                    ptx::space_shared, &bar, 16);
            ptx::fence_proxy_async();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            (void)ptx::mbarrier_arrive(&bar);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        uint4 answer = slot;
        more = granted(answer);
        if (more)
            mine = first_x(answer);
        parity ^= 1;
        __syncthreads();
    }
}

// test_wait, which never suspends, in a loop that sleeps.
// run: --kernel spins_on_test_wait --grid 12 --block 64 --arg buf:3072:iota32
// gives: 0 2*i+1
extern "C" __global__ void spins_on_test_wait(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    unsigned parity = 0;
    for (;;) {
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        while (!ptx::mbarrier_test_wait_parity(&bar, parity))
            __nanosleep(20);
        parity ^= 1;
        if (!granted(slot))
            break;
        mine = first_x(slot);
        release_slot();
        __syncthreads();
    }
}

// A hint says for how long try_wait may suspend the thread.
// run: --kernel hints_how_long --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void hints_how_long(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        while (!ptx::mbarrier_try_wait_parity(&bar, parity, 0x989680u)) {
        }
        uint4 answer = slot;
        if (!granted(answer))
            break;
        mine = first_x(answer);
        __syncthreads();
    }
}

// Every thread arrives and waits with the token of its own arrival.
// run: --kernel waits_with_tokens --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void waits_with_tokens(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, blockDim.x);
    __syncthreads();
    int mine = blockIdx.x;
    for (;;) {
        uint64_t token;
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            token = ptx::mbarrier_arrive_expect_tx(
                ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
        } else {
            token = ptx::mbarrier_arrive(&bar);
        }
        work_on_block(data, mine);
        while (!ptx::mbarrier_try_wait(&bar, token)) {
        }
        uint4 answer = slot;
        if (!granted(answer))
            break;
        mine = first_x(answer);
        release_slot();
        __syncthreads();
    }
}

// One thread waits, relaxed; the block's barrier carries it to the others.
// run: --kernel relaxed_wait_then_barrier --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void relaxed_wait_then_barrier(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 0)
            while (!ptx::mbarrier_try_wait_parity(
                ptx::sem_relaxed, ptx::scope_cta, &bar, parity)) {
            }
        __syncthreads();
        if (!granted(slot))
            break;
        mine = first_x(slot);
        __syncthreads();
    }
}

// One thread asks, waits, and decodes; the others get a number from it.
// run: --kernel decoded_for_all --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void decoded_for_all(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ int next;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    unsigned parity = 0;
    do {
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 0) {
            wait_for(&bar, parity);
            parity ^= 1;
            uint4 answer = slot;
            next = granted(answer) ? first_x(answer) : -1;
            ptx::fence_proxy_async(ptx::space_shared);
        }
        __syncthreads();
        mine = next;
        __syncthreads();
    } while (mine >= 0);
}

// The opaque bytes go through a second variable, and each thread decodes them.
// run: --kernel copied_for_all --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void copied_for_all(unsigned *data) {
    __shared__ uint4 slot, copy;
    __shared__ uint64_t bar;
    if (threadIdx.x == 32)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 32) {
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 32) {
            wait_for(&bar, parity);
            copy = slot;
            ptx::fence_proxy_async(ptx::space_shared);
        }
        __syncthreads();
        uint4 answer = copy;
        __syncthreads();
        if (!granted(answer))
            break;
        mine = first_x(answer);
    }
}

// A block of one warp: lane 0 decodes, a shuffle distributes.
// run: --kernel shuffled_index --grid 40 --block 32 --arg buf:5120:iota32
// gives: 0 2*i+1
extern "C" __global__ void shuffled_index(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    unsigned parity = 0;
    while (mine != -1) {
        int next = 0;
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 0) {
            wait_for(&bar, parity);
            parity ^= 1;
            next = granted(slot) ? first_x(slot) : -1;
            ptx::fence_proxy_async(ptx::space_shared);
        }
        mine = __shfl_sync(0xffffffff, next, 0);
    }
}

// The same, but the words of the answer are shuffled and each lane decodes.
// run: --kernel shuffled_answer --grid 40 --block 32 --arg buf:5120:iota32
// gives: 0 2*i+1
extern "C" __global__ void shuffled_answer(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 7)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    unsigned parity = 0;
    for (;;) {
        uint4 answer = {0, 0, 0, 0};
        if (threadIdx.x == 7) {
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 7) {
            wait_for(&bar, parity);
            parity ^= 1;
            answer = slot;
            ptx::fence_proxy_async(ptx::space_shared);
        }
        answer.x = __shfl_sync(0xffffffff, answer.x, 7);
        answer.y = __shfl_sync(0xffffffff, answer.y, 7);
        answer.z = __shfl_sync(0xffffffff, answer.z, 7);
        answer.w = __shfl_sync(0xffffffff, answer.w, 7);
        if (!granted(answer))
            return;
        mine = first_x(answer);
    }
}

// The end is found with a barrier that reduces.
// run: --kernel ends_by_reduction --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void ends_by_reduction(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ int next;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    unsigned parity = 0;
    for (;;) {
        bool refused = false;
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (threadIdx.x == 0) {
            wait_for(&bar, parity);
            parity ^= 1;
            uint4 answer = slot;
            refused = !granted(answer);
            if (!refused)
                next = first_x(answer);
        }
        if (__syncthreads_or(refused))
            break;
        mine = next;
        __syncthreads();
    }
}

// All threads look, and count those who saw a grant.
// run: --kernel ends_by_count --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void ends_by_count(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    unsigned parity = 0, seen;
    do {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 answer = slot;
        bool yes = granted(answer);
        if (yes)
            mine = first_x(answer);
        seen = __syncthreads_count(yes);
        assert(seen == 0 || seen == blockDim.x);
    } while (seen > 0);
}

// One thread a block: no barrier of the block at all.
// run: --kernel one_thread --grid 64 --block 1 --arg buf:256:iota32
// gives: 0 2*i+1
extern "C" __global__ void one_thread(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    unsigned parity = 0;
    for (int mine = blockIdx.x;; parity ^= 1) {
        ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        announce(&bar, 16);
        work(data, mine);
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        ptx::fence_proxy_async(ptx::space_shared);
    }
}

// elect.sync in the last warp; the elected lane fences for itself.
// run: --kernel last_warp_elects --grid 20 --block 96 --arg buf:7680:iota32
// gives: 0 2*i+1
extern "C" __global__ void last_warp_elects(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x / 32 == 2) {
            cg::invoke_one(
                cg::tiled_partition<32>(cg::this_thread_block()), [&] {
                    ptx::fence_proxy_async(ptx::space_shared);
                    ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
                    announce(&bar, 16);
                });
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            break;
        mine = first_x(answer);
        __syncthreads();
    }
}

// Who comes first asks: another thread each time, in any warp.
// run: --kernel first_come_asks --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void first_come_asks(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ unsigned asked;
    if (threadIdx.x == 0) {
        asked = 0;
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned turn = 0;; turn++) {
        unsigned here = __activemask();
        if (ptx::get_sreg_laneid() == __ffs(here) - 1 &&
            atomicMax(&asked, turn + 1) == turn) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        wait_for(&bar, turn & 1);
        uint4 answer = slot;
        if (!granted(answer))
            break;
        mine = first_x(answer);
        __syncthreads();
    }
}

// The threads take turns at asking.
// run: --kernel takes_turns --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void takes_turns(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == blockDim.x - 1)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    for (unsigned turn = 0;; turn++) {
        __syncthreads();
        if (threadIdx.x == turn * 13 % blockDim.x) {
            acquire_slot();
            announce(&bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        }
        work_on_block(data, mine);
        wait_for(&bar, turn % 2);
        uint4 answer = slot;
        bool yes = granted(answer);
        mine = yes ? first_x(answer) : 0;
        release_slot();
        if (!yes)
            return;
    }
}

// Each reader has the full fence, then the block's barrier; who asks has none.
// run: --kernel readers_fence --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void readers_fence(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
    }
}

// One warp announces the bytes, the other one asks; the mbarrier counts both
// warps, so neither may run ahead.
// run: --kernel one_announces_one_asks --grid 24 --block 64
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void one_announces_one_asks(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 2);
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0)
            announce(&bar, 16);
        if (threadIdx.x == 32) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            (void)ptx::mbarrier_arrive(&bar);
        }
        work_on_block(data, mine);
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        release_slot();
        __syncthreads();
    }
}
