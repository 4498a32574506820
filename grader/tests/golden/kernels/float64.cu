// SPDX-License-Identifier: Apache-2.0
// Double precision: every rounding, fused multiply-add, division, square root,
// denormals, comparisons; double-double arithmetic, which lives on exactness.
#include "golden.cuh"

// golden f64_add words=16
GOLDEN(f64_add) {
    Io io(in, out, n);
    double a = io.f64(0), b = io.f64(1);
    io.putd(__dadd_rn(a, b));
    io.putd(__dadd_rz(a, b));
    io.putd(__dadd_rd(a, b));
    io.putd(__dadd_ru(a, b));
    io.putd(__dsub_rn(a, b));
    io.putd(__dsub_rz(a, b));
    io.putd(__dsub_rd(a, b));
    io.putd(__dsub_ru(a, b));
}

// golden f64_near words=16
GOLDEN(f64_near) {
    Io io(in, out, n);
    double a = io.moderate64(0), b = io.moderate64(1);
    io.putd(__dadd_rn(a, b));
    io.putd(__dadd_ru(a, b));
    io.putd(__dmul_rn(a, b));
    io.putd(__dmul_rz(a, b));
    io.putd(__dmul_rd(a, b));
    io.putd(__dmul_ru(a, b));
    io.putd(__dsub_rd(a, a * (1 + 0x1p-50)));
    io.putd(__dadd_rz(a, a * 0x1p-53));
}

// golden f64_mul words=8
GOLDEN(f64_mul) {
    Io io(in, out, n);
    double a = io.f64(0), b = io.f64(1);
    io.putd(__dmul_rn(a, b));
    io.putd(__dmul_rz(a, b));
    io.putd(__dmul_rd(a, b));
    io.putd(__dmul_ru(a, b));
}

// golden f64_fma words=16
GOLDEN(f64_fma) {
    Io io(in, out, n);
    double a = io.f64(0), b = io.f64(1), c = io.f64(2);
    double x = io.moderate64(3), y = io.moderate64(4), z = io.moderate64(5);
    io.putd(__fma_rn(a, b, c));
    io.putd(__fma_rz(a, b, c));
    io.putd(__fma_rd(a, b, c));
    io.putd(__fma_ru(a, b, c));
    io.putd(__fma_rn(x, y, -__dmul_rn(x, y)));
    io.putd(__fma_rz(x, y, z));
    io.putd(__fma_rd(x, y, z));
    io.putd(__fma_ru(x, y, z));
}

// golden f64_div words=16
GOLDEN(f64_div) {
    Io io(in, out, n);
    double a = io.f64(0), b = io.f64(1);
    double x = io.moderate64(3), y = io.moderate64(4);
    io.putd(__ddiv_rn(a, b));
    io.putd(__ddiv_rz(a, b));
    io.putd(__ddiv_rd(a, b));
    io.putd(__ddiv_ru(a, b));
    io.putd(__ddiv_rn(x, y));
    io.putd(__ddiv_rz(x, y));
    io.putd(__ddiv_rd(x, y));
    io.putd(__ddiv_ru(x, y));
}

// golden f64_rcp_sqrt words=32
GOLDEN(f64_rcp_sqrt) {
    Io io(in, out, n);
    double a = io.f64(0);
    for (int k = 0; k < 2; k++, a = io.moderate64(1)) {
        io.putd(__drcp_rn(a));
        io.putd(__drcp_rz(a));
        io.putd(__drcp_rd(a));
        io.putd(__drcp_ru(a));
        io.putd(__dsqrt_rn(a));
        io.putd(__dsqrt_rz(a));
        io.putd(__dsqrt_rd(a));
        io.putd(__dsqrt_ru(a));
    }
}

// golden f64_min_max words=9
GOLDEN(f64_min_max) {
    Io io(in, out, n);
    double a = io.f64(0), b = io.f64(1);
    io.putd(fmin(a, b));
    io.putd(fmax(a, b));
    io.putd(copysign(a, b));
    io.putd(fabs(a) - fabs(b));
    u32 bits = 0;
#define TESTP(op)                                                      \
    asm("{.reg .pred p; testp." op ".f64 p, %1; @p add.u32 %0, %0, 1;" \
        " shl.b32 %0, %0, 1;}" : "+r"(bits) : "d"(a))
    TESTP("finite");
    TESTP("infinite");
    TESTP("number");
    TESTP("notanumber");
    TESTP("normal");
    TESTP("subnormal");
    io.put(bits);
}

// golden f64_compare words=2
GOLDEN(f64_compare) {
    Io io(in, out, n);
    u32 bits = 0;
    for (u32 k = 0; k < 5; k++) {
        double a = io.f64(k), b = k & 1 ? io.f64(k + 1) : -a;
        bits = bits * 64 + (a < b) + 2 * (a <= b) + 4 * (a == b) +
               8 * (a != b) + 16 * (a > b) + 32 * (a >= b);
    }
    io.put(bits);
    double a = io.f64(1), b = io.f64(2);
    bits = 0;
#define SETP(op)                                                          \
    asm("{.reg .pred p; setp." op ".f64 p, %1, %2; @p add.u32 %0, %0, 1;" \
        " shl.b32 %0, %0, 1;}" : "+r"(bits) : "d"(a), "d"(b))
    SETP("equ");
    SETP("neu");
    SETP("ltu");
    SETP("leu");
    SETP("gtu");
    SETP("geu");
    SETP("num");
    SETP("nan");
    io.put(bits);
}

// golden f64_denormal words=12
GOLDEN(f64_denormal) {
    Io io(in, out, n);
    double a = __longlong_as_double((s64)(io.word64(0) & 0x801FFFFFFFFFFFFF));
    double b = __longlong_as_double((s64)(io.word64(4) & 0x803FFFFFFFFFFFFF));
    io.putd(__dadd_rn(a, b));
    io.putd(__dmul_rn(a, io.moderate64(1)));
    io.putd(__dmul_ru(a, 0.3));
    io.putd(__fma_rz(a, 0.7, b));
    io.putd(__ddiv_rn(a, io.moderate64(2)));
    io.putd(__dsqrt_rn(fabs(a)));
}

// golden f64_bits words=10
GOLDEN(f64_bits) {
    Io io(in, out, n);
    double a = io.f64(0);
    int e = 0;
    double m = frexp(a, &e);
    io.putd(m);
    io.put((u32)(isfinite(a) && a != 0 ? e : 0));
    io.putd(ldexp(io.moderate64(1), (int)(io.word(2) % 2200) - 1100));
    io.putd(nextafter(a, io.f64(3)));
    io.put((u32)__double2hiint(a) & 0x7FF00000);
    io.putd(__hiloint2double((int)io.word(1) & 0x3FFFFFFF, (int)io.word(0)));
}

struct Two {
    double high, low;
};

INLINE Two two_sum(double a, double b) {
    double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

INLINE Two two_product(double a, double b) {
    double p = a * b;
    return {p, fma(a, b, -p)};
}

// golden f64_double_double words=8
GOLDEN(f64_double_double) {
    Io io(in, out, n);
    Two sum = {0, 0}, product = {1, 0};
    for (u32 k = 0; k < 20; k++) {
        Two s = two_sum(sum.high, io.moderate64(k));
        sum = two_sum(s.high, s.low + sum.low);
        Two p = two_product(product.high, io.unit64(k) + 0.5);
        product = two_sum(p.high, p.low + product.low * (io.unit64(k) + 0.5));
    }
    io.putd(sum.high);
    io.putd(sum.low);
    io.putd(product.high);
    io.putd(product.low);
}

// A polynomial and a Newton iteration, in f64 and f32 side by side.
// golden f64_newton words=6
GOLDEN(f64_newton) {
    Io io(in, out, n);
    double a = fabs(io.moderate64(0)), x = 1 + a / 2;
    for (int k = 0; k < 12; k++)
        x = 0.5 * (x + a / x);
    io.putd(x);
    float b = (float)a, y = 1 + b / 2;
    for (int k = 0; k < 12; k++)
        y = 0.5f * (y + b / y);
    io.putf(y);
    double p = 0;
    for (int k = 0; k < 9; k++)
        p = fma(p, io.unit64(1), 1.0 / (k + 1));
    io.putd(p);
    io.put((u32)((x - y) * 1e9));
}
