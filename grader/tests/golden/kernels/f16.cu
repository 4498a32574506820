// SPDX-License-Identifier: Apache-2.0
// Half precision through cuda_fp16.h: one and two at a time.
#include "golden.cuh"

#include <cuda_fp16.h>

INLINE __half bits(u32 w) {
    return __ushort_as_half((u16)w);
}
INLINE __half2 bits2(u32 w) {
    __half2_raw raw;
    raw.x = (u16)w;
    raw.y = (u16)(w >> 16);
    return __half2(raw);
}
INLINE __half small(const Io &io, u32 k) { // of moderate size
    u32 w = io.word(k) * 2654435761u >> 13;
    return bits((w & 0x83FF) | (8 + (w >> 20) % 12) << 10);
}
INLINE void put(Io &io, __half h) {
    io.put(__hisnan(h) ? 0x7E00u : __half_as_ushort(h));
}
INLINE void put(Io &io, __half2 h) {
    put(io, __low2half(h));
    put(io, __high2half(h));
}

// golden f16_arithmetic words=10
GOLDEN(f16_arithmetic) {
    Io io(in, out, n);
    __half a = bits(io.word(0)), b = bits(io.word(4));
    put(io, __hadd_rn(a, b));
    put(io, __hsub_rn(a, b));
    put(io, __hmul_rn(a, b));
    put(io, __hfma(a, b, bits(io.word(8))));
    put(io, __hadd_sat(a, b));
    put(io, __hmul_sat(a, b));
    put(io, __hfma_sat(a, b, bits(io.word(8))));
    put(io, __hneg(a));
    put(io, __habs(a));
    put(io, __hfma_relu(a, b, small(io, 8)));
}

// golden f16_moderate words=6
GOLDEN(f16_moderate) {
    Io io(in, out, n);
    __half a = small(io, 0), b = small(io, 1), c = small(io, 2);
    put(io, __hadd_rn(a, b));
    put(io, __hsub_rn(a, b));
    put(io, __hmul_rn(a, b));
    put(io, __hfma(a, b, c));
    put(io, __hfma(a, b, __hneg(__hmul_rn(a, b))));
    put(io, __hsub_sat(a, b));
}

// golden f16_pairs words=18
GOLDEN(f16_pairs) {
    Io io(in, out, n);
    __half2 a = bits2(io.word(0)), b = bits2(io.word(4)), c = bits2(io.word(8));
    put(io, __hadd2_rn(a, b));
    put(io, __hsub2_rn(a, b));
    put(io, __hmul2_rn(a, b));
    put(io, __hfma2(a, b, c));
    put(io, __hadd2_sat(a, b));
    put(io, __hfma2_sat(a, b, c));
    put(io, __hneg2(a));
    put(io, __habs2(b));
    put(io, __hfma2_relu(a, b, c));
}

// golden f16_min_max words=10
GOLDEN(f16_min_max) {
    Io io(in, out, n);
    __half a = bits(io.word(0)), b = bits(io.word(4));
    __half2 c = bits2(io.word(1)), d = bits2(io.word(5));
    put(io, __hmin(a, b));
    put(io, __hmax(a, b));
    put(io, __hmin_nan(a, b));
    put(io, __hmax_nan(a, b));
    put(io, __hmin2(c, d));
    put(io, __hmax2_nan(c, d));
    io.put(__heq(a, b) + 2 * __hlt(a, b) + 4 * __hge(a, b) + 8 * __hne(a, b) +
           16 * __hgtu(a, b) + 32 * __hleu(a, b) + 64 * __hisnan(a));
    io.put((u32)__hisinf(b) + __hbeq2(c, c) * 4 + __hblt2(c, d) * 8);
}

// golden f16_compare_pairs words=6
GOLDEN(f16_compare_pairs) {
    Io io(in, out, n);
    __half2 a = bits2(io.word(0)), b = bits2(io.word(4));
    put(io, __hlt2(a, b));
    put(io, __hne2(a, b));
    io.put(__hgt2_mask(a, b));
    io.put(__hequ2_mask(a, b));
}

// golden f16_conversions words=16
GOLDEN(f16_conversions) {
    Io io(in, out, n);
    float f = io.word(3) & 1 ? io.f32(0) : io.moderate(0);
    __half h = bits(io.word(4));
    put(io, __float2half_rn(f));
    put(io, __float2half_rz(f));
    put(io, __float2half_rd(f));
    put(io, __float2half_ru(f));
    io.putf(__half2float(h));
    put(io, __double2half(io.f64(1)));
    put(io, __floats2half2_rn(f, io.moderate(2)));
    put(io, __int2half_rn((int)io.word(5)));
    put(io, __uint2half_rz(io.word(6)));
    put(io, __short2half_rd((short)io.word(7)));
    put(io, __ll2half_ru((long long)io.word64(8)));
    put(io, __ull2half_rn(io.word64(9)));
    put(io, __ushort2half_ru((u16)io.word(10)));
    io.putd((double)__half2float(h));
}

// golden f16_to_integers words=12
GOLDEN(f16_to_integers) {
    Io io(in, out, n);
    __half h = io.word(3) & 1 ? small(io, 0) : bits(io.word(0));
    if (__hisnan(h))
        h = __float2half_rn(1.5f);
    io.put((u32)__half2int_rn(h));
    io.put((u32)__half2int_rz(h));
    io.put(__half2uint_rd(h));
    io.put(__half2uint_ru(h));
    io.put((u32)__half2short_rn(h));
    io.put(__half2ushort_rz(h));
    io.put64((u64)__half2ll_rd(h));
    io.put64(__half2ull_ru(h));
    io.put((u32)(u8)__half2char_rz(h));
    io.put(__half2uchar_rz(h));
}

// golden f16_rounding words=8
GOLDEN(f16_rounding) {
    Io io(in, out, n);
    __half h = io.word(3) & 1 ? small(io, 0) : bits(io.word(0));
    put(io, hrint(h));
    put(io, htrunc(h));
    put(io, hfloor(h));
    put(io, hceil(h));
    put(io, h2rint(bits2(io.word(1))));
    put(io, h2floor(bits2(io.word(2))));
}

// Through approximations in f32, then rounded: the last bit may differ.
// golden f16_functions words=7 approx=f32:1
GOLDEN(f16_functions) {
    Io io(in, out, n);
    __half a = __habs(small(io, 0)), b = small(io, 1);
    put(io, hsqrt(a));
    put(io, __hdiv(b, a));
    put(io, hrcp(a));
    io.put(0);
    put(io, __hadd_rn(__hmul_rn(a, b), b));
    put(io, __hmul_rn(__hsub_rn(a, b), a));
    io.put(__half_as_short(a));
}

// golden f16_moves words=7
GOLDEN(f16_moves) {
    Io io(in, out, n);
    __half2 a = bits2(io.word(0)), b = bits2(io.word(4));
    put(io, __lowhigh2highlow(a));
    put(io, __lows2half2(a, b));
    put(io, __highs2half2(a, b));
    io.put(__shfl_xor_sync(~0u, __half_as_ushort(small(io, 2)), 5));
}

// golden f16_dot words=3
GOLDEN(f16_dot) {
    Io io(in, out, n);
    __half2 sum = __float2half2_rn(0);
    __half one = __float2half_rn(0);
    for (u32 k = 0; k < 16; k++) {
        sum = __hfma2(__halves2half2(small(io, k), small(io, k + 5)),
            __halves2half2(small(io, k + 1), small(io, k + 7)), sum);
        one = __hfma(small(io, k), small(io, k + 3), one);
    }
    put(io, sum);
    put(io, one);
}

// Sums of small integers: exact in any order.
// golden f16_atomics words=3
GOLDEN(f16_atomics) {
    Io io(in, out, n);
    __shared__ __half2 pair;
    __shared__ __half single[2];
    if (threadIdx.x == 0) {
        pair = __float2half2_rn(0);
        single[0] = single[1] = __float2half_rn(0);
    }
    __syncthreads();
    float v = (float)(int)(io.word(0) % 9) - 4;
    atomicAdd(&pair, __floats2half2_rn(v, -v * 0.5f));
    atomicAdd(&single[1], __float2half_rn(v));
    __syncthreads();
    put(io, pair);
    put(io, single[1]);
}
