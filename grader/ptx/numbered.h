// SPDX-License-Identifier: Apache-2.0
// "prefix123": the name of a register of a range (PTX ISA, section
// 5.4.6). Private to ptx/.
//
// All digits at the end of a name are its number, without leading zeros: in
// ptxas 13.0 "%r04" is "%r4", and a range "%r1<8>" has no register that can be
// named.
#ifndef CLCLAB_PTX_NUMBERED_H
#define CLCLAB_PTX_NUMBERED_H

#include "base/base.h"

typedef struct NumberedName {
    Str prefix;      // the whole name where it ends in no digit
    Str digits;      // without leading zeros
    uint32_t number; // UINT32_MAX: none, or too large for any range
} NumberedName;

static inline NumberedName numbered_name(Str name) {
    enum { MOST_DIGITS = 9 };
    size_t start = name.len;
    while (start > 0 && name.ptr[start - 1] >= '0' &&
           name.ptr[start - 1] <= '9')
        start--;
    size_t first = start;
    while (first + 1 < name.len && name.ptr[first] == '0')
        first++;
    NumberedName out = {.prefix = str_slice(name, 0, start),
                        .digits = str_slice(name, first, name.len),
                        .number = UINT32_MAX};
    if (out.digits.len == 0 || out.digits.len > MOST_DIGITS)
        return out;
    out.number = 0;
    for (size_t i = 0; i < out.digits.len; i++)
        out.number = out.number * 10 + (uint32_t)(out.digits.ptr[i] - '0');
    return out;
}

#endif
