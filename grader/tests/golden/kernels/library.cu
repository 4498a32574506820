// SPDX-License-Identifier: Apache-2.0
// The C++ library for kernels: containers, numbers, atomics, algorithms.
#include "golden.cuh"

#include <cuda/atomic>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/std/version>

namespace std_ = cuda::std;

// golden lib_array words=3
GOLDEN(lib_array) {
    Io io(in, out, n);
    std_::array<u32, 9> a;
    for (u32 k = 0; k < a.size(); k++)
        a[k] = io.word(k);
    u32 sum = 0;
    for (u32 v : a)
        sum = sum * 3 + v;
    io.put(sum);
    std_::swap(a[io.i % 9], a[io.word(0) % 9]);
    io.put(a.front() ^ a.back() ^ a[4]);
    std_::span<u32> part(a.data() + 2, 5);
    io.put(part[io.word(1) % 5] + (u32)part.subspan(1).size());
}

NOINLINE std_::optional<u32> divide(u32 a, u32 b) {
    if (b == 0)
        return std_::nullopt;
    return a / b;
}
// golden lib_optional words=2
GOLDEN(lib_optional) {
    Io io(in, out, n);
    auto q = divide(io.word(0), io.word(1) & 7);
    io.put(q ? *q : 0xBAD);
    io.put(divide(io.word(2), io.word(3) % 3).value_or(42));
}

// golden lib_variant words=2
GOLDEN(lib_variant) {
    Io io(in, out, n);
    std_::variant<u32, float, u64> v;
    switch (io.word(0) % 3) {
    case 0: v = io.word(1); break;
    case 1: v = io.moderate(1); break;
    default: v = io.word64(1); break;
    }
    io.put((u32)v.index());
    u32 r = 0;
    if (auto *p = std_::get_if<u32>(&v))
        r = *p + 1;
    else if (auto *p = std_::get_if<float>(&v))
        r = __float_as_uint(*p * 2);
    else
        r = (u32)(std_::get<u64>(v) >> 32);
    io.put(r);
}

// golden lib_tuple words=2
GOLDEN(lib_tuple) {
    Io io(in, out, n);
    auto t = std_::make_tuple(io.word(0), io.moderate(1), (u8)io.word(2));
    auto [a, b, c] = t;
    io.put(a + c);
    auto p = std_::make_pair(io.word(3), std_::get<1>(t));
    io.put(__float_as_uint(p.second + b) ^ p.first);
}

// golden lib_complex words=8
GOLDEN(lib_complex) {
    Io io(in, out, n);
    std_::complex<float> a(io.moderate(0), io.moderate(1));
    std_::complex<double> b(io.moderate64(2), io.moderate64(3));
    a = a * a + std_::complex<float>(1, -2);
    io.putf(a.real());
    io.putf(a.imag());
    b = b * std_::conj(b) - b;
    io.putd(b.real());
    io.putd(b.imag());
    io.putf(std_::norm(a));
    io.putf(std_::conj(a).imag());
}

// golden lib_bit words=8
GOLDEN(lib_bit) {
    Io io(in, out, n);
    u32 a = io.word(0);
    u64 b = io.word64(1);
    io.put((u32)std_::popcount(a) + 100 * (u32)std_::countl_zero(b));
    io.put((u32)std_::countr_zero(a) + 100 * (u32)std_::countr_one(b));
    io.put(std_::bit_floor(a));
    io.put(std_::rotl(a, 7) ^ std_::rotr(a, 3));
    io.put((u32)std_::bit_width(b) + 1000 * std_::has_single_bit(a));
    io.put(std_::bit_cast<u32>(io.moderate(4) + 1.0f));
    std_::bitset<96> set;
    for (u32 k = 0; k < 10; k++)
        set.flip(io.word(k) % 96);
    io.put((u32)set.count() + 1000 * set.test(io.i % 96));
    io.put((u32)(set << 3).count() + 100 * set.any());
}

__device__ u32 plain_words[512];
// golden lib_atomic_ref words=7
GOLDEN(lib_atomic_ref) {
    Io io(in, out, n);
    __shared__ cuda::atomic<u32, cuda::thread_scope_block> sum, most;
    if (threadIdx.x == 0) {
        sum.store(0, cuda::memory_order_relaxed);
        most.store(0, cuda::memory_order_relaxed);
    }
    __syncthreads();
    u32 a = io.word(0);
    sum.fetch_add(a, cuda::memory_order_relaxed);
    most.fetch_max(a, cuda::memory_order_acq_rel);
    __syncthreads();
    io.put(sum.load());
    io.put(most.load(cuda::memory_order_acquire));
    cuda::atomic_ref<u32, cuda::thread_scope_device> ref(plain_words[io.i]);
    ref.store(a, cuda::memory_order_release);
    io.put(ref.fetch_xor(io.word(1)));
    u32 expected = a;
    bool swapped = ref.compare_exchange_strong(expected, 17);
    io.put(expected + swapped);
    io.put(ref.exchange(5, cuda::memory_order_seq_cst));
    io.put(ref.fetch_sub(9) + ref.fetch_or(0x100));
    io.put(ref.load());
}

// golden lib_numeric words=6
GOLDEN(lib_numeric) {
    Io io(in, out, n);
    u32 a = io.word(0) | 1, b = io.word(3) | 1;
    io.put(std_::gcd(a & 0xFFFF, b & 0xFFFF));
    io.put((u32)std_::lcm(a & 0xFF, b & 0xFF));
    io.put((u32)std_::midpoint((s32)a, (s32)b));
    io.put((u32)std_::max(std_::min((s32)a, 50), -50));
    io.put(std_::numeric_limits<u32>::max() - std_::max(a, b) + std_::min(a, b));
    io.put((u32)std_::isnan(io.f32(1)) + 2 * std_::signbit(io.f32(1)) +
           4 * std_::isfinite(io.f64(2)));
}

// golden lib_mdspan words=2
GOLDEN(lib_mdspan) {
    Io io(in, out, n);
    std_::mdspan<const u32, std_::extents<u32, 16, 32>> grid(in);
    u32 x = io.word(0) & 31, y = io.word(1) & 15;
    io.put(grid(y, x) + grid(15 - y, 31 - x));
    std_::mdspan<const u32, std_::dextents<u32, 3>> cube(in, 4, 8, 1 + (io.i & 7));
    io.put(cube(y & 3, x & 7, 0) + (u32)cube.extent(2) + (u32)cube.size());
}

// golden lib_invoke words=2
GOLDEN(lib_invoke) {
    Io io(in, out, n);
    auto add = [](u32 a, u32 b) { return a + b; };
    io.put(std_::invoke(add, io.word(0), io.word(1)) * std_::plus<u32>()(1, io.word(2)));
    std_::chrono::seconds s(io.word(3) & 0xFFFF);
    io.put((u32)std_::chrono::duration_cast<std_::chrono::minutes>(s).count());
}
