// SPDX-License-Identifier: Apache-2.0
// Bulk copies and reductions, st.async, red.async and st.bulk through
// cuda::ptx. Each word of `out` must become 1 (README.md).
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
constexpr int N = 128;
__device__ unsigned scratch[8 * 512];
// global -> shared, twice, by one thread; parity waits
extern "C" __global__ void bulk_load(unsigned *out, const unsigned *in) {
    __shared__ alignas(128) unsigned tile[2][N];
    __shared__ uint64_t bar[2];
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    unsigned ok = 1;
    for (int i = 0; i < 8; i++) {
        int s = i % 2;
        if (t == 0) {
            ptx::fence_proxy_async(ptx::space_shared);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s],
                               in + i * 4, sizeof tile[s], &bar[s]);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                           ptx::space_shared, &bar[s],
                                           sizeof tile[s]);
        }
        while (!ptx::mbarrier_try_wait_parity(&bar[s], i / 2 % 2)) {
        }
        ok &= tile[s][N - 1 - t] == in[i * 4 + N - 1 - t];
        __syncthreads();
    }
    out[blockIdx.x * N + t] = ok;
}
// shared -> global with bulk groups
extern "C" __global__ void bulk_store(unsigned *out, const unsigned *in) {
    __shared__ alignas(128) unsigned tile[3][N];
    int t = threadIdx.x;
    unsigned *mine = scratch + blockIdx.x * 512;
    for (int i = 0; i < 3; i++) {
        tile[i][t] = i * 1000 + t;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                               mine + i * N, tile[i], sizeof tile[i]);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (t == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    __syncthreads();
    for (int i = 0; i < 3; i++)
        tile[i][t] = 0; // may be overwritten now
    if (t == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    __syncthreads();
    unsigned ok = 1;
    for (int i = 0; i < 3; i++)
        ok &= ((volatile unsigned *)mine)[i * N + t] == i * 1000 + t;
    out[blockIdx.x * N + t] = ok;
}
// the last stores are left to the end of the grid
extern "C" __global__ void bulk_tail(unsigned *out, const unsigned *in) {
    __shared__ alignas(128) unsigned tile[N];
    tile[threadIdx.x] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           out + blockIdx.x * N, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
extern "C" __global__ void bulk_reduce(unsigned *out, const unsigned *in) {
    __shared__ alignas(128) unsigned tile[N];
    __shared__ alignas(128) double wide[N];
    int t = threadIdx.x;
    unsigned *mine = scratch + blockIdx.x * 512;
    mine[t] = 5 * t;
    mine[N + t] = 2;
    ((double *)(mine + 256))[t] = 0.5;
    tile[t] = t + 1;
    wide[t] = t;
    __threadfence();
    ptx::fence_proxy_async();
    __syncthreads();
    if (t == 0) {
        for (int i = 0; i < 3; i++)
            ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared,
                                      ptx::op_add, mine, tile, sizeof tile);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared,
                                  ptx::op_max, mine + N, tile, 16u);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared,
                                  ptx::op_add, (double *)(mine + 256), wide,
                                  sizeof wide);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    __syncthreads();
    out[blockIdx.x * N + t] =
        ((volatile unsigned *)mine)[t] == 5 * t + 3 * (t + 1) &&
        ((volatile unsigned *)mine)[N + t] == (t < 4 && t > 1 ? t + 1 : 2) &&
        ((volatile double *)(mine + 256))[t] == 0.5 + t;
}
// multicast, and shared -> neighbour; clusters of 2
extern "C" __global__ void copies_cluster(unsigned *out, const unsigned *in) {
    __shared__ alignas(128) unsigned tile[N], from[N];
    __shared__ uint64_t bar[2];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    int t = threadIdx.x;
    unsigned ok = 1;
    if (t == 0) {
        ptx::mbarrier_init(&bar[0], 1);
        ptx::mbarrier_init(&bar[1], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &bar[0], sizeof tile);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &bar[1], sizeof tile);
    }
    cluster.sync();
#if __CUDA_ARCH__ >= 1000 // multicast
    if (t == 0 && rank == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 16,
                           sizeof tile, &bar[0], (uint16_t)3);
#else
    if (t == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 16,
                           sizeof tile, &bar[0]);
#endif
    while (!ptx::mbarrier_try_wait_parity(&bar[0], 0)) {
    }
    ok &= tile[t] == in[16 + t];
    from[t] = rank * 1000 + t;
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (t == 0) {
        unsigned peer = rank ^ 1;
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared,
                           cluster.map_shared_rank(tile, peer), from,
                           sizeof tile, cluster.map_shared_rank(&bar[1], peer));
    }
    while (!ptx::mbarrier_try_wait_parity(&bar[1], 0)) {
    }
    ok &= tile[t] == (rank ^ 1) * 1000 + t;
    out[blockIdx.x * N + t] = ok;
    cluster.sync();
}
extern "C" __global__ void
async_cluster(unsigned *out,
              const unsigned *in) { // st.async, red.async: clusters of 2
    __shared__ alignas(16) unsigned buf[N * 4];
    __shared__ uint64_t total;
    __shared__ unsigned low, bits;
    __shared__ uint64_t bar, empty;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), peer = rank ^ 1;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_init(&empty, 1 + N);
        total = 7;
        low = 1000;
        bits = 0;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster,
                                       ptx::space_shared, &bar,
                                       N * (16 + 8 + 8 + 4 + 4 + 4));
    }
    cluster.sync();
    unsigned *rbuf = cluster.map_shared_rank(buf, peer);
    uint64_t *rbar = cluster.map_shared_rank(&bar, peer);
    unsigned four[4] = {rank, (unsigned)t, 3, 4};
    ptx::st_async(rbuf + 4 * t, four, rbar);
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&total, peer),
                   (uint64_t)t, rbar);
    ptx::red_async(ptx::op_add, cluster.map_shared_rank(&total, peer),
                   (uint64_t)0, rbar);
    ptx::red_async(ptx::op_min, cluster.map_shared_rank(&low, peer), 500u - t,
                   rbar);
    ptx::red_async(ptx::op_or_op, cluster.map_shared_rank(&bits, peer),
                   1u << t % 32, rbar);
    ptx::red_async(ptx::op_max, cluster.map_shared_rank(&low, peer), 0u, rbar);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                          &bar, 0)) {
    }
    unsigned ok =
        buf[4 * t] == peer && buf[4 * t + 1] == t && buf[4 * t + 3] == 4;
    ok &= total == 7 + N * (N - 1) / 2 && low == 500 - N + 1 && bits == ~0u;
    // tell the neighbour, remotely
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                         ptx::space_cluster,
                         cluster.map_shared_rank(&empty, peer));
    if (t == 0)
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster,
                             ptx::space_shared, &empty);
    while (!ptx::mbarrier_test_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
                                           &empty, 0)) {
    }
    out[blockIdx.x * N + t] = ok;
    cluster.sync();
}
#if __CUDA_ARCH__ >= 1000
extern "C" __global__ void bulk_sm100(unsigned *out, const unsigned *in) {
    __shared__ alignas(128) unsigned tile[N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    unsigned *mine = scratch + blockIdx.x * 512;
    mine[t] = 0;
    tile[t] = 9;
    __syncthreads();
    if (t == 0) {
        ptx::st_bulk(tile, sizeof tile / 2, ptx::n32_t<0>());
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();
    unsigned ok = tile[t] == (t < N / 2 ? 0 : 9);
    __syncthreads();
    tile[t] = 0x01020304 * (t + 1);
    ptx::fence_proxy_async(); // the tile, and `mine`
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk_cp_mask(ptx::space_global, ptx::space_shared, mine,
                                   tile, sizeof tile, (uint16_t)0x0F01);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    __syncthreads();
    unsigned want = 0x01020304 * (t + 1);
    want = t % 4 == 0 ? want & 0xFF : t % 4 == 2 ? want : 0;
    ok &= ((volatile unsigned *)mine)[t] == want;
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, in,
                           sizeof tile, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster,
                                       ptx::space_shared, &bar, sizeof tile);
    }
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cluster,
                                          &bar, 0)) {
    }
    ptx::fence_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                             ptx::scope_cluster);
    ok &= tile[t] == in[t];
    out[blockIdx.x * N + t] = ok;
}
#endif
