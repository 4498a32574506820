// SPDX-License-Identifier: Apache-2.0
// The f32 functions of math.h. Where they use an approximation of the hardware
// (ex2, lg2, rcp, rsqrt ...), the bound is stated: the function's own error is
// the same on both sides, so that only the approximation's error remains.
#include "golden.cuh"

// golden mathf_trigonometric words=6
GOLDEN(mathf_trigonometric) {
    Io io(in, out, n);
    float a = io.moderate(0), s, c;
    io.putf(sinf(a));
    io.putf(cosf(a));
    sincosf(a * 3, &s, &c);
    io.putf(s);
    io.putf(c);
    io.putf(sinpif(a));
    io.putf(cospif(a));
}

// golden mathf_large_angles words=2
GOLDEN(mathf_large_angles) {
    Io io(in, out, n);
    float a = io.f32(0);
    io.putf(sinf(a));
    io.putf(cosf(a * 1e5f));
}

// golden mathf_tangent words=2 approx=f32:4
GOLDEN(mathf_tangent) {
    Io io(in, out, n);
    float a = io.moderate(0);
    io.putf(tanf(a));
    io.putf(tanf(a * 1e3f));
}

// golden mathf_inverse words=4 approx=f32:4
GOLDEN(mathf_inverse) {
    Io io(in, out, n);
    float a = io.unit(0) * 2 - 1, b = io.moderate(1), c = io.moderate(2);
    io.putf(asinf(a));
    io.putf(acosf(a));
    io.putf(atanf(b));
    io.putf(atan2f(b, c));
}

// golden mathf_exponential words=5 approx=f32:4
GOLDEN(mathf_exponential) {
    Io io(in, out, n);
    float a = io.moderate(0) * 0.25f, b = io.f32(1);
    io.putf(expf(a));
    io.putf(exp2f(a));
    io.putf(exp10f(a * 0.5f));
    io.putf(expm1f(a));
    io.putf(expf(b));
}

// golden mathf_logarithm words=5
GOLDEN(mathf_logarithm) {
    Io io(in, out, n);
    float a = fabsf(io.moderate(0)), b = io.f32(1);
    io.putf(logf(a));
    io.putf(log2f(a));
    io.putf(log10f(a));
    io.putf(log1pf(io.unit(2)));
    io.putf(logf(b));
}

// golden mathf_power words=4 approx=f32:8
GOLDEN(mathf_power) {
    Io io(in, out, n);
    float a = fabsf(io.moderate(0)), b = io.moderate(1) * 0.125f;
    io.putf(powf(a, b));
    io.putf(powf(-a, rintf(b)));
    io.putf(powf(io.f32(2), io.f32(3)));
    io.putf(cbrtf(io.moderate(4)));
}

// golden mathf_hyperbolic words=6 approx=f32:8
GOLDEN(mathf_hyperbolic) {
    Io io(in, out, n);
    float a = io.moderate(0) * 0.2f;
    io.putf(sinhf(a));
    io.putf(coshf(a));
    io.putf(tanhf(a));
    io.putf(asinhf(a));
    io.putf(acoshf(1 + fabsf(a)));
    io.putf(atanhf(io.unit(1) * 1.9f - 0.95f));
}

// golden mathf_error words=5 approx=f32:16
GOLDEN(mathf_error) {
    Io io(in, out, n);
    float a = io.moderate(0) * 0.1f;
    io.putf(erff(a));
    io.putf(erfcf(a));
    io.putf(erfcxf(fabsf(a)));
    io.putf(normcdff(a));
    io.putf(erfinvf(io.unit(1) * 1.8f - 0.9f));
}

// golden mathf_gamma words=2 approx=f32:64:1e-5
GOLDEN(mathf_gamma) {
    Io io(in, out, n);
    float a = fabsf(io.moderate(0)) * 0.1f + 0.1f;
    io.putf(tgammaf(a));
    io.putf(lgammaf(a));
}

// golden mathf_bessel words=4 approx=f32:64:1e-5
GOLDEN(mathf_bessel) {
    Io io(in, out, n);
    float a = fabsf(io.moderate(0)) * 0.1f + 0.1f;
    io.putf(j0f(a));
    io.putf(j1f(a));
    io.putf(y0f(a));
    io.putf(y1f(a));
}

// golden mathf_norms words=5 approx=f32:4
GOLDEN(mathf_norms) {
    Io io(in, out, n);
    float a = io.moderate(0), b = io.moderate(1), c = io.moderate(2);
    io.putf(hypotf(a, b));
    io.putf(norm3df(a, b, c));
    io.putf(rhypotf(a, b));
    io.putf(rsqrtf(fabsf(a)));
    io.putf(rcbrtf(b));
}

// golden mathf_remainders words=6
GOLDEN(mathf_remainders) {
    Io io(in, out, n);
    float a = io.moderate(0), b = io.moderate(1);
    int q;
    io.putf(fmodf(a, b));
    io.putf(remainderf(a, b));
    io.putf(remquof(a, b, &q));
    io.put((u32)q & 7);
    io.putf(fdimf(a, b));
    io.putf(scalbnf(a, (int)(io.word(3) % 40) - 20));
}

// golden approx_divide words=5 approx=f32:4
GOLDEN(approx_divide) {
    Io io(in, out, n);
    float a = io.moderate(0), b = io.moderate(1), r;
    io.putf(__fdividef(a, b));
    asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    io.putf(r);
    asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    io.putf(r);
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(fabsf(a)));
    io.putf(r);
    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(fabsf(a)));
    io.putf(r);
}

// golden approx_special words=9 approx=f32:4:1e-6
GOLDEN(approx_special) {
    Io io(in, out, n);
    float a = io.f32(1), r;
#define APPROX(op)                                \
    asm(op " %0, %1;" : "=f"(r) : "f"(a));        \
    io.putf(r)
    APPROX("rcp.approx.f32");
    APPROX("rcp.approx.ftz.f32");
    APPROX("rsqrt.approx.f32");
    APPROX("rsqrt.approx.ftz.f32");
    APPROX("sqrt.approx.f32");
    APPROX("sqrt.approx.ftz.f32");
    APPROX("lg2.approx.f32");
    APPROX("ex2.approx.f32");
    APPROX("ex2.approx.ftz.f32");
}

// tanh.approx may be off by 2^-11 of the result (PTX ISA, 9.7.3, "tanh"), which
// is 8192 ulps at most.
// golden approx_sin words=3 approx=f32:4:2e-6 loose=2:8192
GOLDEN(approx_sin) {
    Io io(in, out, n);
    float a = io.moderate(0) * 0.01f;
    io.putf(__sinf(a));
    io.putf(__cosf(a));
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    io.putf(r);
}

// golden approx_exp words=4 approx=f32:8:2e-6
GOLDEN(approx_exp) {
    Io io(in, out, n);
    float a = io.moderate(0) * 0.1f;
    io.putf(__expf(a));
    io.putf(__logf(fabsf(a)));
    io.putf(__log2f(fabsf(a)));
    io.putf(exp2f(a));
}
