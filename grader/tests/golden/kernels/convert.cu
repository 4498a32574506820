// SPDX-License-Identifier: Apache-2.0
// Conversions between integers and floats of every width and rounding.
#include "golden.cuh"

// Also out of range and NaN: defined in PTX, saturating.
// golden cvt_f32_to_int words=24
GOLDEN(cvt_f32_to_int) {
    Io io(in, out, n);
    float a = io.word(3) & 1 ? io.f32(0) : io.moderate(0) * 100;
    io.put((u32)__float2int_rn(a));
    io.put((u32)__float2int_rz(a));
    io.put((u32)__float2int_rd(a));
    io.put((u32)__float2int_ru(a));
    io.put(__float2uint_rn(a));
    io.put(__float2uint_rz(a));
    io.put(__float2uint_rd(a));
    io.put(__float2uint_ru(a));
    io.put64((u64)__float2ll_rn(a));
    io.put64((u64)__float2ll_rz(a));
    io.put64((u64)__float2ll_rd(a));
    io.put64((u64)__float2ll_ru(a));
    io.put64(__float2ull_rn(a));
    io.put64(__float2ull_rz(a));
    io.put64(__float2ull_rd(a));
    io.put64(__float2ull_ru(a));
}

// golden cvt_f64_to_int words=24
GOLDEN(cvt_f64_to_int) {
    Io io(in, out, n);
    double a = io.word(3) & 1 ? io.f64(0) : io.moderate64(0) * 1000;
    io.put((u32)__double2int_rn(a));
    io.put((u32)__double2int_rz(a));
    io.put((u32)__double2int_rd(a));
    io.put((u32)__double2int_ru(a));
    io.put(__double2uint_rn(a));
    io.put(__double2uint_rz(a));
    io.put(__double2uint_rd(a));
    io.put(__double2uint_ru(a));
    if (a != a)
        a = 1; // to 64 bits: what a NaN becomes is not stated
    io.put64((u64)__double2ll_rn(a));
    io.put64((u64)__double2ll_rz(a));
    io.put64((u64)__double2ll_rd(a));
    io.put64((u64)__double2ll_ru(a));
    io.put64(__double2ull_rn(a));
    io.put64(__double2ull_rz(a));
    io.put64(__double2ull_rd(a));
    io.put64(__double2ull_ru(a));
}

// golden cvt_int_to_f32 words=16
GOLDEN(cvt_int_to_f32) {
    Io io(in, out, n);
    u32 a = io.word(0);
    u64 b = io.word64(1);
    io.putf(__int2float_rn((s32)a));
    io.putf(__int2float_rz((s32)a));
    io.putf(__int2float_rd((s32)a));
    io.putf(__int2float_ru((s32)a));
    io.putf(__uint2float_rn(a));
    io.putf(__uint2float_rz(a));
    io.putf(__uint2float_rd(a));
    io.putf(__uint2float_ru(a));
    io.putf(__ll2float_rn((s64)b));
    io.putf(__ll2float_rz((s64)b));
    io.putf(__ll2float_rd((s64)b));
    io.putf(__ll2float_ru((s64)b));
    io.putf(__ull2float_rn(b));
    io.putf(__ull2float_rz(b));
    io.putf(__ull2float_rd(b));
    io.putf(__ull2float_ru(b));
}

// golden cvt_int_to_f64 words=20
GOLDEN(cvt_int_to_f64) {
    Io io(in, out, n);
    u32 a = io.word(0);
    u64 b = io.word64(1);
    io.putd(__int2double_rn((s32)a));
    io.putd(__uint2double_rn(a));
    io.putd(__ll2double_rn((s64)b));
    io.putd(__ll2double_rz((s64)b));
    io.putd(__ll2double_rd((s64)b));
    io.putd(__ll2double_ru((s64)b));
    io.putd(__ull2double_rn(b));
    io.putd(__ull2double_rz(b));
    io.putd(__ull2double_rd(b));
    io.putd(__ull2double_ru(b));
}

// golden cvt_between_floats words=8
GOLDEN(cvt_between_floats) {
    Io io(in, out, n);
    double a = io.word(3) & 1 ? io.f64(0) : io.moderate64(0);
    io.putf(__double2float_rn(a));
    io.putf(__double2float_rz(a));
    io.putf(__double2float_rd(a));
    io.putf(__double2float_ru(a));
    io.putd((double)io.f32(1));
    io.putd((double)(float)(a * 0x1p-110));
}

// golden cvt_rounding words=16
GOLDEN(cvt_rounding) {
    Io io(in, out, n);
    float a = io.word(3) & 1 ? io.f32(0) : io.moderate(0);
    double b = io.word(3) & 1 ? io.f64(1) : io.moderate64(1);
    io.putf(rintf(a));
    io.putf(truncf(a));
    io.putf(floorf(a));
    io.putf(ceilf(a));
    io.putf(roundf(a));
    io.putf(nearbyintf(a * 0.5f));
    io.putd(rint(b));
    io.putd(trunc(b));
    io.putd(floor(b));
    io.putd(ceil(b));
    io.putd(round(b));
}

// golden cvt_narrow words=16
GOLDEN(cvt_narrow) {
    Io io(in, out, n);
    u32 a = io.word(0), r;
    u64 b = io.word64(1), q;
    float f = io.moderate(2) * 40;
    u16 h;
#define CVT(form, to, result, from, value)                     \
    asm("cvt." form " %0, %1;" : to(result) : from(value));    \
    io.put((u32)(result))
    CVT("u8.u32", "=r", r, "r", a);
    CVT("s8.u32", "=r", r, "r", a);
    CVT("s16.s8", "=h", h, "h", (u16)a);
    CVT("u32.u16", "=r", r, "h", (u16)a);
    CVT("s32.s16", "=r", r, "h", (u16)a);
    CVT("sat.u8.s32", "=r", r, "r", a);
    CVT("sat.u16.s32", "=h", h, "r", a);
    CVT("sat.s16.s64", "=h", h, "l", b);
    CVT("sat.u32.s64", "=r", r, "l", b);
    CVT("sat.s32.u64", "=r", r, "l", b);
    CVT("rni.s8.f32", "=r", r, "f", f);
    CVT("rzi.u8.f32", "=r", r, "f", f);
    CVT("rpi.sat.s16.f32", "=h", h, "f", f);
    CVT("rmi.u16.f32", "=h", h, "f", f);
    asm("cvt.s64.s8 %0, %1;" : "=l"(q) : "r"(a));
    io.put64(q);
}

// golden cvt_small_to_float words=8
GOLDEN(cvt_small_to_float) {
    Io io(in, out, n);
    u32 a = io.word(0);
    io.putf((float)(s8)a);
    io.putf((float)(u8)(a >> 8));
    io.putf((float)(s16)a);
    io.putf((float)(u16)(a >> 16));
    io.putd((double)(s8)(a >> 8));
    io.putd((double)(u16)a);
}

// golden cvt_pack words=6
GOLDEN(cvt_pack) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(3), c = io.word(2), r;
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    io.put(r);
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    io.put(r);
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;"
        : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
        : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
    asm("cvt.pack.sat.u4.s32.b32 %0, %1, %2, %3;"
        : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
    asm("cvt.pack.sat.s2.s32.b32 %0, %1, %2, %3;"
        : "=r"(r) : "r"(a), "r"(b), "r"(c));
    io.put(r);
}

// golden cvt_packed_moves words=7
GOLDEN(cvt_packed_moves) {
    Io io(in, out, n);
    u32 a = io.word(0), b = io.word(1), r;
    u64 q;
    u16 h, k;
    asm("mov.b64 %0, {%1, %2};" : "=l"(q) : "r"(a), "r"(b));
    io.put64(q);
    asm("mov.b32 {%0, %1}, %2;" : "=h"(h), "=h"(k) : "r"(a));
    io.put(h);
    asm("mov.b32 %0, {%1, %2};" : "=r"(r) : "h"(k), "h"(h));
    io.put(r);
    asm("{.reg .b16 a, b, c, d; mov.b64 {a, b, c, d}, %1;"
        "mov.b64 %0, {d, b, c, a};}" : "=l"(q) : "l"(io.word64(2)));
    io.put64(q);
    asm("{.reg .b8 a, b, c, d; mov.b32 {a, b, c, d}, %1;"
        "mov.b32 %0, {d, c, a, b};}" : "=r"(r) : "r"(a));
    io.put(r);
}

// golden cvt_fixed_point words=4
GOLDEN(cvt_fixed_point) {
    Io io(in, out, n);
    float a = io.moderate(0), b = io.moderate(1);
    s32 x = __float2int_rn(a * 65536.0f), y = __float2int_rn(b * 65536.0f);
    io.put((u32)(((s64)x * y) >> 16));
    io.put((u32)(y ? (s32)(((s64)x << 16) / y) : 0));
    io.putf((float)x * (1.0f / 65536.0f));
    io.put((u32)(x >= 0 ? (x + 0x8000) >> 16 : -((-x + 0x8000) >> 16)));
}
