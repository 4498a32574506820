// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 in loops: conversions without branches or calls, which a
// compiler can vectorise, and arithmetic with a single rounding.
//
// A sum, product or fused multiply-add is first computed in f32 with round to
// odd (truncated; the last bit is set if anything was lost), then rounded to
// the 16-bit format. As f32 has at least 2 more bits than the result, the
// second rounding sees everything that decides it (Boldo and Melquiond, 2008: p
// + 2 bits are enough). A sum in f32, rounded to nearest, also works if 24 >= 2
// * 11 + 2 (Figueroa, 1995): its double rounding is harmless.
#ifndef CLCLAB_VM_VALUES_HALF_H
#define CLCLAB_VM_VALUES_HALF_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { VM_HALF_NAN = 0x7FFF }; // the NaN that f16 and bf16 arithmetic gives

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
    // The exponent is 15 instead of 127: one multiplication corrects it, also
    // for subnormals.
    uint32_t bits = vm_f32_bits(vm_bits_f32(shifted) * 0x1p112f);
    bits |= shifted >= 0x0F800000u ? 0x7F800000u : 0; // infinity, NaN
    return vm_bits_f32(bits | (h & 0x8000u) << 16);
}

static inline float vm_widen_bf16(uint16_t h) {
    return vm_bits_f32((uint32_t)h << 16);
}

// e4m3 has no infinity. e5m2 is the upper byte of an f16.
static inline float vm_widen_e4m3(uint32_t x) {
    uint32_t m = x & 0x7Fu;
    uint32_t bits = vm_f32_bits(vm_bits_f32(m << 20) * 0x1p120f);
    bits |= m == 0x7F ? 0x7F800000u : 0;
    return vm_bits_f32(bits | (x & 0x80u) << 24);
}

static inline float vm_widen_e5m2(uint32_t x) {
    return vm_widen_f16((uint16_t)((x & 0xFFu) << 8));
}

// ---- narrowing: to nearest, ties to even ---------------------------------

// Rounds in both ways and chooses the smaller result. The way for normal
// numbers wraps to a large value below 2^-14. The way for subnormal numbers
// adds 0.5, whose last place is that of the subnormal results; above 2^-14 it
// counts places where normal numbers count logarithms, and so is larger. A
// branch around operations that might trap would keep gcc from vectorising the
// loop.
static inline uint16_t vm_narrow_f16(float x) {
    uint32_t bits = vm_f32_bits(x), m = bits & 0x7FFFFFFFu;
    uint32_t normal = (m - (113u << 23) + 0xFFF + ((m >> 13) & 1)) >> 13;
    uint32_t subnormal = vm_f32_bits(vm_bits_f32(m) + 0.5f) - 0x3F000000u;
    normal += 0x400;
    uint32_t out = normal < subnormal ? normal : subnormal;
    out = out < 0x7C00u ? out : 0x7C00u; // infinity
    bool is_nan = m > 0x7F800000u;
    out |= (bits >> 16) & (is_nan ? 0 : 0x8000u);
    return (uint16_t)(out | (is_nan ? VM_HALF_NAN : 0));
}

static inline uint16_t vm_narrow_bf16(float x) {
    uint32_t bits = vm_f32_bits(x);
    uint32_t out = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
    return (uint16_t)((bits & 0x7FFFFFFFu) > 0x7F800000u ? VM_HALF_NAN : out);
}

// Narrows to 8 bits, saturated, in the way of vm_narrow_f16. The parameters
// describe the format: the number of bits cut off from an f32's fraction, the
// f32 of its smallest normal number, an f32 whose last place is its smallest
// subnormal number, and its largest value.
static inline uint32_t vm_narrow_8(float x, uint32_t cut, uint32_t least,
                                   float adder, uint32_t largest) {
    uint32_t bits = vm_f32_bits(x), m = bits & 0x7FFFFFFFu;
    uint32_t half = (1u << (cut - 1)) - 1 + ((m >> cut) & 1);
    uint32_t normal = ((m - least + half) >> cut) + (1u << (23 - cut));
    uint32_t subnormal =
        vm_f32_bits(vm_bits_f32(m) + adder) - vm_f32_bits(adder);
    uint32_t out = normal < subnormal ? normal : subnormal;
    out = out < largest ? out : largest;
    bool is_nan = m > 0x7F800000u;
    out |= (bits >> 24) & (is_nan ? 0 : 0x80u);
    return out | (is_nan ? 0x7Fu : 0);
}

static inline uint32_t vm_narrow_e4m3(float x) {
    return vm_narrow_8(x, 20, 121u << 23, 0x1p14f, 0x7E);
}

static inline uint32_t vm_narrow_e5m2(float x) {
    return vm_narrow_8(x, 21, 113u << 23, 0x1p7f, 0x7B);
}

// ---- round to odd --------------------------------------------------------

// The sum a + b, rounded to odd.
static inline double vm_sum_odd(double a, double b) {
    double s = a + b, t = s - a;
    double lost = (a - (s - t)) + (b - t); // exact (Knuth's two-sum)
    uint64_t bits = vm_f64_bits(s);
    uint64_t inexact = (lost < 0) | (lost > 0); // false for NaN, when s is not
                                                // a number
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

// f16: a product has 22 bits, from 2^-48 to 2^32: exact in f32. bf16: exact
// only in f64. The sum of a product and a third number may need more bits than
// either type has.
static inline float vm_mul_f16(float a, float b) {
    return a * b;
}

static inline float vm_mul_bf16(float a, float b) {
    return vm_odd_f32((double)a * (double)b);
}

static inline float vm_fma_f16(float a, float b, float c) {
    float p = a * b, s = p + c, t = s - p;
    float lost = (p - (s - t)) + (c - t);
    uint32_t bits = vm_f32_bits(s), inexact = (lost < 0) | (lost > 0);
    bits -= inexact & ((lost < 0) != (s < 0));
    return vm_bits_f32(bits | inexact);
}

static inline float vm_fma_bf16(float a, float b, float c) {
    return vm_odd_f32(vm_sum_odd((double)a * (double)b, (double)c));
}

// ---- loops ---------------------------------------------------------------

// In a handler: runs the rest of the arguments for each half l of the active
// lanes, with `per` halves per lane.
#define EACH_HALF(per, ...)                                          \
    do {                                                             \
        if (mask == VM_FULL) {                                       \
            VM_NO_ALIAS for (int l = 0; l < VM_LANES * (per); l++) { \
                __VA_ARGS__;                                         \
            }                                                        \
        } else {                                                     \
            for (uint32_t left_ = mask; left_; left_ &= left_ - 1) { \
                int from_ = __builtin_ctz(left_) * (per);            \
                for (int l = from_; l < from_ + (per); l++) {        \
                    __VA_ARGS__;                                     \
                }                                                    \
            }                                                        \
        }                                                            \
    } while (0)

#endif
