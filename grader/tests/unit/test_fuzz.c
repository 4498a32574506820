// SPDX-License-Identifier: Apache-2.0
// What fuzzing found stays found: each file of grader/tests/fuzz/crashers goes
// through all targets again. And the mutations do what they are for: most of
// what they make of a kernel still parses.
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target_rewrite.h"
#include "tests/fuzz/target_text.h"
#include "tests/fuzz/target_vm.h"
#include "tests/unit/test.h"

#include <dirent.h>

static const char CRASHERS[] = "grader/tests/fuzz/crashers";
static const char KERNEL[] = "grader/tests/vm/right-loop-0.ptx";
enum { MOST = 1 << 16, MUTATIONS = 400 };

static void replay(const char *name) {
    Arena arena = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CRASHERS, name);
    printf("# %s\n", name); // the last one is it, when the test dies
    Str text = test_file(&arena, path);
    fuzz_ptx((const uint8_t *)text.ptr, text.len);
    fuzz_rewrite((const uint8_t *)text.ptr, text.len);
    fuzz_vm((const uint8_t *)text.ptr, text.len);
    fuzz_text((const uint8_t *)text.ptr, text.len);
    CHECK(text.len > 0);
    arena_free(&arena);
}

TEST(what_crashed_once_does_not) {
    DIR *folder = opendir(CRASHERS);
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        replay(entry->d_name);
        fflush(stdout);
        count++;
    }
    if (folder)
        closedir(folder);
    CHECK(count > 0);
}

// A copy of exactly its size, so that a sanitizer sees any access behind it.
static PtxModule *parse_exact(Arena *arena, const uint8_t *bytes, size_t size) {
    Diags diags = diags_new(arena);
    Str text = fuzz_whole_text(arena, (Str){(const char *)bytes, size});
    return ptx_parse(arena, STR("mutated.ptx"), text, &diags);
}

TEST(mutations_mostly_parse_and_mostly_change_something) {
    Arena arena = {0};
    Str text = test_file(&arena, KERNEL);
    size_t parsed = 0, changed = 0;
    for (unsigned seed = 0; seed < MUTATIONS; seed++) {
        Arena scratch = {0};
        uint8_t *bytes = arena_new(&scratch, uint8_t, MOST);
        memcpy(bytes, text.ptr, text.len);
        size_t size = fuzz_mutate(bytes, text.len, MOST, seed);
        changed += size != text.len || memcmp(bytes, text.ptr, size) != 0;
        parsed += parse_exact(&scratch, bytes, size) != NULL;
        arena_free(&scratch);
    }
    CHECK(parsed > MUTATIONS / 3);
    CHECK(changed > MUTATIONS * 3 / 4);
    if (!CHECK(parsed < MUTATIONS)) // some are to be wrong
        printf("# %zu parse, %zu changed\n", parsed, changed);
    arena_free(&arena);
}

TEST(mutations_stay_in_their_space_and_depend_on_the_seed_alone) {
    Arena arena = {0};
    Str text = test_file(&arena, KERNEL);
    for (unsigned seed = 0; seed < MUTATIONS; seed++) {
        uint8_t *once = heap_alloc(1, text.len),
                *again = heap_alloc(1, text.len);
        memcpy(once, text.ptr, text.len);
        memcpy(again, text.ptr, text.len);
        size_t size = fuzz_mutate(once, text.len, text.len, seed);
        CHECK(size <= text.len);
        CHECK_INT(fuzz_mutate(again, text.len, text.len, seed), size);
        CHECK(memcmp(once, again, size) == 0);
        heap_free(once);
        heap_free(again);
    }
    arena_free(&arena);
}

TEST(statements_of_one_text_come_into_another) {
    uint8_t out[256];
    Str a = STR("mov.u32 %r1, 1;\n"), b = STR("add.u32 %r2, %r2, 2;\n");
    size_t size = fuzz_cross(a, b, out, sizeof out, 7);
    Str crossed = {(const char *)out, size};
    CHECK_HOLDS(crossed, "mov.u32 %r1, 1;");
    CHECK_HOLDS(crossed, "add.u32 %r2, %r2, 2;");
    CHECK_INT(fuzz_cross(a, b, out, 4, 7), 0); // there is no room
}

TEST_MAIN(TESTCASE(what_crashed_once_does_not),
          TESTCASE(mutations_mostly_parse_and_mostly_change_something),
          TESTCASE(mutations_stay_in_their_space_and_depend_on_the_seed_alone),
          TESTCASE(statements_of_one_text_come_into_another))
