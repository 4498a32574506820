// SPDX-License-Identifier: Apache-2.0
// The files that a batch and its tasks share, in slurm/. Each is written whole
// or not at all. A task that is run again finds its plan as it was.
#include "batch/cluster.h"
#include "sandbox/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_JOB = 1 << 12, // bytes of job.json
    MOST_PLAN = 64 << 20,
    MOST_SHARDS = 10000,
};

static bool read_file(Batch *batch, const char *path, size_t limit, Str *text) {
    Str why;
    return file_read(&batch->arena, path, limit, text, &why) == FILE_READ;
}

// ---- the name ------------------------------------------------------------

bool shards_is_name(Str name) {
    Str rest = str_slice(name, 7, name.len);
    if (!str_starts(name, STR("clclab-")) || rest.len != 8)
        return false;
    for (size_t i = 0; i < rest.len; i++)
        if (!memchr("0123456789abcdef", rest.ptr[i], 16))
            return false;
    return true;
}

bool shards_read(Batch *batch, Shards *shards) {
    Arena *arena = &batch->arena;
    Str text, json;
    size_t at;
    const char *error;
    uint64_t count = 0;
    *shards = (Shards){0};
    if (!read_file(batch, batch_path(batch, "slurm/job.json"), MOST_JOB,
                   &text) ||
        !json_check(text, &json, &at, &error) ||
        !json_find_number(arena, json, "tasks", &count) || count > MOST_SHARDS)
        return false;
    shards->name = json_find_text(arena, json, "name");
    shards->count = count;
    return shards_is_name(shards->name);
}

static int write_job(Batch *batch, const Shards *shards) {
    Str text = str_format(&batch->arena,
                          "{\n  \"schema\": \"clclab/batch-slurm/v1\",\n"
                          "  \"name\": \"%.*s\",\n  \"tasks\": %zu\n}\n",
                          STR_ARG(shards->name), shards->count);
    return batch_write(batch, batch_path(batch, "slurm/job.json"), text);
}

// ---- plans ---------------------------------------------------------------

static const char *path_of(Batch *batch, Str name, size_t shard,
                           const char *kind) {
    return batch_path(batch, "slurm/%.*s/%zu.%s", STR_ARG(name), shard, kind);
}

static int make_folder(Batch *batch, const char *path) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return BATCH_DONE;
    return batch_fail(batch, BATCH_TRY_LATER, "cannot make the folder %s: %s",
                      path, strerror(errno));
}

// Neighbours in the class go to different tasks: they are often alike.
static int write_plan(Batch *batch, const Shards *shards, size_t shard) {
    Buf text = {0};
    for (size_t i = shard; i < shards->index_count; i += shards->count)
        batch_write_record(&batch->rows[shards->indices[i]], &text);
    int code = batch_write(batch, path_of(batch, shards->name, shard, "plan"),
                           buf_view(&text));
    buf_free(&text);
    return code;
}

int shards_write(Batch *batch, Shards *shards) {
    static const Str script = {"#!/bin/sh\nexec \"$@\"\n", 20};
    shards->name = str_format(&batch->arena, "clclab-%08x", batch_draw());
    const char *folder = batch_path(batch, "slurm/%.*s", STR_ARG(shards->name));
    int code = make_folder(batch, batch_path(batch, "slurm"));
    if (code == BATCH_DONE)
        code = make_folder(batch, folder);
    for (size_t k = 0; k < shards->count && code == BATCH_DONE; k++)
        code = write_plan(batch, shards, k);
    if (code == BATCH_DONE)
        code = batch_write(
            batch, batch_path(batch, "slurm/%.*s/task", STR_ARG(shards->name)),
            script);
    return code == BATCH_DONE ? write_job(batch, shards) : code;
}

// The next record of a plan, with its last line; empty: there is none.
static Str cut_record(Str *plan) {
    static const char end[] = "\n}\n";
    const char *at = plan->len ? memmem(plan->ptr, plan->len, end, 3) : NULL;
    size_t len = at ? (size_t)(at - plan->ptr) + 3 : 0;
    Str record = str_slice(*plan, 0, len);
    *plan = str_slice(*plan, len, plan->len);
    return record;
}

bool shards_cover(Batch *batch, const Shards *shards) {
    Buf all = {0}, one = {0};
    Str text;
    bool covers = true;
    for (size_t k = 0; k < shards->count; k++)
        if (read_file(batch, path_of(batch, shards->name, k, "plan"), MOST_PLAN,
                      &text))
            buf_str(&all, text);
    for (size_t i = 0; i < shards->index_count && covers; i++) {
        one.len = 0;
        batch_write_record(&batch->rows[shards->indices[i]], &one);
        covers = all.len && memmem(all.ptr, all.len, one.ptr, one.len);
    }
    buf_free(&all);
    buf_free(&one);
    return covers;
}

// ---- removing ------------------------------------------------------------

// The files of a folder, and the folder. None of ours has folders in it.
static void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        unlinkat(dirfd(folder), entry->d_name, 0); // fails for "." and ".."
    if (folder)
        closedir(folder);
    rmdir(path);
}

// The name is removed last: until then the array can be found.
void shards_remove(Batch *batch) {
    const char *path = batch_path(batch, "slurm");
    DIR *folder = opendir(path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (shards_is_name(str_from(entry->d_name)))
            remove_folder(batch_path(batch, "slurm/%s", entry->d_name));
    if (folder)
        closedir(folder);
    remove_folder(path);
}

// ---- in a task -----------------------------------------------------------

// A link is made with its target or not at all, also by two nodes at once.
Taken shard_take(Batch *batch, const Shards *shards, size_t shard,
                 Worker worker) {
    const char *path = path_of(batch, shards->name, shard, "taken");
    char target[32];
    uint64_t task;
    snprintf(target, sizeof target, "%zu-%08x", worker.task, worker.run);
    if (symlink(target, path) == 0)
        return TAKEN_NOW;
    ssize_t len = errno == EEXIST ? readlink(path, target, sizeof target) : -1;
    Str rest = {target, len > 0 ? (size_t)len : 0};
    if (!str_to_u64(str_cut(&rest, '-'), &task))
        return TAKEN_UNKNOWN;
    return task == worker.task ? TAKEN_BEFORE : TAKEN_BY_OTHER;
}

int shard_read(Batch *batch, size_t shard) {
    Arena *arena = &batch->arena;
    Str name = str_from(batch->array), plan, record;
    size_t capacity = 0;
    const char *path = path_of(batch, name, shard, "plan");
    unlink(path_of(batch, name, shard, "end")); // it is run again
    if (!read_file(batch, path, MOST_PLAN, &plan))
        return batch_fail(batch, BATCH_USAGE, "%s cannot be read", path);
    batch->roster.count = 0;
    while ((record = cut_record(&plan)).len > 0) {
        arena_grow(arena, batch->rows, batch->roster.count, capacity);
        if (!batch_plan_read(arena, record, &batch->rows[batch->roster.count]))
            return batch_fail(batch, BATCH_OURS, "%s is damaged", path);
        batch->roster.count++;
    }
    return plan.len == 0 ? BATCH_DONE
                         : batch_fail(batch, BATCH_OURS, "%s is damaged", path);
}

// "code 75", "why ...", and for each row without points "2 ID ..." if it cannot
// be graded, else "75 ID ...".
int shard_write_end(Batch *batch, size_t shard, const ShardEnd *end) {
    Buf text = {0};
    buf_printf(&text, "code %d\nwhy ", end->code);
    buf_str(&text, str_line(end->why, 1));
    buf_byte(&text, '\n');
    for (size_t i = 0; i < batch->roster.count; i++) {
        const BatchRow *row = &batch->rows[i];
        if (row->status == BATCH_GRADED)
            continue;
        buf_printf(&text, "%d %.*s %.*s\n",
                   row->status == BATCH_UNGRADABLE ? BATCH_USAGE
                                                   : BATCH_TRY_LATER,
                   STR_ARG(row->id), STR_ARG(str_line(row->why, 1)));
    }
    int code =
        batch_write(batch, path_of(batch, str_from(batch->array), shard, "end"),
                    buf_view(&text));
    buf_free(&text);
    return code;
}

// ---- in the batch --------------------------------------------------------

static BatchRow *find_row(Batch *batch, Str id) {
    for (size_t i = 0; i < batch->roster.count; i++)
        if (str_equal(batch->rows[i].id, id))
            return &batch->rows[i];
    return NULL;
}

static void take_line(Batch *batch, Str line) {
    Str code = str_cut(&line, ' '), id = str_cut(&line, ' ');
    BatchRow *row = find_row(batch, id);
    if (!row || row->status == BATCH_GRADED)
        return;
    row->why = line;
    if (str_equal(code, STR("2")))
        row->status = BATCH_UNGRADABLE;
}

bool shard_has_ended(Batch *batch, const Shards *shards, size_t shard) {
    struct stat status;
    return stat(path_of(batch, shards->name, shard, "end"), &status) == 0;
}

bool shard_read_end(Batch *batch, const Shards *shards, size_t shard,
                    ShardEnd *end) {
    Str text;
    uint64_t code;
    *end = (ShardEnd){0};
    if (!read_file(batch, path_of(batch, shards->name, shard, "end"), MOST_PLAN,
                   &text))
        return false;
    Str first = str_cut(&text, '\n'), second = str_cut(&text, '\n');
    if (!str_starts(first, STR("code ")) || !str_starts(second, STR("why ")) ||
        !str_to_u64(str_slice(first, 5, first.len), &code) || code > 255)
        return false;
    end->code = (int)code;
    end->why = str_slice(second, 4, second.len);
    while (text.len > 0)
        take_line(batch, str_cut(&text, '\n'));
    return true;
}
