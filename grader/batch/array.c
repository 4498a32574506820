// SPDX-License-Identifier: Apache-2.0
// The batch that waits for its tasks. Read array_grade: a class takes one array
// or, where tasks were lost, several; each has what is still without a record.
// The same command given again takes up the array that is there.
#include "batch/cluster.h"

#include <dirent.h>
#include <poll.h>
#include <sys/stat.h>

enum {
    // Submissions, if nobody says otherwise. Few, so that no node is left with
    // much at the end; tasks take over shards, so that few wait for Slurm.
    A_SHARD = 10,
    MOST_TASKS = 200,    // likewise
    MOST_TRIES = 3,      // arrays in a row that graded nothing
    LOOK_MS = 100,       // for records
    FIRST_ASK_MS = 1000, // Slurm, and then more and more seldom
    MOST_ASK_MS = 10000,
    MOST_SETTLE_MS = 5000,
    MOST_SILENCE_MS = 30 * 60 * 1000, // of Slurm's controller
};

typedef struct Seen { // of a record
    ino_t inode;
    struct timespec written;
} Seen;

typedef struct Array {
    Batch *batch;
    size_t *left; // rows without a record, in order
    size_t left_count;
    Seen *seen;      // of each row
    bool *has_ended; // of each task
    Shards shards;
    BatchQueue queue;
    BatchProgress progress;
    double asked, pause, answered; // clock_ms
    size_t tries;
} Array;

typedef enum ArrayEnd {
    ARRAY_GRADED, // all of it
    ARRAY_OVER,   // no task is at work any more
    ARRAY_SILENT, // Slurm has not answered for long
} ArrayEnd;

// ---- records -------------------------------------------------------------

static bool is_new(Array *array, size_t row) {
    struct stat status;
    Batch *batch = array->batch;
    Seen *seen = &array->seen[row];
    if (stat(batch_path(batch, "records/%.*s.json",
                        STR_ARG(batch->rows[row].id)),
             &status) != 0)
        return false;
    bool is_same = seen->inode == status.st_ino &&
                   seen->written.tv_sec == status.st_mtim.tv_sec &&
                   seen->written.tv_nsec == status.st_mtim.tv_nsec;
    *seen = (Seen){status.st_ino, status.st_mtim};
    return !is_same;
}

// all: also records that were seen before, as what they name may have come
// later.
static void take_records(Array *array, bool all) {
    Batch *batch = array->batch;
    size_t kept = 0;
    // A file system of many machines looks anew when a folder is opened.
    DIR *folder = opendir(batch_path(batch, "records"));
    for (size_t i = 0; i < array->left_count; i++) {
        size_t row = array->left[i];
        bool look = is_new(array, row) || all;
        if (look && batch_take_record(batch, &batch->rows[row]))
            array->progress.done++;
        else
            array->left[kept++] = row;
    }
    array->left_count = kept;
    if (folder)
        closedir(folder);
    arena_free(&batch->scratch);
}

// anew: also those that had ended, as a task that is run again has not.
static bool have_all_ended(Array *array, bool anew) {
    bool all = true;
    for (size_t k = 0; k < array->shards.count; k++) {
        if (!array->has_ended[k] || anew)
            array->has_ended[k] =
                shard_has_ended(array->batch, &array->shards, k);
        all = all && array->has_ended[k];
    }
    arena_free(&array->batch->scratch);
    return all;
}

// ---- Slurm ---------------------------------------------------------------

static void ask(Array *array) {
    Str why;
    BatchQueue queue;
    double now = clock_ms();
    bool had = array->answered >= array->asked;
    array->asked = now;
    array->pause =
        array->pause * 1.5 < MOST_ASK_MS ? array->pause * 1.5 : MOST_ASK_MS;
    if (slurm_queue(array->batch, array->shards.name, &queue, &why)) {
        array->queue = queue;
        array->answered = clock_ms();
    } else if (had) {
        batch_log(array->batch, "Slurm does not answer: %.*s", STR_ARG(why));
    }
}

static Str state_of(Arena *arena, const Array *array) {
    const BatchQueue *queue = &array->queue;
    if (array->answered < array->asked)
        return STR("; Slurm does not answer");
    Str reason = queue->waiting && !queue->running && queue->reason.len
                     ? str_format(arena, " (%.*s)", STR_ARG(queue->reason))
                     : (Str){0};
    return str_format(arena, "; job %llu: %zu tasks at work, %zu waiting%.*s",
                      (unsigned long long)queue->job, queue->running,
                      queue->waiting, STR_ARG(reason));
}

static void tell(Array *array, bool is_last) {
    Str state = is_last ? (Str){0} : state_of(&array->batch->scratch, array);
    const BatchHost *host = array->batch->host;
    host->progress(host->context, &array->progress, state, is_last);
    arena_free(&array->batch->scratch);
}

static bool is_over(const BatchQueue *queue) {
    return queue->running + queue->waiting == queue->held;
}

static ArrayEnd wait_for_end(Array *array) {
    array->pause = FIRST_ASK_MS;
    for (;;) {
        double now = clock_ms();
        take_records(array, false);
        if (array->left_count == 0)
            return ARRAY_GRADED;
        if (have_all_ended(array, false))
            return ARRAY_OVER;
        if (now - array->asked > array->pause) {
            ask(array);
            if (array->answered >= array->asked && is_over(&array->queue))
                return ARRAY_OVER;
        }
        if (now - array->answered > MOST_SILENCE_MS)
            return ARRAY_SILENT;
        tell(array, false);
        poll(NULL, 0, LOOK_MS);
    }
}

// ---- an array ------------------------------------------------------------

static size_t shards_of(const Array *array) {
    uint64_t wanted = array->batch->request.cluster->shards;
    size_t count = (array->left_count + A_SHARD - 1) / A_SHARD;
    if (count > MOST_TASKS)
        count = MOST_TASKS;
    if (wanted)
        count = wanted;
    return count < array->left_count ? count : array->left_count;
}

static int submit(Array *array) {
    Batch *batch = array->batch;
    shards_remove(batch);
    array->shards = (Shards){.count = shards_of(array),
                             .indices = array->left,
                             .index_count = array->left_count};
    int code = shards_write(batch, &array->shards);
    if (code == BATCH_DONE)
        code = slurm_submit(batch, array->shards.name, array->shards.count,
                            &array->queue.job);
    if (code != BATCH_DONE)
        return code;
    array->queue.waiting = array->shards.count;
    batch_log(batch, "job %llu: %zu submissions in %zu tasks",
              (unsigned long long)array->queue.job, array->left_count,
              array->shards.count);
    return BATCH_DONE;
}

// The array of an earlier command, if it is at work and has all that is to be
// graded; else it is ended. *is_there: it goes on.
static int take_up(Array *array, bool *is_there) {
    Batch *batch = array->batch;
    Str why;
    *is_there = false;
    if (!shards_read(batch, &array->shards))
        return BATCH_DONE;
    array->shards.indices = array->left;
    array->shards.index_count = array->left_count;
    if (!slurm_queue(batch, array->shards.name, &array->queue, &why))
        return batch_fail(batch, BATCH_TRY_LATER, "Slurm does not answer: %.*s",
                          STR_ARG(why));
    if (!slurm_is_live(&array->queue))
        return BATCH_DONE;
    *is_there = array->left_count && shards_cover(batch, &array->shards);
    if (*is_there)
        return BATCH_DONE;
    return slurm_cancel(batch, array->shards.name, array->queue);
}

static int begin(Array *array, bool is_first) {
    bool is_there = false;
    int code = is_first ? take_up(array, &is_there) : BATCH_DONE;
    if (code == BATCH_DONE && array->left_count && !is_there)
        code = submit(array);
    array->has_ended =
        arena_new(&array->batch->arena, bool, array->shards.count + 1);
    array->asked = array->answered = clock_ms();
    return code;
}

// ---- what is missing at its end ------------------------------------------

// Rows learn why they have no points; those that can have none are left no
// longer. Returns how many tasks were lost.
static size_t take_ends(Array *array, ShardEnd *worst) {
    Batch *batch = array->batch;
    size_t lost = 0, kept = 0;
    *worst = (ShardEnd){0};
    for (size_t i = 0; i < array->left_count; i++)
        batch->rows[array->left[i]].why = STR("Its task was lost.");
    for (size_t k = 0; k < array->shards.count; k++) {
        ShardEnd end;
        if (!shard_read_end(batch, &array->shards, k, &end))
            lost++;
        else if (end.code > worst->code || end.code == BATCH_MISSING)
            *worst = worst->code == BATCH_MISSING ? *worst : end;
    }
    for (size_t i = 0; i < array->left_count; i++)
        if (batch->rows[array->left[i]].status == BATCH_FAILED)
            array->left[kept++] = array->left[i];
        else
            array->progress.done++;
    array->left_count = kept;
    arena_free(&batch->scratch);
    return lost;
}

// Whether another array is worth while; *code: why not.
static bool go_on(Array *array, size_t before, int *code) {
    Batch *batch = array->batch;
    ShardEnd worst;
    size_t lost = take_ends(array, &worst);
    size_t graded = array->progress.done - before;
    array->tries = graded ? 0 : array->tries + 1;
    *code = BATCH_DONE;
    if (array->left_count == 0)
        return false;
    batch_log(batch, "job %llu is over: %zu are not graded, %zu tasks lost",
              (unsigned long long)array->queue.job, array->left_count, lost);
    if (array->queue.cancelled)
        *code = batch_fail(batch, BATCH_TRY_LATER,
                           "Slurm's job %llu was cancelled: the same command "
                           "grades what is missing",
                           (unsigned long long)array->queue.job);
    else if (!graded && worst.code == BATCH_MISSING)
        *code = batch_fail(batch, BATCH_MISSING, "%.*s", STR_ARG(worst.why));
    return *code == BATCH_DONE && array->tries < MOST_TRIES && (graded || lost);
}

// Tasks that have begun when all was graded find nothing to do, and end.
static int outlast(Array *array) {
    double latest = clock_ms() + MOST_SETTLE_MS;
    for (;;) {
        ask(array);
        if (array->answered >= array->asked && array->queue.running == 0)
            return BATCH_DONE;
        if (clock_ms() > latest)
            return slurm_cancel(array->batch, array->shards.name, array->queue);
        poll(NULL, 0, LOOK_MS);
    }
}

// All is graded. Whoever is still at work does what others have done: a task
// that Slurm has run twice, say. None may write when the folder is swept.
static int settle(Array *array) {
    Batch *batch = array->batch;
    double latest = clock_ms() + MOST_SETTLE_MS;
    array->pause = FIRST_ASK_MS;
    for (;;) {
        if (have_all_ended(array, true))
            break;
        if (clock_ms() - array->asked > array->pause) {
            ask(array);
            if (array->answered >= array->asked && array->queue.running == 0)
                break;
        }
        if (clock_ms() > latest)
            return slurm_cancel(batch, array->shards.name, array->queue);
        poll(NULL, 0, LOOK_MS);
    }
    slurm_cancel_waiting(batch, array->shards.name);
    return outlast(array);
}

static int end_array(Array *array) {
    Batch *batch = array->batch;
    Str why;
    // Tasks that have ended by themselves may still be listed.
    if (slurm_queue(batch, array->shards.name, &array->queue, &why) &&
        slurm_is_live(&array->queue))
        return slurm_cancel(batch, array->shards.name, array->queue);
    return BATCH_DONE;
}

static int array_grade(Array *array, bool *ends) {
    Batch *batch = array->batch;
    for (bool is_first = true;; is_first = false) {
        size_t before = array->progress.done;
        *ends = !is_first || array->left_count == 0;
        int code = begin(array, is_first);
        if (code != BATCH_DONE || array->left_count == 0)
            return code;
        *ends = false;
        if (batch->request.cluster->no_wait)
            return BATCH_TRY_LATER;
        ArrayEnd end = wait_for_end(array);
        if (end == ARRAY_SILENT)
            return batch_fail(batch, BATCH_TRY_LATER,
                              "Slurm does not answer any more: the same "
                              "command goes on");
        *ends = true;
        take_records(array, true);
        if (array->left_count == 0)
            return settle(array);
        code = end_array(array);
        if (code != BATCH_DONE || !go_on(array, before, &code))
            return code;
    }
}

// ---- the batch -----------------------------------------------------------

static int say_how_far(Array *array) {
    const Batch *batch = array->batch;
    Arena *arena = &array->batch->arena;
    Str state = state_of(arena, array);
    return batch->host->print(
        batch->host->context,
        str_format(arena,
                   "%zu of %zu are graded%.*s.\nThe same command, without "
                   "--no-wait, waits for the rest.\n",
                   batch->roster.count - array->left_count, batch->roster.count,
                   STR_ARG(state)));
}

int batch_array_work(Batch *batch, const size_t *indices, size_t count,
                     bool *ends) {
    Arena *arena = &batch->arena;
    Array array = {.batch = batch,
                   .left = arena_new(arena, size_t, count + 1),
                   .left_count = count,
                   .seen = arena_new(arena, Seen, batch->roster.count + 1),
                   .progress = batch_progress(count)};
    for (size_t i = 0; i < count; i++)
        array.left[i] = indices[i];
    *ends = true;
    int code = array_grade(&array, ends);
    if (!*ends && batch->request.cluster->no_wait && code == BATCH_TRY_LATER) {
        int said = say_how_far(&array);
        return said ? said : code;
    }
    if (count && *ends)
        tell(&array, true);
    if (*ends && array.left_count == 0) {
        batch_sweep(batch);
        shards_remove(batch);
    }
    return code;
}

int batch_array_look(Batch *batch, bool *live) {
    Shards shards;
    BatchQueue queue;
    Str why;
    *live = false;
    if (!shards_read(batch, &shards))
        return BATCH_DONE;
    if (!slurm_queue(batch, shards.name, &queue, &why))
        return batch_fail(
            batch, BATCH_TRY_LATER,
            "%.*s/slurm names a job of Slurm's, which does not answer: %.*s "
            "(if that job is gone, remove this folder)",
            STR_ARG(batch->out), STR_ARG(why));
    *live = slurm_is_live(&queue);
    if (!*live || batch->request.cluster)
        return BATCH_DONE;
    return batch_fail(batch, BATCH_TRY_LATER,
                      "Slurm's job %llu is at work in %.*s: wait for it with "
                      "--engine slurm, or end it with scancel %llu",
                      (unsigned long long)queue.job, STR_ARG(batch->out),
                      (unsigned long long)queue.job);
}
