// SPDX-License-Identifier: Apache-2.0
// Number formats in software (numbers.h). All of them use round_bits(): a
// magnitude m * 2^e is cut at the format's last place, and the fraction that is
// cut off determines whether the rest is incremented. The bit patterns of a
// format are in the order of its values, so a carry into the exponent needs no
// special case.
#include "vm/values/numbers.h"

#include <math.h>
#include <string.h>

typedef struct Format {
    uint8_t width;    // bits, with the sign
    uint8_t fraction; // bits
    uint8_t below;    // zero bits below the last place
    int16_t bias;
    uint64_t largest; // largest finite value
    uint64_t infinity;
    uint64_t nan;
} Format;

static const Format formats[VM_FORMAT_COUNT] = {
    [VM_F64] = {64, 52, 0, 1023, UINT64_C(0x7FEFFFFFFFFFFFFF),
                UINT64_C(0x7FF0000000000000), UINT64_C(0x7FFFFFFFFFFFFFFF)},
    [VM_F32] = {32, 23, 0, 127, 0x7F7FFFFF, 0x7F800000, 0x7FFFFFFF},
    [VM_TF32] = {19, 10, 13, 127, 0x3FBFF, 0x3FC00, 0x3FFFF},
    [VM_F16] = {16, 10, 0, 15, 0x7BFF, 0x7C00, 0x7FFF},
    [VM_BF16] = {16, 7, 0, 127, 0x7F7F, 0x7F80, 0x7FFF},
    [VM_E5M2] = {8, 2, 0, 15, 0x7B, 0x7C, 0x7F},
    [VM_E4M3] = {8, 3, 0, 7, 0x7E, 0x7F, 0x7F},
    [VM_E3M2] = {6, 2, 0, 3, 0x1F, 0x1F, 0x1F},
    [VM_E2M3] = {6, 3, 0, 1, 0x1F, 0x1F, 0x1F},
    [VM_E2M1] = {4, 1, 0, 1, 0x7, 0x7, 0x7},
    [VM_UE8M0] = {8, 0, 0, 127, 0xFE, 0xFF, 0xFF},
};

#define FRACTION ((UINT64_C(1) << 52) - 1) // of a double

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// 2^exponent, for exponents of normal doubles.
static double power_of_2(int exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef struct Random {
    uint32_t value, count; // count: number of bits; 0: not stochastic
} Random;

// Whether a magnitude is incremented, given whether its last place is odd and
// that fraction / 2^64 of that place was cut off.
static bool goes_up(uint32_t flags, bool negative, bool odd, uint64_t fraction,
                    Random random) {
    const uint64_t half = UINT64_C(1) << 63;
    if (random.count) {
        uint64_t top = fraction >> (64 - random.count);
        return (top + random.value) >> random.count != 0;
    }
    if (flags & VM_RZ)
        return false;
    if (flags & (VM_RM | VM_RP))
        return fraction != 0 && negative == ((flags & VM_RM) != 0);
    if (flags & VM_RNA)
        return fraction >= half;
    return fraction > half || (fraction == half && odd);
}

static uint64_t overflow(const Format *f, bool negative, uint32_t flags) {
    bool towards_zero = (flags & VM_RZ) || (negative && (flags & VM_RP)) ||
                        (!negative && (flags & VM_RM));
    return (flags & VM_SATFINITE) || towards_zero ? f->largest : f->infinity;
}

// The bits of m * 2^e without a sign; m is not 0.
static uint64_t round_bits(const Format *f, bool negative, uint64_t m, int e,
                           uint32_t flags, Random random) {
    int lead = 63 - __builtin_clzll(m);
    int exponent = e + lead; // exponent of the value
    if (exponent < 1 - f->bias)
        exponent = 1 - f->bias; // subnormal
    int cut = exponent - f->fraction - e;
    uint64_t kept, fraction;
    if (cut <= 0) {
        kept = m << -cut;
        fraction = 0;
    } else if (cut < 64) {
        kept = m >> cut;
        fraction = m << (64 - cut);
    } else {
        kept = 0;
        fraction = cut == 64 ? m : 1;
    }
    kept += goes_up(flags, negative, kept & 1, fraction, random);
    uint64_t bits = ((uint64_t)(exponent + f->bias - 1) << f->fraction) + kept;
    return bits > f->largest ? overflow(f, negative, flags) : bits;
}

static uint64_t with_sign(const Format *f, bool negative, uint64_t bits) {
    return (bits | (uint64_t)negative << (f->width - 1)) << f->below;
}

// A power of 2 has no fraction, no sign, no zero and nothing below 2^-127,
// which is in the range of F32's subnormal numbers.
static uint64_t pack_power(double x, uint32_t flags) {
    const Format *f = &formats[VM_UE8M0];
    if (isinf(x))
        return flags & VM_SATFINITE ? f->largest : f->nan;
    x = fabs(x);
    if (x <= 0x1p-127)
        return 0;
    uint64_t bits = bits_of(x); // above 2^-127: normal, as a double
    int power = (int)(bits >> 52) - 1023 + f->bias;
    if ((flags & VM_RP) && (bits & FRACTION))
        power++;
    if (power <= (int)f->largest)
        return (uint64_t)power;
    return flags & VM_SATFINITE ? f->largest : f->nan;
}

static uint64_t pack_nan(const Format *f, VmFormat to, double x,
                         uint32_t flags) {
    if (flags & VM_SAT)
        return 0;
    if (to != VM_F64)
        return f->nan << f->below;
    return bits_of(x);
}

static uint64_t pack(VmFormat to, double x, uint32_t flags, Random random) {
    const Format *f = &formats[to];
    if (isnan(x))
        return pack_nan(f, to, x, flags);
    if (to == VM_UE8M0)
        return pack_power(x, flags);
    bool negative = signbit(x) != 0;
    if ((flags & (VM_RELU | VM_SAT)) && negative)
        return 0;
    if ((flags & VM_SAT) && x > 1.0)
        x = 1.0;
    if (x == 0.0)
        return with_sign(f, negative, 0);
    if (isinf(x))
        return with_sign(f, negative,
                         flags & VM_SATFINITE ? f->largest : f->infinity);
    uint64_t bits = bits_of(x), m = bits & FRACTION;
    int exponent = (int)(bits >> 52 & 0x7FF);
    if (exponent)
        m |= FRACTION + 1;
    else
        exponent = 1;
    bits = round_bits(f, negative, m, exponent - 1075, flags, random);
    return with_sign(f, negative, bits);
}

uint64_t vm_pack_number(VmFormat to, double x, uint32_t flags) {
    return pack(to, x, flags, (Random){0, 0});
}

uint64_t vm_pack_random(VmFormat to, double x, uint32_t flags, uint32_t random,
                        uint32_t count) {
    return pack(to, x, flags, (Random){random, count});
}

uint64_t vm_pack_int(VmFormat to, bool negative, uint64_t magnitude,
                     uint32_t flags) {
    const Format *f = &formats[to];
    if (magnitude == 0 || ((flags & (VM_RELU | VM_SAT)) && negative))
        return 0;
    if (flags & VM_SAT)
        magnitude = 1;
    uint64_t bits =
        round_bits(f, negative, magnitude, 0, flags, (Random){0, 0});
    return with_sign(f, negative, bits);
}

static double unpack_power(uint64_t bits) {
    const Format *f = &formats[VM_UE8M0];
    return bits == f->nan ? (double)NAN : power_of_2((int)bits - f->bias);
}

static double unpack_f32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

double vm_unpack_number(VmFormat from, uint64_t bits) {
    const Format *f = &formats[from];
    double x;
    if (from == VM_F64) {
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    if (from == VM_F32 || from == VM_TF32)
        return unpack_f32((uint32_t)bits);
    if (from == VM_BF16)
        return unpack_f32((uint32_t)bits << 16);
    if (from == VM_UE8M0)
        return unpack_power(bits & 0xFF);
    bits &= (UINT64_C(1) << f->width) - 1;
    bool negative = bits >> (f->width - 1);
    uint64_t magnitude = bits & ((UINT64_C(1) << (f->width - 1)) - 1);
    uint64_t whole = UINT64_C(1) << f->fraction, m = magnitude & (whole - 1);
    int exponent = (int)(magnitude >> f->fraction);
    if (magnitude > f->largest)
        return magnitude > f->infinity || f->infinity == f->nan ? (double)NAN
               : negative ? -(double)INFINITY
                          : (double)INFINITY;
    if (exponent)
        m |= whole;
    else
        exponent = 1;
    x = (double)m * power_of_2(exponent - f->bias - f->fraction);
    return negative ? -x : x;
}
