// SPDX-License-Identifier: Apache-2.0
// survivors.txt: the mutants that are right programs, each with the reason. A
// line is an id, a blank and the reason. A line that starts with "missed" is
// about a mistake that is not caught yet. "#" starts a comment; "compiler NAME"
// says which compiler's PTX the lines are about.
#include "tests/mutants/mutants.h"

#include <stdio.h>

static bool wrong_line(const char *path, uint32_t number, const char *what) {
    fprintf(stderr, "%s:%u: %s\n", path, number, what);
    return false;
}

static bool read_line(Arena *arena, const char *path, uint32_t number, Str line,
                      Survivors *survivors) {
    line = str_trim(line);
    if (line.len == 0 || line.ptr[0] == '#')
        return true;
    Str id = str_cut(&line, ' ');
    if (str_equal(id, STR("compiler"))) {
        survivors->compiler = str_trim(line);
        return true;
    }
    bool missed = str_equal(id, STR("missed"));
    if (missed)
        id = str_cut(&line, ' ');
    Str why = str_trim(line);
    if (why.len == 0)
        return wrong_line(path, number, "no reason");
    if (survivors_find(survivors, id))
        return wrong_line(path, number, "listed twice");
    arena_grow(arena, survivors->items, survivors->count, survivors->capacity);
    survivors->items[survivors->count++] =
        (Survivor){.id = id, .why = why, .missed = missed};
    return true;
}

bool survivors_read(Arena *arena, const char *path, Survivors *survivors) {
    enum { MOST = 1 << 20 };
    Str text, why;
    bool right = true;
    if (file_read(arena, path, MOST, &text, &why) != FILE_READ)
        return wrong_line(path, 0, "cannot be read");
    for (uint32_t number = 1; text.len > 0; number++)
        right &=
            read_line(arena, path, number, str_cut(&text, '\n'), survivors);
    return right;
}

Survivor *survivors_find(const Survivors *survivors, Str id) {
    for (size_t i = 0; i < survivors->count; i++)
        if (str_equal(survivors->items[i].id, id))
            return &survivors->items[i];
    return NULL;
}
