// SPDX-License-Identifier: Apache-2.0
// What is remembered of a machine's GPUs (cli/card.c): as long as nothing of
// what decides about them has changed, and no longer.
#include "cli/internal.h"
#include "sandbox/files.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <unistd.h>

static Str folder; // a scratch folder: proc/ and cache/

static void put(Arena *arena, const char *name, const char *text) {
    Str path = str_format(arena, "%.*s/proc/%s", STR_ARG(folder), name), up;
    for (up = path; up.len && up.ptr[up.len - 1] != '/';)
        up.len--;
    CHECK(files_make_folder(arena, str_slice(up, 0, up.len - 1)));
    CHECK(files_write_atomic(arena, path, str_from(text)));
}

static Str key(Arena *arena) {
    return card_key(arena, str_format(arena, "%.*s/proc", STR_ARG(folder)));
}

static void open_folder(Arena *arena, Scratch *scratch) {
    Diags diags = diags_new(arena);
    CHECK(sandbox_make_scratch(arena, STR(""), scratch, &diags));
    folder = scratch->path;
    Str cache = str_format(arena, "%.*s/cache", STR_ARG(folder));
    setenv("XDG_CACHE_HOME", cache.ptr, 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    put(arena, "version", "NVRM version: 570");
    put(arena, "gpus/0000:01:00.0/information", "Model: an older one");
}

TEST(it_is_remembered_until_something_changes) {
    Arena arena = {0};
    Scratch scratch;
    open_folder(&arena, &scratch);
    Str first = key(&arena);
    CHECK(first.len > 0 && !card_is_remembered(&arena, first));
    card_remember(&arena, first);
    CHECK(card_is_remembered(&arena, key(&arena)));
    setenv("CUDA_VISIBLE_DEVICES", "1", 1);
    CHECK(!card_is_remembered(&arena, key(&arena)));
    unsetenv("CUDA_VISIBLE_DEVICES");
    put(&arena, "gpus/0000:02:00.0/information", "Model: a new one");
    CHECK(!card_is_remembered(&arena, key(&arena)));
    CHECK(unlink(str_format(&arena, "%.*s/proc/gpus/0000:02:00.0/information",
                            STR_ARG(folder))
                     .ptr) == 0);
    CHECK_INT(key(&arena).len, 0); // a GPU of which nothing is said
    sandbox_remove_scratch(&scratch);
    arena_free(&arena);
}

TEST(without_the_kernel_module_or_a_cache_nothing_is_remembered) {
    Arena arena = {0};
    Scratch scratch;
    open_folder(&arena, &scratch);
    Str known = key(&arena);
    Str none = card_key(&arena, STR("/nonexistent"));
    CHECK_INT(none.len, 0);
    card_remember(&arena, none);
    CHECK(!card_is_remembered(&arena, none));
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    card_remember(&arena, known);
    CHECK(!card_is_remembered(&arena, known));
    sandbox_remove_scratch(&scratch);
    arena_free(&arena);
}

TEST(another_drivers_word_is_not_believed) {
    Arena arena = {0};
    Scratch scratch;
    open_folder(&arena, &scratch);
    card_remember(&arena, key(&arena));
    put(&arena, "version", "NVRM version: 580");
    CHECK(!card_is_remembered(&arena, key(&arena)));
    sandbox_remove_scratch(&scratch);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(it_is_remembered_until_something_changes),
          TESTCASE(without_the_kernel_module_or_a_cache_nothing_is_remembered),
          TESTCASE(another_drivers_word_is_not_believed))
