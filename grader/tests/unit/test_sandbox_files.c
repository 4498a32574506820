// SPDX-License-Identifier: Apache-2.0
// Whole files and scratch folders: what is read, written, made and removed, and
// what is left alone (sandbox/files.c, sandbox/scratch.c).
#include "sandbox/files.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

// The time of the last change, in seconds before now.
static void make_old(Arena *arena, Str path, long seconds) {
    struct timespec then = {.tv_sec = time(NULL) - seconds};
    struct timespec both[2] = {then, then};
    CHECK_INT(utimensat(AT_FDCWD, str_cstring(arena, path), both,
                        AT_SYMLINK_NOFOLLOW),
              0);
}

static bool has(Arena *arena, const Folder *folder, const char *name) {
    return files_exist(arena, in_folder(arena, folder, name));
}

// ---- reading and writing -------------------------------------------------

TEST(a_file_is_read_whole_or_not_at_all) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str path = in_folder(&arena, &folder, "f"), text = {0};
    CHECK(!files_read(&arena, path, 100, &text));
    CHECK(!has(&arena, &folder, "f"));
    CHECK(files_write_atomic(&arena, path, STR("")));
    CHECK(has(&arena, &folder, "f"));
    CHECK(files_read(&arena, path, 0, &text));
    CHECK_INT(text.len, 0);
    char *bytes = arena_new(&arena, char, 300000);
    memset(bytes, 'y', 300000);
    bytes[299999] = 'z';
    CHECK(files_write_atomic(&arena, path, (Str){bytes, 300000}));
    CHECK(files_read(&arena, path, 300000, &text));
    CHECK(str_equal(text, (Str){bytes, 300000}));
    CHECK(!files_read(&arena, path, 299999, &text));
    // Its size is said to be a page, which cannot be read.
    CHECK(!files_read(&arena, STR("/sys/devices/system/cpu/online"), 1 << 20,
                      &text));
    CHECK_INT(count_files(&arena, folder.path, ""), 1);
}

TEST(what_cannot_be_put_in_place_leaves_nothing) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    write_file(&arena, in_folder(&arena, &folder, "dir/file"), STR("x"));
    CHECK(!files_write_atomic(&arena, in_folder(&arena, &folder, "dir"),
                              STR("y")));
    CHECK_INT(count_files(&arena, folder.path, ""), 1);
    CHECK(has(&arena, &folder, "dir/file"));
    CHECK(!files_write_atomic(&arena, in_folder(&arena, &folder, "no/file"),
                              STR("y")));
}

TEST(a_full_disk_leaves_no_part_of_a_file) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (mount("none", str_cstring(&arena, folder.path), "tmpfs", 0, "size=8k"))
        SKIP("this user cannot mount a tmpfs");
    Str path = in_folder(&arena, &folder, "f"), text = {0};
    char *bytes = arena_new(&arena, char, 20000);
    memset(bytes, 'y', 20000);
    bool first = files_write_atomic(&arena, path, STR("old"));
    bool second = files_write_atomic(&arena, path, (Str){bytes, 20000});
    int count = count_files(&arena, folder.path, "");
    files_read(&arena, path, 100, &text);
    bool empty_fits = files_have_room(&arena, folder.path, 0);
    bool too_much = files_have_room(&arena, folder.path, 8193);
    umount2(str_cstring(&arena, folder.path), MNT_DETACH);
    CHECK(first);
    CHECK(!second);
    CHECK_INT(count, 1);
    CHECK_STR(text, "old");
    CHECK(empty_fits);
    CHECK(!too_much);
}

TEST(room_is_what_is_free) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    if (mount("none", str_cstring(&arena, folder.path), "tmpfs", 0, "size=64k"))
        SKIP("this user cannot mount a tmpfs");
    bool all = files_have_room(&arena, folder.path, 65536);
    bool more = files_have_room(&arena, folder.path, 65537);
    umount2(str_cstring(&arena, folder.path), MNT_DETACH);
    CHECK(all);
    CHECK(!more);
    CHECK(!files_have_room(&arena, STR("/nonexistent"), 0));
}

TEST(no_file_stays_open) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str path = in_folder(&arena, &folder, "f"), text;
    int lowest = dup(0);
    close(lowest);
    CHECK(files_write_atomic(&arena, path, STR("x")));
    CHECK(!files_write_atomic(&arena, folder.path, STR("x")));
    CHECK(files_read(&arena, path, 1, &text));
    CHECK(!files_read(&arena, path, 0, &text));
    CHECK(!files_read(&arena, folder.path, 9, &text));
    files_prune(&arena, folder.path, (Str){0}, STR(".r"), 0, 0);
    int now = dup(0);
    CHECK_INT(now, lowest);
    close(now);
}

TEST(folders_are_made_with_their_parents) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    CHECK(files_make_folder(&arena, in_folder(&arena, &folder, "a/b/c")));
    CHECK(files_make_folder(&arena, in_folder(&arena, &folder, "a/b/c")));
    CHECK(has(&arena, &folder, "a/b/c"));
    struct stat info;
    CHECK_INT(stat(in_folder(&arena, &folder, "a/b").ptr, &info), 0);
    CHECK_INT(info.st_mode & 0700, 0700);
    CHECK_INT(info.st_mode & 0022, 0); // nobody else writes there
    write_file(&arena, in_folder(&arena, &folder, "file"), STR("x"));
    CHECK(!files_make_folder(&arena, in_folder(&arena, &folder, "file")));
    CHECK(!files_make_folder(&arena, in_folder(&arena, &folder, "file/x")));
    CHECK(!files_make_folder(&arena, STR("/proc/none/x")));
    CHECK_INT(chdir(folder.path.ptr), 0);
    CHECK(files_make_folder(&arena, STR("r/s")));
    CHECK(has(&arena, &folder, "r/s"));
}

TEST(absolute_paths_have_no_links) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    write_file(&arena, in_folder(&arena, &folder, "real/f"), STR("x"));
    CHECK_INT(symlink("real", in_folder(&arena, &folder, "link").ptr), 0);
    Str real = files_absolute(&arena, in_folder(&arena, &folder, "real"));
    CHECK_STR(files_absolute(&arena, in_folder(&arena, &folder, "link/f")),
              str_format(&arena, "%.*s/f", STR_ARG(real)).ptr);
    Str none = in_folder(&arena, &folder, "link/none");
    CHECK_STR(files_absolute(&arena, none), none.ptr);
}

// ---- scratch folders -----------------------------------------------------

static Scratch scratch_in(Arena *arena, Str parent) {
    Diags diags = diags_new(arena);
    Scratch scratch;
    CHECK(sandbox_make_scratch(arena, parent, &scratch, &diags));
    CHECK_INT(diags.count, 0);
    return scratch;
}

TEST(scratch_folders_are_where_they_are_wanted) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    Str below = str_format(&arena, "%.*s/clclab-", STR_ARG(folder.path));
    Scratch given = scratch_in(&arena, folder.path);
    CHECK(str_starts(given.path, below));
    setenv("TMPDIR", str_cstring(&arena, folder.path), 1);
    Scratch named = scratch_in(&arena, (Str){0});
    CHECK(str_starts(named.path, below));
    CHECK(!str_equal(given.path, named.path));
    static const char *const unnamed[] = {"", NULL};
    for (size_t i = 0; i < COUNT_OF(unnamed); i++) {
        if (unnamed[i])
            setenv("TMPDIR", unnamed[i], 1);
        else
            unsetenv("TMPDIR");
        Scratch usual = scratch_in(&arena, (Str){0});
        CHECK(str_starts(usual.path, STR("/tmp/clclab-")));
        sandbox_remove_scratch(&usual);
    }
    Diags diags = diags_new(&arena);
    CHECK(!sandbox_make_scratch(&arena, STR("/nonexistent"), &given, &diags));
    CHECK_STR(diags.items[0].what, "Cannot make a temporary folder in "
                                   "/nonexistent: No such file or directory.");
}

TEST(removing_goes_through_everything_but_links) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    write_file(&arena, in_folder(&arena, &folder, "kept/file"), STR("x"));
    write_file(&arena, in_folder(&arena, &folder, "gone/a/b/file"), STR("x"));
    CHECK_INT(symlink("../../kept", in_folder(&arena, &folder, "gone/a/l").ptr),
              0);
    CHECK_INT(mkfifo(in_folder(&arena, &folder, "gone/fifo").ptr, 0600), 0);
    remove_folder(&arena, in_folder(&arena, &folder, "gone"));
    CHECK(!has(&arena, &folder, "gone"));
    CHECK(has(&arena, &folder, "kept/file"));
    CHECK_INT(chdir(folder.path.ptr), 0);
    sandbox_remove_scratch(&(Scratch){0});
    CHECK(has(&arena, &folder, "kept/file"));
}

TEST(a_compilations_folder_is_in_the_cache_if_it_can_be) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    files_make_folder(&arena, in_folder(&arena, &folder, "cache"));
    files_make_folder(&arena, in_folder(&arena, &folder, "tmp"));
    CHECK_INT(symlink("cache", in_folder(&arena, &folder, "link").ptr), 0);
    setenv("TMPDIR", in_folder(&arena, &folder, "tmp").ptr, 1);
    Str real = files_absolute(&arena, folder.path);
    Scratch scratch;
    Str in_cache = str_format(&arena, "%.*s/cache/clclab-", STR_ARG(real));
    Str in_tmp = str_format(&arena, "%.*s/tmp/clclab-", STR_ARG(real));
    Diags diags = diags_new(&arena);
    CHECK(files_make_scratch(&arena, in_folder(&arena, &folder, "link"),
                             &scratch, &diags));
    CHECK(str_starts(scratch.path, in_cache)); // absolute, without the link
    CHECK(files_make_scratch(&arena, in_folder(&arena, &folder, "none"),
                             &scratch, &diags));
    CHECK(str_starts(scratch.path, in_tmp));
    CHECK(files_make_scratch(&arena, (Str){0}, &scratch, &diags));
    CHECK(str_starts(scratch.path, in_tmp));
    CHECK_INT(diags.count, 0);
    setenv("TMPDIR", "/nonexistent", 1);
    CHECK(!files_make_scratch(&arena, STR("/none"), &scratch, &diags));
    CHECK_INT(diags.count, 1);
}

TEST(a_compilations_folder_needs_64_mebibytes_of_the_cache) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    static const char *const sizes[] = {"size=64m", "size=65m"};
    files_make_folder(&arena, in_folder(&arena, &folder, "tmp"));
    setenv("TMPDIR", in_folder(&arena, &folder, "tmp").ptr, 1);
    Str cache = in_folder(&arena, &folder, "cache");
    Scratch scratch;
    files_make_folder(&arena, cache);
    Diags diags = diags_new(&arena);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (mount("none", cache.ptr, "tmpfs", 0, sizes[i]) != 0)
            SKIP("this user cannot mount a tmpfs");
        if (i == 0) // one byte less than all is free
            files_write_atomic(&arena, in_folder(&arena, &folder, "cache/f"),
                               STR("x"));
        bool made = files_make_scratch(&arena, cache, &scratch, &diags);
        umount2(cache.ptr, MNT_DETACH);
        CHECK(made);
        CHECK_INT(strstr(scratch.path.ptr, "/cache/clclab-") != NULL, i);
    }
}

// ---- pruning -------------------------------------------------------------

static void put(Arena *arena, const Folder *folder, const char *name,
                long seconds) {
    Str path = in_folder(arena, folder, name);
    write_file(arena, path, STR("1234567890"));
    make_old(arena, path, seconds);
}

TEST(pruning_stops_where_both_limits_are_kept) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    for (int i = 0; i < 6; i++)
        put(&arena, &folder, str_format(&arena, "k-%d.r", i).ptr, 100 - i);
    put(&arena, &folder, "x-9.r", 200);
    put(&arena, &folder, "k-9.s", 200);
    Str prefix = STR("k-"), suffix = STR(".r");
    files_prune(&arena, folder.path, prefix, suffix, 60, 6);
    CHECK_INT(count_files(&arena, folder.path, ".r"), 7);
    files_prune(&arena, folder.path, prefix, suffix, 59, 6);
    CHECK(!has(&arena, &folder, "k-0.r"));
    CHECK(has(&arena, &folder, "k-1.r"));
    files_prune(&arena, folder.path, prefix, suffix, 60, 4);
    CHECK(!has(&arena, &folder, "k-1.r"));
    CHECK(has(&arena, &folder, "k-2.r"));
    files_prune(&arena, folder.path, prefix, suffix, 20, 3);
    CHECK(!has(&arena, &folder, "k-3.r"));
    CHECK(has(&arena, &folder, "k-4.r"));
    files_prune(&arena, folder.path, prefix, suffix, 0, 9);
    CHECK(!has(&arena, &folder, "k-5.r"));
    CHECK(has(&arena, &folder, "x-9.r"));
    CHECK(has(&arena, &folder, "k-9.s"));
    files_prune(&arena, folder.path, (Str){0}, suffix, 100, 0);
    CHECK(!has(&arena, &folder, "x-9.r"));
    files_prune(&arena, STR("/nonexistent"), prefix, suffix, 0, 0);
}

TEST(pruning_takes_temporary_files_of_an_hour_ago) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    put(&arena, &folder, "old.tmp", 3700);
    put(&arena, &folder, "young.tmp", 3500);
    put(&arena, &folder, "other.tmp/f", 3700);
    make_old(&arena, in_folder(&arena, &folder, "other.tmp"), 3700);
    files_prune(&arena, folder.path, (Str){0}, STR(".r"), 0, 0);
    CHECK(!has(&arena, &folder, "old.tmp"));
    CHECK(has(&arena, &folder, "young.tmp"));
    CHECK(has(&arena, &folder, "other.tmp/f"));
}

TEST(pruning_does_not_follow_links) {
    SCOPED_ARENA(arena);
    SCOPED_FOLDER(folder);
    put(&arena, &folder, "there/f.r", 3700);
    files_make_folder(&arena, in_folder(&arena, &folder, "here"));
    CHECK_INT(
        symlink("../there", in_folder(&arena, &folder, "here/clclab-l").ptr),
        0);
    CHECK_INT(
        symlink("../there/f.r", in_folder(&arena, &folder, "here/f.r").ptr), 0);
    make_old(&arena, in_folder(&arena, &folder, "here/clclab-l"), 3700);
    files_prune(&arena, in_folder(&arena, &folder, "here"), (Str){0}, STR(".r"),
                0, 0);
    CHECK(has(&arena, &folder, "there/f.r"));
    CHECK(has(&arena, &folder, "here/f.r"));
}

TEST_MAIN(TESTCASE(a_file_is_read_whole_or_not_at_all),
          TESTCASE(what_cannot_be_put_in_place_leaves_nothing),
          TESTCASE(a_full_disk_leaves_no_part_of_a_file),
          TESTCASE(room_is_what_is_free), TESTCASE(no_file_stays_open),
          TESTCASE(folders_are_made_with_their_parents),
          TESTCASE(absolute_paths_have_no_links),
          TESTCASE(scratch_folders_are_where_they_are_wanted),
          TESTCASE(removing_goes_through_everything_but_links),
          TESTCASE(a_compilations_folder_is_in_the_cache_if_it_can_be),
          TESTCASE(a_compilations_folder_needs_64_mebibytes_of_the_cache),
          TESTCASE(pruning_stops_where_both_limits_are_kept),
          TESTCASE(pruning_takes_temporary_files_of_an_hour_ago),
          TESTCASE(pruning_does_not_follow_links))
