// SPDX-License-Identifier: Apache-2.0
// The inputs of the golden kernels: what the GPU was given is what the virtual
// machine is given. A kernel takes (in, out): 3 x 64 words, 64 words a form.
#ifndef CLCLAB_GOLDEN_H
#define CLCLAB_GOLDEN_H

#include <stdint.h>

enum { GOLDEN_THREADS = 64, GOLDEN_INPUTS = 3 * GOLDEN_THREADS };

static inline uint64_t golden_mix(uint64_t z) { // splitmix64
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// Word i of the inputs. A quarter each: any bits, special values, an f32 of
// moderate size in the low half, an f64 of moderate size.
static inline uint64_t golden_input(uint32_t i) {
    static const uint64_t special[] = {
        0,
        1,
        2,
        0x7F,
        0x80,
        0xFF,
        0x7FFF,
        0x8000,
        0xFFFF,
        0x7FFFFFFF,
        0x80000000,
        0xFFFFFFFF,
        0x100000000,
        0x7FFFFFFFFFFFFFFF,
        0x8000000000000000,
        0xFFFFFFFFFFFFFFFF,
        0x3F800000 /* 1.0f */,
        0xBF800000 /* -1.0f */,
        0x7F800000 /* inf */,
        0xFF800000 /* -inf */,
        0x7FC00000 /* NaN */,
        0x00000001 /* denormal */,
        0x807FFFFF /* denormal */,
        0x00800000 /* least normal */,
        0x4B000001 /* 8388609 */,
        0x3F000000 /* 0.5f */,
        0x4F000000 /* 2^31 */,
        0x3FF0000000000000 /* 1.0 */,
        0xBFE0000000000000 /* -0.5 */,
        0x7FF0000000000000 /* inf */,
        0x7FF8000000000000 /* NaN */,
        0x0000000000000001 /* denormal */,
        0x4330000000000001,
        0x43E0000000000000,
    };
    uint64_t h = golden_mix(i), pick = golden_mix(h);
    switch (i % 4) {
    case 0:
        return h;
    case 1:
        return special[pick % (sizeof special / sizeof special[0])];
    case 2:
        return (h & 0xFFFFFFFF807FFFFFu) | (pick % 40 + 108) << 23;
    default:
        return (h & 0x800FFFFFFFFFFFFFu) | (pick % 80 + 983) << 52;
    }
}

// What class F of make-ops gives thread `thread` as its first operand.
static inline uint32_t golden_special32(uint32_t thread) {
    static const uint32_t special[] = {
        0x00000000 /* 0 */,          0xBFC00000 /* -1.5 */,
        0x7F800000 /* inf */,        0xFFC12345 /* NaN */,
        0x7F812345 /* signalling */, 0x807FFFFF /* denormal */,
        0x7F7FFFFF /* largest */,    0x3F800001 /* 1 + 2^-23 */,
    };
    return special[thread % 8];
}

#endif
