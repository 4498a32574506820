// SPDX-License-Identifier: Apache-2.0
// The f64 functions of math.h. Some start a division from rcp.approx.ftz.f64
// or rsqrt.approx.ftz.f64, whose low bits are the machine's: bounds are stated.
#include "golden.cuh"

// golden mathd_trigonometric words=12
GOLDEN(mathd_trigonometric) {
    Io io(in, out, n);
    double a = io.moderate64(0), s, c;
    io.putd(sin(a));
    io.putd(cos(a));
    sincos(a * 5, &s, &c);
    io.putd(s);
    io.putd(c);
    io.putd(sinpi(a));
    io.putd(cospi(a));
}

// golden mathd_tangent words=4 approx=f64:4
GOLDEN(mathd_tangent) {
    Io io(in, out, n);
    double a = io.moderate64(0);
    io.putd(tan(a));
    io.putd(sin(a * 1e9));
}

// golden mathd_inverse words=8 approx=f64:4
GOLDEN(mathd_inverse) {
    Io io(in, out, n);
    double a = io.unit64(0) * 2 - 1, b = io.moderate64(1);
    io.putd(asin(a));
    io.putd(acos(a));
    io.putd(atan(b));
    io.putd(atan2(b, a));
}

// golden mathd_exponential words=10
GOLDEN(mathd_exponential) {
    Io io(in, out, n);
    double a = io.moderate64(0), b = io.f64(1);
    io.putd(exp(a));
    io.putd(exp2(a));
    io.putd(exp10(a * 0.25));
    io.putd(expm1(a));
    io.putd(exp(b));
}

// golden mathd_logarithm words=10 approx=f64:4
GOLDEN(mathd_logarithm) {
    Io io(in, out, n);
    double a = fabs(io.moderate64(0)), b = io.f64(1);
    io.putd(log(a));
    io.putd(log2(a));
    io.putd(log10(a));
    io.putd(log1p(io.unit64(2)));
    io.putd(log(b));
}

// golden mathd_power words=6 approx=f64:4
GOLDEN(mathd_power) {
    Io io(in, out, n);
    double a = fabs(io.moderate64(0)), b = io.moderate64(1) * 0.25;
    io.putd(pow(a, b));
    io.putd(pow(-a, rint(b)));
    io.putd(cbrt(io.moderate64(2)));
}

// golden mathd_hyperbolic words=8 approx=f64:8
GOLDEN(mathd_hyperbolic) {
    Io io(in, out, n);
    double a = io.moderate64(0) * 0.1;
    io.putd(sinh(a));
    io.putd(cosh(a));
    io.putd(tanh(a));
    io.putd(asinh(a));
}

// golden mathd_error words=4 approx=f64:16
GOLDEN(mathd_error) {
    Io io(in, out, n);
    double a = io.moderate64(0) * 0.1;
    io.putd(erf(a));
    io.putd(erfc(a));
}

// golden mathd_gamma words=4 approx=f64:64:1e-12
GOLDEN(mathd_gamma) {
    Io io(in, out, n);
    double a = fabs(io.moderate64(0)) * 0.1 + 0.1;
    io.putd(tgamma(a));
    io.putd(lgamma(a));
}

// golden mathd_norms words=6 approx=f64:4
GOLDEN(mathd_norms) {
    Io io(in, out, n);
    double a = io.moderate64(0), b = io.moderate64(1);
    io.putd(hypot(a, b));
    io.putd(rsqrt(fabs(a)));
    io.putd(fdim(a, b));
}

// golden mathd_remainders words=7
GOLDEN(mathd_remainders) {
    Io io(in, out, n);
    double a = io.moderate64(0), b = io.moderate64(1);
    int q;
    io.putd(fmod(a, b));
    io.putd(remainder(a, b));
    io.putd(remquo(a, b, &q));
    io.put((u32)q & 7);
}

// golden approx_f64 words=4 approx=f64:17179869184
GOLDEN(approx_f64) {
    Io io(in, out, n);
    double a = io.moderate64(0), r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    io.putd(r);
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(fabs(a)));
    io.putd(r);
}
