// SPDX-License-Identifier: Apache-2.0
// base/demangle.c on names that g++ 12 made of functions in many forms:
// grader/tests/names/names.txt has each and what people write for it, which was
// compared with c++filt when the file was made ("-": it is left as it is).
#include "tests/unit/golden.h"

static const char FOLDER[] = "grader/tests/names", FILE_NAME[] = "names.txt";

static Str names_text(Arena *arena) {
    return test_file(arena,
                     str_format(arena, "%s/%s%c", FOLDER, FILE_NAME, '\0').ptr);
}

TEST(names_are_as_people_write_them) {
    Arena arena = {0};
    Buf out = {0};
    size_t count = 0;
    for (Str rest = names_text(&arena); rest.len; count++) {
        Str line = str_cut(&rest, '\n'), mangled = str_cut(&line, '\t');
        Str name, list;
        if (demangle(&arena, mangled, &name, &list))
            buf_printf(&out, "%.*s\t%.*s\t%.*s\n", STR_ARG(mangled),
                       STR_ARG(name), STR_ARG(list));
        else
            buf_printf(&out, "%.*s\t-\n", STR_ARG(mangled));
    }
    CHECK(count > 80);
    golden_check(&arena, FOLDER, str_from(FILE_NAME), buf_view(&out));
    buf_free(&out);
    arena_free(&arena);
}

// What goes on is no name; what is cut off is none, or another one.
TEST(a_name_is_read_to_its_end) {
    Arena arena = {0};
    for (Str rest = names_text(&arena); rest.len;) {
        Str line = str_cut(&rest, '\n'), mangled = str_cut(&line, '\t');
        Str name, list;
        Str longer = str_format(&arena, "%.*s?", STR_ARG(mangled));
        CHECK(!demangle(&arena, longer, &name, &list));
        for (size_t len = 0; len < mangled.len; len++)
            if (demangle(&arena, str_slice(mangled, 0, len), &name, &list))
                CHECK(name.len > 0);
    }
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(names_are_as_people_write_them),
          TESTCASE(a_name_is_read_to_its_end))
