// SPDX-License-Identifier: Apache-2.0
// clclab watch: its parts (what a save is, the lines of a screen, keys), and
// the whole in a terminal of its own, with a compiler that gives the same PTX
// for any file.
#include "cli/watch.h"
#include "tests/unit/check_fake.h"
#include "tests/unit/seat.h"

#include <errno.h>

// ---- what a save is ------------------------------------------------------

static WatchedFile watch_file(Room *room, const char *path, bool polls) {
    WatchedFile file;
    room_open(room);
    mkdir("lab", 0700);
    put("lab/x.cu", STR("one\n"));
    watched_open(&room->arena, str_from(path), polls, &file);
    return file;
}

static void rename_over(const char *path, const char *text) {
    put("lab/.x.new", str_from(text));
    CHECK_INT(rename("lab/.x.new", path), 0);
}

// Looks at that time, and when it says to look next, after what it has seen.
static bool is_save(WatchedFile *file, double now) {
    if (watched_look(file, now))
        return true;
    return watched_look(file, now + watched_wait(file, now));
}

static void each_save_is_one(bool polls) {
    Room room;
    WatchedFile file = watch_file(&room, "lab/x.cu", polls);
    CHECK_INT(file.inotify < 0, polls);
    CHECK(!is_save(&file, 0));
    put("lab/x.cu", STR("in place\n"));
    CHECK(is_save(&file, 1000) && !is_save(&file, 2000));
    rename_over("lab/x.cu", "renamed\n");
    CHECK(is_save(&file, 3000) && !is_save(&file, 4000));
    put("lab/x.cu", STR("a\n"));
    CHECK(!watched_look(&file, 5000));
    put("lab/x.cu", STR("ab\n"));
    CHECK(!watched_look(&file, 5010));
    CHECK(!watched_look(&file, 5025));
    CHECK(watched_look(&file, 5031) && !is_save(&file, 5032));
    put("lab/y.cu", STR("another file\n"));
    CHECK(!is_save(&file, 6000));
    watched_close(&file);
    room_close(&room);
}

TEST(each_save_is_one_with_inotify) {
    each_save_is_one(false);
}
TEST(each_save_is_one_where_it_is_polled) {
    each_save_is_one(true);
}

TEST(a_save_with_the_same_bytes_is_one) {
    Room room;
    WatchedFile file = watch_file(&room, "lab/x.cu", false);
    put("lab/x.cu", STR("one\n")); // perhaps in the same tick of the clock
    CHECK(is_save(&file, 0));
    watched_close(&file);
    room_close(&room);
}

// Editors that move the old file away first leave nothing for a moment.
TEST(a_moment_without_the_file_is_no_save) {
    Room room;
    WatchedFile file = watch_file(&room, "lab/x.cu", false);
    CHECK_INT(rename("lab/x.cu", "lab/x.cu~"), 0);
    CHECK(!watched_look(&file, 0) && !watched_look(&file, 100));
    put("lab/x.cu", STR("two\n"));
    CHECK(!watched_look(&file, 110) && watched_look(&file, 131));
    CHECK_INT(unlink("lab/x.cu"), 0);
    CHECK(!watched_look(&file, 1000) && watched_look(&file, 1201));
    watched_close(&file);
    room_close(&room);
}

TEST(a_link_or_a_folder_in_its_place_is_a_change) {
    Room room;
    WatchedFile file = watch_file(&room, "lab/x.cu", false);
    unlink("lab/x.cu");
    mkdir("lab/x.cu", 0700);
    CHECK(is_save(&file, 0));
    rmdir("lab/x.cu");
    CHECK_INT(symlink("elsewhere", "lab/x.cu"), 0);
    CHECK(is_save(&file, 1000));
    watched_close(&file);
    room_close(&room);
}

TEST(a_file_that_changes_all_the_time_is_graded_now_and_then) {
    Room room;
    WatchedFile file = watch_file(&room, "lab/x.cu", false);
    int saves = 0;
    for (int i = 0; i < 300; i++) {
        put("lab/x.cu", str_format(&room.arena, "%d\n", i));
        saves += watched_look(&file, i * 10.0);
    }
    CHECK(saves >= 2 && saves <= 3);
    watched_close(&file);
    room_close(&room);
}

TEST(a_folder_that_is_replaced_is_watched_again) {
    Room room;
    WatchedFile file = watch_file(&room, "lab/x.cu", false);
    CHECK_INT(rename("lab", "old"), 0);
    CHECK(is_save(&file, 0));
    CHECK(file.mark < 0 && file.inotify >= 0);
    CHECK(watched_wait(&file, 0) <= 100);
    put("old/x.cu", STR("no longer ours\n"));
    CHECK(!is_save(&file, 1000));
    mkdir("lab", 0700);
    put("lab/x.cu", STR("two\n"));
    CHECK(is_save(&file, 2000));
    CHECK(file.mark >= 0);
    put("lab/x.cu", STR("six\n"));
    CHECK(is_save(&file, 3000));
    watched_close(&file);
    room_close(&room);
}

TEST(a_path_without_a_folder) {
    Room room;
    WatchedFile file = watch_file(&room, "x.cu", false);
    put("x.cu", STR("one\n"));
    CHECK(file.mark >= 0 && is_save(&file, 0));
    watched_close(&file);
    room_close(&room);
}

// ---- lines ---------------------------------------------------------------

static void check_lines(const char *text, uint32_t columns,
                        const char *expected) {
    Arena arena = {0};
    Buf joined = {0};
    ScreenLines lines = screen_fit(&arena, str_from(text), columns);
    for (size_t i = 0; i < lines.count; i++) {
        buf_str(&joined, lines.items[i]);
        buf_byte(&joined, '|');
    }
    CHECK_STR(buf_view(&joined), expected);
    buf_free(&joined);
    arena_free(&arena);
}

TEST(lines_are_broken_at_blanks) {
    check_lines("one two three\n\nfour\n", 20, "one two three||four|");
    check_lines("one two three", 7, "one two|three|");
    check_lines("one two three", 8, "one two|three|");
    check_lines("    one two", 8, "    one|two|");
    check_lines("abcdefghij kl", 4, "abcd|efgh|ij|kl|");
    check_lines("       x", 4, "    |  x|");
    check_lines("\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\xc3\xa4\xc3\xb6|\xc3\xbc|");
    check_lines("\x1b[1;31mred\x1b[0m one", 7, "\x1b[1;31mred\x1b[0m one|");
    check_lines("\x1b[1;31mred\x1b[0m one", 6, "\x1b[1;31mred\x1b[0m|one|");
    check_lines("", 4, "");
    check_lines("ab", 0, "a|b|");
}

TEST(the_first_text_that_fits) {
    const Str texts[] = {STR("a long text"), STR("a t\xc3\xa4xt")};
    CHECK_STR(screen_pick(texts, 2, 11), "a long text");
    CHECK_STR(screen_pick(texts, 2, 10), "a t\xc3\xa4xt");
    CHECK_STR(screen_pick(texts, 2, 4), "a t\xc3\xa4");
}

TEST(a_screen_has_all_its_rows) {
    Arena arena = {0};
    Buf out = {0};
    ScreenPage page = {.head = STR("head"),
                       .foot = STR("foot"),
                       .body = screen_fit(&arena, STR("a\n\x1b[1mb\nc"), 80),
                       .rows = 4,
                       .columns = 3};
    CHECK_INT(screen_room(&page), 2);
    screen_draw(&page, &out);
    CHECK_STR(buf_view(&out), "\x1b[H\x1b[2Khea\r\n\x1b[2Ka\r\n"
                              "\x1b[2K\x1b[1mb\x1b[0m\r\n\x1b[2Kfoo");
    out.len = 0;
    page.note = screen_fit(&arena, STR("is it"), page.columns);
    page.top = 2;
    page.rows = 6;
    screen_draw(&page, &out);
    CHECK_STR(buf_view(&out), "\x1b[H\x1b[2Khea\r\n\x1b[2Kc\r\n\x1b[2K\r\n"
                              "\x1b[2Kis\r\n\x1b[2Kit\r\n\x1b[2Kfoo");
    page.rows = 1;
    CHECK_INT(screen_room(&page), 1);
    buf_free(&out);
    arena_free(&arena);
}

TEST(keys_that_are_more_than_one_byte) {
    Str typed = STR("n\x1b[A\x1b[6~\x1bOB\x1b[3~ jkb\r\x01q\x1b");
    static const int expected[] = {
        'n',           KEY_UP,   KEY_PAGE_DOWN, KEY_DOWN,    KEY_NONE,
        KEY_PAGE_DOWN, KEY_DOWN, KEY_UP,        KEY_PAGE_UP, KEY_BACK,
        KEY_NONE,      'q',      KEY_BACK};
    for (size_t i = 0; i < COUNT_OF(expected); i++)
        CHECK_INT(screen_key(&typed), expected[i]);
    CHECK_INT(typed.len, 0);
}

// ---- the whole -----------------------------------------------------------

static const char SOURCE[] = "// nothing yet\n";
#define OWN_FILE "labs/01-fixed-work/kernel.cu"

static void make_lab(Room *room) {
    room_open(room);
    room_compiler(room, ".version 9.0\n.target sm_100a\n.address_size 64\n"
                        ".visible .entry kernel()\n{\n  ret;\n}\n");
    mkdir("labs", 0700);
    mkdir("labs/common", 0700);
    mkdir("labs/01-fixed-work", 0700);
    mkdir("labs/01-fixed-work/starter", 0700);
    put("labs/common/lab.h", STR("// the header\n"));
    put("labs/01-fixed-work/lab.conf", STR(FAKE_CONF));
    put("labs/01-fixed-work/hints.md",
        STR("## TO"
            "DO(1)\n\n1. Why?\n2. Because.\n\n## TO"
            "DO(2)\n\n1. And?\n"));
    put(OWN_FILE, STR(SOURCE));
    setenv("XDG_STATE_HOME",
           str_format(&room->arena, "%s/state", room->folder).ptr, 1);
    setenv("NO_COLOR", "1", 1);
}

static void seat_take(Seat *seat, const char *term, const char *line) {
    *seat = (Seat){0};
    make_lab(&seat->room);
    seat_sit(seat, term, line);
}

static size_t count_of(const Seat *seat, const char *part) {
    size_t count = 0;
    Str rest = buf_view(&seat->seen);
    const char *found;
    while (rest.len &&
           (found = memmem(rest.ptr, rest.len, part, strlen(part)))) {
        rest = str_slice(rest, (size_t)(found - rest.ptr) + 1, rest.len);
        count++;
    }
    return count;
}

TEST(a_verdict_at_once_and_one_for_each_save) {
    Seat seat;
    seat_take(&seat, "dumb", "watch 1");
    seat_sees(&seat, "Score:");
    seat_sees(&seat, "q quit");
    put(OWN_FILE, STR("// one\n"));
    put(OWN_FILE, STR("// two\n"));
    put(OWN_FILE, STR("// three\n"));
    seat_sees(&seat, "Score:");
    seat_sees(&seat, "q quit");
    rename(OWN_FILE, "kept");
    seat_sees(&seat, "No such file");
    seat_sees(&seat, "q quit");
    rename("kept", OWN_FILE);
    seat_sees(&seat, "Score:");
    seat_sees(&seat, "q quit");
    unlink(OWN_FILE);
    CHECK_INT(symlink("../../kept", OWN_FILE), 0);
    seat_sees(&seat, "No such file"); // the link leads nowhere
    seat_types(&seat, "q");
    seat_sees(&seat, "0/1 labs\r\n");
    CHECK_INT(count_of(&seat, "Score:"), 3);
    CHECK_LACKS(buf_view(&seat.seen), "\x1b");
    seat_leave(&seat, 0);
}

TEST(keys_are_answered) {
    Seat seat;
    seat_take(&seat, "dumb", "watch");
    seat_sees(&seat, "Score:");
    seat_types(&seat, "h");
    seat_sees(&seat, "Why?");
    seat_types(&seat, "h");
    seat_sees(&seat, "Because.");
    seat_types(&seat, "h");
    seat_sees(&seat, "And?");
    seat_types(&seat, "h"); // there is no more: from the beginning
    seat_sees(&seat, "Why?");
    seat_types(&seat, "l");
    seat_sees(&seat, "01-fixed-work");
    seat_types(&seat, "?");
    seat_sees(&seat, "check all labs");
    seat_types(&seat, "a");
    seat_sees(&seat, "01-fixed-work");
    put("labs/01-fixed-work/starter/kernel.cu", STR("// start\n"));
    // A note comes alone: who has it read aloud has heard the page already.
    size_t pages = count_of(&seat, "All labs");
    seat_types(&seat, "r");
    seat_sees(&seat, "(y/n)");
    seat_types(&seat, "n");
    seat_sees(&seat, "Nothing was changed.");
    CHECK_INT(count_of(&seat, "All labs"), pages);
    seat_types(&seat, "r");
    seat_sees(&seat, "(y/n)");
    seat_types(&seat, "y");
    seat_sees(&seat, "kernel.cu.1");
    seat_sees(&seat, "Score:");
    CHECK_STR(get(&seat.room.arena, OWN_FILE), "// start\n");
    CHECK_STR(get(&seat.room.arena, OWN_FILE ".1"), SOURCE);
    seat_types(&seat, "n");
    seat_sees(&seat, "This is the last lab.");
    seat_types(&seat, "o");
    seat_sees(&seat, "The report is in ");
    CHECK(access("build", F_OK) == 0);
    seat_types(&seat, "q");
    seat_leave(&seat, 0);
}

TEST(a_screen_is_drawn_scrolled_and_left) {
    Seat seat;
    struct termios after;
    seat_take(&seat, "xterm", "watch 1 --poll");
    seat_sees(&seat, "\x1b[?1049h");
    seat_sees(&seat, "/100  ");
    seat_sees(&seat, "q quit  best ");
    seat_set_size(seat.keyboard, 12, 80);
    seat_sees(&seat, "space more  n next");
    seat_set_size(seat.keyboard, 24, 80);
    seat_types(&seat, "?");
    seat_sees(&seat, "Enter               back");
    seat_types(&seat, "\r");
    seat_sees(&seat, "PASS");
    put(OWN_FILE, STR("// one\n"));
    seat_sees(&seat, "is being graded");
    seat_sees(&seat, "/100  ");
    seat_set_size(seat.keyboard, 10, 50);
    seat_sees(&seat, " s  kernel.cu\r"); // its whole path does not fit
    seat_set_size(seat.keyboard, 10, 40);
    seat_sees(&seat, " s\r");
    seat_sees(&seat, "space more  ? keys");
    seat_types(&seat, "                    ");
    seat_sees(&seat, "Score:");
    seat_set_size(seat.keyboard, 8, 20);
    seat_sees(&seat, "? keys");
    CHECK_INT(kill(seat.pid, SIGTERM), 0);
    seat_sees(&seat, "\x1b[?1049l");
    seat_sees(&seat, "labs\r\n");
    CHECK_INT(tcgetattr(seat.keyboard, &after), 0);
    CHECK_INT(after.c_lflag, seat.before.c_lflag);
    CHECK_INT(after.c_cc[VMIN], seat.before.c_cc[VMIN]);
    seat_leave(&seat, 0);
}

// Both are told of a save, and neither ends the other.
TEST(two_watches_of_one_file) {
    Seat one, other = {0};
    seat_take(&one, "dumb", "watch 1");
    seat_sees(&one, "Score:");
    other.room = one.room;
    seat_sit(&other, "dumb", "watch 1");
    seat_sees(&other, "Score:");
    seat_sees(&one, "q quit");
    seat_sees(&other, "q quit");
    put(OWN_FILE, STR("// one\n"));
    seat_sees(&one, "Score:");
    seat_sees(&other, "Score:");
    seat_types(&other, "q");
    seat_leaves(&other, 0);
    put(OWN_FILE, STR("// two\n"));
    seat_sees(&one, "Score:");
    seat_types(&one, "q");
    seat_leave(&one, 0);
}

TEST(a_terminal_that_is_closed_ends_it) {
    Seat seat;
    seat_take(&seat, "xterm", "watch 1");
    seat_sees(&seat, "/100  ");
    close(seat.keyboard);
    seat.keyboard = -1;
    seat_leave(&seat, 0);
}

// A compiler that waits: the save ends it, and what it started.
TEST(a_save_ends_the_grade_that_is_under_way) {
    Seat seat;
    seat_take(&seat, "dumb", "watch 1");
    seat_sees(&seat, "Score:");
    Str compiler = get(&seat.room.arena, "toolkit/bin/nvcc");
    put("toolkit/bin/nvcc", STR("#!/bin/sh\nsleep 1000\n"));
    put(OWN_FILE, STR("// slow\n"));
    double end = clock_ms() + 400;
    while (clock_ms() < end)
        poll(NULL, 0, 50); // it is under way, or will be
    put("toolkit/bin/nvcc", compiler);
    put(OWN_FILE, STR("// quick\n"));
    seat_sees(&seat, "Score:");
    seat_types(&seat, "q");
    seat_leave(&seat, 0);
}

TEST(what_watch_is_given) {
    Room room;
    make_lab(&room);
    call_fails(&room, "watch 7", CLI_USAGE, "there is no lab \"7\"");
    call_fails(&room, "watch 1 x.cu", CLI_USAGE, "unexpected argument");
    call_fails(&room, "watch --root nowhere", CLI_USAGE, "nowhere");
    room_close(&room);
}

TEST(the_folder_of_a_file_is_watched) {
    static const struct {
        const char *path, *folder, *name;
    } cases[] = {{"/x.cu", "/", "x.cu"},
                 {"/a/x.cu", "/a", "x.cu"},
                 {"a/x.cu", "a", "x.cu"},
                 {"x.cu", ".", "x.cu"},
                 {"/a//x.cu", "/a/", "x.cu"}};
    Arena arena = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        WatchedFile file;
        watched_open(&arena, str_from(cases[i].path), true, &file);
        CHECK_STR(str_from(file.folder), cases[i].folder);
        CHECK_STR(str_from(file.name), cases[i].name);
        watched_close(&file);
    }
    arena_free(&arena);
}

TEST_MAIN(
    TESTCASE(each_save_is_one_with_inotify),
    TESTCASE(each_save_is_one_where_it_is_polled),
    TESTCASE(a_save_with_the_same_bytes_is_one),
    TESTCASE(a_moment_without_the_file_is_no_save),
    TESTCASE(a_link_or_a_folder_in_its_place_is_a_change),
    TESTCASE(a_file_that_changes_all_the_time_is_graded_now_and_then),
    TESTCASE(a_folder_that_is_replaced_is_watched_again),
    TESTCASE(a_path_without_a_folder), TESTCASE(lines_are_broken_at_blanks),
    TESTCASE(the_first_text_that_fits), TESTCASE(a_screen_has_all_its_rows),
    TESTCASE(keys_that_are_more_than_one_byte),
    TESTCASE(a_verdict_at_once_and_one_for_each_save),
    TESTCASE(keys_are_answered), TESTCASE(a_screen_is_drawn_scrolled_and_left),
    TESTCASE(two_watches_of_one_file),
    TESTCASE(a_terminal_that_is_closed_ends_it),
    TESTCASE(a_save_ends_the_grade_that_is_under_way),
    TESTCASE(what_watch_is_given), TESTCASE(the_folder_of_a_file_is_watched))
