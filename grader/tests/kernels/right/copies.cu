// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: cp.async and pipelines, bulk copies in all directions,
// the fences between the proxies where a buffer is used again.
#include "right.h"
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

// cp.async two tiles ahead; each thread reads what others copied, behind a
// barrier.
// run: --kernel primitives --grid 2 --block 64 --arg buf:16384:iota32
//      --arg buf:16384
// gives: 1 i-i%256+255-i%256
extern "C" __global__ void primitives(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[3][64];
    unsigned t = threadIdx.x;
    const uint4 *from = reinterpret_cast<const uint4 *>(in) + blockIdx.x * 512;
    auto fetch = [&](unsigned turn) {
        if (turn < 8)
            __pipeline_memcpy_async(&tile[turn % 3][t], &from[turn * 64 + t],
                                    16);
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    for (unsigned turn = 0; turn < 8; turn++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(turn + 2);
        uint4 v = tile[turn % 3][63 - t];
        reinterpret_cast<uint4 *>(out)[blockIdx.x * 512 + turn * 64 + t] = {
            v.w, v.z, v.y, v.x};
    }
}

// cp.async that arrives at an mbarrier for the thread.
// run: --kernel arrives_when_copied --grid 4 --block 64
//      --arg buf:1024:iota32 --arg buf:1024
// gives: 1 int(i/64)*64+63-i%64
extern "C" __global__ void arrives_when_copied(const unsigned *in,
                                               unsigned *out) {
    __shared__ unsigned tile[64];
    __shared__ uint64_t bar;
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (t == 0)
        ptx::mbarrier_init(&bar, 64);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\t"
                 "cp.async.mbarrier.arrive.noinc.shared.b64 [%2];" ::"r"(
                     shared_address(&tile[t])),
                 "l"(__cvta_generic_to_global(&in[i])),
                 "r"(shared_address(&bar))
                 : "memory");
    wait_for(&bar, 0);
    out[i] = tile[63 - t];
}

// cuda::pipeline of the block, two stages, all threads copy and all use.
// run: --kernel pipeline_of_a_block --grid 2 --block 64
//      --arg buf:4096:iota32 --arg buf:4096
// gives: 1 int(i/64)*64+63-i%64
extern "C" __global__ void pipeline_of_a_block(const unsigned *in,
                                               unsigned *out) {
    using State = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
    __shared__ alignas(State) char memory[sizeof(State)];
    __shared__ unsigned tile[2][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, reinterpret_cast<State *>(memory));
    unsigned first = blockIdx.x * 512;
    for (unsigned turn = 0, sent = 0; turn < 8; turn++) {
        for (; sent < 8 && sent < turn + 2; sent++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[sent % 2], in + first + sent * 64,
                               sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[first + turn * 64 + threadIdx.x] = tile[turn % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

// cuda::pipeline with a warp that copies and a warp that uses.
// run: --kernel partitioned_pipeline --grid 2 --block 64
//      --arg buf:2048:iota32 --arg buf:2048
// gives: 1 int(i/32)*32+31-i%32
extern "C" __global__ void partitioned_pipeline(const unsigned *in,
                                                unsigned *out) {
    using State = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
    __shared__ alignas(State) char memory[sizeof(State)];
    __shared__ unsigned tile[2][32];
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer
                                 : cuda::pipeline_role::consumer;
    auto pipe =
        cuda::make_pipeline(block, reinterpret_cast<State *>(memory), role);
    unsigned first = blockIdx.x * 256, lane = threadIdx.x % 32;
    for (unsigned turn = 0; turn < 8; turn++) {
        unsigned at = first + turn * 32 + lane;
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[turn % 2][lane], &in[at], sizeof(unsigned),
                               pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[at] = tile[turn % 2][31 - lane];
            pipe.consumer_release();
        }
    }
}

// cooperative_groups' copy, and its wait.
// run: --kernel groups_copy --grid 4 --block 64 --arg buf:4096:iota32
//      --arg buf:4096
// gives: 1 int(i/256)*256+255-i%256
extern "C" __global__ void groups_copy(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned tile[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof tile);
    cg::wait(block);
    for (unsigned i = threadIdx.x; i < 256; i += 64)
        out[blockIdx.x * 256 + i] = tile[255 - i];
}

// A bulk copy in, a bulk copy out, one buffer each, used again and again.
// run: --kernel bulk_in_and_out --grid 3 --block 64 --arg buf:6144:iota32
//      --arg buf:6144
// gives: 1 2*(int(i/64)*64+63-i%64)
extern "C" __global__ void bulk_in_and_out(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned from[64], to[64];
    __shared__ uint64_t bar;
    unsigned t = threadIdx.x, first = blockIdx.x * 512;
    if (t == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    for (unsigned turn = 0; turn < 8; turn++) {
        if (t == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            announce(&bar, sizeof from);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, from,
                               in + first + turn * 64, sizeof from, &bar);
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
        wait_for(&bar, turn & 1);
        to[t] = 2 * from[63 - t];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                               out + first + turn * 64, to, sizeof to);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (t == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// A ring of four tiles fed by one thread of a warp of its own.
// run: --kernel bulk_ring --grid 2 --block 96 --arg buf:8192:iota32
//      --arg buf:8192
// gives: 1 int(i/64)*64+63-i%64
extern "C" __global__ void bulk_ring(const unsigned *in, unsigned *out) {
    constexpr unsigned STAGES = 4, TILES = 16;
    __shared__ alignas(128) unsigned tile[STAGES][64];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned t = threadIdx.x, first = blockIdx.x * TILES * 64;
    if (t == 0)
        for (unsigned s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 64);
        }
    __syncthreads();
    if (t == 64) {
        for (unsigned k = 0; k < TILES; k++) {
            unsigned s = k % STAGES;
            wait_for(&empty[s], k / STAGES % 2 ^ 1);
            announce(&full[s], sizeof tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s],
                               in + first + k * 64, sizeof tile[0], &full[s]);
        }
    } else if (t < 64) {
        for (unsigned k = 0; k < TILES; k++) {
            unsigned s = k % STAGES;
            wait_for(&full[s], k / STAGES % 2);
            out[first + k * 64 + t] = tile[s][63 - t];
            ptx::fence_proxy_async(ptx::space_shared);
            (void)ptx::mbarrier_arrive(&empty[s]);
        }
    }
}

// A bulk reduction adds each block's sums to the same words.
// run: --kernel bulk_add --grid 6 --block 64 --arg buf:256
// gives: 0 6*i+15
extern "C" __global__ void bulk_add(unsigned *out) {
    __shared__ alignas(16) unsigned sums[64];
    sums[threadIdx.x] = threadIdx.x + blockIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 32) {
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add"
            ".u32 [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(out)),
            "r"(shared_address(sums)), "r"(256)
            : "memory");
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// What threads have written to global memory is fetched by a bulk copy: the
// fence between the proxies is for global memory here.
// run: --kernel through_global --grid 3 --block 64 --arg buf:768
//      --arg buf:768
// gives: 1 63-i%64
extern "C" __global__ void through_global(unsigned *scratch, unsigned *out) {
    __shared__ alignas(16) unsigned tile[64];
    __shared__ uint64_t bar;
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    scratch[i] = t;
    if (t == 0)
        ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_global);
    __syncthreads();
    if (t == 0) {
        announce(&bar, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile,
                           scratch + blockIdx.x * 64, sizeof tile, &bar);
    }
    wait_for(&bar, 0);
    out[i] = tile[63 - t];
}

// A tile for both blocks of a cluster: each fetches a half, for both.
// run: --kernel bulk_multicast --grid 8 --block 64 --cluster 2
//      --arg buf:2048:iota32 --arg buf:4096
// gives: 1 int(i/256)*128+127-i%128
extern "C" __global__ void bulk_multicast(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned tile[128];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        announce(&bar, sizeof tile);
    }
    cluster.sync();
    if (t == 0)
        ptx::cp_async_bulk(
            ptx::space_cluster, ptx::space_global, tile + rank * 64,
            in + blockIdx.x / 2 * 128 + rank * 64, 256, &bar, (uint16_t)3);
    wait_for(&bar, 0);
    for (unsigned i = t; i < 128; i += 64)
        out[blockIdx.x * 128 + i] = tile[127 - i];
}

// A bulk copy from one block's shared memory to the next one's.
// run: --kernel bulk_to_a_neighbour --grid 8 --block 64 --cluster 4
//      --arg buf:2048
// gives: 0 100*((int(i/64)+3)%4)+63-i%64
extern "C" __global__ void bulk_to_a_neighbour(unsigned *out) {
    __shared__ alignas(16) unsigned mine[64], theirs[64];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), t = threadIdx.x;
    mine[t] = 100 * rank + t;
    ptx::fence_proxy_async(ptx::space_shared);
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        announce(&bar, sizeof theirs);
    }
    cluster.sync();
    if (t == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared,
                           cluster.map_shared_rank(theirs, (rank + 1) % 4),
                           mine, sizeof mine,
                           cluster.map_shared_rank(&bar, (rank + 1) % 4));
    wait_for(&bar, 0);
    out[blockIdx.x * 64 + t] = theirs[63 - t];
    cluster.sync(); // mine has been read
}

// st.async: each thread sends a word, and its four bytes count.
// run: --kernel words_to_a_neighbour --grid 8 --block 32 --cluster 2
//      --arg buf:1024
// gives: 0 100*((int(i/32)+1)%2)+31-i%32
extern "C" __global__ void words_to_a_neighbour(unsigned *out) {
    __shared__ unsigned theirs[32];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1, t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        announce(&bar, sizeof theirs);
    }
    cluster.sync();
    ptx::st_async(cluster.map_shared_rank(&theirs[31 - t], other),
                  100 * (1 - other) + t, cluster.map_shared_rank(&bar, other));
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          &bar, 0)) {
    }
    out[blockIdx.x * 32 + t] = theirs[t];
}

// cuda::barrier and cuda::memcpy_async, tokens handed from turn to turn.
// run: --kernel barrier_copy --grid 2 --block 64 --arg buf:4096:iota32
//      --arg buf:4096
// gives: 1 int(i/64)*64+63-i%64
extern "C" __global__ void barrier_copy(const unsigned *in, unsigned *out) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(Barrier) char memory[2 * sizeof(Barrier)];
    __shared__ alignas(16) unsigned tile[2][64];
    Barrier *bars = reinterpret_cast<Barrier *>(memory);
    auto block = cg::this_thread_block();
    if (threadIdx.x < 2)
        init(&bars[threadIdx.x], 64);
    __syncthreads();
    unsigned first = blockIdx.x * 512;
    auto send = [&](unsigned turn) {
        if (turn < 8)
            cuda::memcpy_async(block, tile[turn % 2], in + first + turn * 64,
                               cuda::aligned_size_t<16>(256), bars[turn % 2]);
    };
    send(0);
    for (unsigned turn = 0; turn < 8; turn++) {
        send(turn + 1);
        bars[turn % 2].arrive_and_wait();
        out[first + turn * 64 + threadIdx.x] = tile[turn % 2][63 - threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
    }
}
