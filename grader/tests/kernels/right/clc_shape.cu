// SPDX-License-Identifier: Apache-2.0
// The same loop in the shapes that code takes: where slot and parity live, how
// the loop is written, which threads take part, grids of two and three
// dimensions.
#include "right.h"
#include <cuda/barrier>
#include <cuda/work_stealing>

// The next element is loaded while the present one is worked on: the answer
// is awaited early.
// run: --kernel loads_ahead --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void loads_ahead(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        announce(&bar, 16);
    }
    __syncthreads();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = data[i];
    for (unsigned parity = 0;; parity ^= 1) {
        wait_for(&bar, parity);
        uint4 answer = slot;
        bool more = granted(answer);
        unsigned next_i = 0, next_value = 0;
        if (more) {
            next_i = first_x(answer) * blockDim.x + threadIdx.x;
            next_value = data[next_i];
        }
        release_slot();
        __syncthreads();
        if (more && threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        data[i] = 2 * value + 1;
        if (!more)
            return;
        i = next_i;
        value = next_value;
    }
}

// Warps without work leave before the loop; the others go on with barriers.
// run: --kernel idle_warps_leave --grid 24 --block 128 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void idle_warps_leave(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 64)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x >= 64)
        return;
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work(data, mine * 64 + threadIdx.x);
        wait_for(&bar, parity);
        if (!granted(slot))
            return;
        mine = first_x(slot);
        __syncthreads();
    }
}

// Lanes of the last warp leave as well: a barrier waits for none of them.
// run: --kernel odd_lanes_leave --grid 24 --block 64 --arg buf:3840:iota32
// gives: 0 2*i+1
extern "C" __global__ void odd_lanes_leave(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x >= 40)
        return;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work(data, mine * 40 + threadIdx.x);
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        release_slot();
    }
}

// libcu++'s loop, its body with a tile in shared memory.
// run: --kernel library_loop --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void library_loop(unsigned *data) {
    __shared__ unsigned tile[64];
    cuda::for_each_canceled_block<1>([&](dim3 block) {
        tile[threadIdx.x] = data[block.x * 64 + (threadIdx.x ^ 33)];
        __syncthreads();
        data[block.x * 64 + threadIdx.x] = 2 * tile[threadIdx.x ^ 33] + 1;
    });
}

// libcu++'s loop over a grid of two dimensions.
// run: --kernel library_loop_2d --grid 5,4 --block 8,4 --arg buf:2560:iota32
// gives: 0 2*i+1
extern "C" __global__ void library_loop_2d(unsigned *data) {
    unsigned in_block = threadIdx.y * 8 + threadIdx.x;
    cuda::for_each_canceled_block<2>([=](dim3 block) {
        work(data, (block.y * gridDim.x + block.x) * 32 + in_block);
    });
}

// libcu++'s loop over a grid of three.
// run: --kernel library_loop_3d --grid 3,4,2 --block 4,4,2
//      --arg buf:3072:iota32
// gives: 0 2*i+1
extern "C" __global__ void library_loop_3d(unsigned *data) {
    unsigned in_block = (threadIdx.z * 4 + threadIdx.y) * 4 + threadIdx.x;
    cuda::for_each_canceled_block<3>([=](dim3 block) {
        unsigned linear = (block.z * gridDim.y + block.y) * gridDim.x + block.x;
        work(data, linear * 32 + in_block);
    });
}

// All three indices by hand, blocks of three dimensions.
// run: --kernel three_indices --grid 3,2,5 --block 4,2,8 --arg buf:7680:iota32
// gives: 0 2*i+1
extern "C" __global__ void three_indices(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        ptx::mbarrier_init(&bar, 1);
    block.sync();
    uint3 mine = blockIdx;
    for (unsigned parity = 0;; parity ^= 1) {
        if (block.thread_rank() == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        unsigned linear = (mine.z * gridDim.y + mine.y) * gridDim.x + mine.x;
        work(data, linear * block.num_threads() + block.thread_rank());
        wait_for(&bar, parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = make_uint3(first_x(answer), first_y(answer), first_z(answer));
        block.sync();
    }
}

// A cuda::barrier whose phase is awaited by parity, through its own handle.
// run: --kernel barrier_of_libcuxx --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void barrier_of_libcuxx(unsigned *data) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ uint4 slot;
    __shared__ alignas(Barrier) char memory[sizeof(Barrier)];
    Barrier *bar = reinterpret_cast<Barrier *>(memory);
    if (threadIdx.x == 0)
        init(bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    for (bool parity = false;; parity = !parity) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(
                &slot, cuda::device::barrier_native_handle(*bar));
            (void)cuda::device::barrier_arrive_tx(*bar, 1, sizeof slot);
        }
        work_on_block(data, mine);
        bar->wait_parity(parity);
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        __syncthreads();
    }
}

// Slot and mbarrier lie in dynamic shared memory, behind a tile.
// run: --kernel dynamic_slot --grid 24 --block 64 --dynamic-smem 320
//      --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void dynamic_slot(unsigned *data) {
    extern __shared__ __align__(16) unsigned char memory[];
    unsigned *tile = reinterpret_cast<unsigned *>(memory);
    uint4 *slot = reinterpret_cast<uint4 *>(memory + 4 * blockDim.x);
    uint64_t *bar = reinterpret_cast<uint64_t *>(slot + 1);
    if (threadIdx.x == 0)
        ptx::mbarrier_init(bar, 1);
    __syncthreads();
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(slot, bar);
            announce(bar, 16);
        }
        unsigned mirrored = blockDim.x - 1 - threadIdx.x;
        tile[mirrored] = data[mine * blockDim.x + mirrored];
        __syncthreads();
        data[mine * blockDim.x + threadIdx.x] = 2 * tile[threadIdx.x] + 1;
        wait_for(bar, parity);
        uint4 answer = *slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        release_slot();
        __syncthreads();
    }
}

// Slot, mbarrier and parity in an array of structures in shared memory.
struct Channel {
    unsigned parity;
    uint4 answer;
    uint64_t bar;
    int mine;
};

// run: --kernel channels --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void channels(unsigned *data) {
    __shared__ Channel all[2];
    Channel &channel = all[blockIdx.x % 2];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&channel.bar, 1);
        channel.parity = 0;
        channel.mine = blockIdx.x;
    }
    __syncthreads();
    while (channel.mine >= 0) {
        if (threadIdx.x == 0) {
            ptx::clusterlaunchcontrol_try_cancel(&channel.answer, &channel.bar);
            announce(&channel.bar, 16);
        }
        work_on_block(data, channel.mine);
        __syncthreads();
        if (threadIdx.x == 0) {
            wait_for(&channel.bar, channel.parity);
            channel.parity ^= 1;
            channel.mine =
                granted(channel.answer) ? first_x(channel.answer) : -1;
            ptx::fence_proxy_async(ptx::space_shared);
        }
        __syncthreads();
    }
}

// The loop is a goto, and the request stands at its end.
// run: --kernel goes_back --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void goes_back(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    int mine = blockIdx.x;
    unsigned parity = 0;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x != 0)
        goto ask_no_more;
ask:
    acquire_slot();
    ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
    announce(&bar, 16);
ask_no_more:
    work_on_block(data, mine);
    wait_for(&bar, parity);
    parity ^= 1;
    if (!granted(slot))
        goto out;
    mine = first_x(slot);
    release_slot();
    __syncthreads();
    if (threadIdx.x == 0)
        goto ask;
    goto ask_no_more;
out:
    return;
}

// Functions that are not inlined get the slot by its generic address.
__device__ __noinline__ void ask(uint4 *slot, uint64_t *bar) {
    ptx::fence_proxy_async();
    asm volatile("clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx"
                 "::bytes.b128 [%0], [%1];" ::"l"(slot),
                 "l"(bar)
                 : "memory");
    announce(bar, 16);
}

__device__ __noinline__ int answer_of(uint4 *slot, uint64_t *bar,
                                      unsigned parity) {
    wait_for(bar, parity);
    uint4 answer = *slot;
    return granted(answer) ? first_x(answer) : -1;
}

// run: --kernel not_inlined --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void not_inlined(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    unsigned parity = 0;
    for (int mine = blockIdx.x; mine >= 0; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&slot, &bar);
        work_on_block(data, mine);
        mine = answer_of(&slot, &bar, parity);
    }
}

// A class owns the protocol; the kernel is a template with a function object.
template <int Leader> class WorkQueue {
  public:
    struct Storage {
        uint4 slot;
        uint64_t bar;
    };

    __device__ explicit WorkQueue(Storage &storage) : storage(storage) {
        if (threadIdx.x == Leader)
            ptx::mbarrier_init(&storage.bar, 1);
        __syncthreads();
    }

    template <typename Body> __device__ void for_each(Body body) {
        for (int mine = blockIdx.x;;) {
            request();
            body(mine);
            uint4 answer = receive();
            if (!granted(answer))
                break;
            mine = first_x(answer);
        }
    }

  private:
    Storage &storage;
    unsigned parity = 0;

    __device__ void request() {
        if (threadIdx.x != Leader)
            return;
        acquire_slot();
        ptx::clusterlaunchcontrol_try_cancel(&storage.slot, &storage.bar);
        announce(&storage.bar, sizeof storage.slot);
    }

    __device__ uint4 receive() {
        wait_for(&storage.bar, parity);
        parity ^= 1;
        uint4 answer = storage.slot;
        release_slot();
        __syncthreads();
        return answer;
    }
};

template <int Leader> __global__ void class_and_template(unsigned *data) {
    __shared__ typename WorkQueue<Leader>::Storage storage;
    WorkQueue<Leader> queue(storage);
    queue.for_each([=](int block) { work_on_block(data, block); });
}
// run: --kernel class_and_template --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
template __global__ void class_and_template<37>(unsigned *data);

// The same kernel steals, or strides through the grid where it may not.
// run: --kernel with_fallback --grid 24 --block 64 --arg buf:6144:iota32
//      --arg i32:24 --arg i32:1
// gives: 0 2*i+1
// run: --kernel with_fallback --grid 5 --block 64 --arg buf:6144:iota32
//      --arg i32:24 --arg i32:0
// gives: 0 2*i+1
extern "C" __global__ void with_fallback(unsigned *data, int tiles,
                                         int may_steal) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (may_steal && threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    unsigned parity = 0;
    int mine = blockIdx.x;
    while (mine < tiles) {
        __syncthreads();
        if (may_steal && threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        work_on_block(data, mine);
        if (may_steal) {
            wait_for(&bar, parity);
            parity ^= 1;
            uint4 answer = slot;
            mine = granted(answer) ? first_x(answer) : tiles;
        } else {
            mine += gridDim.x;
        }
    }
}

// One warp works out the prologue, another sets up the queue.
// run: --kernel prologue_by_a_warp --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void prologue_by_a_warp(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    __shared__ unsigned factor[32];
    if (threadIdx.x / 32 == 1) {
        factor[threadIdx.x % 32] = compute_scalar() > 1 ? 2 : 3;
    } else if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        announce(&bar, 16);
        ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
    }
    __syncthreads();
    unsigned mine = factor[31 - threadIdx.x % 32];
    int block = blockIdx.x;
    for (unsigned parity = 0;;) {
        unsigned i = block * blockDim.x + threadIdx.x;
        data[i] = mine * data[i] + 1;
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 answer = slot;
        if (!granted(answer))
            return;
        block = first_x(answer);
        __syncthreads();
        if (threadIdx.x == 0) {
            announce(&bar, 16);
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
        }
    }
}

// Two loops share one mbarrier: the parity goes on from the first in the
// second, which asks no more once a refusal was seen.
// run: --kernel two_loops --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void two_loops(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    unsigned turn = 0;
    int mine = blockIdx.x;
    auto steal = [&] {
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        wait_for(&bar, turn++ & 1);
        uint4 answer = slot;
        return granted(answer) ? first_x(answer) : -1;
    };
    for (int k = 0; k < 2 && mine >= 0; k++) {
        work_on_block(data, mine);
        mine = steal();
    }
    while (mine >= 0) {
        unsigned i = mine * blockDim.x + blockDim.x - 1 - threadIdx.x;
        work(data, i);
        mine = steal();
    }
}

// A block that has had its share asks no more, and leaves the rest to others.
// run: --kernel takes_at_most_two --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void takes_at_most_two(unsigned *data) {
    __shared__ uint4 slot[2];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    work_on_block(data, blockIdx.x);
    for (unsigned turn = 0; turn < 2; turn++) {
        if (threadIdx.x == 0) {
            announce(&bar, 16);
            ptx::clusterlaunchcontrol_try_cancel(&slot[turn], &bar);
        }
        wait_for(&bar, turn);
        if (!granted(slot[turn]))
            break;
        work_on_block(data, first_x(slot[turn]));
        __syncthreads(); // no thread is two phases behind
    }
}

// Only a block that found its tile cheap asks for another one.
// run: --kernel asks_when_cheap --grid 24 --block 64 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void asks_when_cheap(unsigned *data) {
    __shared__ uint4 slot;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    unsigned parity = 0;
    int mine = blockIdx.x;
    for (;;) {
        unsigned before = data[mine * blockDim.x + threadIdx.x];
        work_on_block(data, mine);
        if (!__syncthreads_and(before / blockDim.x % 3 != 2))
            return;
        if (threadIdx.x == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel(&slot, &bar);
            announce(&bar, 16);
        }
        wait_for(&bar, parity);
        parity ^= 1;
        uint4 answer = slot;
        if (!granted(answer))
            return;
        mine = first_x(answer);
        release_slot();
    }
}
