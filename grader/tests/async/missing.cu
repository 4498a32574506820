// SPDX-License-Identifier: Apache-2.0
// Kernels that lack one wait each. Some schedule must show it: a word of `out`
// that is not 1, or a finding. See README.md.
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr int N = 128;

__device__ unsigned scratch[4 * N];

__device__ void copy4(unsigned *to, const unsigned *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from)
                 : "memory");
}

// No wait at all: a barrier does not wait for copies.
extern "C" __global__ void no_wait(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[N];
    int t = threadIdx.x;
    copy4(&tile[t], &in[t]);
    __syncthreads();
    out[blockIdx.x * N + t] = tile[N - 1 - t] == in[N - 1 - t];
}

// Waits for all groups but one, and uses that one.
extern "C" __global__ void wrong_group(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[2][N];
    int t = threadIdx.x;
    for (int i = 0; i < 2; i++) {
        copy4(&tile[i][t], &in[t + i]);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    out[blockIdx.x * N + t] = tile[1][t] == in[t + 1];
}

// Each thread waits for its own copies; nobody waits for the others' threads.
extern "C" __global__ void no_barrier(unsigned *out, const unsigned *in) {
    __shared__ unsigned tile[N];
    int t = threadIdx.x;
    copy4(&tile[t], &in[t]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[blockIdx.x * N + t] = tile[N - 1 - t] == in[N - 1 - t];
}

// The bytes are announced; nobody waits for the phase.
extern "C" __global__ void no_phase(unsigned *out, const unsigned *in) {
    __shared__ alignas(16) unsigned tile[N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in,
                           sizeof tile, &bar);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
                                       ptx::space_shared, &bar, sizeof tile);
    }
    __syncthreads();
    unsigned ok = tile[t] == in[t];
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    out[blockIdx.x * N + t] = ok;
}

// The source of a store is written again before it was read.
extern "C" __global__ void no_read_wait(unsigned *out, const unsigned *in) {
    __shared__ alignas(16) unsigned tile[N];
    int t = threadIdx.x;
    tile[t] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           out + blockIdx.x * N, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
    }
    __syncthreads();
    tile[t] = 0;
    if (t == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// Only the reads of a store are waited for; its destination is used.
extern "C" __global__ void only_read_wait(unsigned *out, const unsigned *in) {
    __shared__ alignas(16) unsigned tile[N];
    int t = threadIdx.x;
    volatile unsigned *mine = scratch + blockIdx.x * N;
    tile[t] = t + 5;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           scratch + blockIdx.x * N, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
    out[blockIdx.x * N + t] = mine[t] == t + 5;
}

// The block exits before its shared memory was read.
extern "C" __global__ void exits_early(unsigned *out, const unsigned *in) {
    __shared__ alignas(16) unsigned tile[N];
    tile[threadIdx.x] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0)
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           out + blockIdx.x * N, tile, sizeof tile);
}
