// SPDX-License-Identifier: Apache-2.0
// The files that a batch and its tasks on a cluster share: what is written is
// read again as it was, and what is damaged counts for nothing.
#include "tests/unit/batch_fake.h"

#define ROWS 5

typedef struct Class {
    Fake fake;
    Batch batch;
    BatchRow rows[ROWS];
    Shards shards;
} Class;

static BatchRow row_of(Arena *arena, size_t i) {
    BatchRow row = {.id = str_format(arena, "s%zu", i),
                    .student = STR("Ana \"A\"\n}\n"),
                    .file = STR("mine.cu"),
                    .status = BATCH_FAILED,
                    .why = STR("It was not graded."),
                    .seeds = {5 + i, UINT64_MAX},
                    .seed_count = 2,
                    .batch = 3,
                    .has_before = true,
                    .before = 40.5,
                    .changed = STR("lab.conf")};
    row.parts[BATCH_PART_SUBMISSION] = STR("0a");
    return row;
}

// Five rows in two tasks.
static void class_open(Class *class) {
    static const size_t indices[ROWS] = {0, 1, 2, 3, 4};
    *class = (Class){0};
    fake_open(&class->fake);
    class->batch = (Batch){.host = &class->fake.host,
                           .out = str_from(class->fake.room.folder),
                           .lock = -1,
                           .log = "batch.log",
                           .rows = class->rows,
                           .roster.count = ROWS};
    for (size_t i = 0; i < ROWS; i++)
        class->rows[i] = row_of(&class->fake.arena, i);
    class->shards =
        (Shards){.count = 2, .indices = indices, .index_count = ROWS};
    CHECK_INT(shards_write(&class->batch, &class->shards), 0);
}

static void class_close(Class *class) {
    batch_close(&class->batch);
    fake_close(&class->fake);
}

// As a task of that class has it: its own rows.
static int open_task(Class *class, Batch *task, size_t shard) {
    *task = class->batch;
    task->array = class->shards.name.ptr;
    task->rows = NULL;
    task->arena = task->scratch = (Arena){0};
    return shard_read(task, shard);
}

TEST(a_task_has_its_rows) {
    Class class;
    Batch task;
    class_open(&class);
    CHECK_INT(open_task(&class, &task, 1), 0);
    CHECK_INT(task.roster.count, 2);
    CHECK_STR(task.rows[0].id, "s1");
    CHECK_STR(task.rows[1].id, "s3");
    CHECK_STR(task.rows[1].student, "Ana \"A\"\n}\n");
    CHECK(task.rows[1].seeds[0] == 8 && task.rows[1].seeds[1] == UINT64_MAX);
    CHECK_STR(task.rows[1].parts[BATCH_PART_SUBMISSION], "0a");
    CHECK(task.rows[1].has_before && task.rows[1].before == 40.5);
    CHECK_INT(task.rows[1].batch, 3);
    batch_close(&task);
    CHECK_INT(open_task(&class, &task, 2), BATCH_USAGE); // there is none
    batch_close(&task);
    class_close(&class);
}

TEST(a_damaged_plan_is_refused) {
    Class class;
    Batch task;
    class_open(&class);
    const char *path =
        batch_path(&class.batch, "slurm/%s/0.plan", class.shards.name.ptr);
    Str plan = get(&class.fake.arena, path);
    put(path, str_slice(plan, 0, plan.len - 4));
    CHECK_INT(open_task(&class, &task, 0), BATCH_OURS);
    batch_close(&task);
    put(path, STR("{\n}\n"));
    CHECK_INT(open_task(&class, &task, 0), BATCH_OURS);
    batch_close(&task);
    class.shards.name = STR("../clclab-00000000");
    CHECK_INT(open_task(&class, &task, 0), BATCH_USAGE);
    batch_close(&task);
    class_close(&class);
}

TEST(the_array_is_found_again) {
    Class class;
    Shards found;
    class_open(&class);
    CHECK(shards_read(&class.batch, &found));
    CHECK(str_equal(found.name, class.shards.name));
    CHECK_INT(found.count, 2);
    found.indices = class.shards.indices;
    found.index_count = ROWS;
    CHECK(shards_cover(&class.batch, &found));
    class.rows[4].parts[BATCH_PART_LAB] = STR("changed");
    CHECK(!shards_cover(&class.batch, &found));
    found.index_count = 4; // the others are as they were
    CHECK(shards_cover(&class.batch, &found));
    shards_remove(&class.batch);
    CHECK(!file_exists("slurm"));
    CHECK(!shards_read(&class.batch, &found));
    class_close(&class);
}

TEST(a_name_that_is_none) {
    Class class;
    Shards found;
    class_open(&class);
    put("slurm/job.json", STR("{\"name\": \"clclab-../../..\", \"tasks\": 1}"));
    CHECK(!shards_read(&class.batch, &found));
    put("slurm/job.json", STR("{\"name\": \"clclab-0123abcd\"}"));
    CHECK(!shards_read(&class.batch, &found));
    put("slurm/job.json", STR("{\"name\": \"clclab-0123abcd\", \"tasks\": 1}"));
    CHECK(shards_read(&class.batch, &found));
    class_close(&class);
}

TEST(what_a_task_could_not_grade) {
    Class class;
    Batch task;
    ShardEnd end = {.code = BATCH_TRY_LATER, .why = STR("no room\nfor it")};
    class_open(&class);
    CHECK_INT(open_task(&class, &task, 0), 0);
    CHECK(!shard_has_ended(&class.batch, &class.shards, 0));
    CHECK(!shard_read_end(&class.batch, &class.shards, 0, &end));
    end = (ShardEnd){.code = BATCH_TRY_LATER, .why = STR("no room\nfor it")};
    task.rows[0].status = BATCH_GRADED;
    task.rows[1].status = BATCH_UNGRADABLE;
    task.rows[1].why = STR("It is none.");
    task.rows[2].why = STR("it crashed");
    CHECK_INT(shard_write_end(&task, 0, &end), 0);
    CHECK(shard_has_ended(&class.batch, &class.shards, 0));
    CHECK(shard_read_end(&class.batch, &class.shards, 0, &end));
    CHECK_INT(end.code, BATCH_TRY_LATER);
    CHECK_STR(end.why, "no room");
    CHECK_STR(class.rows[0].why, "It was not graded.");
    CHECK_INT(class.rows[2].status, BATCH_UNGRADABLE);
    CHECK_STR(class.rows[2].why, "It is none.");
    CHECK_INT(class.rows[4].status, BATCH_FAILED);
    CHECK_STR(class.rows[4].why, "it crashed");
    // It is run again: it has not ended.
    batch_close(&task);
    CHECK_INT(open_task(&class, &task, 0), 0);
    CHECK(!shard_has_ended(&class.batch, &class.shards, 0));
    batch_close(&task);
    class_close(&class);
}

TEST_MAIN(TESTCASE(a_task_has_its_rows), TESTCASE(a_damaged_plan_is_refused),
          TESTCASE(the_array_is_found_again), TESTCASE(a_name_that_is_none),
          TESTCASE(what_a_task_could_not_grade))
