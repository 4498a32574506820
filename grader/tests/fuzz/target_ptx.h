// SPDX-License-Identifier: Apache-2.0
// What fuzzing requires of ptx/ for any bytes: it does not crash; it gives a
// module or an error with a place; a module that is printed and parsed again is
// the same, and printing it again gives the same bytes. A violation aborts.
#ifndef CLCLAB_TESTS_FUZZ_TARGET_PTX_H
#define CLCLAB_TESTS_FUZZ_TARGET_PTX_H

#include "ptx/ptx.h"
#include "tests/unit/same_module.h"

#include <stdio.h>
#include <stdlib.h>

#define FUZZ_REQUIRE(condition, ...)                                \
    do {                                                            \
        if (!(condition)) {                                         \
            fprintf(stderr, "%s:%d: not so: ", __FILE__, __LINE__); \
            fprintf(stderr, __VA_ARGS__);                           \
            fputc('\n', stderr);                                    \
            abort();                                                \
        }                                                           \
    } while (0)

static inline Str fuzz_print(Arena *arena, const PtxModule *module) {
    Buf buf = {0};
    ptx_print(module, &buf);
    Str text = str_copy(arena, buf_view(&buf));
    buf_free(&buf);
    return text;
}

static inline void fuzz_check_errors(const Diags *diags) {
    FUZZ_REQUIRE(diags->errors > 0, "no module has an error");
    for (size_t i = 0; i < diags->count; i++)
        FUZZ_REQUIRE(diags->items[i].at.line > 0 && diags->items[i].at.col > 0,
                     "an error has a place: %.*s",
                     STR_ARG(diags->items[i].what));
}

static inline void fuzz_check_round_trip(Arena *arena, const PtxModule *first) {
    Diags diags = diags_new(arena);
    Str printed = fuzz_print(arena, first);
    const PtxModule *second =
        ptx_parse(arena, STR("printed.ptx"), printed, &diags);
    if (!second)
        FUZZ_REQUIRE(diags.count == 0, "what is printed parses: line %u: %.*s",
                     diags.items[0].at.line, STR_ARG(diags.items[0].what));
    const char *difference = module_difference(first, second);
    FUZZ_REQUIRE(!difference, "printed, it is the same module, not other %s",
                 difference);
    FUZZ_REQUIRE(str_equal(fuzz_print(arena, second), printed),
                 "printed twice, it is the same bytes");
}

static inline void fuzz_ptx(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    Str text = {(const char *)data, size};
    const PtxModule *module = ptx_parse(&arena, STR("fuzz.ptx"), text, &diags);
    if (module)
        fuzz_check_round_trip(&arena, module);
    else
        fuzz_check_errors(&diags);
    arena_free(&arena);
}

#endif
