// SPDX-License-Identifier: Apache-2.0
// Barriers of a block: reductions, named ones, producers and consumers;
// cooperative groups.
#include "golden.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// golden bar_reductions words=4
GOLDEN(bar_reductions) {
    Io io(in, out, n);
    u32 a = io.word(0);
    io.put((u32)__syncthreads_count(a & 1));
    io.put((u32)__syncthreads_and(a != 31) + 2 * (u32)__syncthreads_or(a == 31));
    io.put((u32)__syncthreads_count(a > 1000));
    io.put((u32)__syncthreads_and(io.i < 1000) * 4);
}

// golden bar_named words=2
GOLDEN(bar_named) {
    Io io(in, out, n);
    __shared__ u32 tile[128];
    u32 half = threadIdx.x / 64;
    tile[threadIdx.x] = io.word(half);
    if (half == 0)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    io.put(tile[threadIdx.x ^ 63]);
    asm volatile("barrier.sync %0, 64;" ::"r"(half + 5) : "memory");
    tile[threadIdx.x] += 1;
    __syncthreads();
    io.put(tile[127 - threadIdx.x]);
}

// One warp fills, three take: bar.arrive and bar.sync of two barriers.
// golden bar_producer words=1 grid=2
GOLDEN(bar_producer) {
    Io io(in, out, n);
    __shared__ u32 slot[32];
    u32 sum = 0;
    for (u32 k = 0; k < 6; k++) {
        if (threadIdx.x < 32) {
            slot[threadIdx.x] = io.word(k) + k;
            __threadfence_block();
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum = sum * 3 + slot[(threadIdx.x * 7 + k) & 31];
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
    io.put(sum);
}

// golden bar_red_ptx words=3
GOLDEN(bar_red_ptx) {
    Io io(in, out, n);
    u32 r, a = io.word(0);
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 3, p;}"
        : "=r"(r) : "r"(a & 2));
    io.put(r);
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0;"
        "barrier.red.or.pred q, 4, 128, p; selp.u32 %0, 1, 0, q;}"
        : "=r"(r) : "r"((u32)(a == 31 && threadIdx.x == 77)));
    io.put(r);
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0;"
        "bar.red.and.pred q, 5, !p; selp.u32 %0, 1, 0, q;}"
        : "=r"(r) : "r"(0));
    io.put(r);
}

// Threads that have exited are not waited for.
// golden bar_after_exit words=1
GOLDEN(bar_after_exit) {
    Io io(in, out, n);
    __shared__ u32 tile[128];
    tile[threadIdx.x] = io.word(0);
    __syncthreads();
    if (threadIdx.x >= 32 * (1 + blockIdx.x))
        return;
    tile[threadIdx.x] ^= 0x55;
    __syncthreads();
    io.put(tile[(threadIdx.x * 5) % (32 * (1 + blockIdx.x))]);
}

// golden cg_block words=5
GOLDEN(cg_block) {
    Io io(in, out, n);
    __shared__ u32 tile[128];
    cg::thread_block block = cg::this_thread_block();
    tile[block.thread_rank()] = io.word(0);
    block.sync();
    io.put(tile[block.size() - 1 - block.thread_rank()]);
    io.put(block.group_index().x * 1000 + block.thread_index().x);
    auto token = block.barrier_arrive();
    u32 between = io.word(1) * 3;
    block.barrier_wait(std::move(token));
    io.put(between);
    io.put(cg::this_grid().size() + cg::this_grid().thread_rank());
    io.put(block.dim_threads().x);
}

template <u32 SIZE> INLINE void tile_of(Io &io) {
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    u32 a = io.word(SIZE);
    io.put(tile.thread_rank() + 100 * tile.meta_group_rank());
    io.put(tile.shfl(a, 1));
    io.put(tile.shfl_xor(a, SIZE / 2));
    io.put(tile.ballot(a & 1));
    io.put((u32)tile.any(a == 31) + 2 * (u32)tile.all(a != 31));
    io.put(cg::reduce(tile, a, cg::plus<u32>()));
    io.put((u32)cg::reduce(tile, (int)a, cg::less<int>()));
    io.put(cg::inclusive_scan(tile, a));
    io.put(cg::exclusive_scan(tile, a & 0xFFF));
    tile.sync();
}

// golden cg_tiles words=27
GOLDEN(cg_tiles) {
    Io io(in, out, n);
    tile_of<32>(io);
    tile_of<8>(io);
    tile_of<4>(io);
}

// golden cg_coalesced words=5
GOLDEN(cg_coalesced) {
    Io io(in, out, n);
    u32 a = io.word(0);
    u32 mask = __ballot_sync(~0u, a & 1);
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto group = cg::binary_partition(warp, (a & 1) != 0);
    if (a & 1) {
        io.put(group.size() + 100 * group.thread_rank());
        io.put(group.shfl(a, 0));
        io.put(cg::reduce(group, a, cg::plus<u32>()));
    } else {
        io.put(group.size());
        io.put(group.ballot(a & 2));
        io.put((u32)group.any(a & 4));
    }
    io.put(mask);
    auto labels = cg::labeled_partition(warp, (int)(a & 3));
    io.put(cg::reduce(labels, a, cg::bit_xor<u32>()));
}

// Who is together is not stated; that all of them are counted is.
// golden cg_coalesced_threads words=1
GOLDEN(cg_coalesced_threads) {
    Io io(in, out, n);
    __shared__ u32 counts[4];
    if (threadIdx.x < 4)
        counts[threadIdx.x] = 0;
    __syncthreads();
    u32 a = io.word(0);
    if (a & 3) {
        auto group = cg::coalesced_threads();
        u32 sum = cg::reduce(group, a, cg::plus<u32>());
        if (group.thread_rank() == 0) {
            atomicAdd(&counts[0], group.size());
            atomicAdd(&counts[1], sum);
        }
    }
    __syncthreads();
    io.put(counts[threadIdx.x & 3]);
}

// golden cg_float_reduce words=3
GOLDEN(cg_float_reduce) {
    Io io(in, out, n);
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    io.putf(cg::reduce(warp, io.moderate(0), cg::greater<float>()));
    io.putd(cg::reduce(warp, (double)(io.word(1) & 1023), cg::plus<double>()));
}
