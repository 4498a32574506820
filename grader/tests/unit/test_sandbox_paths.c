// SPDX-License-Identifier: Apache-2.0
// Paths that may be anything: what is read and written, and what is not and
// why.
#include "sandbox/paths.h"
#include "tests/unit/cli_room.h"

#include <signal.h>
#include <sys/resource.h>

static void unreadable(Room *room, const char *path, const char *part) {
    Str text, why = {0};
    CHECK_INT(file_read(&room->arena, path, 100, &text, &why), FILE_UNREADABLE);
    CHECK_HOLDS(why, part);
}

TEST(only_regular_files_are_read) {
    Room room;
    room_open(&room);
    mkdir("folder", 0700);
    mkfifo("fifo", 0600);
    CHECK_INT(symlink("b", "a"), 0);
    CHECK_INT(symlink("a", "b"), 0);
    unreadable(&room, "nothing", "No such file");
    unreadable(&room, "folder", "directory");
    unreadable(&room, "fifo", "not a regular file");
    unreadable(&room, "/dev/zero", "not a regular file");
    unreadable(&room, "a", "symbolic links");
    unreadable(&room, "nothing/at/all", "No such file");
    CHECK(file_exists("folder"));
    CHECK(!file_exists("nothing"));
    room_close(&room);
}

TEST(files_are_read_up_to_the_limit) {
    Room room;
    room_open(&room);
    Str text, why;
    put("file", STR("12345"));
    CHECK_INT(file_read(&room.arena, "file", 5, &text, &why), FILE_READ);
    CHECK_STR(text, "12345");
    CHECK_INT(file_read(&room.arena, "file", 4, &text, &why), FILE_TOO_LARGE);
    put("file", STR(""));
    CHECK_INT(file_read(&room.arena, "file", 4, &text, &why), FILE_READ);
    CHECK_INT(text.len, 0);
    room_close(&room);
}

TEST(a_link_is_told_from_a_file) {
    Room room;
    room_open(&room);
    put("file", STR("1"));
    CHECK_INT(symlink("file", "link"), 0);
    CHECK(file_is_link("link") && !file_is_link("file"));
    CHECK(!file_is_link("nothing"));
    room_close(&room);
}

TEST(a_file_is_written_whole_over_another) {
    Room room;
    Str why;
    room_open(&room);
    mkdir("folder", 0700);
    umask(022);
    CHECK_INT(file_write(&room.arena, "folder/f", STR("one"), &why),
              FILE_WRITTEN);
    CHECK_INT(file_write(&room.arena, "folder/f", STR("two"), &why),
              FILE_WRITTEN);
    CHECK_STR(get(&room.arena, "folder/f"), "two");
    struct stat status;
    CHECK_INT(stat("folder/f", &status), 0);
    CHECK_INT(status.st_mode & 0777, 0644);
    CHECK_INT(unlink("folder/f"), 0);
    CHECK_INT(rmdir("folder"), 0); // nothing else was left in it
    room_close(&room);
}

TEST(what_cannot_be_written_says_whether_it_ever_can) {
    Room room;
    Str why = {0};
    room_open(&room);
    mkdir("folder", 0700);
    CHECK_INT(file_write(&room.arena, "folder", STR("x"), &why),
              FILE_UNWRITABLE);
    CHECK_STR(why, "folder is there, and is not a regular file");
    CHECK_INT(file_write(&room.arena, "no/f", STR("x"), &why), FILE_UNWRITABLE);
    CHECK_HOLDS(why, "cannot write no/f: No such file");
    // A file that is larger than this process may write is as a full disk.
    struct rlimit most = {.rlim_cur = 2, .rlim_max = 2};
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &most), 0);
    CHECK_INT(file_write(&room.arena, "folder/f", STR("1234"), &why),
              FILE_NOT_NOW);
    CHECK_HOLDS(why, "cannot write folder/f: File too large");
    CHECK_INT(rmdir("folder"), 0); // no part of it was left
    room_close(&room);
}

TEST_MAIN(TESTCASE(only_regular_files_are_read),
          TESTCASE(files_are_read_up_to_the_limit),
          TESTCASE(a_link_is_told_from_a_file),
          TESTCASE(a_file_is_written_whole_over_another),
          TESTCASE(what_cannot_be_written_says_whether_it_ever_can))
