// SPDX-License-Identifier: Apache-2.0
// Texts that must be byte for byte what a file of grader/tests/ has. To change
// them on purpose, run the test's program with UPDATE_GOLDEN=1, and read what
// `git diff` says.
#ifndef CLCLAB_TESTS_GOLDEN_H
#define CLCLAB_TESTS_GOLDEN_H

#include "tests/unit/test.h"

static inline void golden_update(const char *path, Str text) {
    FILE *file = fopen(path, "wb");
    if (!CHECK(file != NULL))
        return;
    CHECK(fwrite(text.ptr, 1, text.len, file) == text.len);
    fclose(file);
}

// Says where they begin to differ.
static inline void golden_compare(const char *path, Str is, Str wanted) {
    uint32_t number = 1;
    if (CHECK(str_equal(is, wanted)))
        return;
    for (; is.len && wanted.len; number++) {
        Str a = str_cut(&is, '\n'), b = str_cut(&wanted, '\n');
        if (str_equal(a, b))
            continue;
        printf("# %s, line %u\n", path, number);
        test_print_str("is      ", a);
        test_print_str("expected", b);
        return;
    }
    printf("# %s: one of the two ends before line %u\n", path, number);
}

static inline void golden_check(Arena *arena, const char *folder, Str name,
                                Str text) {
    const char *path =
        str_format(arena, "%s/%.*s%c", folder, STR_ARG(name), '\0').ptr;
    if (getenv("UPDATE_GOLDEN"))
        golden_update(path, text);
    golden_compare(path, text, test_file(arena, path));
}

#endif
