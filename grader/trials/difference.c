// SPDX-License-Identifier: Apache-2.0
// What differs in two states of a buffer: how many elements, the first of them,
// and both its values in words.
#include "trials/trials.h"

#include <math.h>
#include <string.h>

// Two elements that are not the same: true for floats of which both are NaN,
// and for such as differ by no more than the tolerance.
static bool is_close(const MemoryForm *form, Str a, Str b) {
    ElementType type = form->element;
    if (!form->is_close || !element_is_float(type) ||
        a.len < element_size(type))
        return false;
    double x = element_to_double(type, element_bits(type, a.ptr));
    double y = element_to_double(type, element_bits(type, b.ptr));
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return fabs(x - y) <= form->tolerance * fmax(fabs(x), fabs(y));
}

void memory_compare(Arena *arena, const MemoryForm *form, Str was, Str now,
                    uint64_t at, MemoryDifference *difference) {
    size_t size = element_size(form->element);
    if (memcmp(was.ptr, now.ptr, now.len) == 0)
        return;
    for (size_t i = 0; i < now.len; i += size) {
        Str a = str_slice(was, i, i + size), b = str_slice(now, i, i + size);
        if (str_equal(a, b) || is_close(form, a, b) || difference->words++ > 0)
            continue;
        difference->at = at + i;
        difference->was = a;
        difference->now = str_copy(arena, b);
    }
}

static Str written_value(Arena *arena, ElementType type, uint64_t bits) {
    uint32_t unused = 64 - 8 * element_size(type);
    if (element_is_float(type))
        return str_format(arena, "%.*g", type == ELEMENT_F64 ? 17 : 9,
                          element_to_double(type, bits));
    if (element_is_signed(type))
        return str_format(arena, "%lld",
                          (long long)((int64_t)(bits << unused) >> unused));
    return str_format(arena, "%llu", (unsigned long long)bits);
}

Str memory_element(Arena *arena, ElementType type, Str bytes) {
    uint64_t bits = 0;
    uint32_t size = element_size(type);
    for (size_t i = 0; i < bytes.len; i++)
        bits |= (uint64_t)(uint8_t)bytes.ptr[i] << 8 * i;
    Str hex = str_format(arena, "0x%0*llx", (int)(2 * bytes.len),
                         (unsigned long long)bits);
    if (bytes.len < size)
        return hex;
    if (type == ELEMENT_WORD)
        return str_format(arena, "%.*s (u32 %u, f32 %.9g)", STR_ARG(hex),
                          (uint32_t)bits, element_to_double(ELEMENT_F32, bits));
    Str name = element_name(type), value = written_value(arena, type, bits);
    return str_format(arena, "%.*s (%.*s %.*s)", STR_ARG(hex), STR_ARG(name),
                      STR_ARG(value));
}
