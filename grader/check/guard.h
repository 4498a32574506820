// SPDX-License-Identifier: Apache-2.0
// Conditions round a line of the submission's text.
#ifndef CLCLAB_CHECK_GUARD_H
#define CLCLAB_CHECK_GUARD_H

#include "check/internal.h"

typedef struct Guard {
    Str condition; // "i <= n", as it is written
    uint32_t line;
    bool is_passed; // it leads away from the line where it holds
} Guard;

// The condition of the nearest if, for or while round the line, or of an if in
// front of it that leads away, if it compares and names something that the line
// names, too. False: none is known for sure.
bool guard_of(Str source, uint32_t line, Guard *guard);

#endif
