// SPDX-License-Identifier: Apache-2.0
// clclab clinic, quiz and ptx, called through cli_main in a course of their
// own. What has to be compiled is compiled by a script that prints PTX, so that
// no CUDA toolkit is needed.
#include "cli/quiz.h"
#include "tests/unit/check_fake.h"
#include "tests/unit/cli_room.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define KERNEL(body) ".visible .entry k() {\n" body "}\n"

static void open_course(Room *room) {
    room_open(room);
    mkdir("labs", 0700);
    mkdir("labs/common", 0700);
    put("labs/common/lab.h", STR("// the header\n"));
}

// ---- the clinic ----------------------------------------------------------

static const char CASE[] = "// SPDX-License-Identifier: Apache-2.0\n"
                           "// Case 3: A title\n"
                           "//\n"
                           "// \"What it says.\"\n"
                           "//\n"
                           "// clclab run: --grid 4 --block 32\n"
                           "// output: 00000000000000ff\n"
                           "// DIAGNOSIS: ?\n"
                           "extern \"C\" __global__ void k() {}\n";

static void open_clinic(Room *room) {
    open_course(room);
    mkdir("labs/clinic", 0700);
    put("labs/clinic/03-title.cu", str_from(CASE));
}

TEST(a_first_call_tells_the_case_and_makes_a_copy) {
    Room room;
    open_clinic(&room);
    call(&room, "clinic 3");
    CHECK_INT(room.code, CLI_BELOW);
    CHECK_HOLDS(room.out, "\"What it says.\"");
    CHECK_HOLDS(room.out, "A copy to mend, and to write the diagnosis in:\n"
                          "  labs/clinic/mine/03-title.cu\n"
                          "How is it? clclab clinic 3\n");
    CHECK_STR(get(&room.arena, "labs/clinic/mine/03-title.cu"), CASE);
    room_close(&room);
}

TEST(cases_without_a_copy_are_listed_and_none_is_made) {
    Room room;
    open_clinic(&room);
    call(&room, "clinic");
    CHECK_INT(room.code, CLI_BELOW);
    CHECK_HOLDS(room.out, "A title");
    call(&room, "clinic 03-title --format json");
    CHECK_INT(room.code, CLI_BELOW);
    CHECK_HOLDS(room.out, "\"clclab/clinic/v1\"");
    CHECK(!file_exists("labs/clinic/mine"));
    room_close(&room);
}

TEST(cases_are_listed_by_their_numbers) {
    Room room;
    open_clinic(&room);
    for (int number = 9; number > 3; number--) {
        Str text = str_copy(&room.arena, str_from(CASE));
        *strchr((char *)text.ptr, '3') = (char)('0' + number);
        put(str_format(&room.arena, "labs/clinic/0%d-x.cu", number).ptr, text);
    }
    call(&room, "clinic --format json");
    Str rest = room.out;
    for (int number = 3; number <= 9; number++) {
        Str part = str_format(&room.arena, "\"number\": %d,", number);
        const char *at = memmem(rest.ptr, rest.len, part.ptr, part.len);
        if (CHECK(at != NULL))
            rest = str_slice(rest, (size_t)(at - rest.ptr), rest.len);
    }
    room_close(&room);
}

TEST(what_a_clinic_lacks_is_said) {
    Room room;
    open_clinic(&room);
    call_fails(&room, "clinic 4", CLI_USAGE, "no case \"4\"; they are 1 to 3");
    call_fails(&room, "clinic 3 mine.cu", CLI_USAGE, "mine.cu: No such file");
    put("labs/clinic/03-title.cu", STR("// Case x\n"));
    call_fails(&room, "clinic 3", CLI_OURS, "03-title.cu");
    unlink("labs/clinic/03-title.cu");
    call_fails(&room, "clinic", CLI_MISSING, "no cases in labs/clinic");
    call_fails(&room, "clinic 3", CLI_MISSING, "no cases in labs/clinic");
    room_close(&room);
}

TEST(a_case_that_was_mended_in_its_place_is_none) {
    Room room;
    open_clinic(&room);
    Str mended = str_copy(&room.arena, str_from(CASE));
    *strchr((char *)mended.ptr, '?') = 'X';
    put("labs/clinic/03-title.cu", mended);
    call_fails(&room, "clinic 3", CLI_USAGE,
               "03-title.cu:8: this is the case as it came in");
    room_close(&room);
}

// A case is the course's file, a copy the learner's.
TEST(cases_and_copies_have_a_largest_size) {
    Room room;
    open_clinic(&room);
    Str large = {heap_alloc(1, CLI_MAX_SOURCE + 1), CLI_MAX_SOURCE + 1};
    put("mine.cu", large);
    call_fails(&room, "clinic 3 mine.cu", CLI_USAGE,
               "mine.cu: it is larger than 1 MiB");
    put("labs/clinic/03-title.cu", large);
    call_fails(&room, "clinic 3", CLI_OURS,
               "labs/clinic/03-title.cu: it is larger than 1 MiB");
    heap_free((void *)large.ptr);
    room_close(&room);
}

// ---- the quiz ------------------------------------------------------------

#define QUESTION(number)                \
    "## " number ". A title (choice)\n" \
    "\nWhich?\n\n- a) first\n- b) second\n\n"
#define RIGHT(number)                                                 \
    number ": b\n  a) It is not the first.\n  why: Because.\n  see: " \
           "README.md\n"

static const char QUIZ[] = "# Quiz 4: A title\n\nAn intro.\n\n" QUESTION("1")
    QUESTION("2") QUESTION("3") QUESTION("4") QUESTION("5") QUESTION("6");
static const char KEY[] =
    RIGHT("1") RIGHT("2") RIGHT("3") RIGHT("4") RIGHT("5") RIGHT("6");

// The only lab, with a quiz; a line that calls for it.
static Str open_quiz(Room *room, bool has_key) {
    open_course(room);
    Arena *arena = &room->arena;
    const char *lab = lab_entries[0].folder;
    mkdir(str_format(arena, "labs/%s", lab).ptr, 0700);
    put(str_format(arena, "labs/%s/lab.conf", lab).ptr, STR(FAKE_CONF));
    put(str_format(arena, "labs/%s/quiz.md", lab).ptr, str_from(QUIZ));
    mkdir("solutions", 0700);
    mkdir(str_format(arena, "solutions/%s", lab).ptr, 0700);
    if (has_key)
        put(str_format(arena, "solutions/%s/quiz.txt", lab).ptr, str_from(KEY));
    return str_format(arena, "quiz %s", lab);
}

TEST(a_first_call_prints_the_questions_and_writes_a_file_for_answers) {
    Room room;
    Str line = open_quiz(&room, true);
    Str path = str_format(&room.arena, "labs/%s/quiz-answers.txt",
                          lab_entries[0].folder);
    call(&room, line.ptr);
    CHECK_INT(room.code, CLI_BELOW);
    CHECK_HOLDS(room.out, "Which?");
    Str go_on = str_format(
        &room.arena,
        "\nWrite your answers behind the colons of\n  %s\nand grade them: "
        "clclab quiz %u\n",
        path.ptr, course_number(str_from(lab_entries[0].folder)));
    CHECK_HOLDS(room.out, go_on.ptr);
    CHECK_HOLDS(get(&room.arena, path.ptr), "1:\n");
    call(&room, line.ptr);
    CHECK_LACKS(room.out, "Write your answers");
    room_close(&room);
}

// As clclab batch grades them. Without an answer or a key there is no grade,
// not one of no points.
TEST(answers_of_a_class_have_a_grade_or_none) {
    for (int has_key = 0; has_key < 2; has_key++)
        for (int has_answers = 0; has_answers < 2; has_answers++) {
            Room room;
            open_quiz(&room, has_key);
            if (has_answers)
                put("mine.txt", STR("1: b\n2: b\n3: a\n4: b\n5: b\n6: b\n"));
            Cli cli = {.program = room.program};
            cli.args.words[0] = lab_entries[0].folder;
            cli.args.words[1] = "mine.txt";
            cli.args.word_count = 2;
            QuizGrade grade = {.points = -1};
            int code = quiz_grade_file(&cli, &grade);
            CHECK_INT(code, !has_answers ? CLI_USAGE
                            : has_key    ? CLI_FULL_MARKS
                                         : CLI_MISSING);
            CHECK(code == CLI_FULL_MARKS ? grade.points == 5 && grade.most == 6
                                         : grade.points < 0);
            if (code == CLI_FULL_MARKS)
                CHECK_STR(grade.first_wrong, "question 3");
            arena_free(&cli.arena);
            room_close(&room);
        }
}

TEST(answers_are_graded_by_the_key) {
    Room room;
    Str line = open_quiz(&room, true);
    line = str_format(&room.arena, "%s mine.txt", line.ptr);
    put("mine.txt", STR("1: b\n2: b\n3: b\n4: b\n5: b\n6: b\n"));
    call(&room, line.ptr);
    CHECK_INT(room.code, CLI_FULL_MARKS);
    put("mine.txt", STR("1: a\n2: b\n3: b\n4: b\n5: b\n6: b\n"));
    call(&room, line.ptr);
    CHECK_INT(room.code, CLI_BELOW);
    CHECK_HOLDS(room.out, "It is not the first.");
    unlink("mine.txt");
    call_fails(&room, line.ptr, CLI_USAGE, "mine.txt: No such file");
    room_close(&room);
}

TEST(without_a_key_nothing_is_graded) {
    Room room;
    Str line = open_quiz(&room, false);
    put("mine.txt", STR("1: b\n2: b\n3: b\n4: b\n5: b\n6: b\n"));
    call(&room, str_format(&room.arena, "%s mine.txt", line.ptr).ptr);
    CHECK_INT(room.code, CLI_MISSING);
    CHECK_HOLDS(room.err, "nothing was graded");
    CHECK_HOLDS(room.err, "hand in mine.txt");
    room_close(&room);
}

// ---- ptx -----------------------------------------------------------------

TEST(ptx_of_a_gpu_is_printed) {
    Room room;
    open_course(&room);
    put("k.ptx", STR(HEAD KERNEL("ret;\n")));
    call(&room, "ptx k.ptx --target sm_120f");
    CHECK_INT(room.code, CLI_FULL_MARKS);
    CHECK_HOLDS(room.out, ".target sm_120f");
    CHECK_HOLDS(room.out, ".entry k");
    CHECK_LACKS(room.out, "clclab_gpu");
    CHECK_STR(room.err, "");
    call(&room, "ptx k.ptx --target sm_100a --ledger");
    CHECK_INT(room.code, CLI_FULL_MARKS);
    CHECK_HOLDS(room.out, "clclab_gpu");
    room_close(&room);
}

TEST(targets_are_known_by_name) {
    Room room;
    open_course(&room);
    put("k.ptx", STR(HEAD KERNEL("ret;\n")));
    call_fails(&room, "ptx k.ptx --ledger", CLI_USAGE, "add --target");
    call_fails(&room, "ptx k.ptx --target sm_110b", CLI_USAGE, "did you mean");
    call_fails(&room, "ptx k.ptx --target blackwell", CLI_USAGE,
               "there are emulate, ");
    room_close(&room);
}

TEST(what_a_target_lacks_is_said) {
    Room room;
    open_course(&room);
    put("k.ptx", STR(HEAD KERNEL("tcgen05.fence::before_thread_sync;\n"
                                 "ret;\n")));
    call_fails(&room, "ptx k.ptx --target sm_90", CLI_BELOW, "sm_90");
    put("k.ptx", STR(HEAD KERNEL("rot;\n")));
    call_fails(&room, "ptx k.ptx --target sm_90", CLI_BELOW, "k.ptx:5");
    put("k.ptx", STR(""));
    call_fails(&room, "ptx k.ptx --target sm_90", CLI_BELOW, "empty");
    room_close(&room);
}

// ---- what a compiler gives -----------------------------------------------

TEST(a_kernel_is_compiled_and_printed) {
    Room room;
    open_course(&room);
    room_compiler(&room, HEAD KERNEL("ret;\n"));
    put("k.cu", STR("one\ntwo\nthree\nfour\n"));
    call(&room, "ptx k.cu --compiler nvcc");
    CHECK_INT(room.code, CLI_FULL_MARKS);
    CHECK_STR(room.out, HEAD KERNEL("ret;\n"));
    room_close(&room);
}

TEST(compiled_files_are_kept_in_the_users_cache) {
    Arena arena = {0};
    setenv("HOME", "/home/of", 1);
    setenv("XDG_CACHE_HOME", "/cache", 1);
    CHECK_STR(submission_cache(&arena), "/cache/clclab");
    setenv("XDG_CACHE_HOME", "relative", 1);
    CHECK_STR(submission_cache(&arena), "/home/of/.cache/clclab");
    unsetenv("XDG_CACHE_HOME");
    CHECK_STR(submission_cache(&arena), "/home/of/.cache/clclab");
    setenv("HOME", "relative", 1);
    CHECK_STR(submission_cache(&arena), "");
    unsetenv("HOME");
    CHECK_STR(submission_cache(&arena), "");
    arena_free(&arena);
}

// Each kernel is compiled to the same PTX, in which nothing is wrong.
TEST(a_case_in_which_nothing_is_wrong_is_ours) {
    Room room;
    open_clinic(&room);
    room_compiler(&room, HEAD KERNEL("ret;\n"));
    call(&room, "clinic 3");
    CHECK_INT(room.code, CLI_BELOW);
    call_fails(&room, "clinic 3", CLI_OURS,
               "labs/clinic/03-title.cu: nothing is wrong with this case");
    room_close(&room);
}

// It reads what lies outside the kernel's buffer; the output is as it was.
TEST(a_copy_is_judged_beside_its_case) {
    Room room;
    open_clinic(&room);
    room_compiler(&room, HEAD KERNEL(".reg .b64 %l<1>; .reg .b32 %r<1>;\n"
                                     "mov.b64 %l0, 64;\n"
                                     "ld.global.u32 %r0, [%l0]; ret;\n"));
    call(&room, "clinic 3");
    Str copy = str_copy(&room.arena, str_from(CASE));
    *strchr((char *)copy.ptr, '?') = 'X';
    put("mine.cu", copy);
    call(&room, "clinic 3 mine.cu --schedules 1");
    CHECK_INT(room.code, CLI_BELOW);
    CHECK_HOLDS(room.out, "Not healed yet.");
    CHECK_STR(room.err, "");
    room_close(&room);
}

// The place of malformed inline assembly is that of the last .loc above it
// that names a line of the learner's file.
TEST(malformed_ptx_is_placed_in_the_learners_file) {
    static const struct {
        const char *locs, *place, *advice;
    } cases[] = {
        {".loc 1 3 7\n", "k.cu:3:7", "  Did you mean 'not'? Inline"},
        {".loc 1 3 7\n.loc 2 5 1\n", "k.cu:3:7", "Inline assembly"},
        {".loc 1 3 7\n.loc 2 5 1, function_name $f, inlined_at 1 4 2\n",
         "k.cu:4:2", "Inline assembly"},
        {".loc 1 3 7\n.loc 1 4294967298 1\n", "k.cu:3:7", "Inline assembly"},
        {".loc 1 3 7\n.loc 1 x 1\n", "k.cu:3:7", "Inline assembly"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Room room;
        open_course(&room);
        Str ptx =
            str_format(&room.arena, HEAD "%s%srot;\n}\n%s",
                       ".visible .entry k() {\n", cases[i].locs,
                       ".file 2 \"other.cu\"\n.file 1 \"/a/folder/k.cu\"\n");
        room_compiler(&room, ptx.ptr);
        put("k.cu", STR("one\ntwo\nthree\nfour\n"));
        call(&room, "ptx k.cu --compiler nvcc");
        CHECK_INT(room.code, CLI_BELOW);
        if (!CHECK_HOLDS(room.err, cases[i].place))
            printf("# of: %s\n", cases[i].locs);
        CHECK_HOLDS(room.err, "The PTX of this line is malformed");
        CHECK_HOLDS(room.err, cases[i].advice);
        room_close(&room);
    }
}

TEST_MAIN(
    TESTCASE(a_first_call_tells_the_case_and_makes_a_copy),
    TESTCASE(cases_without_a_copy_are_listed_and_none_is_made),
    TESTCASE(cases_are_listed_by_their_numbers),
    TESTCASE(what_a_clinic_lacks_is_said),
    TESTCASE(a_case_that_was_mended_in_its_place_is_none),
    TESTCASE(cases_and_copies_have_a_largest_size),
    TESTCASE(a_first_call_prints_the_questions_and_writes_a_file_for_answers),
    TESTCASE(answers_of_a_class_have_a_grade_or_none),
    TESTCASE(answers_are_graded_by_the_key),
    TESTCASE(without_a_key_nothing_is_graded),
    TESTCASE(ptx_of_a_gpu_is_printed), TESTCASE(targets_are_known_by_name),
    TESTCASE(what_a_target_lacks_is_said),
    TESTCASE(a_kernel_is_compiled_and_printed),
    TESTCASE(compiled_files_are_kept_in_the_users_cache),
    TESTCASE(a_case_in_which_nothing_is_wrong_is_ours),
    TESTCASE(a_copy_is_judged_beside_its_case),
    TESTCASE(malformed_ptx_is_placed_in_the_learners_file))
