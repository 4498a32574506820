// SPDX-License-Identifier: Apache-2.0
// What is made of the lines that sim_c++ prints (batch/alike.c). A script
// stands in for it, so that each line is known: it prints one text where the
// known texts are named
// ("/"), and another where submissions are compared with each other.
#include "tests/unit/cli_room.h"

#include "batch/batch.h"

enum { LINES = 20 };

typedef struct Bench {
    Room room;
    Str texts[4];
    BatchAlikeRequest request;
    BatchAlikes found;
} Bench;

// LINES lines of code, and two that are none.
static Str text_of(Arena *arena, char name) {
    Buf out = {0};
    buf_printf(&out, "// %c\n{\n", name);
    for (int i = 0; i < LINES; i++)
        buf_printf(&out, "%c = %d;\n", name, i);
    Str text = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return text;
}

static void open_bench(Bench *bench) {
    *bench = (Bench){0};
    room_open(&bench->room);
    mkdir("bin", 0700);
    for (size_t i = 0; i < COUNT_OF(bench->texts); i++)
        bench->texts[i] = text_of(&bench->room.arena, (char)('a' + i));
    bench->request = (BatchAlikeRequest){.texts = bench->texts,
                                         .count = COUNT_OF(bench->texts),
                                         .known = bench->texts,
                                         .known_count = 1,
                                         .percent = 1};
}

static void close_bench(Bench *bench) {
    room_close(&bench->room);
}

static void find(Bench *bench, const char *known, const char *alike) {
    Arena *arena = &bench->room.arena;
    put("bin/sim_c++", str_format(arena,
                                  "#!/usr/bin/sh\nnames=$(cat)\n"
                                  "case $names in\n*/*) echo '%s' ;;\n"
                                  "*) echo '%s' ;;\nesac\n",
                                  known, alike));
    CHECK_INT(chmod("bin/sim_c++", 0700), 0);
    setenv("PATH",
           str_format(arena, "%s/bin:/usr/bin:/bin", bench->room.folder).ptr,
           1);
    batch_find_alike(arena, &bench->request, &bench->found);
    CHECK(bench->found.is_asked);
    CHECK_STR(bench->found.why, "");
}

// "0+1 20/20 of 20 and 10, 100%" for each pair.
static Str pairs_of(Bench *bench) {
    Buf out = {0};
    for (size_t i = 0; i < bench->found.count; i++) {
        const BatchAlike *pair = &bench->found.items[i];
        buf_printf(&out, "%zu+%zu: %u/%u, %u/%u, %u%%\n", pair->rows[0],
                   pair->rows[1], pair->shared[0], pair->own[0],
                   pair->shared[1], pair->own[1], pair->percent);
    }
    Str text = str_copy(&bench->room.arena, buf_view(&out));
    buf_free(&out);
    return text;
}

TEST(lines_that_are_shared_are_counted) {
    Bench bench;
    open_bench(&bench);
    find(&bench, "", "0: line 3-12   |1: line 13-22   [50]");
    CHECK_STR(pairs_of(&bench), "0+1: 10/20, 10/20, 50%\n");
    const BatchAlike *pair = bench.found.items;
    for (int i = 0; i < LINES + 2; i++) {
        CHECK_INT(pair->marks[0][i], i >= 2 && i < 12);
        CHECK_INT(pair->marks[1][i], i >= 12);
    }
    close_bench(&bench);
}

// What all were given is nobody's own, from the first of its lines to the last.
TEST(known_lines_do_not_count) {
    Bench bench;
    open_bench(&bench);
    find(&bench,
         "0: line 3-7 |k0: line 1-5 [9]\n1: line 22-22 |k0: line 1-1 [9]\n"
         "2: line 1-4 |k0: line 1-4 [9]",
         "0: line 3-12 |1: line 13-22 [50]\n0: line 3-22 |2: line 3-22 [50]");
    CHECK_STR(pairs_of(&bench),
              "0+2: 15/15, 18/18, 100%\n0+1: 5/15, 9/19, 47%\n");
    close_bench(&bench);
}

TEST(each_line_counts_once_and_pairs_have_an_order) {
    Bench bench;
    open_bench(&bench);
    find(&bench, "",
         "3: line 3-12 |2: line 3-12 [1]\n2: line 3-7 |3: line 8-17 [1]\n"
         "1: line 3-12 |0: line 3-12 [1]\n0: line 3-22 |3: line 3-22 [1]\n"
         "1: line 1-2 |2: line 1-2 [1]\n1: line 3-22 |2: line 3-4 [1]");
    CHECK_STR(pairs_of(&bench),
              "0+3: 20/20, 20/20, 100%\n1+2: 20/20, 2/20, 100%\n"
              "2+3: 10/20, 15/20, 75%\n0+1: 10/20, 10/20, 50%\n");
    bench.request.percent = 75;
    find(&bench, "",
         "0: line 3-17 |1: line 3-7 [1]\n2: line 3-16 |3: line 3-16 [1]");
    CHECK_STR(pairs_of(&bench), "0+1: 15/20, 5/20, 75%\n");
    close_bench(&bench);
}

// Lines that are none of sim's, and places that are in no text.
TEST(other_lines_are_passed_over) {
    static const char *const lines[] = {
        "File 0: 20 tokens",
        "0: line 3-12",
        "0: line 3-12 |x [1]",
        "4: line 3-12 |1: line 3-12 [1]",
        "0: line 0-12 |1: line 3-12 [1]",
        "0: line 3-23 |1: line 3-12 [1]",
        "0: line 12-3 |1: line 3-12 [1]",
        "0: line 3-12 |1: line 3-23 [1]",
        "0: line 3-12 |1: line 0-1 [1]",
        "0: line 3-12 |0: line 13-22 [1]",
        "x |1: line 3-12 [1]",
        "0: line 3-12x |1: line 3-12 [1]",
        "0: lines 3-12 |1: line 3-12 [1]",
        "0: line 9999999999-12 |1: line 3-12 [1]"};
    Bench bench;
    open_bench(&bench);
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        find(&bench, "", lines[i]);
        if (!CHECK_INT(bench.found.count, 0))
            printf("# %s\n", lines[i]);
    }
    close_bench(&bench);
}

TEST(too_little_of_their_own_is_no_hint) {
    Bench bench;
    open_bench(&bench);
    find(&bench,
         "0: line 3-14 |k0: line 1-9 [1]\n1: line 3-15 |k0: line 1-9 [1]",
         "0: line 3-22 |1: line 3-22 [1]");
    CHECK_STR(pairs_of(&bench), "0+1: 8/8, 7/7, 100%\n");
    find(&bench,
         "0: line 3-15 |k0: line 1-9 [1]\n1: line 3-15 |k0: line 1-9 [1]",
         "0: line 3-22 |1: line 3-22 [1]");
    CHECK_STR(pairs_of(&bench), "");
    close_bench(&bench);
}

TEST(a_program_that_fails_or_is_missing_is_said) {
    Bench bench;
    open_bench(&bench);
    Str path = str_copy(&bench.room.arena, str_from(getenv("PATH")));
    setenv("PATH", bench.room.folder, 1);
    batch_find_alike(&bench.room.arena, &bench.request, &bench.found);
    CHECK_HOLDS(bench.found.why, "sim_c++ is not there");
    put("sim_c++", STR("#!/usr/bin/sh\necho no >&2\nexit 3\n"));
    CHECK_INT(chmod("sim_c++", 0700), 0);
    batch_find_alike(&bench.room.arena, &bench.request, &bench.found);
    CHECK_STR(bench.found.why, "sim_c++ ended with 3: no.");
    CHECK_INT(bench.found.count, 0);
    setenv("PATH", path.ptr, 1);
    close_bench(&bench);
}

TEST_MAIN(TESTCASE(lines_that_are_shared_are_counted),
          TESTCASE(known_lines_do_not_count),
          TESTCASE(each_line_counts_once_and_pairs_have_an_order),
          TESTCASE(other_lines_are_passed_over),
          TESTCASE(too_little_of_their_own_is_no_hint),
          TESTCASE(a_program_that_fails_or_is_missing_is_said))
