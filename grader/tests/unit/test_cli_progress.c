// SPDX-License-Identifier: Apache-2.0
// cli/progress/: what is kept of the learner's grades, and what happens if the
// file is somebody else's, damaged, of a later version, or cannot be written.
#include "cli/progress/progress.h"
#include "tests/unit/compile_folder.h"

#include <sys/stat.h>
#include <sys/wait.h>

typedef struct Room {
    Cli cli;
    Folder folder; // the course and the state
    Course course;
    Str path; // of the file
} Room;

static void room_leave(Room *room) {
    folder_remove(&room->folder);
    arena_free(&room->cli.arena);
}

static void room_enter(Room *room) {
    *room = (Room){.folder = folder_make()};
    Arena *arena = &room->cli.arena;
    setenv("XDG_STATE_HOME",
           in_folder(arena, &room->folder, "state/of/mine").ptr, 1);
    room->course.root = in_folder(arena, &room->folder, "course/");
    room->course.labs = in_folder(arena, &room->folder, "course/labs");
    room->path =
        in_folder(arena, &room->folder, "state/of/mine/clclab/progress");
    static const char *const labs[] = {"01-a", "02-b", "03-c"};
    for (size_t i = 0; i < COUNT_OF(labs); i++)
        write_file(arena,
                   str_format(arena, "%.*s/%s/lab.conf",
                              STR_ARG(room->course.labs), labs[i]),
                   STR("\n"));
}

#define SCOPED_ROOM(name)                           \
    __attribute__((cleanup(room_leave))) Room name; \
    room_enter(&name)

static void note(Room *room, const char *folder, double score) {
    progress_note(&room->cli, &room->course, str_from(folder), score, 100);
}

static Str at(Room *room) {
    Progress progress = progress_read(&room->cli, &room->course);
    Str folder;
    return progress_at(&room->cli, &room->course, &progress, &folder)
               ? folder
               : STR("none");
}

static const LabProgress *read_lab(Room *room, const char *folder) {
    Progress progress = progress_read(&room->cli, &room->course);
    return progress_of(&progress, str_from(folder));
}

static Str text_of(Room *room) {
    Str text = {0};
    CHECK(files_read(&room->cli.arena, room->path, 1 << 20, &text));
    return text;
}

TEST(the_best_and_the_last_points_are_kept) {
    SCOPED_ROOM(room);
    CHECK(!read_lab(&room, "01-a"));
    note(&room, "01-a", 35);
    note(&room, "01-a", 62.5);
    note(&room, "01-a", 40);
    const LabProgress *lab = read_lab(&room, "01-a");
    if (!CHECK(lab))
        return;
    CHECK_DOUBLE(lab->best, 62.5);
    CHECK_DOUBLE(lab->last, 40);
    CHECK_DOUBLE(lab->most, 100);
    CHECK_U64(lab->grades, 3);
    CHECK(lab->seconds > 1700000000);
    CHECK(!progress_is_full(lab) && !progress_is_full(NULL));
    note(&room, "01-a", 100);
    CHECK(progress_is_full(read_lab(&room, "01-a")));
    // The lab gives other points now.
    progress_note(&room.cli, &room.course, STR("01-a"), 30, 50);
    CHECK_DOUBLE(read_lab(&room, "01-a")->best, 30);
}

TEST(the_lab_that_she_is_at) {
    SCOPED_ROOM(room);
    CHECK_STR(at(&room), "01-a");
    note(&room, "02-b", 10);
    CHECK_STR(at(&room), "02-b");
    note(&room, "03-c", 10);
    note(&room, "02-b", 20); // in the same second
    CHECK_STR(at(&room), "02-b");
    note(&room, "02-b", 100);
    CHECK_STR(at(&room), "03-c");
    note(&room, "03-c", 100);
    CHECK_STR(at(&room), "01-a");
    note(&room, "01-a", 100);
    CHECK_STR(at(&room), "none");
}

TEST(courses_are_told_apart) {
    SCOPED_ROOM(room);
    Room other = room;
    other.course.root = in_folder(&room.cli.arena, &room.folder, "other/");
    note(&room, "01-a", 10);
    progress_note(&room.cli, &other.course, STR("01-a"), 90, 100);
    CHECK_DOUBLE(read_lab(&room, "01-a")->best, 10);
    mkdir(str_cstring(&room.cli.arena, other.course.root), 0700);
    progress_note(&room.cli, &other.course, STR("01-a"), 90, 100);
    CHECK_DOUBLE(read_lab(&room, "01-a")->best, 10);
    Progress progress = progress_read(&room.cli, &other.course);
    CHECK_INT(progress.count, 1);
    CHECK_DOUBLE(progress.items[0].best, 90);
}

TEST(quizzes_and_cases_are_kept_beside_the_labs) {
    SCOPED_ROOM(room);
    Arena *arena = &room.cli.arena;
    note(&room, "01-a", 100);
    note(&room, progress_quiz(arena, STR("01-a")).ptr, 100);
    note(&room, progress_quiz(arena, STR("02-b")).ptr, 50);
    note(&room, progress_case(arena, STR("03-x.cu")).ptr, 100);
    note(&room, progress_case(arena, STR("04-y.cu")).ptr, 0);
    Progress progress = progress_read(&room.cli, &room.course);
    size_t labs;
    CHECK_INT(progress.count, 5);
    CHECK_INT(progress_quizzes(&progress), 1);
    CHECK_INT(progress_cases(&progress), 1);
    CHECK_INT(progress_count(&room.cli, &room.course, &progress, &labs), 1);
    CHECK_INT(labs, 3);
    CHECK_STR(at(&room), "02-b"); // no lab was graded later
}

TEST(a_file_of_a_later_version_is_left_alone) {
    SCOPED_ROOM(room);
    write_file(&room.cli.arena, room.path,
               STR("clclab progress 2\nanything\n"));
    note(&room, "01-a", 10);
    CHECK_STR(text_of(&room), "clclab progress 2\nanything\n");
    CHECK(!read_lab(&room, "01-a"));
}

TEST(a_file_that_is_none_is_kept_beside) {
    SCOPED_ROOM(room);
    Str kept = str_format(&room.cli.arena, "%.*s.damaged", STR_ARG(room.path));
    write_file(&room.cli.arena, room.path, STR("\xff\0 of somebody\n"));
    CHECK(!read_lab(&room, "01-a"));
    note(&room, "01-a", 10);
    CHECK_DOUBLE(read_lab(&room, "01-a")->best, 10);
    CHECK(access(str_cstring(&room.cli.arena, kept), F_OK) == 0);
}

TEST(lines_that_are_none_are_left_out) {
    SCOPED_ROOM(room);
    note(&room, "01-a", 10);
    Str good = text_of(&room);
    static const char *const bad[] = {"",
                                      "01-a",
                                      "01-a\t1\t2\t3\t4\t5",
                                      "01-a\t-1\t2\t3\t4\t5\t/c",
                                      "01-a\t1.5\t2\t3\t4\t5\t/c",
                                      "01-a\t9999999\t2\t3\t4\t5\t/c",
                                      "\t1\t2\t3\t4\t5\t/c",
                                      "01-a\t1\t2\t3\tx\t5\t/c"};
    Buf text = {0};
    buf_str(&text, good);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        buf_printf(&text, "%s\n", bad[i]);
    write_file(&room.cli.arena, room.path, buf_view(&text));
    buf_free(&text);
    note(&room, "02-b", 20);
    CHECK_DOUBLE(read_lab(&room, "01-a")->best, 10);
    CHECK_DOUBLE(read_lab(&room, "02-b")->best, 20);
    size_t lines = 0;
    for (Str rest = text_of(&room); rest.len; lines++)
        str_cut(&rest, '\n');
    CHECK_INT(lines, 3);
}

TEST(grades_at_the_same_time_lose_nothing) {
    enum { CHILDREN = 8, EACH = 5 };
    SCOPED_ROOM(room);
    fflush(stdout);
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0) {
            for (int k = 0; k < EACH; k++)
                note(&room, "02-b", i * 10);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    const LabProgress *lab = read_lab(&room, "02-b");
    if (!CHECK(lab))
        return;
    CHECK_U64(lab->grades, CHILDREN * EACH);
    CHECK_DOUBLE(lab->best, 70);
}

TEST(what_cannot_be_written_changes_nothing) {
    SCOPED_ROOM(room);
    write_file(&room.cli.arena,
               in_folder(&room.cli.arena, &room.folder, "state/of/mine"),
               STR("a file, where there should be a folder\n"));
    note(&room, "01-a", 10);
    CHECK(!read_lab(&room, "01-a"));
    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    note(&room, "01-a", 10);
    CHECK(!read_lab(&room, "01-a"));
}

TEST_MAIN(TESTCASE(the_best_and_the_last_points_are_kept),
          TESTCASE(the_lab_that_she_is_at), TESTCASE(courses_are_told_apart),
          TESTCASE(quizzes_and_cases_are_kept_beside_the_labs),
          TESTCASE(a_file_of_a_later_version_is_left_alone),
          TESTCASE(a_file_that_is_none_is_kept_beside),
          TESTCASE(lines_that_are_none_are_left_out),
          TESTCASE(grades_at_the_same_time_lose_nothing),
          TESTCASE(what_cannot_be_written_changes_nothing))
