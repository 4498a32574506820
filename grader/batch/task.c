// SPDX-License-Identifier: Apache-2.0
// A task of the array: it grades the submissions of its plan from the copies in
// the folder of --out, each as the batch does on one machine, and then those of
// tasks that have not begun. It may be run again at any time, here or
// elsewhere, and takes up what has no record.
//
// A node may have another clclab, course or toolkit than the machine where the
// batch was begun. Then it grades nothing, and says what differs.
#include "batch/cluster.h"
#include "sandbox/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_HELP_MS = 5 * 60 * 1000 };

// The number of this task, which is that of its shard.
static int find_task(Batch *batch, size_t *task) {
    const char *index = getenv("SLURM_ARRAY_TASK_ID");
    char absolute[PATH_MAX];
    uint64_t number;
    if (!index || !str_to_u64(str_from(index), &number))
        return batch_fail(batch, BATCH_USAGE,
                          "--task: only a task of Slurm's has it: there is "
                          "no SLURM_ARRAY_TASK_ID");
    if (!realpath(str_cstring(&batch->arena, batch->request.out), absolute))
        return batch_fail(batch, BATCH_MISSING,
                          "--out: the folder is not on this node: it must "
                          "lie in a file system that all nodes share");
    if (!shards_is_name(str_from(batch->array)))
        return batch_fail(batch, BATCH_USAGE,
                          "--task: \"%s\" is no array of clclab batch",
                          batch->array);
    *task = number;
    batch->out = str_copy(&batch->arena, str_from(absolute));
    batch->log = str_format(&batch->arena, "slurm/%s/%llu.log", batch->array,
                            (unsigned long long)number)
                     .ptr;
    return BATCH_DONE;
}

static int compare_parts(Batch *batch, const BatchRow *row) {
    static const char *const words[] = {
#define PART_WORDS(id, member, text) [BATCH_PART_##id] = text,
        BATCH_PARTS(PART_WORDS)
#undef PART_WORDS
    };
    BatchRow here = *row;
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        if (i != BATCH_PART_SUBMISSION)
            here.parts[i] = batch->request.parts[i];
    batch_set_options(batch, &here);
    const char *node = getenv("SLURMD_NODENAME");
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        if (!str_equal(here.parts[i], row->parts[i]))
            return batch_fail(batch, BATCH_MISSING,
                              "%s: %s is not the one with which the batch "
                              "was begun: all nodes need the same course "
                              "and the same CUDA toolkit",
                              node ? node : "this node", words[i]);
    return BATCH_DONE;
}

static bool has_source(Batch *batch, const BatchRow *row) {
    Arena *arena = &batch->scratch;
    Str bytes, why;
    const char *path = batch_path(batch, "submissions/%.*s/%.*s",
                                  STR_ARG(row->id), STR_ARG(row->file));
    return file_read(arena, path, BATCH_MOST_SOURCE, &bytes, &why) ==
               FILE_READ &&
           str_equal(hash_sha256(arena, bytes),
                     row->parts[BATCH_PART_SUBMISSION]);
}

static bool must_be_graded(Batch *batch, BatchRow *row) {
    bool is_there = has_source(batch, row);
    if (!is_there)
        row->why = STR("Its copy in submissions/ has changed.");
    bool must = is_there && !batch_take_record(batch, row);
    arena_free(&batch->scratch);
    return must;
}

static int prepare(Batch *batch) {
    const BatchHost *host = batch->host;
    return host->prepare(host->context, &batch->request, &batch->said);
}

static int grade_rows(Batch *batch) {
    size_t count = 0,
           *indices = arena_new(&batch->arena, size_t, batch->roster.count + 1);
    int code = BATCH_DONE;
    for (size_t i = 0; i < batch->roster.count && code == BATCH_DONE; i++)
        code = compare_parts(batch, &batch->rows[i]);
    if (code != BATCH_DONE)
        return code;
    for (size_t i = 0; i < batch->roster.count; i++) {
        batch->ended = batch->rows[i].batch;
        if (must_be_graded(batch, &batch->rows[i]))
            indices[count++] = i;
    }
    code = batch_work(batch, indices, count);
    for (size_t i = 0; i < batch->roster.count && code == BATCH_DONE; i++)
        if (batch->rows[i].status == BATCH_FAILED)
            code = BATCH_TRY_LATER; // so that Slurm's own lists show it
    return code;
}

static int grade_shard(Batch *batch, size_t shard, int prepared) {
    int code = shard_read(batch, shard);
    if (code != BATCH_DONE)
        return code;
    code = prepared == BATCH_DONE ? grade_rows(batch) : prepared;
    ShardEnd end = {.code = code, .why = batch->said};
    int written = shard_write_end(batch, shard, &end);
    return code ? code : written;
}

// The last first, as Slurm begins with the first. Nothing more after a failure,
// as the node may be the cause; and not for long, so that others get the node.
static int help(Batch *batch, const Shards *shards, Worker worker) {
    double latest = clock_ms() + MOST_HELP_MS;
    int code = BATCH_DONE;
    for (size_t k = shards->count; k-- > 0 && code == BATCH_DONE;) {
        if (clock_ms() > latest)
            break;
        if (!shard_has_ended(batch, shards, k) &&
            shard_take(batch, shards, k, worker) == TAKEN_NOW)
            code = grade_shard(batch, k, BATCH_DONE);
    }
    return code;
}

// A task that is run again does its own shard again, which costs nothing where
// records are. What it had taken over it leaves to the next array: its earlier
// run may still be at work, where Slurm's controller has forgotten it.
static int task(Batch *batch) {
    Worker worker = {.run = batch_draw()};
    Shards shards;
    int code = find_task(batch, &worker.task);
    if (code != BATCH_DONE)
        return code;
    bool is_known = shards_read(batch, &shards) &&
                    str_equal(shards.name, str_from(batch->array));
    shards.name = str_from(batch->array);
    Taken own = shard_take(batch, &shards, worker.task, worker);
    code = prepare(batch);
    if (own != TAKEN_BY_OTHER)
        code = grade_shard(batch, worker.task, code);
    return is_known && code == BATCH_DONE ? help(batch, &shards, worker) : code;
}

int batch_run_task(const BatchHost *host, const BatchRequest *request,
                   const char *array) {
    Batch batch = {
        .host = host, .request = *request, .lock = -1, .array = array};
    int code = task(&batch);
    batch_close(&batch);
    return code;
}
