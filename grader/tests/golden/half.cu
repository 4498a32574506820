// SPDX-License-Identifier: Apache-2.0
// Halves in CUDA C++: source of half.ptx (README.md here). Kernel `halves` folds
// the results for 1024 patterns a thread, 65536 in all, into one 64-bit word:
// conversions see every f16, bf16 and upper half of an f32; two and three
// operands are mixed from the pattern. Kernel `approx` stores results that may
// differ in the last place. Kernel `oob` finds what fma.oob takes for a NaN
// that is out of bounds, which the PTX ISA does not say.
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

struct Fold {
    uint64_t word = 0;
    __device__ void add(uint64_t value) {
        word = (word ^ value) * 0x9E3779B97F4A7C15u;
        word ^= word >> 29;
    }
};

__device__ uint32_t mix(uint32_t x) {
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

// A pattern with an exponent near that of 1, one that is 0, or as it is.
__device__ uint16_t operand(uint32_t x) {
    switch (x >> 30) {
    case 0: return x & 0x83FF | 0x3C00;
    case 1: return x & 0x800F;
    default: return x;
    }
}

struct F16 {
    using One = __half;
    using Two = __half2;
    static __device__ One one(uint16_t x) { return __ushort_as_half(x); }
    static __device__ uint16_t bits(One x) { return __half_as_ushort(x); }
    static __device__ Two two(One x, One y) { return __halves2half2(x, y); }
    static __device__ uint32_t bits(Two x) {
        return bits(__low2half(x)) | (uint32_t)bits(__high2half(x)) << 16;
    }
    static __device__ float wide(One x) { return __half2float(x); }
};

struct BF16 {
    using One = __nv_bfloat16;
    using Two = __nv_bfloat162;
    static __device__ One one(uint16_t x) { return __ushort_as_bfloat16(x); }
    static __device__ uint16_t bits(One x) { return __bfloat16_as_ushort(x); }
    static __device__ Two two(One x, One y) { return __halves2bfloat162(x, y); }
    static __device__ uint32_t bits(Two x) {
        return bits(__low2bfloat16(x)) |
               (uint32_t)bits(__high2bfloat16(x)) << 16;
    }
    static __device__ float wide(One x) { return __bfloat162float(x); }
};

// Folds f(pattern) over the thread's patterns, and stores the word.
template <class F> __device__ void each(uint64_t *&out, F f) {
    Fold fold;
#pragma unroll 1
    for (uint32_t i = 0; i < 1024; i++)
        fold.add(f(threadIdx.x * 1024 + i));
    *out = fold.word;
    out += blockDim.x;
}

template <class T> __device__ void alone(uint64_t *&out) {
    each(out, [](uint32_t p) { return __float_as_uint(T::wide(T::one(p))); });
    each(out, [](uint32_t p) { return T::bits(__hneg(T::one(p))); });
    each(out, [](uint32_t p) { return T::bits(__habs(T::one(p))); });
    each(out, [](uint32_t p) { return T::bits(hrint(T::one(p))); });
    each(out, [](uint32_t p) { return T::bits(hfloor(T::one(p))); });
    each(out, [](uint32_t p) { return T::bits(hceil(T::one(p))); });
    each(out, [](uint32_t p) { return T::bits(htrunc(T::one(p))); });
    each(out, [](uint32_t p) { return (uint64_t)__hisnan(T::one(p)); });
    each(out, [](uint32_t p) { return (uint64_t)(__hisinf(T::one(p)) + 1); });
    each(out, [](uint32_t p) {
        auto x = T::two(T::one(p), T::one(mix(p)));
        return T::bits(__hneg2(x)) ^ (uint64_t)T::bits(__habs2(x)) << 32;
    });
}

template <class T> __device__ void together(uint64_t *&out) {
#define ONES(call)                                                  \
    each(out, [](uint32_t p) {                                      \
        auto a = T::one(operand(mix(p))), b = T::one(operand(mix(~p))); \
        auto c = T::one(p);                                         \
        (void)b, (void)c;                                           \
        return (uint64_t)(call);                                    \
    })
    ONES(T::bits(__hadd(a, b)));
    ONES(T::bits(__hsub(a, b)));
    ONES(T::bits(__hmul(a, b)));
    ONES(T::bits(__hfma(a, b, c)));
    ONES(T::bits(__hfma_relu(a, b, c)));
    ONES(T::bits(__hmin(a, c)));
    ONES(T::bits(__hmax(a, c)));
    ONES(T::bits(__hmin_nan(a, c)));
    ONES(T::bits(__hmax_nan(a, c)));
    ONES(__heq(a, c) | __hne(a, c) << 1 | __hlt(a, c) << 2 | __hle(a, c) << 3 |
         __hgt(a, c) << 4 | __hge(a, c) << 5);
    ONES(__hequ(a, c) | __hneu(a, c) << 1 | __hltu(a, c) << 2 |
         __hleu(a, c) << 3 | __hgtu(a, c) << 4 | __hgeu(a, c) << 5);
#define TWOS(call)                                                       \
    each(out, [](uint32_t p) {                                           \
        uint32_t m = mix(p), n = mix(~p);                                \
        auto a = T::two(T::one(operand(m)), T::one(operand(m * 5)));     \
        auto b = T::two(T::one(operand(n)), T::one(operand(n * 5)));     \
        auto c = T::two(T::one(p), T::one(operand(m ^ n)));              \
        (void)b, (void)c;                                                \
        return (uint64_t)(call);                                         \
    })
    TWOS(T::bits(__hadd2(a, b)));
    TWOS(T::bits(__hsub2(a, c)));
    TWOS(T::bits(__hmul2(a, c)));
    TWOS(T::bits(__hfma2(a, b, c)));
    TWOS(T::bits(__hfma2_relu(a, b, c)));
    TWOS(T::bits(__hcmadd(a, b, c)));
    TWOS(T::bits(__hmin2(a, c)));
    TWOS(T::bits(__hmax2_nan(a, c)));
    TWOS(T::bits(__hlt2(a, c)) ^ (uint64_t)T::bits(__hgeu2(a, c)) << 32);
    TWOS(__hne2_mask(a, c) ^ (uint64_t)__hleu2_mask(a, c) << 32);
    TWOS(__hbgt2(a, c) | __hbequ2(a, c) << 1 | __hbne2(a, c) << 2);
    TWOS(T::bits(__hisnan2(c)));
}

__device__ void saturated(uint64_t *&out) {
    using T = F16;
    ONES(T::bits(__hadd_sat(a, b)));
    ONES(T::bits(__hmul_sat(a, b)));
    ONES(T::bits(__hfma_sat(a, b, c)));
    TWOS(T::bits(__hfma2_sat(a, b, c)));
}

// An f32 and an f64 whose upper bits are the pattern; ties occur.
__device__ float narrow(uint32_t p) {
    uint32_t m = mix(p);
    return __uint_as_float(p << 16 | (m & 3 ? m >> 16 & 0xF000 : m >> 16));
}

__device__ double moderate(uint32_t p) {
    uint32_t m = mix(p);
    uint64_t low = (uint64_t)m << (m & 31);
    return __longlong_as_double(((uint64_t)p << 48 & 0xBFFF000000000000u |
                                 0x3800000000000000u) ^ (low & 0xFFFFFFFFFFFFu));
}

#define CONVERT(call) each(out, [](uint32_t p) { return (uint64_t)(call); })
__device__ void from_wide(uint64_t *&out) {
    CONVERT(F16::bits(__float2half_rn(narrow(p))));
    CONVERT(F16::bits(__float2half_rz(narrow(p))));
    CONVERT(F16::bits(__float2half_rd(narrow(p))));
    CONVERT(F16::bits(__float2half_ru(narrow(p))));
    CONVERT(F16::bits(__double2half(moderate(p))));
    CONVERT(F16::bits(__floats2half2_rn(narrow(p), narrow(~p))));
    CONVERT(BF16::bits(__float2bfloat16_rn(narrow(p))));
    CONVERT(BF16::bits(__float2bfloat16_rz(narrow(p))));
    CONVERT(BF16::bits(__float2bfloat16_rd(narrow(p))));
    CONVERT(BF16::bits(__float2bfloat16_ru(narrow(p))));
    CONVERT(BF16::bits(__double2bfloat16(moderate(p))));
    CONVERT(BF16::bits(__floats2bfloat162_rn(narrow(p), narrow(~p))));
    CONVERT(__nv_cvt_float_to_fp8(narrow(p), __NV_SATFINITE, __NV_E4M3));
    CONVERT(__nv_cvt_float_to_fp8(narrow(p), __NV_SATFINITE, __NV_E5M2));
    CONVERT(__nv_cvt_float_to_fp8(narrow(p), __NV_NOSAT, __NV_E5M2));
    CONVERT(__nv_cvt_double_to_fp8(moderate(p), __NV_NOSAT, __NV_E4M3));
    CONVERT(__nv_cvt_float2_to_fp8x2(make_float2(narrow(p), narrow(~p)),
                                     __NV_SATFINITE, __NV_E4M3));
    CONVERT(__nv_cvt_halfraw_to_fp8(F16::one(p), __NV_SATFINITE, __NV_E4M3));
    CONVERT(__nv_cvt_halfraw_to_fp8(F16::one(p), __NV_SATFINITE, __NV_E5M2));
    CONVERT(__nv_cvt_bfloat16raw_to_fp8(BF16::one(p), __NV_SATFINITE,
                                        __NV_E5M2));
    CONVERT(F16::bits(__half2(__nv_cvt_fp8x2_to_halfraw2(p, __NV_E4M3))));
    CONVERT(F16::bits(__half2(__nv_cvt_fp8x2_to_halfraw2(p, __NV_E5M2))));
}

__device__ void integers(uint64_t *&out) {
#define TO(T, name, kind)                         \
    CONVERT((uint64_t)name##kind##_rn(T::one(p))); \
    CONVERT((uint64_t)name##kind##_rz(T::one(p))); \
    CONVERT((uint64_t)name##kind##_rd(T::one(p))); \
    CONVERT((uint64_t)name##kind##_ru(T::one(p)))
    TO(F16, __half2, int);
    TO(F16, __half2, uint);
    TO(F16, __half2, short);
    TO(F16, __half2, ushort);
    TO(F16, __half2, ll);
    TO(F16, __half2, ull);
    TO(BF16, __bfloat162, int);
    TO(BF16, __bfloat162, ushort);
    TO(BF16, __bfloat162, ll);
    TO(BF16, __bfloat162, ull);
    CONVERT(__half2char_rz(F16::one(p)));
    CONVERT(__half2uchar_rz(F16::one(p)));
    CONVERT(__bfloat162char_rz(BF16::one(p)));
#define FROM(T, kind, to, value)             \
    CONVERT(T::bits(kind##2##to##_rn(value))); \
    CONVERT(T::bits(kind##2##to##_rz(value))); \
    CONVERT(T::bits(kind##2##to##_rd(value))); \
    CONVERT(T::bits(kind##2##to##_ru(value)))
    FROM(F16, __short, half, (short)p);
    FROM(F16, __int, half, (int)mix(p) >> (p & 31));
    FROM(F16, __uint, half, mix(p) >> (p & 31));
    FROM(F16, __ll, half, (long long)mix(p) * (int)mix(~p) >> (p & 63));
    FROM(F16, __ull, half, (uint64_t)mix(p) * mix(~p) >> (p & 63));
    FROM(BF16, __ushort, bfloat16, (unsigned short)p);
    FROM(BF16, __int, bfloat16, (int)mix(p) >> (p & 31));
    FROM(BF16, __ull, bfloat16, (uint64_t)mix(p) * mix(~p) >> (p & 63));
    FROM(BF16, __ll, bfloat16, (long long)mix(p) * (int)mix(~p) >> (p & 63));
}

extern "C" __global__ void halves(const uint64_t *in, uint64_t *out) {
    out += threadIdx.x;
    alone<F16>(out);
    alone<BF16>(out);
    together<F16>(out);
    together<BF16>(out);
    saturated(out);
    from_wide(out);
    integers(out);
}

template <class T> __device__ void functions(uint64_t *&out, uint16_t bits) {
    auto x = T::one(bits);
    auto put = [&](typename T::One y) {
        *out = T::bits(y);
        out += blockDim.x;
    };
    put(hexp(x)), put(hexp2(x)), put(hexp10(x));
    put(hlog(x)), put(hlog2(x)), put(hlog10(x));
    put(hsin(x)), put(hcos(x)), put(htanh(x)), put(htanh_approx(x));
    put(hsqrt(x)), put(hrsqrt(x)), put(hrcp(x));
    put(__hdiv(x, T::one(bits * 5)));
}

extern "C" __global__ void approx(const uint64_t *in, uint64_t *out) {
    out += threadIdx.x;
    uint32_t x = mix(in[threadIdx.x]);
    functions<F16>(out, operand(x));
    functions<BF16>(out, operand(x));
}

// Two words a thread, for f16 and for bf16: how many of its patterns x, NaNs,
// give 0 in x * 1 + 1 (upper half), and the first of them (lower half).
extern "C" __global__ void oob(const uint64_t *in, uint64_t *out) {
    uint64_t found[2] = {0, 0};
#pragma unroll 1
    for (uint32_t p = threadIdx.x * 1024 + 1024; p-- > threadIdx.x * 1024;) {
        uint16_t x = p, y, one = 0x3C00;
        asm("fma.rn.oob.f16 %0, %1, %2, %2;" : "=h"(y) : "h"(x), "h"(one));
        if ((x & 0x7FFF) > 0x7C00 && y == 0)
            found[0] = (found[0] >> 32) + 1 << 32 | p;
        one = 0x3F80;
        asm("fma.rn.oob.bf16 %0, %1, %2, %2;" : "=h"(y) : "h"(x), "h"(one));
        if ((x & 0x7FFF) > 0x7F80 && y == 0)
            found[1] = (found[1] >> 32) + 1 << 32 | p;
    }
    out[threadIdx.x] = found[0];
    out[threadIdx.x + blockDim.x] = found[1];
}
