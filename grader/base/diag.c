// SPDX-License-Identifier: Apache-2.0
// Diagnostics are data: collected here, judged by the caller and shown by
// report/.
#include "base/base.h"

enum { DEFAULT_LIMIT = 100 };

Diags diags_new(Arena *arena) {
    return (Diags){.arena = arena};
}

Diag *diag_add(Diags *diags, DiagLevel level, SrcLoc at, const char *format,
               ...) {
    size_t limit = diags->limit ? diags->limit : DEFAULT_LIMIT;
    diags->errors += level == DIAG_ERROR;
    Diag *diag;
    if (diags->count < limit) {
        arena_grow(diags->arena, diags->items, diags->count, diags->capacity);
        diag = &diags->items[diags->count++];
    } else {
        diag = arena_new(diags->arena, Diag, 1);
    }
    va_list args;
    va_start(args, format);
    Str what = str_vformat(diags->arena, format, args);
    va_end(args);
    *diag = (Diag){.level = level, .at = at, .what = what};
    return diag;
}
