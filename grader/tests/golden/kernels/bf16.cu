// SPDX-License-Identifier: Apache-2.0
// bfloat16 through cuda_bf16.h, and eight-bit floats through cuda_fp8.h.
#include "golden.cuh"

#include <cuda_bf16.h>
#include <cuda_fp8.h>

typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

INLINE bf16 bits(u32 w) {
    return __ushort_as_bfloat16((u16)w);
}
INLINE bf162 bits2(u32 w) {
    return __halves2bfloat162(bits(w), bits(w >> 16));
}
INLINE bf16 small(const Io &io, u32 k) {
    u32 w = io.word(k) * 2654435761u >> 13;
    return bits((w & 0x807F) | (120 + (w >> 20) % 14) << 7);
}
INLINE void put(Io &io, bf16 h) {
    io.put(__hisnan(h) ? 0x7FC0u : __bfloat16_as_ushort(h));
}
INLINE void put(Io &io, bf162 h) {
    put(io, __low2bfloat16(h));
    put(io, __high2bfloat16(h));
}

// golden bf16_arithmetic words=9
GOLDEN(bf16_arithmetic) {
    Io io(in, out, n);
    bf16 a = bits(io.word(0)), b = bits(io.word(4)), c = bits(io.word(8));
    put(io, __hadd_rn(a, b));
    put(io, __hsub_rn(a, b));
    put(io, __hmul_rn(a, b));
    put(io, __hfma(a, b, c));
    put(io, __hneg(a));
    put(io, __habs(a));
    put(io, __hfma_relu(a, b, c));
    put(io, __hadd_rn(small(io, 0), small(io, 1)));
    put(io, __hfma(small(io, 2), small(io, 3), small(io, 4)));
}

// golden bf16_pairs words=14
GOLDEN(bf16_pairs) {
    Io io(in, out, n);
    bf162 a = bits2(io.word(0)), b = bits2(io.word(4)), c = bits2(io.word(8));
    put(io, __hadd2_rn(a, b));
    put(io, __hsub2_rn(a, b));
    put(io, __hmul2_rn(a, b));
    put(io, __hfma2(a, b, c));
    put(io, __hneg2(a));
    put(io, __habs2(b));
    put(io, __hfma2_relu(a, b, c));
}

// golden bf16_min_max words=9
GOLDEN(bf16_min_max) {
    Io io(in, out, n);
    bf16 a = bits(io.word(0)), b = bits(io.word(4));
    bf162 c = bits2(io.word(1)), d = bits2(io.word(5));
    put(io, __hmin(a, b));
    put(io, __hmax(a, b));
    put(io, __hmin_nan(a, b));
    put(io, __hmax_nan(a, b));
    put(io, __hmin2(c, d));
    put(io, __hmax2_nan(c, d));
    io.put(__heq(a, b) + 2 * __hlt(a, b) + 4 * __hge(a, b) + 8 * __hne(a, b) +
           16 * __hgtu(a, b) + 32 * __hleu(a, b) + 64 * __hisnan(a) +
           128 * __hbeq2(c, d));
}

// golden bf16_conversions words=14
GOLDEN(bf16_conversions) {
    Io io(in, out, n);
    float f = io.word(3) & 1 ? io.f32(0) : io.moderate(0);
    bf16 h = io.word(3) & 2 ? bits(io.word(4)) : small(io, 4);
    put(io, __float2bfloat16_rn(f));
    put(io, __float2bfloat16_rz(f));
    put(io, __float2bfloat16_rd(f));
    put(io, __float2bfloat16_ru(f));
    io.putf(__bfloat162float(h));
    put(io, __floats2bfloat162_rn(f, io.moderate(2)));
    put(io, __double2bfloat16(io.moderate64(1)));
    put(io, __int2bfloat16_rn((int)io.word(5)));
    put(io, __uint2bfloat16_rz(io.word(6)));
    if (__hisnan(h))
        h = bits(0x3F80);
    io.put((u32)__bfloat162int_rn(h));
    io.put(__bfloat162uint_rz(h));
    io.put((u32)__bfloat162short_rd(h));
    io.put(__bfloat162ushort_ru(h));
}

// golden bf16_dot words=4
GOLDEN(bf16_dot) {
    Io io(in, out, n);
    bf162 sum = __float2bfloat162_rn(0);
    bf16 one = __float2bfloat16_rn(0);
    for (u32 k = 0; k < 12; k++) {
        sum = __hfma2(__halves2bfloat162(small(io, k), small(io, k + 5)),
            __halves2bfloat162(small(io, k + 1), small(io, k + 7)), sum);
        one = __hfma(small(io, k), small(io, k + 3), one);
    }
    put(io, sum);
    put(io, one);
    put(io, hrint(one));
}

// golden bf16_atomics words=2
GOLDEN(bf16_atomics) {
    Io io(in, out, n);
    __shared__ bf162 pair;
    if (threadIdx.x == 0)
        pair = __float2bfloat162_rn(0);
    __syncthreads();
    float v = io.i & 1 ? 1 : -1; // small enough to be exact in any order
    atomicAdd(&pair, __floats2bfloat162_rn(v, 0.5f * v));
    __syncthreads();
    put(io, pair);
}

// golden fp8_e4m3 words=6
GOLDEN(fp8_e4m3) {
    Io io(in, out, n);
    float f = io.word(3) & 1 ? io.f32(0) : io.moderate(0);
    io.put(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3));
    io.put(__nv_cvt_float2_to_fp8x2(make_float2(f, io.moderate(1)),
        __NV_SATFINITE, __NV_E4M3));
    io.put(__nv_cvt_halfraw_to_fp8(__half_raw(__float2half_rn(f)),
        __NV_SATFINITE, __NV_E4M3));
    __nv_fp8_e4m3 e;
    e.__x = (u8)io.word(4);
    io.putf((float)e);
    __half2_raw h = __nv_cvt_fp8x2_to_halfraw2((u16)io.word(5), __NV_E4M3);
    io.put((h.x & 0x7C00) == 0x7C00 && h.x & 0x3FF ? 0 : h.x);
    io.put((h.y & 0x7C00) == 0x7C00 && h.y & 0x3FF ? 0 : h.y);
}

// golden fp8_e5m2 words=6
GOLDEN(fp8_e5m2) {
    Io io(in, out, n);
    float f = io.word(3) & 1 ? io.f32(0) : io.moderate(0) * 100;
    io.put(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2));
    io.put(__nv_cvt_float2_to_fp8x2(make_float2(io.moderate(2), f),
        __NV_SATFINITE, __NV_E5M2));
    io.put(__nv_cvt_halfraw_to_fp8(__half_raw(__float2half_rn(f)),
        __NV_SATFINITE, __NV_E5M2));
    __nv_fp8_e5m2 e;
    e.__x = (u8)io.word(4);
    io.putf((float)e);
    __half2_raw h = __nv_cvt_fp8x2_to_halfraw2((u16)io.word(5), __NV_E5M2);
    io.put((h.x & 0x7C00) == 0x7C00 && h.x & 0x3FF ? 0 : h.x);
    io.put((h.y & 0x7C00) == 0x7C00 && h.y & 0x3FF ? 0 : h.y);
}
