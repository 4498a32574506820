// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies and the barriers that count them, in PTX and through
// cuda::barrier, cuda::pipeline and memcpy_async.
#include "golden.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

INLINE u32 address(const void *p) {
    return (u32)__cvta_generic_to_shared(p);
}

// golden asy_cp_async words=5
GOLDEN(asy_cp_async) {
    Io io(in, out, n);
    __shared__ alignas(16) u32 tile[4][128];
    u32 t = threadIdx.x, base = blockIdx.x * 256;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
        ::"r"(address(&tile[0][t])), "l"(in + base + (t ^ 3)) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;"
        ::"r"(address(&tile[1][2 * (t & 63)])), "l"(in + base + 2 * (t & 63))
        : "memory");
    asm volatile("cp.async.commit_group;");
    if (t < 32)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
            ::"r"(address(&tile[2][4 * t])), "l"(in + base + 4 * (31 - t))
            : "memory");
    // Fewer bytes than the size: the rest is zeros.
    if (t < 32)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
            ::"r"(address(&tile[3][4 * t])), "l"(in + base + 4 * t),
            "r"((t & 3) * 4) : "memory");
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    io.put(tile[0][127 - t]);
    io.put(tile[1][t]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    io.put(tile[2][t]);
    io.put(tile[3][t]);
    io.put(tile[3][(t * 9) & 127]);
}

// golden asy_double_buffer words=1
GOLDEN(asy_double_buffer) {
    Io io(in, out, n);
    __shared__ u32 tile[2][128];
    u32 t = threadIdx.x, sum = 0;
    auto fetch = [&](u32 k) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
            ::"r"(address(&tile[k & 1][t])),
            "l"(in + ((k * 128 + t + blockIdx.x * 7) & 4095)) : "memory");
        asm volatile("cp.async.commit_group;");
    };
    fetch(0);
    for (u32 k = 0; k < 8; k++) {
        if (k < 7) {
            fetch(k + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        sum = sum * 5 + tile[k & 1][(t + k) & 127];
        __syncthreads();
    }
    io.put(sum);
}

INLINE void init(u32 bar, u32 count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(count)
        : "memory");
}
INLINE void wait(u32 bar, u32 parity) {
    asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], "
        "%1; @!p bra L;}" ::"r"(bar), "r"(parity) : "memory");
}

// golden asy_cp_mbarrier words=2
GOLDEN(asy_cp_mbarrier) {
    Io io(in, out, n);
    __shared__ u64 bar;
    __shared__ u32 tile[128];
    u32 at = address(&bar), t = threadIdx.x;
    if (t == 0)
        init(at, 128);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
        ::"r"(address(&tile[t])), "l"(in + io.i) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at)
        : "memory");
    wait(at, 0);
    io.put(tile[127 - t]);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
        ::"r"(address(&tile[t])), "l"(in + io.i + 9) : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at)
        : "memory");
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    wait(at, 1);
    io.put(tile[(t * 3) & 127]);
}

// golden asy_bulk words=3
GOLDEN(asy_bulk) {
    Io io(in, out, n);
    __shared__ u64 bar;
    __shared__ alignas(128) u32 tile[3][128];
    u32 at = address(&bar), t = threadIdx.x;
    if (t == 0) {
        init(at, 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1040;"
            ::"r"(at) : "memory");
        for (u32 k = 0; k < 2; k++)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier"
                "::complete_tx::bytes [%0], [%1], 512, [%2];"
                ::"r"(address(tile[k])), "l"(in + 128 * (blockIdx.x + 4 * k)),
                "r"(at) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier"
            "::complete_tx::bytes [%0], [%1], 16, [%2];"
            ::"r"(address(tile[2])), "l"(in + 40), "r"(at) : "memory");
    }
    wait(at, 0);
    io.put(tile[0][t ^ 1]);
    io.put(tile[1][127 - t]);
    io.put(tile[2][t & 3]);
}

__device__ alignas(128) u32 landing[4][128];
// golden asy_bulk_store words=2
GOLDEN(asy_bulk_store) {
    Io io(in, out, n);
    __shared__ alignas(128) u32 tile[128];
    u32 t = threadIdx.x;
    tile[t] = io.word(0);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;"
            ::"l"(landing[blockIdx.x]), "r"(address(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    io.put(((volatile u32 *)landing[blockIdx.x])[127 - t]);
    io.put(tile[t]);
}

// golden asy_bulk_reduce words=3
GOLDEN(asy_bulk_reduce) {
    Io io(in, out, n);
    __shared__ alignas(128) u32 tile[128];
    __shared__ alignas(128) u32 low[128];
    u32 t = threadIdx.x;
    volatile u32 *row = landing[blockIdx.x];
    row[t] = t * 3;
    tile[t] = io.word(0);
    low[t] = io.word(1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
            "[%0], [%1], 512;" ::"l"(landing[blockIdx.x]), "r"(address(tile))
            : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 "
            "[%0], [%1], 256;" ::"l"(landing[blockIdx.x]), "r"(address(low))
            : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 "
            "[%0], [%1], 256;" ::"l"(landing[blockIdx.x] + 64),
            "r"(address(low + 64)) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    io.put(row[t]);
    io.put(row[127 - t]);
    io.put(tile[t] ^ low[t]);
}

// Tokens, parities, drops and counts of an mbarrier of one warp.
// golden asy_mbarrier words=7 block=32
GOLDEN(asy_mbarrier) {
    Io io(in, out, n);
    __shared__ u64 bar;
    u32 at = address(&bar), done, pending;
    u64 token;
    if (threadIdx.x == 0)
        init(at, 32);
    __syncwarp();
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at)
        : "memory");
    asm volatile("{.reg .pred p; L: mbarrier.test_wait.shared.b64 p, [%1], %2;"
        "@!p bra L; selp.u32 %0, 1, 0, p;}"
        : "=r"(done) : "r"(at), "l"(token) : "memory");
    io.put(done);
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 5;"
            : "=l"(token) : "r"(at) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;"
            : "=r"(pending) : "l"(token));
        io.put(pending);
        asm volatile("mbarrier.arrive.shared.b64 _, [%0], 26;" ::"r"(at)
            : "memory");
        asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(at)
            : "memory");
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], 16;"
            ::"r"(at) : "memory");
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], 16;"
            ::"r"(at) : "memory");
    } else {
        io.put(77);
    }
    __syncwarp();
    u32 parity;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1;"
        "selp.u32 %0, 1, 0, p;}" : "=r"(parity) : "r"(at) : "memory");
    io.put(parity); // the second phase is complete
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0;"
        "selp.u32 %0, 1, 0, p;}" : "=r"(parity) : "r"(at) : "memory");
    io.put(parity); // the third is not
    __syncwarp();
    if (threadIdx.x < 31) // one was dropped
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    wait(at, 0);
    io.put(3);
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
        bar = 123;
    }
    __syncwarp();
    io.put64(*(volatile u64 *)&bar);
}

// golden asy_ring words=1
GOLDEN(asy_ring) {
    Io io(in, out, n);
    __shared__ u64 full[3], empty[3];
    __shared__ u32 slots[3][96];
    u32 t = threadIdx.x, sum = 0;
    if (t == 0)
        for (u32 k = 0; k < 3; k++) {
            init(address(&full[k]), 32);
            init(address(&empty[k]), 96);
        }
    __syncthreads();
    for (u32 k = 0; k < 10; k++) {
        u32 slot = k % 3, parity = (k / 3) & 1;
        if (t < 32) {
            wait(address(&empty[slot]), parity ^ 1);
            for (u32 j = 0; j < 3; j++)
                slots[slot][t + 32 * j] = io.word(k + j) + k;
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];"
                ::"r"(address(&full[slot])) : "memory");
        } else {
            wait(address(&full[slot]), parity);
            sum = sum * 3 + slots[slot][(t * 7 + k) % 96];
            asm volatile("mbarrier.arrive.shared.b64 _, [%0];"
                ::"r"(address(&empty[slot])) : "memory");
        }
    }
    io.put(sum);
}

#pragma nv_diag_suppress static_var_with_dynamic_init
// golden asy_cuda_barrier words=2
GOLDEN(asy_cuda_barrier) {
    Io io(in, out, n);
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ u32 tile[128];
    if (threadIdx.x == 0)
        init(&bar, 128);
    __syncthreads();
    tile[threadIdx.x] = io.word(0);
    auto token = bar.arrive();
    u32 own = io.word(1) ^ 0x55;
    bar.wait(std::move(token));
    own += tile[127 - threadIdx.x];
    bar.arrive_and_wait();
    tile[threadIdx.x] = own;
    bar.arrive_and_wait();
    io.put(own);
    io.put(tile[threadIdx.x ^ 9]);
}

// golden asy_memcpy_barrier words=2
GOLDEN(asy_memcpy_barrier) {
    Io io(in, out, n);
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ alignas(16) u32 tile[256];
    auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&bar, 128);
    __syncthreads();
    cuda::memcpy_async(block, tile, in + 256 * blockIdx.x,
        cuda::aligned_size_t<16>(1024), bar);
    bar.arrive_and_wait();
    io.put(tile[threadIdx.x]);
    io.put(tile[255 - threadIdx.x]);
}

// golden asy_memcpy_group words=2
GOLDEN(asy_memcpy_group) {
    Io io(in, out, n);
    __shared__ u32 tile[200];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + 100 * blockIdx.x, 800);
    cg::wait(block);
    io.put(tile[threadIdx.x]);
    io.put(tile[199 - threadIdx.x]);
}

// golden asy_pipeline words=1
GOLDEN(asy_pipeline) {
    Io io(in, out, n);
    __shared__ u32 tile[2][128];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    u32 sum = 0;
    for (u32 k = 0; k < 7; k++) {
        if (k < 6) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[k & 1],
                in + 128 * ((k + blockIdx.x) & 15), 512, pipe);
            pipe.producer_commit();
        }
        if (k == 0)
            continue;
        pipe.consumer_wait();
        sum = sum * 5 + tile[(k - 1) & 1][(threadIdx.x + k) & 127];
        block.sync();
        pipe.consumer_release();
    }
    io.put(sum);
}

// golden asy_pipeline_thread words=1
GOLDEN(asy_pipeline_thread) {
    Io io(in, out, n);
    __shared__ u32 tile[3][128];
    auto pipe = cuda::make_pipeline();
    u32 sum = 0;
    for (u32 k = 0; k < 8; k++) {
        if (k < 6) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[k % 3][threadIdx.x],
                in + ((io.i + 77 * k) & 4095), sizeof(u32), pipe);
            pipe.producer_commit();
        }
        if (k < 2)
            continue;
        if (k < 6)
            cuda::pipeline_consumer_wait_prior<2>(pipe);
        else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        sum = sum * 7 + tile[(k - 2) % 3][threadIdx.x];
        pipe.consumer_release();
    }
    io.put(sum);
}
