// SPDX-License-Identifier: Apache-2.0
// Atomics on f16 and bf16: add, min, max, without flushing (.noftz).
// A sum of two such values, computed in f32 and rounded again, is correctly
// rounded: f32 has 24 bits, which is at least twice 11 (or 8) plus 2. min and
// max return the operand that is a number; -0 is less than +0.
#include "vm/values/atomic.h"
#include "vm/values/half.h"

enum { HALF_NAN = 0x7FFF }; // for both formats

static float widen(bool is_bf16, uint16_t half) {
    return is_bf16 ? vm_widen_bf16(half) : vm_widen_f16(half);
}

static uint16_t narrow(bool is_bf16, float value) {
    if (value != value)
        return HALF_NAN;
    return is_bf16 ? vm_narrow_bf16(value) : vm_narrow_f16(value);
}

static uint16_t least(uint16_t a, float x, uint16_t b, float y) {
    if (x != x && y != y)
        return HALF_NAN;
    if (x == y)
        return a & 0x8000 ? a : b;
    return x < y || y != y ? a : b;
}

uint16_t vm_atomic_half(VmAtomicOp op, bool is_bf16, uint16_t old, uint16_t b) {
    float x = widen(is_bf16, old), y = widen(is_bf16, b);
    if (op == ATOMIC_ADD)
        return narrow(is_bf16, x + y);
    if (op == ATOMIC_MIN)
        return least(old, x, b, y);
    // The maximum is the negated minimum of the negated values.
    uint16_t low = least(old ^ 0x8000, -x, b ^ 0x8000, -y);
    return low == HALF_NAN ? low : low ^ 0x8000;
}
