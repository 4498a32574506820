// SPDX-License-Identifier: Apache-2.0
// The types that elements of a buffer may have.
#ifndef CLCLAB_TRIALS_ELEMENT_H
#define CLCLAB_TRIALS_ELEMENT_H

#include "base/base.h"

typedef enum ElementType {
    ELEMENT_WORD, // 32 bits of a type that nobody has named
    ELEMENT_I8,
    ELEMENT_U8,
    ELEMENT_I16,
    ELEMENT_U16,
    ELEMENT_I32,
    ELEMENT_U32,
    ELEMENT_I64,
    ELEMENT_U64,
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_COUNT
} ElementType;

// "f32"; ELEMENT_WORD for any other name.
ElementType element_find(Str name);
Str element_name(ElementType type); // ELEMENT_WORD: empty
uint32_t element_size(ElementType type);
bool element_is_float(ElementType type); // ELEMENT_WORD: it may be an f32
bool element_is_signed(ElementType type);

// A float's bits: the nearest to `value`, ties to even.
uint64_t element_from_double(ElementType type, double value);
double element_to_double(ElementType type, uint64_t bits);
// The bits of the little-endian element at `bytes`.
uint64_t element_bits(ElementType type, const void *bytes);
// The lowest `count` bytes of `bits`, little-endian, also of no whole element.
void element_put(uint8_t *out, size_t count, uint64_t bits);

// Element `index` of a buffer that counts: 0, 1, 2, ...
uint64_t element_counted(ElementType type, uint64_t index);
// Element `index` of a random buffer: any bits of hash_u64(seed + index), the
// upper ones, or a float in [0, 1).
uint64_t element_drawn(ElementType type, uint64_t seed, uint64_t index);

#endif
