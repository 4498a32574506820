// SPDX-License-Identifier: Apache-2.0
// Clusters: ranks, barriers, the shared memory of other blocks, remote atomics,
// st.async, copies into other blocks, multicast.
#include "golden.cuh"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// golden clu_ranks words=9 grid=8 block=64 cluster=4
GOLDEN(clu_ranks) {
    Io io(in, out, n);
    u32 r;
#define SREG(name)                              \
    asm("mov.u32 %0, %" name ";" : "=r"(r));    \
    io.put(r)
    SREG("%cluster_ctarank");
    SREG("%cluster_nctarank");
    SREG("%cluster_ctaid.x");
    SREG("%cluster_nctaid.x");
    SREG("%clusterid.x");
    SREG("%nclusterid.x");
    SREG("%cluster_ctaid.y");
    cg::cluster_group cluster = cg::this_cluster();
    io.put(cluster.thread_rank() + 1000 * cluster.block_rank());
    io.put(cluster.num_blocks() * 1000 + cluster.num_threads());
    cluster.sync();
}

// golden clu_neighbour words=3 grid=8 cluster=4
GOLDEN(clu_neighbour) {
    Io io(in, out, n);
    __shared__ u32 tile[128];
    cg::cluster_group cluster = cg::this_cluster();
    tile[threadIdx.x] = io.word(0);
    cluster.sync();
    u32 rank = cluster.block_rank();
    u32 *next = cluster.map_shared_rank(tile, (rank + 1) % 4);
    io.put(next[127 - threadIdx.x]);
    u32 *any = cluster.map_shared_rank(tile, threadIdx.x & 3);
    io.put(any[threadIdx.x]);
    io.put(cluster.query_shared_rank(next) + 10 * cluster.query_shared_rank(tile));
    cluster.sync();
}

// golden clu_writes words=2 grid=8 cluster=2
GOLDEN(clu_writes) {
    Io io(in, out, n);
    __shared__ u32 tile[128];
    __shared__ u32 sum;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    cluster.sync();
    u32 other = cluster.block_rank() ^ 1;
    cluster.map_shared_rank(tile, other)[threadIdx.x ^ 5] = io.word(0);
    atomicAdd(cluster.map_shared_rank(&sum, other), io.word(1));
    cluster.sync();
    io.put(tile[threadIdx.x]);
    io.put(sum);
}

// A histogram spread over the shared memory of a cluster.
// golden clu_histogram words=1 grid=8 cluster=4
GOLDEN(clu_histogram) {
    Io io(in, out, n);
    __shared__ u32 bins[32];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    cluster.sync();
    for (u32 k = 0; k < 8; k++) {
        u32 bin = io.word(k) & 127;
        atomicAdd(cluster.map_shared_rank(bins, bin / 32) + bin % 32, 1);
    }
    cluster.sync();
    io.put(bins[threadIdx.x & 31]);
}

// golden clu_reduce words=2 grid=8 cluster=8
GOLDEN(clu_reduce) {
    Io io(in, out, n);
    __shared__ u32 sums[8], warps[4];
    cg::cluster_group cluster = cg::this_cluster();
    u32 v = __reduce_add_sync(~0u, io.word(0) & 0xFFFF);
    if ((threadIdx.x & 31) == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 8)
        cluster.map_shared_rank(sums, threadIdx.x)[cluster.block_rank()] =
            warps[0] + warps[1] + warps[2] + warps[3];
    cluster.sync();
    u32 all = 0;
    for (u32 k = 0; k < 8; k++)
        all += sums[k];
    io.put(all);
    io.put(sums[threadIdx.x & 7]);
}

// Arrive early, wait late; the aligned and the plain form.
// golden clu_split_barrier words=2 grid=4 cluster=2
GOLDEN(clu_split_barrier) {
    Io io(in, out, n);
    __shared__ u32 tile[128];
    cg::cluster_group cluster = cg::this_cluster();
    tile[threadIdx.x] = io.word(0);
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    u32 own = io.word(1) * 5;
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    io.put(own + cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[3]);
    io.put(cluster.map_shared_rank(tile, 1)[threadIdx.x]);
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// golden clu_addresses words=4 grid=4 block=64 cluster=2
GOLDEN(clu_addresses) {
    Io io(in, out, n);
    __shared__ u32 tile[64];
    tile[threadIdx.x] = io.word(0);
    cg::this_cluster().sync();
    u32 own = (u32)__cvta_generic_to_shared(tile + threadIdx.x), remote, rank, v;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(remote) : "r"(own), "r"(threadIdx.x & 1));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(remote));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(remote));
    io.put(rank);
    io.put(v);
    u64 generic;
    asm("mapa.u64 %0, %1, 0;" : "=l"(generic) : "l"(tile + (threadIdx.x ^ 1)));
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(generic));
    io.put(rank);
    io.put(*(const u32 *)generic);
    cg::this_cluster().sync();
}

INLINE u32 address(const void *p) {
    return (u32)__cvta_generic_to_shared(p);
}
INLINE u32 remote(u32 own, u32 rank) {
    u32 r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(own), "r"(rank));
    return r;
}
INLINE void wait(u32 bar, u32 parity) {
    asm volatile("{.reg .pred p; L: "
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;"
        "@!p bra L;}" ::"r"(bar), "r"(parity) : "memory");
}

// Each block counts the arrivals of all blocks of its cluster.
// golden clu_remote_arrive words=1 grid=8 cluster=4
GOLDEN(clu_remote_arrive) {
    Io io(in, out, n);
    __shared__ u64 bar;
    __shared__ u32 slots[4][32];
    u32 at = address(&bar), rank = cg::this_cluster().block_rank(), sum = 0;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 128;"
            "fence.mbarrier_init.release.cluster;" ::"r"(at));
    cg::this_cluster().sync();
    for (u32 k = 0; k < 3; k++) {
        u32 to = threadIdx.x / 32;
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(
            remote(address(&slots[rank][threadIdx.x & 31]), to)), "r"(io.word(k)));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
            ::"r"(remote(at, to)) : "memory");
        wait(at, k & 1);
        sum = sum * 3 + slots[threadIdx.x & 3][(threadIdx.x * 5 + k) & 31];
        cg::this_cluster().sync();
    }
    io.put(sum);
}

// golden clu_st_async words=4 grid=4 block=64 cluster=2
GOLDEN(clu_st_async) {
    Io io(in, out, n);
    __shared__ u64 bar;
    __shared__ u32 words[64];
    __shared__ uint2 pairs[64];
    u32 at = address(&bar), other = cg::this_cluster().block_rank() ^ 1;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;"
            "fence.mbarrier_init.release.cluster;" ::"r"(at));
    cg::this_cluster().sync();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
            ::"r"(at), "r"(64 * 12) : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 "
        "[%0], %1, [%2];" ::"r"(remote(address(&words[63 - threadIdx.x]), other)),
        "r"(io.word(0)), "r"(remote(at, other)) : "memory");
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 "
        "[%0], {%1, %2}, [%3];" ::"r"(remote(address(&pairs[threadIdx.x]), other)),
        "r"(io.word(1)), "r"(io.word(2)), "r"(remote(at, other)) : "memory");
    wait(at, 0);
    io.put(words[threadIdx.x]);
    io.put(pairs[threadIdx.x].x);
    io.put(pairs[threadIdx.x ^ 1].y);
    io.put(words[0]);
    cg::this_cluster().sync();
}

// golden clu_red_async words=3 grid=4 block=64 cluster=2
GOLDEN(clu_red_async) {
    Io io(in, out, n);
    __shared__ u64 bar;
    __shared__ u32 words[4];
    u32 at = address(&bar), other = cg::this_cluster().block_rank() ^ 1;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;"
            "fence.mbarrier_init.release.cluster;" ::"r"(at));
    if (threadIdx.x < 4)
        words[threadIdx.x] = 0;
    cg::this_cluster().sync();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
            ::"r"(at), "r"(64 * 12) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx"
        "::bytes.add.u32 [%0], %1, [%2];" ::"r"(remote(address(words), other)),
        "r"(io.word(0)), "r"(remote(at, other)) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx"
        "::bytes.max.s32 [%0], %1, [%2];" ::"r"(remote(address(words + 1), other)),
        "r"(io.word(1)), "r"(remote(at, other)) : "memory");
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx"
        "::bytes.xor.b32 [%0], %1, [%2];" ::"r"(remote(address(words + 2), other)),
        "r"(io.word(2)), "r"(remote(at, other)) : "memory");
    wait(at, 0);
    for (u32 k = 0; k < 3; k++)
        io.put(words[k]);
    cg::this_cluster().sync();
}

// One block reads global memory for all: a multicast copy.
// golden clu_multicast words=2 grid=8 block=64 cluster=4
GOLDEN(clu_multicast) {
    Io io(in, out, n);
    __shared__ u64 bar;
    __shared__ alignas(128) u32 tile[4][64];
    u32 at = address(&bar), rank = cg::this_cluster().block_rank();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;"
            "fence.mbarrier_init.release.cluster;" ::"r"(at));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
            ::"r"(at), "r"(4 * 256) : "memory");
    }
    cg::this_cluster().sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
            "::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;"
            ::"r"(address(tile[rank])), "l"(in + 64 * (blockIdx.x * 3 + 1)),
            "r"(at), "h"((u16)15) : "memory");
    wait(at, 0);
    io.put(tile[threadIdx.x & 3][threadIdx.x]);
    io.put(tile[3][63 - threadIdx.x]);
    cg::this_cluster().sync();
}

// From this block's shared memory to the next one's.
// golden clu_copy words=2 grid=4 block=64 cluster=4
GOLDEN(clu_copy) {
    Io io(in, out, n);
    __shared__ u64 bar;
    __shared__ alignas(128) u32 from[64], to[64];
    u32 at = address(&bar), next = (cg::this_cluster().block_rank() + 1) & 3;
    from[threadIdx.x] = io.word(0);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;"
            "fence.mbarrier_init.release.cluster;" ::"r"(at));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;"
            ::"r"(at) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cg::this_cluster().sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier"
            "::complete_tx::bytes [%0], [%1], 256, [%2];"
            ::"r"(remote(address(to), next)), "r"(address(from)),
            "r"(remote(at, next)) : "memory");
    wait(at, 0);
    io.put(to[threadIdx.x]);
    io.put(to[63 - threadIdx.x] ^ from[0]);
    cg::this_cluster().sync();
}
