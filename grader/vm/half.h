// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 in loops: conversions without a branch or a call, which a
// compiler turns into vector code, and arithmetic with one rounding.
//
// A sum, product or fused product-sum is first taken to f32 with round to odd
// (truncated; the last bit is set if anything was lost), then rounded to the
// 16-bit format. As f32 has 2 bits more than the result and one for "there is
// more", the second rounding sees all that decides (Boldo and Melquiond, 2008:
// p + 2 bits are enough). A sum in f32 to nearest serves as well where
// 24 >= 2 * 11 + 2 (Figueroa, 1995): its double rounding is harmless.
#ifndef CLCLAB_VM_HALF_H
#define CLCLAB_VM_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { VM_HALF_NAN = 0x7FFF }; // of f16 and of bf16: what arithmetic gives

static inline uint32_t vm_f32_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float vm_bits_f32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t vm_f64_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double vm_bits_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- widening: exact -----------------------------------------------------

static inline float vm_widen_f16(uint16_t h) {
    uint32_t shifted = (h & 0x7FFFu) << 13;
    // Exponent 15 more than 127: one multiplication serves subnormals too.
    uint32_t bits = vm_f32_bits(vm_bits_f32(shifted) * 0x1p112f);
    bits |= shifted >= 0x0F800000u ? 0x7F800000u : 0; // infinity, NaN
    return vm_bits_f32(bits | (h & 0x8000u) << 16);
}

static inline float vm_widen_bf16(uint16_t h) {
    return vm_bits_f32((uint32_t)h << 16);
}

// ---- narrowing: to nearest, ties to even ---------------------------------

static inline uint16_t vm_narrow_f16(float x) {
    uint32_t bits = vm_f32_bits(x), m = bits & 0x7FFFFFFFu;
    uint32_t normal = (m - (112u << 23) + 0xFFF + ((m >> 13) & 1)) >> 13;
    // 0.5 has its last place where subnormal f16 have theirs.
    uint32_t subnormal =
        vm_f32_bits(vm_bits_f32(m < 0x38800000u ? m : 0) + 0.5f) - 0x3F000000u;
    uint32_t out = m < 0x38800000u ? subnormal : normal;
    out = m >= 0x47800000u ? 0x7C00u : out; // 2^16 and more
    out |= (bits >> 16) & 0x8000u;
    return (uint16_t)(m > 0x7F800000u ? VM_HALF_NAN : out);
}

static inline uint16_t vm_narrow_bf16(float x) {
    uint32_t bits = vm_f32_bits(x);
    uint32_t out = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? VM_HALF_NAN : out);
}

// Towards zero: fma.rz.bf16 is the one instruction that needs it here.
static inline uint16_t vm_cut_bf16(float x) {
    uint32_t bits = vm_f32_bits(x);
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? VM_HALF_NAN
                                                         : bits >> 16);
}

// ---- round to odd --------------------------------------------------------

// The sum a + b, exact in the limit: rounded to odd.
static inline double vm_sum_odd(double a, double b) {
    double s = a + b, t = s - a;
    double lost = (a - (s - t)) + (b - t); // exact (Knuth's two-sum)
    uint64_t bits = vm_f64_bits(s);
    uint64_t inexact = (lost < 0) | (lost > 0); // NaN: s is no number
    bits -= inexact & ((lost < 0) != (s < 0));
    return vm_bits_f64(bits | inexact);
}

static inline float vm_odd_f32(double x) {
    float f = (float)x;
    double back = (double)f;
    uint32_t bits = vm_f32_bits(f);
    bits -= fabs(back) > fabs(x);
    bits |= (back < x) | (back > x);
    return vm_bits_f32(bits);
}

// ---- arithmetic, as a float that is still to be narrowed -----------------

// f16: a product has 22 bits, from 2^-48 to 2^32: exact in f32. bf16: exact in
// f64 only. The sum in a fused product-sum of either needs more than f64 has.
static inline float vm_mul_f16(float a, float b) {
    return a * b;
}

static inline float vm_mul_bf16(float a, float b) {
    return vm_odd_f32((double)a * (double)b);
}

static inline float vm_fma_half(float a, float b, float c) {
    return vm_odd_f32(vm_sum_odd((double)a * (double)b, (double)c));
}

#endif
