// SPDX-License-Identifier: Apache-2.0
// The engine: each submission is graded once, what came of it is kept, and what
// did not come of it is said. The grades are made up by a host (batch_fake.h).
#include "tests/unit/batch_fake.h"

static int run(Fake *fake, const BatchRequest *request) {
    fake->said.len = fake->shown.len = 0;
    return batch_run(&fake->host, request);
}

TEST(each_is_graded_once_and_kept) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    request.jobs = 1; // graded.txt is in the order of the class
    put("class/ana.cu", STR("points 42.5 rules CLC006\n"));
    put("class/ben.cu", STR("points 100\n"));
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    static const char table[] = "ana graded 42.500 rules CLC006\n"
                                "ben graded 100  \n";
    CHECK_STR(get(&fake.arena, "out/grades.csv"), table);
    CHECK_STR(get(&fake.arena, "out/summary.html"), "page");
    CHECK_STR(get(&fake.arena, "out/summary.txt"), "text");
    CHECK_STR(get(&fake.arena, "out/results/ana.json"), "result of ana.cu, 5");
    CHECK_STR(get(&fake.arena, "out/reports/ana.txt"), "report of ana.cu");
    CHECK_STR(get(&fake.arena, "out/submissions/ana/ana.cu"),
              "points 42.5 rules CLC006\n");
    CHECK_STR(buf_view(&fake.shown), "shown\n");
    CHECK_STR(buf_view(&fake.said), "");
    CHECK_INT(get(&fake.arena, "graded.txt").len, 2 * strlen("ana.cu 5\n"));

    put("class/ben.cu", STR("points 70\n")); // she hands in again
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    Str graded =
        get(&fake.arena, "graded.txt"); // the first two in either order
    CHECK_INT(graded.len, 3 * strlen("ana.cu 5\n"));
    CHECK(str_ends(graded, STR("ben.cu 5\n")));
    CHECK_STR(get(&fake.arena, "out/grades.csv"),
              "ana graded 42.500 rules CLC006\nben graded 70  \n");
    CHECK_HOLDS(get(&fake.arena, "out/records/ben.json"),
                "\"changed\": \"the submission\"");

    put("out/results/ana.json", STR("forged")); // its hash does not fit
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    CHECK_STR(get(&fake.arena, "out/results/ana.json"), "result of ana.cu, 5");
    fake_close(&fake);
}

TEST(several_seeds_have_a_mean_or_the_worst) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    request.seeds = 2;
    put("class/ana.cu", STR("seed\n"));
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    Str second = get(&fake.arena, "out/results-2/ana.json");
    uint64_t seed;
    CHECK(str_to_u64(str_slice(second, 18, second.len), &seed) && seed > 5);
    double points[] = {7.5, 1.5 * (double)(seed % 10)};
    CHECK(points[0] != points[1]);
    char worst[DECIMAL_TEXT], mean[DECIMAL_TEXT];
    decimal_text(worst, points[0] < points[1] ? points[0] : points[1]);
    decimal_text(mean, (points[0] + points[1]) / 2);
    CHECK_STR(get(&fake.arena, "out/grades.csv"),
              str_format(&fake.arena, "ana graded %s  \n", worst).ptr);
    request.is_mean = true;
    request.parts[BATCH_PART_LAB] = STR("another");
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    CHECK_STR(get(&fake.arena, "out/grades.csv"),
              str_format(&fake.arena, "ana graded %s  \n", mean).ptr);
    fake_close(&fake);
}

TEST(what_has_no_points_says_why) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    put("class/ana.cu", STR("exit 2 it is a picture\n"));
    put("class/ben.cu", STR("once\n"));
    CHECK_INT(run(&fake, &request), BATCH_BELOW);
    CHECK_STR(get(&fake.arena, "out/grades.csv"),
              "ana not gradable 0 it is a picture \nben graded 100  \n");
    Str log = get(&fake.arena, "out/batch.log");
    CHECK_HOLDS(log, "ana: given up: it is a picture\n");
    CHECK_HOLDS(log, "ben: tried again: what grades it crashed\n");
    CHECK_HOLDS(log, "end: 1 graded, 1 not gradable, 0 failed\n");
    fake_close(&fake);
}

TEST(a_grade_without_points_is_none) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    put("class/ana.cu", STR("exit 0 nothing\n"));
    CHECK_INT(run(&fake, &request), BATCH_TRY_LATER);
    CHECK_STR(get(&fake.arena, "out/grades.csv"),
              "ana failed 0 the grade has no points \n");
    CHECK(!file_exists("out/records/ana.json"));
    fake_close(&fake);
}

TEST(what_is_missing_for_all_ends_the_batch) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    request.jobs = 1;
    put("class/ana.cu", STR("exit 69 there is no toolkit\n"));
    put("class/ben.cu", STR("points 3\n"));
    CHECK_INT(run(&fake, &request), BATCH_MISSING);
    CHECK_STR(buf_view(&fake.said), "there is no toolkit\n");
    CHECK_STR(get(&fake.arena, "out/grades.csv"),
              "ana failed 0 It was not graded. \n"
              "ben failed 0 It was not graded. \n");
    fake_close(&fake);
}

TEST(a_folder_has_the_grades_of_one_exercise_and_of_one_batch) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    CHECK_INT(run(&fake, &request), BATCH_USAGE);
    CHECK_STR(buf_view(&fake.said), "class: there is no submission in it\n");
    request.exercise = STR("04-cluster-clc");
    CHECK_INT(run(&fake, &request), BATCH_USAGE);
    CHECK_HOLDS(buf_view(&fake.said), "has the grades of 03-block-clc");
    request = fake_request();
    request.out = STR("class/out");
    CHECK_INT(run(&fake, &request), BATCH_USAGE);
    CHECK_HOLDS(buf_view(&fake.said), "lies in the folder of submissions");
    fake_close(&fake);
}

// What work.c does in a child, here: the file `text` in submissions/ana/.
static int grade_here(Fake *fake, BatchRow *row, const char *text) {
    Batch batch = {.host = &fake->host,
                   .request = fake_request(),
                   .out = str_format(&fake->arena, "%s/out", fake->room.folder),
                   .rows = row,
                   .lock = -1};
    put(str_format(&fake->arena, "%s/out/submissions/ana/mine.cu",
                   fake->room.folder)
            .ptr,
        str_from(text));
    int code = batch_grade(&batch, 0);
    batch_close(&batch);
    CHECK_INT(chdir(fake->room.folder), 0);
    return code;
}

TEST(a_child_writes_the_record_last_or_none) {
    static const char *const folders[] = {
        "out",         "out/submissions", "out/submissions/ana",
        "out/results", "out/results-2",   "out/records"};
    Fake fake;
    fake_open(&fake);
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        mkdir(folders[i], 0700);
    BatchRow row = {.id = STR("ana"),
                    .file = STR("mine.cu"),
                    .seeds = {5, 3},
                    .seed_count = 2};
    CHECK_INT(grade_here(&fake, &row, "exit 2 it is none\n"), BATCH_USAGE);
    CHECK_INT(grade_here(&fake, &row, "exit 1 no points\n"), BATCH_OURS);
    CHECK_INT(grade_here(&fake, &row, "seed\n"), BATCH_USAGE); // no reports/
    CHECK_HOLDS(buf_view(&fake.said), "batch: cannot write ");
    CHECK(!file_exists("out/records/ana.json"));
    mkdir("out/reports", 0700);
    CHECK_INT(grade_here(&fake, &row, "seed\n"), BATCH_DONE);
    CHECK_STR(get(&fake.arena, "out/results-2/ana.json"),
              "result of mine.cu, 3");
    Str record = get(&fake.arena, "out/records/ana.json");
    CHECK_HOLDS(record, "\"status\": \"graded\"");
    CHECK_HOLDS(record, "\"score\": 4.500,");
    CHECK_HOLDS(record, "\"seed\": 3,");
    row.id = STR("ben"); // there is nothing of hers
    CHECK_INT(grade_here(&fake, &row, "seed\n"), BATCH_OURS);
    fake_close(&fake);
}

// Of what is handed in, that is.
TEST(what_cannot_be_graded_is_seen_before) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    CHECK_INT(symlink("/etc/passwd", "class/ana.cu"), 0);
    char *bytes = arena_new(&fake.arena, char, BATCH_MOST_SOURCE + 1);
    put("class/ben.cu", (Str){bytes, BATCH_MOST_SOURCE + 1});
    put("class/carl.cu", STR("points 1\n"));
    mkdir("class/-dora", 0700);
    put("class/-dora/-x.cu", STR("points 2\n")); // sbatch's, or a shell's
    CHECK_INT(run(&fake, &request), BATCH_BELOW);
    Str table = get(&fake.arena, "out/grades.csv");
    CHECK_HOLDS(table, "ana not gradable 0 ");
    CHECK_HOLDS(table, "symbolic link");
    CHECK_HOLDS(table, "ben not gradable 0 ben.cu: it is larger than 1 MiB. ");
    CHECK_HOLDS(table, "carl graded 1  \n");
    CHECK(!file_exists("out/submissions/ana"));
    fake_close(&fake);
}

TEST(points_that_people_gave_are_read_before_anything_is_graded) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    put("class/ana.cu", STR("points 1\n"));
    request.points = "points.csv";
    CHECK_INT(run(&fake, &request), BATCH_USAGE);
    CHECK_HOLDS(buf_view(&fake.said), "--points: points.csv: No such file");
    put("points.csv", STR("no table\n"));
    CHECK_INT(run(&fake, &request), BATCH_USAGE);
    CHECK(!file_exists("graded.txt"));
    put("points.csv", STR("id,points\nana,3\n"));
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    fake_close(&fake);
}

TEST(what_an_earlier_batch_had_begun_is_removed) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    put("class/ana.cu", STR("points 1\n"));
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    put("out/records/.ana.json.abc123", STR("a part"));
    put("out/submissions/ana/old.cu", STR("another name"));
    put("out/batch.json", STR("{\"lab\": \"03-block-clc\", \"seed\": 9, "
                              "\"ended\": 4}"));
    request.has_seed = false;
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    CHECK(!file_exists("out/records/.ana.json.abc123"));
    CHECK_HOLDS(get(&fake.arena, "graded.txt"), "ana.cu 9\n"); // kept seed
    CHECK(!file_exists("out/submissions/ana/old.cu"));
    CHECK_HOLDS(get(&fake.arena, "out/batch.json"), "\"ended\": 5");
    request.seed_from = "autumn";
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    Str line = str_format(
        &fake.arena, "ana.cu %llu\n",
        (unsigned long long)batch_seed_of(&fake.arena, "autumn", STR("ana")));
    CHECK_HOLDS(get(&fake.arena, "graded.txt"), line.ptr);
    fake_close(&fake);
}

TEST(each_student_has_a_seed_of_her_own) {
    Arena arena = {0};
    uint64_t ana = batch_seed_of(&arena, "autumn", STR("ana"));
    CHECK(ana == batch_seed_of(&arena, "autumn", STR("ana")));
    CHECK(ana != batch_seed_of(&arena, "autumn", STR("ben")));
    CHECK(ana != batch_seed_of(&arena, "spring", STR("ana")));
    arena_free(&arena);
}

TEST(a_batch_without_a_seed_draws_one_and_keeps_it) {
    Fake fake;
    fake_open(&fake);
    BatchRequest request = fake_request();
    request.has_seed = false;
    put("class/ana.cu", STR("points 100\n"));
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    uint64_t first = 0, second = 0;
    CHECK(json_find_number(&fake.arena, get(&fake.arena, "out/batch.json"),
                           "seed", &first));
    CHECK(first > 0 && first <= UINT32_MAX);
    CHECK_STR(
        get(&fake.arena, "graded.txt"),
        str_format(&fake.arena, "ana.cu %llu\n", (unsigned long long)first)
            .ptr);
    put("class/ben.cu", STR("points 100\n"));
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    CHECK(json_find_number(&fake.arena, get(&fake.arena, "out/batch.json"),
                           "seed", &second));
    CHECK(second == first);
    request.out = STR("other");
    CHECK_INT(run(&fake, &request), BATCH_DONE);
    CHECK(json_find_number(&fake.arena, get(&fake.arena, "other/batch.json"),
                           "seed", &second));
    CHECK(second != first);
    fake_close(&fake);
}

// A copy is called as the student called it, unless that is no good name here.
TEST(copies_have_names_that_can_be_files) {
    char longest[201], longer[202];
    memset(longest, 'x', 200);
    memcpy(longest + 197, ".cu", 4);
    memset(longer, 'x', 201);
    memcpy(longer + 198, ".cu", 4);
    const struct {
        const char *name, *copy;
    } cases[] = {{"mine.cu", "mine.cu"},
                 {"-o.cu", "block_clc.cu"},
                 {longest, longest},
                 {longer, "block_clc.cu"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Fake fake;
        fake_open(&fake);
        BatchRequest request = fake_request();
        mkdir("class/ana", 0700);
        put(str_format(&fake.arena, "class/ana/%s", cases[i].name).ptr,
            STR("points 100\n"));
        CHECK_INT(run(&fake, &request), BATCH_DONE);
        CHECK_STR(
            get(&fake.arena,
                str_format(&fake.arena, "out/submissions/ana/%s", cases[i].copy)
                    .ptr),
            "points 100\n");
        fake_close(&fake);
    }
}

TEST_MAIN(TESTCASE(each_is_graded_once_and_kept),
          TESTCASE(several_seeds_have_a_mean_or_the_worst),
          TESTCASE(what_has_no_points_says_why),
          TESTCASE(a_grade_without_points_is_none),
          TESTCASE(what_is_missing_for_all_ends_the_batch),
          TESTCASE(a_folder_has_the_grades_of_one_exercise_and_of_one_batch),
          TESTCASE(a_child_writes_the_record_last_or_none),
          TESTCASE(what_cannot_be_graded_is_seen_before),
          TESTCASE(points_that_people_gave_are_read_before_anything_is_graded),
          TESTCASE(what_an_earlier_batch_had_begun_is_removed),
          TESTCASE(each_student_has_a_seed_of_her_own),
          TESTCASE(a_batch_without_a_seed_draws_one_and_keeps_it),
          TESTCASE(copies_have_names_that_can_be_files))
