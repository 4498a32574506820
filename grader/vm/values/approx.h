// SPDX-License-Identifier: Apache-2.0
// The approximate functions of f32 (PTX ISA, 9.7.3: ex2, lg2, sin, cos, tanh),
// computed in double with operations that IEEE 754 defines, so that every
// machine and every build gives the same bits. Each is well within the error
// bound of the ISA, except sin and cos, which have the hardware's error: see
// approx_turns(). Results are rounded to f32 once. A NaN gives some NaN.
#ifndef CLCLAB_VM_VALUES_APPROX_H
#define CLCLAB_VM_VALUES_APPROX_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double approx_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t approx_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// The nearest integer, halves away from 0; |x| < 2^30.
static inline int32_t approx_nearest(double x) {
    return (int32_t)(x + copysign(0.5, x));
}

// 2^x for |x| <= 1000: 2^n e^r, |r| <= ln 2 / 2; Taylor series to r^11 / 11!.
static inline double approx_exp2_core(double x) {
    int32_t n = approx_nearest(x);
    double r = (x - n) * 0x1.62e42fefa39efp-1, sum = 1.0;
    for (int k = 11; k >= 1; k--)
        sum = 1.0 + sum * r * (1.0 / k);
    return sum * approx_from_bits((uint64_t)(n + 1023) << 52);
}

static inline float approx_ex2(float x) {
    // Beyond these bounds the result is 0 or infinity. A NaN must not be
    // converted to an integer.
    double within = x > 160.0f ? 160.0 : x >= -160.0f ? (double)x : -160.0;
    return x == x ? (float)approx_exp2_core(within) : x;
}

// x = m 2^e with m in [sqrt(1/2), sqrt 2); log2 m = 2 atanh(s) / ln 2 for
// s = (m - 1) / (m + 1), |s| < 0.172; its series to s^19 / 19.
static inline double approx_log2_core(double x) {
    uint64_t bits = approx_bits(x);
    int32_t e = (int32_t)(bits >> 52) - 1023;
    double m =
        approx_from_bits((bits & (UINT64_MAX >> 12)) | UINT64_C(1023) << 52);
    if (m > 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        e++;
    }
    double s = (m - 1.0) / (m + 1.0), z = s * s, sum = 1.0 / 19;
    for (int k = 17; k >= 1; k -= 2)
        sum = sum * z + 1.0 / k;
    return e + sum * s * 0x1.71547652b82fep+1;
}

static inline float approx_lg2(float x) {
    if (x == 0.0f)
        return -INFINITY;
    if (!(x > 0.0f))
        return NAN;
    return x < INFINITY ? (float)approx_log2_core((double)x) : x;
}

// x / 2pi as the hardware computes it: one f32 multiplication, rounded towards
// 0. It causes nearly all of the error that the ISA allows; beyond 2^24 turns
// no fraction is left. A subnormal result becomes 0.
static inline double approx_turns(float x) {
    double exact = (double)x * (double)0x1.45f306p-3f;
    float t = (float)exact;
    if (fabs((double)t) > fabs(exact)) {
        uint32_t bits;
        memcpy(&bits, &t, sizeof bits);
        bits--; // one step towards 0
        memcpy(&t, &bits, sizeof t);
    }
    return fabsf(t) < 0x1p-126f ? copysign(0.0, (double)x) : (double)t;
}

// The sine of `turns` turns plus `quarters` quarter turns, |turns| < 2^24. The
// angle is reduced to within an eighth of a turn of a multiple of a quarter
// turn; Taylor series to the 15th power.
static inline double approx_sine(double turns, uint32_t quarters) {
    double f = turns - approx_nearest(turns);
    int32_t near = approx_nearest(4.0 * f);
    double r = (f - 0.25 * near) * 0x1.921fb54442d18p+2, z = r * r;
    double sine = 1.0, cosine = 1.0;
    for (int k = 14; k >= 2; k -= 2) {
        sine = 1.0 - sine * z * (1.0 / (k * (k + 1)));
        cosine = 1.0 - cosine * z * (1.0 / ((k - 1) * k));
    }
    quarters += (uint32_t)near;
    double value = quarters & 1 ? cosine : sine * r;
    return quarters & 2 ? -value : value;
}

// sin(x), or cos(x) if quarters = 1.
static inline float approx_sin(float x, uint32_t quarters) {
    if (!(fabsf(x) < INFINITY))
        return NAN;
    double turns = approx_turns(x);
    if (fabs(turns) >= 0x1p24)
        turns = copysign(0.0, turns);
    return (float)approx_sine(turns, quarters);
}

static inline float approx_tanh(float x) {
    double a = fabs((double)x), y = 1.0;
    if (a < 0x1p-12) // x - x^3 / 3, where e^2x - 1 would cancel
        y = a - a * a * a / 3.0;
    else if (a < 20.0) {
        double e = approx_exp2_core(a * 0x1.71547652b82fep+1);
        y = (e - 1.0) / (e + 1.0);
    }
    return x == x ? (float)copysign(y, (double)x) : x;
}

#endif
