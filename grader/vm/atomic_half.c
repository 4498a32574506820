// SPDX-License-Identifier: Apache-2.0
// Atomics on f16 and bf16: add, min, max, without flushing (.noftz).
// A sum of two such values, made in f32 and rounded again, is the correctly
// rounded one: 24 bits are at least twice 11 (or 8) and two more. min and max
// give the operand that is a number; -0 is less than +0.
#include "vm/atomic.h"

#include <math.h>
#include <string.h>

enum { HALF_NAN = 0x7FFF }; // of both formats

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float from_f16(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31, fraction = half & 0x3FF;
    float magnitude;
    if (exponent == 31)
        magnitude = fraction ? NAN : INFINITY;
    else if (exponent)
        magnitude = float_of((exponent + 112) << 23 | fraction << 13);
    else
        magnitude = (float)fraction * 0x1p-24f;
    return float_of(bits_of(magnitude) | sign);
}

// Rounds to nearest even by the units of the last place of the result.
static uint16_t to_f16(float value) {
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000;
    float magnitude = fabsf(value);
    if (value != value)
        return HALF_NAN;
    if (magnitude >= 65520.0f)
        return (uint16_t)(sign | 0x7C00);
    if (magnitude < 0x1p-14f) // the sum's last bit is worth 2^-24
        return (uint16_t)(sign | (uint32_t)rintf(magnitude * 0x1p24f));
    uint32_t rest = bits & 0x7FFFFFFF;
    rest += 0xFFF + (rest >> 13 & 1);
    return (uint16_t)(sign | ((rest >> 13) - (112u << 10)));
}

static uint16_t to_bf16(float value) {
    uint32_t bits = bits_of(value);
    if (value != value)
        return HALF_NAN;
    bits += 0x7FFF + (bits >> 16 & 1);
    return (uint16_t)(bits >> 16);
}

static uint16_t least(uint16_t a, float x, uint16_t b, float y) {
    if (x != x && y != y)
        return HALF_NAN;
    if (x == y)
        return a & 0x8000 ? a : b;
    return x < y || y != y ? a : b;
}

uint16_t vm_atomic_half(VmAtomicOp op, bool is_bf16, uint16_t old, uint16_t b) {
    float x = is_bf16 ? float_of((uint32_t)old << 16) : from_f16(old);
    float y = is_bf16 ? float_of((uint32_t)b << 16) : from_f16(b);
    if (op == ATOMIC_ADD)
        return is_bf16 ? to_bf16(x + y) : to_f16(x + y);
    if (op == ATOMIC_MIN)
        return least(old, x, b, y);
    // The greater one is the least of the negated ones, negated again.
    uint16_t low = least(old ^ 0x8000, -x, b ^ 0x8000, -y);
    return low == HALF_NAN ? low : low ^ 0x8000;
}
