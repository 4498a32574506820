// SPDX-License-Identifier: Apache-2.0
// Barriers, atomics and mbarriers: cuda::barrier, cuda::atomic_ref, cuda::ptx,
// inline PTX. Each word of `out` must become 1 (README.md).
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/chrono>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
constexpr int N = 128;
__device__ unsigned long long cells[4][64];
struct alignas(16) Wide {
    unsigned long long a, b;
};
__device__ Wide wides[4];
__device__ float4 vec4s[4];
__device__ float2 vec2s[4];
__device__ __half2 half2s[4];
__device__ __nv_bfloat162 bf2s[4];
__device__ __half halfs[4];
__device__ __nv_bfloat16 bfs[4];

extern "C" __global__ void barrier_members(unsigned *out, const unsigned *in) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier bar, tx, drops;
    __shared__ alignas(16) unsigned tile[N];
    __shared__ int seen[4];
    int t = threadIdx.x;
    if (t == 0) {
        init(&bar, N);
        init(&tx, N);
        init(&drops, N);
        for (int i = 0; i < 4; i++)
            seen[i] = 0;
    }
    __syncthreads();
    unsigned ok = 1;
    atomicAdd(&seen[0], 1);
    auto token = bar.arrive();
    bar.wait(std::move(token));
    ok &= seen[0] == N;
    // one arrival for a whole warp
    atomicAdd(&seen[1], 1);
    __syncwarp();
    if (t % 32 == 0) {
        auto k = bar.arrive(32);
        bar.wait(std::move(k));
    } else
        bar.wait_parity(true);
    ok &= seen[1] == N;
    atomicAdd(&seen[2], 1);
    bar.arrive_and_wait();
    ok &= seen[2] == N;
    // try_wait of all kinds
    auto last = bar.arrive();
    while (!bar.try_wait_for(std::move(last),
                             cuda::std::chrono::nanoseconds(100))) {
    }
    auto again = bar.arrive();
    while (!bar.try_wait_until(std::move(again),
                               cuda::std::chrono::high_resolution_clock::now() +
                                   cuda::std::chrono::microseconds(1))) {
    }
    // leave one by one
    for (int left = 0; left < 3; left++) {
        if (t % 4 == left) {
            drops.arrive_and_drop();
            break;
        }
        drops.arrive_and_wait();
        atomicAdd(&seen[3], 1);
    }
    __syncthreads();
    ok &= seen[3] == 32 * (3 + 2 + 1);
    // transactions
    if (t == 0) {
        cuda::memcpy_async(tile, in, cuda::aligned_size_t<16>(sizeof tile), tx);
    }
    auto c = tx.arrive();
    tx.wait(std::move(c));
    ok &= tile[t] == in[t];
    __syncthreads();
    if (t == 0) {
        ptx::fence_proxy_async(ptx::space_shared);
        cuda::device::memcpy_async_tx(
            tile, in + 4, cuda::aligned_size_t<16>(sizeof tile), tx);
        auto d = cuda::device::barrier_arrive_tx(tx, 1, sizeof tile);
        tx.wait(std::move(d));
    } else
        tx.arrive_and_wait();
    ok &= tile[t] == in[t + 4];
    if (t == 0) {
        cuda::device::barrier_expect_tx(tx, 0);
    }
    ok &= barrier::max() >= 1024;
    out[blockIdx.x * N + t] = ok;
}
template <typename T, typename F>
__device__ unsigned sum_test(unsigned long long *cell, T step, T total, F) {
    T &c = *reinterpret_cast<T *>(cell);
    if (threadIdx.x == 0)
        c = T(0);
    __syncthreads();
    cuda::atomic_ref<T, cuda::thread_scope_device> ref(c);
    ref.fetch_add(step, cuda::memory_order_relaxed);
    __syncthreads();
    return ref.load() == total;
}
extern "C" __global__ void atomic_refs(unsigned *out, const unsigned *in) {
    unsigned long long *c = cells[blockIdx.x];
    int t = threadIdx.x;
    unsigned ok = 1;
    ok &= sum_test<int>(c + 0, 3, 3 * N, 0);
    ok &= sum_test<unsigned>(c + 1, 3u, 3u * N, 0);
    ok &= sum_test<long long>(c + 2, -3, -3 * N, 0);
    ok &= sum_test<unsigned long long>(c + 3, 1ull << 33, (1ull << 33) * N, 0);
    ok &= sum_test<float>(c + 4, 0.25f, N / 4.f, 0);
    ok &= sum_test<double>(c + 5, 0.25, N / 4.0, 0);
    ok &= sum_test<signed char>(c + 6, 1, (signed char)N, 0);
    ok &= sum_test<short>(c + 7, 5, 5 * N, 0);
    __shared__ unsigned s[8];
    __shared__ unsigned long long w[4];
    if (t == 0) {
        s[0] = 0;
        s[1] = ~0u;
        s[2] = 0;
        s[3] = 1000;
        s[4] = 0;
        s[5] = 0;
        w[0] = 0;
        w[1] = ~0ull;
        w[2] = 5;
    }
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> a0(s[0]), a1(s[1]),
        a2(s[2]), a3(s[3]), a4(s[4]);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_block> b0(w[0]),
        b1(w[1]), b2(w[2]);
    a0.fetch_or(1u << t % 32);
    a1.fetch_and(~(1u << t % 32));
    a2.fetch_xor(1u << t % 31);
    a3.fetch_min(900 - t);
    a4.fetch_max(t, cuda::memory_order_acq_rel);
    b0.fetch_max(1ull << t % 64);
    b1.fetch_min((1ull << 40) + t);
    b2.fetch_sub(1);
    // a lock made of compare_exchange
    for (bool done = t % 8 != 0; !done;) {
        unsigned free = 0;
        cuda::atomic_ref<unsigned, cuda::thread_scope_block> lock(s[5]);
        if (lock.compare_exchange_weak(free, 1, cuda::memory_order_acquire)) {
            ((volatile unsigned long long *)w)[3] = t;
            lock.store(0, cuda::memory_order_release);
            done = true;
        }
    }
    __syncthreads();
    ok &= s[0] == ~0u && s[1] == 0 && s[3] == 900 - N + 1 && s[4] == N - 1;
    ok &= w[0] == 1ull << 63 && w[1] == 1ull << 40 && w[2] == 5ull - N &&
          w[3] < N;
    out[blockIdx.x * N + t] = ok;
}
template <typename T> __device__ volatile unsigned &bits(T &x) {
    return *(volatile unsigned *)&x;
}
template <typename T> __device__ volatile unsigned short &word(T &x) {
    return *(volatile unsigned short *)&x;
}
extern "C" __global__ void atomic_narrow(unsigned *out, const unsigned *in) {
    int t = threadIdx.x, b = blockIdx.x;
    unsigned ok = 1;
    if (t == 0) {
        bits(half2s[b]) = bits(bf2s[b]) = 0;
        word(halfs[b]) = word(bfs[b]) = 0;
        wides[b] = {0, 0};
        vec4s[b] = make_float4(0, 0, 0, 0);
        vec2s[b] = make_float2(0, 0);
    }
    __syncthreads();
    unsigned f = 0x38003C00, g = 0x3F003F80; // {1, 0.5}
    unsigned short two = 0x4000;
    atomicAdd(&half2s[b], reinterpret_cast<__half2 &>(f));
    atomicAdd(&bf2s[b], reinterpret_cast<__nv_bfloat162 &>(g));
    atomicAdd(&halfs[b], reinterpret_cast<__half &>(two));
    atomicAdd(&bfs[b], reinterpret_cast<__nv_bfloat16 &>(two));
    atomicAdd(&vec4s[b], make_float4(1, 2, 3, 4));
    atomicAdd(&vec2s[b], make_float2(1, 2));
    // a 128-bit counter pair by compare and swap
    Wide old = {0, 0}, want;
    do {
        want = old;
        Wide next = {want.a + 1, want.b + t};
        asm volatile(
            "{ .reg .b128 c, n, o; mov.b128 c, {%2, %3}; mov.b128 n, {%4, %5}; "
            "atom.global.cas.b128 o, [%6], c, n; mov.b128 {%0, %1}, o; }"
            : "=l"(old.a), "=l"(old.b)
            : "l"(want.a), "l"(want.b), "l"(next.a), "l"(next.b), "l"(&wides[b])
            : "memory");
    } while (old.a != want.a || old.b != want.b);
    __shared__ unsigned short h16;
    if (t == 0)
        h16 = 7;
    __syncthreads();
    for (unsigned short seen = 0;;) {
        unsigned short got = atomicCAS(&h16, seen, (unsigned short)(seen + 1));
        if (got == seen)
            break;
        seen = got;
    }
    __syncthreads();
    ok &= bits(half2s[b]) == 0x54005800 &&
          bits(bf2s[b]) == 0x42804300;                        // {128, 64}
    ok &= word(halfs[b]) == 0x5C00 && word(bfs[b]) == 0x4380; // 256
    ok &= vec4s[b].x == N && vec4s[b].w == 4 * N && vec2s[b].y == 2 * N;
    ok &= ((volatile Wide *)wides)[b].a == N &&
          ((volatile Wide *)wides)[b].b == N * (N - 1) / 2 && h16 == 7 + N;
    unsigned inc = 0;
    __shared__ unsigned ring, down;
    if (t == 0)
        ring = down = 0;
    __syncthreads();
    inc = atomicInc(&ring, 9);
    ok &= inc <= 9;
    atomicDec(&down, 6);
    __syncthreads();
    ok &= ring == N % 10 && down == (7 - N % 7) % 7;
    out[blockIdx.x * N + t] = ok;
}
extern "C" __global__ void mbarrier_forms(unsigned *out, const unsigned *in) {
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    unsigned ok = 1;
    if (t == 0)
        ptx::mbarrier_init(&bar, N + 4);
    __syncthreads();
    uint64_t first = ptx::mbarrier_arrive_no_complete(&bar, 1);
    unsigned left;
    asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(first));
    ok &= left > 4 && left <= N + 4;
    ok &= !ptx::mbarrier_test_wait(&bar, first);
    __syncthreads();
    if (t == 0) {
        uint64_t k = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta,
                                          ptx::space_shared, &bar, 4);
        asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(k));
        ok &= left == 4;
    }
    while (!ptx::mbarrier_try_wait(&bar, first, 1000u)) {
    }
    ok &=
        ptx::mbarrier_test_wait(ptx::sem_acquire, ptx::scope_cta, &bar, first);
    ok &= ptx::mbarrier_test_wait_parity(&bar, 0) &&
          !ptx::mbarrier_test_wait_parity(&bar, 1);
    __syncthreads();
    if (t == 0) {
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta,
                                ptx::space_shared, &bar, 64);
        unsigned a = (unsigned)__cvta_generic_to_shared(&bar);
        asm volatile(
            "mbarrier.arrive_drop.expect_tx.shared.b64 _, [%0], 32;" ::"r"(a)
            : "memory");
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0], 3;" ::"r"(a)
                     : "memory");
        asm volatile(
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 90;" ::"r"(
                a)
            : "memory");
        asm volatile("mbarrier.complete_tx.shared::cta.b64 [%0], 6;" ::"r"(a)
                     : "memory");
    }
    __syncthreads();
    uint64_t second = ptx::mbarrier_arrive(&bar);
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, &bar,
                                   second)) {
    }
    __syncthreads();
    if (t == 0) { // N arrivals a phase from now on
        uint64_t k = ptx::mbarrier_arrive_no_complete(&bar, 1);
        asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(left) : "l"(k));
        ok &= left == N;
        unsigned a = (unsigned)__cvta_generic_to_shared(&bar);
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(a) : "memory");
        bar = 5;
    }
    __syncthreads();
    ok &= bar == 5;
    out[blockIdx.x * N + t] = ok;
}
extern "C" __global__ void
thread_copies(unsigned *out, const unsigned *in) { // cp.async in inline PTX
    __shared__ alignas(16) unsigned tile[4][N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    unsigned ok = 1, a[4];
    for (int i = 0; i < 4; i++) {
        a[i] = (unsigned)__cvta_generic_to_shared(&tile[i][t & ~3]);
        tile[i][t] = 77;
    }
    if (t == 0)
        ptx::mbarrier_init(&bar, N);
    __syncthreads();
    if (t % 4 == 0) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a[0]),
                     "l"(in + t)
                     : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, 3;" ::"r"(a[1]),
                     "l"(in + t)
                     : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(a[1] + 8),
                     "l"(in + t)
                     : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile(
            "{ .reg .pred p; setp.ne.u32 p, %2, 8; "
            "cp.async.cg.shared.global.L2::128B [%0], [%1], 16, p; }" ::"r"(
                a[2]),
            "l"(in + t), "r"(t)
            : "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        ok &= tile[0][t] == in[t] && tile[0][t + 3] == in[t + 3];
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        ok &= tile[1][t] == (in[t] & 0xFFFFFF) && tile[1][t + 1] == 0 &&
              tile[1][t + 2] == in[t];
        asm volatile("cp.async.wait_all;" ::: "memory");
        ok &= tile[2][t] == (t == 8 ? in[8] : 0) &&
              tile[2][t + 3] == (t == 8 ? in[11] : 0);
        asm volatile(
            "{ .reg .b64 p; createpolicy.fractional.L2::evict_first.b64 p; "
            "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, p; }" ::
                "r"(a[3]),
            "l"(in + t)
            : "memory");
    }
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b)
                 : "memory");
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
    }
    ok &= tile[3][t] == in[t];
    out[blockIdx.x * N + t] = ok;
}
