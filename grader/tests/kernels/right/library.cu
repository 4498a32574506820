// SPDX-License-Identifier: Apache-2.0
// What libraries make of shared memory, shuffles and barriers: CUB's
// collectives, cooperative groups, the synchronization types of libcu++.
#include "right.h"
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>

// Three algorithms of BlockReduce with one storage, barriers between them.
// run: --kernel cub_reduces --grid 2 --block 128 --arg buf:24
// gives: 0 8128
extern "C" __global__ void cub_reduces(unsigned *out) {
    using Raking = cub::BlockReduce<unsigned, 128, cub::BLOCK_REDUCE_RAKING>;
    using Warps =
        cub::BlockReduce<unsigned, 128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    using Commutative =
        cub::BlockReduce<unsigned, 128,
                         cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
    __shared__ union {
        typename Raking::TempStorage raking;
        typename Warps::TempStorage warps;
        typename Commutative::TempStorage commutative;
    } storage;
    unsigned t = threadIdx.x, sums[3];
    sums[0] = Raking(storage.raking).Sum(t);
    __syncthreads();
    sums[1] = Warps(storage.warps).Sum(t);
    __syncthreads();
    sums[2] = Commutative(storage.commutative).Sum(t);
    for (unsigned k = 0; k < 3 && t == 0; k++)
        out[blockIdx.x * 3 + k] = sums[k];
}

// Load striped, scan, store: CUB's exchanges through shared memory.
// run: --kernel cub_scans --grid 2 --block 64 --arg buf:2048:iota32
//      --arg buf:2048
// gives: 1 int(i/256)*256*(i%256)+(i%256)*(i%256-1)/2
extern "C" __global__ void cub_scans(const unsigned *in, unsigned *out) {
    using Load = cub::BlockLoad<unsigned, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<unsigned, 64, cub::BLOCK_SCAN_RAKING>;
    using Store =
        cub::BlockStore<unsigned, 64, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } storage;
    unsigned item[4];
    Load(storage.load).Load(in + blockIdx.x * 256, item);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(item, item);
    __syncthreads();
    Store(storage.store).Store(out + blockIdx.x * 256, item);
}

// Scans by warps.
// run: --kernel cub_warp_scans --grid 2 --block 96 --arg buf:768
// gives: 0 i%96+1+96
extern "C" __global__ void cub_warp_scans(unsigned *out) {
    using Scan = cub::BlockScan<unsigned, 96, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage storage;
    unsigned sum, total;
    Scan(storage).InclusiveSum(1u, sum, total);
    out[blockIdx.x * 96 + threadIdx.x] = sum + total;
}

// A radix sort of a block.
// run: --kernel cub_sorts --grid 2 --block 64 --arg buf:1024
// gives: 0 i%128
extern "C" __global__ void cub_sorts(unsigned *out) {
    using Sort = cub::BlockRadixSort<unsigned, 64, 2>;
    __shared__ typename Sort::TempStorage storage;
    unsigned t = threadIdx.x;
    unsigned key[2] = {t * 37 % 128, (t * 37 + 64) % 128};
    if (t % 2) {
        unsigned first = key[0];
        key[0] = key[1];
        key[1] = first;
    }
    Sort(storage).Sort(key, 0, 7);
    out[blockIdx.x * 128 + 2 * t] = key[0];
    out[blockIdx.x * 128 + 2 * t + 1] = key[1];
}

// Two histograms: one sorts, one uses atomics.
// run: --kernel cub_histograms --grid 1 --block 64 --arg buf:64
// gives: 0 32
extern "C" __global__ void cub_histograms(unsigned *out) {
    using Sorted =
        cub::BlockHistogram<unsigned char, 64, 4, 16, cub::BLOCK_HISTO_SORT>;
    using Atomic =
        cub::BlockHistogram<unsigned char, 64, 4, 16, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename Sorted::TempStorage sorted;
    __shared__ typename Atomic::TempStorage atomic;
    __shared__ unsigned bins[16];
    unsigned t = threadIdx.x;
    unsigned char key[4];
    for (unsigned k = 0; k < 4; k++)
        key[k] = (t * 4 + k) * 5 % 16;
    Sorted(sorted).Histogram(key, bins);
    __syncthreads();
    for (unsigned k = 0; k < 4; k++)
        key[k] = (t * 4 + k) * 3 % 16;
    Atomic(atomic).Composite(key, bins);
    __syncthreads();
    if (t < 16)
        out[t] = bins[t];
}

// Reductions and sorts of warps, each with a storage of its own.
// run: --kernel cub_warps --grid 2 --block 64 --arg buf:512
// gives: 0 31-i%32+496
extern "C" __global__ void cub_warps(unsigned *out) {
    struct Greater {
        __device__ bool operator()(unsigned a, unsigned b) const {
            return a > b;
        }
    };
    using Sum = cub::WarpReduce<unsigned>;
    using Part = cub::WarpReduce<unsigned, 16>;
    using Sort = cub::WarpMergeSort<unsigned, 1, 32>;
    __shared__ typename Sum::TempStorage sum[2];
    __shared__ typename Part::TempStorage part[4];
    __shared__ typename Sort::TempStorage sort[2];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned total = __shfl_sync(0xffffffff, Sum(sum[warp]).Sum(lane), 0);
    unsigned half = Part(part[threadIdx.x / 16]).Sum(lane);
    half = __shfl_sync(0xffffffff, half, lane & 16);
    assert(half == (lane < 16 ? 120 : 376));
    unsigned key[1] = {lane * 13 % 32};
    Sort(sort[warp]).Sort(key, Greater());
    out[blockIdx.x * 64 + threadIdx.x] = key[0] + total;
}

// Tiles of four sizes, reduced and scanned.
// run: --kernel tiles --grid 2 --block 64 --arg buf:512
// gives: 0 64+i%8+1
extern "C" __global__ void tiles(unsigned *out) {
    auto block = cg::this_thread_block();
    auto four = cg::tiled_partition<4>(block);
    auto eight = cg::tiled_partition<8>(block);
    unsigned a = cg::reduce(four, 4u, cg::plus<unsigned>());
    unsigned b = cg::reduce(eight, 6u, cg::plus<unsigned>());
    out[blockIdx.x * 64 + threadIdx.x] =
        a + b + cg::inclusive_scan(eight, 1u, cg::plus<unsigned>());
}

// A tile larger than a warp: its barrier lives in memory. (Its reduction is not
// here: lanes read there what another warp has left, and nothing but a shuffle
// stands between them and the lane that acquired it.)
// run: --kernel tile_of_two_warps --grid 2 --block 128 --arg buf:1024
// gives: 0 63-i%64+3
extern "C" __global__ void tile_of_two_warps(unsigned *out) {
    __shared__ cg::block_tile_memory<128> memory;
    __shared__ unsigned word[2][64];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    unsigned *mine = word[tile.meta_group_rank()];
    for (unsigned turn = 0; turn < 4; turn++) {
        mine[tile.thread_rank()] = tile.thread_rank() + turn;
        tile.sync();
        out[blockIdx.x * 128 + threadIdx.x] = mine[63 - tile.thread_rank()];
        tile.sync();
    }
}

// Groups of those that came together, and of those with the same label.
// run: --kernel groups_by_label --grid 2 --block 32 --arg buf:256
// gives: 0 (i%32)%3==0?11*1000+11:(i%32)%3==1?11*1000+11:10*1000+10
extern "C" __global__ void groups_by_label(unsigned *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto group = cg::labeled_partition(warp, threadIdx.x % 3);
    unsigned count = cg::reduce(group, 1u, cg::plus<unsigned>());
    out[blockIdx.x * 32 + threadIdx.x] = count * 1000 + group.num_threads();
}

// A latch: all count down, one warp waits.
// run: --kernel latch --grid 2 --block 64 --arg buf:256
// gives: 0 2*(31-i%32)+32
extern "C" __global__ void latch(unsigned *out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char memory[sizeof(Latch)];
    __shared__ unsigned word[64];
    Latch *all = reinterpret_cast<Latch *>(memory);
    unsigned t = threadIdx.x;
    if (t == 0)
        new (all) Latch(64);
    __syncthreads();
    word[t] = t;
    all->count_down();
    if (t >= 32)
        return;
    all->wait();
    out[blockIdx.x * 32 + t] = word[31 - t] + word[63 - t];
}

// Two semaphores between a warp that fills a box and one that empties it.
// run: --kernel semaphores --grid 2 --block 64 --arg buf:2048:iota32
//      --arg buf:2048
// gives: 1 i+9
extern "C" __global__ void semaphores(const unsigned *in, unsigned *out) {
    using Semaphore = cuda::binary_semaphore<cuda::thread_scope_block>;
    __shared__ alignas(Semaphore) char memory[2 * sizeof(Semaphore)];
    __shared__ unsigned box[32];
    Semaphore *full = reinterpret_cast<Semaphore *>(memory), *empty = full + 1;
    unsigned lane = threadIdx.x % 32, first = blockIdx.x * 256 + lane;
    if (threadIdx.x == 0) {
        new (full) Semaphore(0);
        new (empty) Semaphore(1);
    }
    __syncthreads();
    for (unsigned turn = 0; turn < 8; turn++) {
        if (threadIdx.x < 32) {
            if (lane == 0)
                empty->acquire();
            __syncwarp();
            box[lane] = in[first + turn * 32];
            __syncwarp();
            if (lane == 0)
                full->release();
        } else {
            if (lane == 0)
                full->acquire();
            __syncwarp();
            out[first + turn * 32] = box[lane] + 9;
            __syncwarp();
            if (lane == 0)
                empty->release();
        }
    }
}

// A barrier that calls a function when all have come.
struct CountsPhases {
    unsigned *phases;
    __device__ void operator()() noexcept {
        (*phases)++;
    }
};

// run: --kernel barrier_with_function --grid 2 --block 64 --arg buf:512
// gives: 0 6
extern "C" __global__ void barrier_with_function(unsigned *out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block, CountsPhases>;
    __shared__ alignas(Barrier) char memory[sizeof(Barrier)];
    __shared__ unsigned phases;
    Barrier *bar = reinterpret_cast<Barrier *>(memory);
    if (threadIdx.x == 0) {
        phases = 0;
        new (bar) Barrier(64, CountsPhases{&phases});
    }
    __syncthreads();
    unsigned sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        bar->arrive_and_wait();
        sum += phases;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// Merge sorts read one key past the last, and throw it away.
// run: --kernel cub_merge_sorts --grid 2 --block 64 --arg buf:2048
// gives: 0 i%256
extern "C" __global__ void cub_merge_sorts(unsigned *out) {
    struct Less {
        __device__ bool operator()(unsigned a, unsigned b) const {
            return a < b;
        }
    };
    using Sort = cub::BlockMergeSort<unsigned, 64, 4>;
    __shared__ typename Sort::TempStorage storage;
    unsigned key[4];
    for (unsigned k = 0; k < 4; k++)
        key[k] = (threadIdx.x * 4 + k) * 77 % 256;
    Sort(storage).Sort(key, Less());
    for (unsigned k = 0; k < 4; k++)
        out[blockIdx.x * 256 + threadIdx.x * 4 + k] = key[k];
}

// Differences of neighbours, and where runs begin.
// run: --kernel cub_differences --grid 2 --block 64 --arg buf:1024
// gives: 0 (i%128>0)+((i%128)%3==0)
extern "C" __global__ void cub_differences(unsigned *out) {
    using Difference = cub::BlockAdjacentDifference<unsigned, 64>;
    using Heads = cub::BlockDiscontinuity<unsigned, 64>;
    __shared__ typename Difference::TempStorage differences;
    __shared__ typename Heads::TempStorage heads;
    unsigned t = threadIdx.x, key[2] = {2 * t, 2 * t + 1}, step[2];
    int head[2];
    Difference(differences).SubtractLeft(key, step, [](unsigned a, unsigned b) {
        return a - b;
    });
    Heads(heads).FlagHeads(
        head, key, [](unsigned a, unsigned b) { return a / 3 != b / 3; });
    for (unsigned k = 0; k < 2; k++)
        out[blockIdx.x * 128 + 2 * t + k] = step[k] + head[k];
}
