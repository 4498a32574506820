// SPDX-License-Identifier: Apache-2.0
// Who does which part of a granted block: not every thread that worked on the
// block's own index has to store for each granted one.
#include "right.h"

namespace {
// What thread 0 asks for while the block works, and all wait for.
struct Loop {
    uint4 slot;
    uint64_t bar;
};
__device__ void ask(Loop *loop) {
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(&loop->slot, &loop->bar);
    announce(&loop->bar, 16);
}
} // namespace

// The last block has a part of a tile: most of its threads are turned away by
// the bound.
// run: --kernel last_tile_is_short --grid 33 --block 64
//      --arg buf:8448:iota32 --arg i32:2058
// gives: 0 i<2058?2*i+1:i
extern "C" __global__ void last_tile_is_short(unsigned *data, int n) {
    __shared__ Loop loop;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&loop.bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&loop);
        int i = mine * 64 + threadIdx.x;
        if (i < n)
            work(data, i);
        wait_for(&loop.bar, parity);
        if (!granted(loop.slot))
            return;
        mine = first_x(loop.slot);
    }
}

// One thread says how many elements the tile has; nobody else sees its index.
// run: --kernel told_how_many --grid 40 --block 64
//      --arg buf:10240:iota32 --arg i32:2000
// gives: 0 i<2000?2*i+1:i
extern "C" __global__ void told_how_many(unsigned *data, int n) {
    __shared__ Loop loop;
    __shared__ int from, count;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&loop.bar, 1);
        from = blockIdx.x * 64;
        count = min(64, n - from);
    }
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&loop);
        if ((int)threadIdx.x < count)
            work(data, from + threadIdx.x);
        wait_for(&loop.bar, parity);
        uint4 answer = loop.slot;
        __syncthreads();
        if (!granted(answer))
            return;
        if (threadIdx.x == 0) {
            from = first_x(answer) * 64;
            count = min(64, max(n - from, 0));
        }
    }
}

// All threads work on the block's own index; each granted block is done by the
// warp whose turn it is, which does all of it.
// run: --kernel a_warp_does_it_all --grid 40 --block 128 --arg buf:20480:iota32
// gives: 0 2*i+1
extern "C" __global__ void a_warp_does_it_all(unsigned *data) {
    __shared__ Loop loop;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&loop.bar, 1);
    unsigned warp = threadIdx.x / 32, first = threadIdx.x, step = 128;
    int mine = blockIdx.x;
    for (unsigned round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&loop);
        if (mine >= 0)
            for (unsigned e = first; e < 128; e += step)
                work(data, mine * 128 + e);
        wait_for(&loop.bar, round & 1);
        if (!granted(loop.slot))
            return;
        mine = round % 4 == warp ? first_x(loop.slot) : -1;
        first = threadIdx.x % 32;
        step = 32;
    }
}

// Two halves of the block take turns, each with all that a block has to do.
// run: --kernel halves_take_turns --grid 40 --block 128 --arg buf:10240:iota32
// gives: 0 2*i+1
extern "C" __global__ void halves_take_turns(unsigned *data) {
    __shared__ Loop loop;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&loop.bar, 1);
    unsigned half = threadIdx.x / 64;
    int mine = blockIdx.x;
    for (unsigned round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&loop);
        if (round % 2 == half)
            work(data, mine * 64 + threadIdx.x % 64);
        wait_for(&loop.bar, round & 1);
        if (!granted(loop.slot))
            return;
        mine = first_x(loop.slot);
    }
}

// One warp brings the tile, whose place the others never see; each of them adds
// up into a word of the block that was started.
// run: --kernel one_warp_knows --grid 40 --block 64
//      --arg buf:5120:iota32 --arg buf:160:any
// gives: 0 2*i+1
extern "C" __global__ void one_warp_knows(unsigned *data, unsigned *sums) {
    __shared__ Loop loop;
    __shared__ unsigned tile[32];
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&loop.bar, 1);
    int mine = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&loop);
        if (threadIdx.x < 32) {
            unsigned i = mine * 32 + threadIdx.x;
            tile[threadIdx.x] = data[i];
            work(data, i);
        }
        __syncthreads();
        if (threadIdx.x >= 32)
            atomicAdd(&sums[blockIdx.x], tile[threadIdx.x - 32]);
        wait_for(&loop.bar, parity);
        if (!granted(loop.slot))
            return;
        if (threadIdx.x < 32)
            mine = first_x(loop.slot);
    }
}

// Threads of a tile that juts out of the plane are turned away by its width
// before they come to its height.
// run: --kernel juts_out --grid 5,6 --block 16,2
//      --arg buf:3120:iota32 --arg i32:65 --arg i32:12
// gives: 0 2*i+1
extern "C" __global__ void juts_out(unsigned *data, int width, int height) {
    __shared__ Loop loop;
    bool asks = threadIdx.x == 0 && threadIdx.y == 0;
    if (asks)
        ptx::mbarrier_init(&loop.bar, 1);
    int bx = blockIdx.x, by = blockIdx.y;
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        if (asks)
            ask(&loop);
        int x = bx * 16 + threadIdx.x;
        if (x < width) {
            int y = by * 2 + threadIdx.y;
            if (y < height)
                work(data, y * width + x);
        }
        wait_for(&loop.bar, parity);
        uint4 answer = loop.slot;
        if (!granted(answer))
            return;
        bx = first_x(answer);
        by = first_y(answer);
    }
}

// A cluster spans all rows of the grid: the row of a block never changes.
// run: --kernel rows_stay --grid 24,2 --block 32 --arg buf:6144:iota32
// gives: 0 2*i+1
extern "C" __global__ void __cluster_dims__(1, 2, 1) rows_stay(unsigned *data) {
    __shared__ Loop loop;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&loop.bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    int bx = blockIdx.x;
    for (unsigned parity = 0;; parity ^= 1) {
        if (threadIdx.x == 0)
            announce(&loop.bar, 16);
        cluster.sync();
        if (threadIdx.x == 0 && cluster.block_rank() == 0) {
            acquire_slot();
            ptx::clusterlaunchcontrol_try_cancel_multicast(&loop.slot,
                                                           &loop.bar);
        }
        work(data, (blockIdx.y * 24 + bx) * 32 + threadIdx.x);
        wait_for(&loop.bar, parity);
        uint4 answer = loop.slot;
        release_slot();
        if (!granted(answer))
            break;
        bx = first_x(answer);
    }
    cluster.sync();
}

// Indices go round in a ring of half-words, two rounds behind the request.
// run: --kernel indices_in_halves --grid 48 --block 64 --arg buf:12288:iota32
// gives: 0 2*i+1
extern "C" __global__ void indices_in_halves(unsigned *data) {
    __shared__ Loop loop;
    __shared__ uint16_t ring[4];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&loop.bar, 1);
        ring[0] = blockIdx.x;
    }
    for (unsigned round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&loop);
        work_on_block(data, ring[round % 4]);
        wait_for(&loop.bar, round & 1);
        if (!granted(loop.slot))
            return;
        if (threadIdx.x == 0)
            ring[(round + 1) % 4] = first_x(loop.slot);
    }
}

namespace {
struct Tile {
    unsigned from, to;
};
__noinline__ __device__ Tile tile_of(int block) {
    return {block * 64u, block * 64u + 64u};
}
__noinline__ __device__ void finish(unsigned *data, Tile tile) {
    for (unsigned i = tile.from + threadIdx.x; i < tile.to; i += blockDim.x)
        work(data, i);
}
} // namespace

// The index goes through calls and a structure, and thread 0 sees it first.
// run: --kernel through_calls --grid 40 --block 64 --arg buf:10240:iota32
// gives: 0 2*i+1
extern "C" __global__ void through_calls(unsigned *data) {
    __shared__ Loop loop;
    __shared__ Tile next;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&loop.bar, 1);
    Tile tile = tile_of(blockIdx.x);
    for (unsigned parity = 0;; parity ^= 1) {
        __syncthreads();
        if (threadIdx.x == 0)
            ask(&loop);
        finish(data, tile);
        wait_for(&loop.bar, parity);
        if (!granted(loop.slot))
            return;
        if (threadIdx.x == 0)
            next = tile_of(first_x(loop.slot));
        __syncthreads();
        tile = next;
    }
}
