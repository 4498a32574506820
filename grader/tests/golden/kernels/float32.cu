// SPDX-License-Identifier: Apache-2.0
// Single precision: every rounding, fused multiply-add, division, square root,
// minimum and maximum, denormals, comparisons, bits.
#include "golden.cuh"

// golden f32_add words=8
GOLDEN(f32_add) {
    Io io(in, out, n);
    float a = io.f32(0), b = io.f32(1);
    io.putf(__fadd_rn(a, b));
    io.putf(__fadd_rz(a, b));
    io.putf(__fadd_rd(a, b));
    io.putf(__fadd_ru(a, b));
    io.putf(__fsub_rn(a, b));
    io.putf(__fsub_rz(a, b));
    io.putf(__fsub_rd(a, b));
    io.putf(__fsub_ru(a, b));
}

// Sums that cancel, round and lose low bits.
// golden f32_add_near words=8
GOLDEN(f32_add_near) {
    Io io(in, out, n);
    float a = io.moderate(0), b = io.moderate(1);
    io.putf(__fadd_rn(a, b));
    io.putf(__fadd_rz(a, b));
    io.putf(__fadd_rd(a, b));
    io.putf(__fadd_ru(a, b));
    float c = a * 0x1p-24f, d = -a * (1 + 0x1p-22f);
    io.putf(__fadd_rn(a, c));
    io.putf(__fadd_ru(a, c));
    io.putf(__fadd_rd(a, d));
    io.putf(__fsub_rz(a, d));
}

// golden f32_mul words=8
GOLDEN(f32_mul) {
    Io io(in, out, n);
    float a = io.f32(0), b = io.f32(1), c = io.moderate(2), d = io.moderate(3);
    io.putf(__fmul_rn(a, b));
    io.putf(__fmul_rz(a, b));
    io.putf(__fmul_rd(a, b));
    io.putf(__fmul_ru(a, b));
    io.putf(__fmul_rn(c, d));
    io.putf(__fmul_rz(c, d));
    io.putf(__fmul_rd(c, d));
    io.putf(__fmul_ru(c, d));
}

// golden f32_fma words=10
GOLDEN(f32_fma) {
    Io io(in, out, n);
    float a = io.f32(0), b = io.f32(1), c = io.f32(2);
    float x = io.moderate(3), y = io.moderate(4), z = -__fmul_rn(x, y);
    io.putf(__fmaf_rn(a, b, c));
    io.putf(__fmaf_rz(a, b, c));
    io.putf(__fmaf_rd(a, b, c));
    io.putf(__fmaf_ru(a, b, c));
    io.putf(__fmaf_rn(x, y, z));
    io.putf(__fmaf_rn(x, y, io.moderate(5)));
    io.putf(__fmaf_rz(x, y, io.moderate(6)));
    io.putf(__fmaf_rd(x, y, io.moderate(7)));
    io.putf(__fmaf_ru(x, y, io.moderate(8)));
    io.putf(fmaf(a, 0x1p-100f, c));
}

// golden f32_div words=9
GOLDEN(f32_div) {
    Io io(in, out, n);
    float a = io.f32(0), b = io.f32(1), c = io.moderate(2), d = io.moderate(3);
    io.putf(__fdiv_rn(a, b));
    io.putf(__fdiv_rz(a, b));
    io.putf(__fdiv_rd(a, b));
    io.putf(__fdiv_ru(a, b));
    io.putf(__fdiv_rn(c, d));
    io.putf(__fdiv_rz(c, d));
    io.putf(__fdiv_rd(c, d));
    io.putf(__fdiv_ru(c, d));
    io.putf(a / c);
}

// golden f32_rcp_sqrt words=17
GOLDEN(f32_rcp_sqrt) {
    Io io(in, out, n);
    float a = io.f32(0), c = io.moderate(2);
    for (int k = 0; k < 2; k++, a = c) {
        io.putf(__frcp_rn(a));
        io.putf(__frcp_rz(a));
        io.putf(__frcp_rd(a));
        io.putf(__frcp_ru(a));
        io.putf(__fsqrt_rn(a));
        io.putf(__fsqrt_rz(a));
        io.putf(__fsqrt_rd(a));
        io.putf(__fsqrt_ru(a));
    }
    io.putf(sqrtf(fabsf(io.f32(5))));
}

// golden f32_min_max words=10
GOLDEN(f32_min_max) {
    Io io(in, out, n);
    float a = io.f32(0), b = io.f32(1), c = io.f32(2), r;
    io.putf(fminf(a, b));
    io.putf(fmaxf(a, b));
    io.putf(fminf(fmaxf(a, -1.0f), 1.0f));
    io.putf(__saturatef(a));
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    io.putf(r);
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    io.putf(r);
    asm("min.xorsign.abs.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    io.putf(r);
    asm("max.NaN.xorsign.abs.f32 %0, %1, %2;" : "=f"(r) : "f"(b), "f"(c));
    io.putf(r);
    // The sign of a zero: +0 is more than -0.
    io.putf(fminf(0.0f * io.moderate(3), __uint_as_float(io.word(4) << 31)));
    io.putf(fmaxf(0.0f * io.moderate(3), __uint_as_float(io.word(4) << 31)));
}

// golden f32_saturate words=6
GOLDEN(f32_saturate) {
    Io io(in, out, n);
    float a = io.f32(0), b = io.f32(1), c = io.moderate(2), r;
    asm("add.rn.sat.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    io.putf(r);
    asm("sub.rz.sat.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(c));
    io.putf(r);
    asm("mul.rp.sat.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    io.putf(r);
    asm("fma.rm.sat.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
    io.putf(r);
    asm("cvt.sat.f32.f32 %0, %1;" : "=f"(r) : "f"(a));
    io.putf(r);
    asm("fma.rn.ftz.sat.f32 %0, %1, %2, %3;"
        : "=f"(r) : "f"(a), "f"(c), "f"(b));
    io.putf(r);
}

INLINE float tiny(const Io &io, u32 k) { // around the least normal number
    u32 w = io.word(k) * 2654435761u;
    return __uint_as_float((w & 0x80FFFFFF) + ((w >> 24) % 3 << 23));
}

// golden f32_denormal words=12
GOLDEN(f32_denormal) {
    Io io(in, out, n);
    float a = tiny(io, 0), b = tiny(io, 1), c = io.moderate(2);
    io.putf(__fadd_rn(a, b));
    io.putf(__fsub_rd(a, b));
    io.putf(__fmul_rn(a, c));
    io.putf(__fmul_ru(a, io.unit(3)));
    io.putf(__fmaf_rn(a, c, b));
    io.putf(__fmaf_rz(a, io.unit(4), b));
    io.putf(__fdiv_rn(a, c));
    io.putf(__fdiv_rd(a, b));
    io.putf(__fsqrt_rn(fabsf(a)));
    io.putf(__frcp_rn(a));
    io.putf(fminf(a, b));
    io.put((a < b) + 2 * (a == 0) + 4 * (a != b) + 8 * (fabsf(a) >= fabsf(b)));
}

// golden f32_flushed words=13
GOLDEN(f32_flushed) {
    Io io(in, out, n);
    float a = tiny(io, 0), b = tiny(io, 1), c = io.moderate(2), r;
#define FLUSHED(op)                                            \
    asm(op " %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));         \
    io.putf(r)
    FLUSHED("add.rn.ftz.f32");
    FLUSHED("sub.rp.ftz.f32");
    FLUSHED("mul.rz.ftz.f32");
    FLUSHED("min.ftz.f32");
    FLUSHED("max.ftz.f32");
    FLUSHED("div.rn.ftz.f32");
    asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(c), "f"(b));
    io.putf(r);
    asm("sqrt.rn.ftz.f32 %0, %1;" : "=f"(r) : "f"(fabsf(a)));
    io.putf(r);
    asm("rcp.rn.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    io.putf(r);
    asm("abs.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    io.putf(r);
    asm("neg.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    io.putf(r);
    asm("cvt.ftz.f32.f32 %0, %1;" : "=f"(r) : "f"(a));
    io.putf(r);
    u32 p;
    asm("{.reg .pred p, q; setp.lt.ftz.f32 p, %1, %2; setp.eq.ftz.f32 q, %1, "
        "0f00000000; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;}"
        : "=&r"(p) : "f"(a), "f"(b));
    io.put(p);
}

// golden f32_compare words=4
GOLDEN(f32_compare) {
    Io io(in, out, n);
    u32 bits = 0;
    for (u32 k = 0; k < 5; k++) {
        float a = io.f32(k), b = k & 1 ? io.f32(k + 1) : -a;
        bits = bits * 64 + (a < b) + 2 * (a <= b) + 4 * (a == b) +
               8 * (a != b) + 16 * (a > b) + 32 * (a >= b);
    }
    io.put(bits);
    float a = io.f32(1), b = io.f32(2);
    bits = 0;
#define SETP(op)                                                          \
    asm("{.reg .pred p; setp." op ".f32 p, %1, %2; @p add.u32 %0, %0, 1;" \
        " shl.b32 %0, %0, 1;}" : "+r"(bits) : "f"(a), "f"(b))
    SETP("equ");
    SETP("neu");
    SETP("ltu");
    SETP("leu");
    SETP("gtu");
    SETP("geu");
    SETP("num");
    SETP("nan");
    SETP("eq");
    SETP("ne");
    io.put(bits);
    io.put(isnan(a) + 2 * isinf(a) + 4 * isfinite(a) + 8 * signbit(a));
    io.put(a > 1 ? 1 : b < 2 ? 2 : 3);
}

// golden f32_classes words=2
GOLDEN(f32_classes) {
    Io io(in, out, n);
    u32 bits = 0;
    float a = io.f32(1);
#define TESTP(op)                                                      \
    asm("{.reg .pred p; testp." op ".f32 p, %1; @p add.u32 %0, %0, 1;" \
        " shl.b32 %0, %0, 1;}" : "+r"(bits) : "f"(a))
    TESTP("finite");
    TESTP("infinite");
    TESTP("number");
    TESTP("notanumber");
    TESTP("normal");
    TESTP("subnormal");
    io.put(bits);
    float r;
    asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(io.f32(2)), "f"(a));
    io.putf(r);
}

// golden f32_bits words=8
GOLDEN(f32_bits) {
    Io io(in, out, n);
    float a = io.f32(0);
    int e;
    io.putf(frexpf(a, &e));
    io.put((u32)(isfinite(a) && a != 0 ? e : 0));
    io.putf(ldexpf(io.moderate(1), (int)(io.word(2) % 300) - 150));
    io.putf(nextafterf(a, io.f32(3)));
    io.putf(copysignf(a, io.f32(4)));
    float whole;
    io.putf(modff(io.moderate(5), &whole));
    io.putf(whole);
    io.put((u32)(isfinite(a) && a != 0 ? ilogbf(a) : 0));
}

// golden f32_compensated words=3
GOLDEN(f32_compensated) {
    Io io(in, out, n);
    float sum = 0, lost = 0, plain = 0;
    for (u32 k = 0; k < 40; k++) {
        float x = io.moderate(k), y = x - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
        plain += x;
    }
    io.putf(sum);
    io.putf(lost);
    io.putf(plain);
}
