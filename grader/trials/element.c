// SPDX-License-Identifier: Apache-2.0
// The types that elements of a buffer may have: their names, their sizes, and
// how a number becomes an element and is read from one.
#include "trials/element.h"

#include <math.h>
#include <string.h>

typedef struct ElementForm {
    const char *name;
    uint32_t size;               // bytes
    uint32_t mantissa, exponent; // bits of a float; 0: a whole number
    bool is_signed;
} ElementForm;

static const ElementForm *form_of(ElementType type) {
    static const ElementForm forms[] = {
        [ELEMENT_WORD] = {"", 4, 23, 8, false},
        [ELEMENT_I8] = {"i8", 1, 0, 0, true},
        [ELEMENT_U8] = {"u8", 1, 0, 0, false},
        [ELEMENT_I16] = {"i16", 2, 0, 0, true},
        [ELEMENT_U16] = {"u16", 2, 0, 0, false},
        [ELEMENT_I32] = {"i32", 4, 0, 0, true},
        [ELEMENT_U32] = {"u32", 4, 0, 0, false},
        [ELEMENT_I64] = {"i64", 8, 0, 0, true},
        [ELEMENT_U64] = {"u64", 8, 0, 0, false},
        [ELEMENT_F16] = {"f16", 2, 10, 5, false},
        [ELEMENT_BF16] = {"bf16", 2, 7, 8, false},
        [ELEMENT_F32] = {"f32", 4, 23, 8, false},
        [ELEMENT_F64] = {"f64", 8, 52, 11, false},
    };
    _Static_assert(COUNT_OF(forms) == ELEMENT_COUNT, "a form for each type");
    return &forms[type];
}

ElementType element_find(Str name) {
    for (int i = ELEMENT_WORD + 1; i < ELEMENT_COUNT; i++)
        if (str_equal(name, element_name((ElementType)i)))
            return (ElementType)i;
    return ELEMENT_WORD;
}

Str element_name(ElementType type) {
    return str_from(form_of(type)->name);
}

uint32_t element_size(ElementType type) {
    return form_of(type)->size;
}

bool element_is_float(ElementType type) {
    return form_of(type)->exponent != 0;
}

bool element_is_signed(ElementType type) {
    return form_of(type)->is_signed;
}

// ---- floats --------------------------------------------------------------

static uint64_t infinity_of(const ElementForm *form) {
    return ((UINT64_C(1) << form->exponent) - 1) << form->mantissa;
}

// The magnitude, rounded to the nearest, ties to even. What is too large
// becomes infinity.
static uint64_t round_magnitude(const ElementForm *form, double value) {
    int mantissa = (int)form->mantissa, exponent;
    int bias = (1 << (form->exponent - 1)) - 1;
    uint64_t infinity = infinity_of(form);
    if (isnan(value))
        return infinity | UINT64_C(1) << (mantissa - 1);
    if (isinf(value) || value == 0)
        return value == 0 ? 0 : infinity;
    frexp(value, &exponent);
    exponent--; // value is 1.xxx * 2^exponent
    bool normal = exponent >= 1 - bias;
    int scale = (normal ? exponent : 1 - bias) - mantissa;
    uint64_t digits = (uint64_t)nearbyint(ldexp(value, -scale));
    if (normal && exponent + bias >= 1 << form->exponent)
        return infinity;
    // The first digit of a normal number adds 1 to the exponent's field.
    uint64_t bits = normal ? ((uint64_t)(exponent + bias - 1) << mantissa) : 0;
    bits += digits;
    return bits < infinity ? bits : infinity;
}

uint64_t element_from_double(ElementType type, double value) {
    const ElementForm *form = form_of(type);
    uint64_t sign = signbit(value) ? UINT64_C(1) << (8 * form->size - 1) : 0;
    return sign | round_magnitude(form, fabs(value));
}

double element_to_double(ElementType type, uint64_t bits) {
    const ElementForm *form = form_of(type);
    int bias = (1 << (form->exponent - 1)) - 1, mantissa = (int)form->mantissa;
    bool negative = bits >> (8 * form->size - 1) & 1;
    uint64_t field = bits >> mantissa & ((UINT64_C(1) << form->exponent) - 1);
    uint64_t digits = bits & ((UINT64_C(1) << mantissa) - 1);
    double value;
    if (field == (UINT64_C(1) << form->exponent) - 1)
        value = digits ? (double)NAN : (double)INFINITY;
    else if (field == 0)
        value = ldexp((double)digits, 1 - bias - mantissa);
    else
        value = ldexp((double)(digits | UINT64_C(1) << mantissa),
                      (int)field - bias - mantissa);
    return negative ? -value : value;
}

// ---- bytes ---------------------------------------------------------------

uint64_t element_bits(ElementType type, const void *bytes) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < element_size(type); i++)
        bits |= (uint64_t)((const uint8_t *)bytes)[i] << 8 * i;
    return bits;
}

void element_put(uint8_t *out, size_t count, uint64_t bits) {
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)(bits >> 8 * i);
}

uint64_t element_counted(ElementType type, uint64_t index) {
    bool is_float = type != ELEMENT_WORD && element_is_float(type);
    return is_float ? element_from_double(type, (double)index) : index;
}

// A float is a multiple of 2^-(digits) in [0, 1): as many digits as it has.
uint64_t element_drawn(ElementType type, uint64_t seed, uint64_t index) {
    const ElementForm *form = form_of(type);
    uint64_t hash = hash_u64(seed + index);
    if (type == ELEMENT_WORD || !element_is_float(type))
        return hash >> (64 - 8 * form->size);
    int digits = (int)form->mantissa + 1;
    return element_from_double(type,
                               ldexp((double)(hash >> (64 - digits)), -digits));
}
