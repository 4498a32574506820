// SPDX-License-Identifier: Apache-2.0
// A task of an array grades its shard, says how it ended, and takes over what
// nobody has begun; and the batch that finds tasks at work. Small scripts stand
// for Slurm's programs.
#include "tests/unit/batch_fake.h"

#define ROWS 3

typedef struct Array {
    Fake fake;
    BatchRequest request;
    Shards shards;
} Array;

// The copy to be graded, and its row in the plan.
static BatchRow row_of(Array *array, const char *id, const char *text) {
    Arena *arena = &array->fake.arena;
    Batch batch = {.request = array->request};
    BatchRow row = {.id = str_from(id),
                    .file = STR("mine.cu"),
                    .status = BATCH_FAILED,
                    .why = STR("It was not graded."),
                    .seeds = {5},
                    .seed_count = 1};
    memcpy(row.parts, array->request.parts, sizeof row.parts);
    row.parts[BATCH_PART_SUBMISSION] = hash_sha256(arena, str_from(text));
    batch_set_options(&batch, &row);
    row.parts[BATCH_PART_OPTIONS] =
        str_copy(arena, row.parts[BATCH_PART_OPTIONS]);
    batch_close(&batch);
    mkdir(str_format(arena, "out/submissions/%s", id).ptr, 0700);
    put(str_format(arena, "out/submissions/%s/mine.cu", id).ptr,
        str_from(text));
    return row;
}

// Three submissions in two tasks: the first and the third in task 0.
static void array_open(Array *array) {
    static const size_t indices[ROWS] = {0, 1, 2};
    *array = (Array){.request = fake_request()};
    fake_open(&array->fake);
    array->fake.here = array->request;
    mkdir("out", 0700);
    mkdir("out/submissions", 0700);
    mkdir("out/records", 0700);
    mkdir("out/results", 0700);
    mkdir("out/reports", 0700);
    BatchRow rows[ROWS] = {row_of(array, "ana", "points 42.5 rules CLC006\n"),
                           row_of(array, "ben", "points 100\n"),
                           row_of(array, "carl", "exit 2 it is none\n")};
    Batch batch = {.host = &array->fake.host,
                   .out = str_format(&array->fake.arena, "%s/out",
                                     array->fake.room.folder),
                   .rows = rows,
                   .roster.count = ROWS,
                   .lock = -1};
    array->shards =
        (Shards){.count = 2, .indices = indices, .index_count = ROWS};
    CHECK_INT(shards_write(&batch, &array->shards), BATCH_DONE);
    array->shards.name = str_copy(&array->fake.arena, array->shards.name);
    batch_close(&batch);
}

static void array_close(Array *array) {
    fake_close(&array->fake);
}

static int run_task(Array *array, const char *index) {
    setenv("SLURM_ARRAY_TASK_ID", index, 1);
    array->fake.said.len = 0;
    return batch_run_task(&array->fake.host, &array->request,
                          array->shards.name.ptr);
}

static const char *of_shard(Array *array, const char *name) {
    return str_format(&array->fake.arena, "out/slurm/%.*s/%s",
                      STR_ARG(array->shards.name), name)
        .ptr;
}

TEST(a_task_grades_its_shard_and_then_what_nobody_has_begun) {
    Array array;
    array_open(&array);
    CHECK_INT(run_task(&array, "0"), BATCH_DONE);
    Arena *arena = &array.fake.arena;
    CHECK_STR(get(arena, of_shard(&array, "0.end")),
              "code 0\nwhy \n2 carl it is none\n");
    CHECK_STR(get(arena, of_shard(&array, "1.end")), "code 0\nwhy \n");
    CHECK_HOLDS(get(arena, "out/records/ana.json"), "\"score\": 42.500");
    CHECK_HOLDS(get(arena, "out/records/ben.json"), "\"score\": 100");
    CHECK_HOLDS(get(arena, of_shard(&array, "0.log")),
                "ana: graded 42.5 of 100, rules");
    CHECK(!file_exists("out/records/carl.json"));
    size_t graded = get(arena, "graded.txt").len;
    CHECK_INT(run_task(&array, "1"), BATCH_DONE); // it has begun too late
    CHECK_INT(get(arena, "graded.txt").len, graded);
    array_close(&array);
}

TEST(a_node_that_differs_grades_nothing) {
    Array array;
    array_open(&array);
    array.fake.here.parts[BATCH_PART_TOOLKIT] = STR("12.8");
    CHECK_INT(run_task(&array, "0"), BATCH_MISSING);
    CHECK_HOLDS(buf_view(&array.fake.said),
                "the CUDA toolkit is not the one with which the batch was "
                "begun");
    Str end = get(&array.fake.arena, of_shard(&array, "0.end"));
    CHECK_HOLDS(end, "code 69\nwhy ");
    CHECK_HOLDS(end, "75 ana It was not graded.\n");
    CHECK(!file_exists("graded.txt"));
    CHECK(!file_exists(of_shard(&array, "1.end"))); // it does not help
    array_close(&array);
}

TEST(a_node_that_lacks_something_says_so) {
    Array array;
    array_open(&array);
    array.fake.prepared = BATCH_MISSING;
    CHECK_INT(run_task(&array, "1"), BATCH_MISSING);
    CHECK_STR(get(&array.fake.arena, of_shard(&array, "1.end")),
              "code 69\nwhy no toolkit\n75 ben It was not graded.\n");
    array_close(&array);
}

TEST(a_copy_that_has_changed_is_not_graded) {
    Array array;
    array_open(&array);
    put("out/submissions/ben/mine.cu", STR("points 3\n"));
    CHECK_INT(run_task(&array, "1"), BATCH_TRY_LATER);
    CHECK_STR(get(&array.fake.arena, of_shard(&array, "1.end")),
              "code 75\nwhy \n75 ben Its copy in submissions/ has changed.\n");
    CHECK(!file_exists("graded.txt"));
    array_close(&array);
}

TEST(what_is_no_task) {
    Array array;
    array_open(&array);
    unsetenv("SLURM_ARRAY_TASK_ID");
    CHECK_INT(batch_run_task(&array.fake.host, &array.request, "clclab-1"),
              BATCH_USAGE);
    CHECK_HOLDS(buf_view(&array.fake.said), "no SLURM_ARRAY_TASK_ID");
    array.shards.name = STR("../clclab-01234567");
    CHECK_INT(run_task(&array, "0"), BATCH_USAGE);
    CHECK_HOLDS(buf_view(&array.fake.said), "is no array of clclab batch");
    array.request.out = STR("elsewhere");
    CHECK_INT(run_task(&array, "0"), BATCH_MISSING);
    CHECK_HOLDS(buf_view(&array.fake.said), "the folder is not on this node");
    array_close(&array);
}

// A program that prints this, and ends well.
static void stand_in(Array *array, const char *name, const char *prints) {
    const char *path = str_format(&array->fake.arena, "bin/%s", name).ptr;
    put(path, str_format(&array->fake.arena, "#!/bin/sh\necho '%s'\n", prints));
    CHECK_INT(chmod(path, 0700), 0);
}

TEST(a_folder_where_tasks_are_at_work_is_left_to_them) {
    Array array;
    array_open(&array);
    mkdir("bin", 0700);
    setenv("PATH",
           str_format(&array.fake.arena, "%s/bin:/usr/bin:/bin",
                      array.fake.room.folder)
               .ptr,
           1);
    put("class/ana.cu", STR("points 1\n"));
    stand_in(&array, "squeue", "17|RUNNING|None");
    CHECK_INT(batch_run(&array.fake.host, &array.request), BATCH_TRY_LATER);
    CHECK_HOLDS(buf_view(&array.fake.said), "Slurm's job 17 is at work in");
    array.fake.said.len = 0;
    stand_in(&array, "squeue", "no answer");
    CHECK_INT(batch_run(&array.fake.host, &array.request), BATCH_TRY_LATER);
    CHECK_HOLDS(buf_view(&array.fake.said),
                "names a job of Slurm's, which does not answer");
    CHECK(!file_exists("graded.txt"));
    stand_in(&array, "squeue", "17|COMPLETED|None");
    CHECK_INT(batch_run(&array.fake.host, &array.request), BATCH_DONE);
    CHECK_STR(get(&array.fake.arena, "graded.txt"), "ana.cu 5\n");
    array_close(&array);
}

TEST_MAIN(TESTCASE(a_task_grades_its_shard_and_then_what_nobody_has_begun),
          TESTCASE(a_node_that_differs_grades_nothing),
          TESTCASE(a_node_that_lacks_something_says_so),
          TESTCASE(a_copy_that_has_changed_is_not_graded),
          TESTCASE(what_is_no_task),
          TESTCASE(a_folder_where_tasks_are_at_work_is_left_to_them))
