// SPDX-License-Identifier: Apache-2.0
// A class, from what was handed in to its summary: read batch_run, at the end.
#include "batch/cluster.h"
#include "sandbox/paths.h"

#include <unistd.h>

void batch_close(Batch *batch) {
    if (batch->lock >= 0)
        close(batch->lock);
    for (size_t i = 0; i < batch->looker_count; i++)
        arena_free(&batch->looked[i]);
    arena_free(&batch->scratch);
    arena_free(&batch->arena);
}

// ---- points that people gave ---------------------------------------------

// Before anything is graded: a slip in the table is seen at once.
static int read_points(Batch *batch) {
    enum { MOST_TABLE = 64 << 20 };
    const BatchHost *host = batch->host;
    const char *path = batch->request.points;
    Str text, why = STR("it is larger than 64 MiB");
    Diags diags = diags_new(&batch->arena);
    if (!path)
        return BATCH_DONE;
    if (file_read(&batch->arena, path, MOST_TABLE, &text, &why) != FILE_READ)
        return batch_fail(batch, BATCH_USAGE, "--points: %s: %.*s", path,
                          STR_ARG(why));
    if (batch_points(&batch->arena, str_from(path), text, batch->rows,
                     batch->roster.count, &batch->table, &diags))
        return BATCH_DONE;
    host->explain(host->context, &diags, text);
    return BATCH_USAGE;
}

// ---- what is alike -------------------------------------------------------

static void find_alike(Batch *batch, BatchAlikes *alike) {
    const BatchRequest *request = &batch->request;
    size_t count = batch->roster.count;
    Str *texts = arena_new(&batch->arena, Str, count + 1), why;
    if (request->similarity == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const BatchRow *row = &batch->rows[i];
        const char *path = batch_path(batch, "submissions/%.*s/%.*s",
                                      STR_ARG(row->id), STR_ARG(row->file));
        if (row->status == BATCH_GRADED)
            file_read(&batch->arena, path, BATCH_MOST_SOURCE, &texts[i], &why);
        arena_free(&batch->scratch);
    }
    BatchAlikeRequest asked = {.texts = texts,
                               .count = count,
                               .known = request->known,
                               .known_count = request->known_count,
                               .percent = request->similarity};
    batch_find_alike(&batch->arena, &asked, alike);
}

// ---- the summary ---------------------------------------------------------

static int write_tables(Batch *batch, const BatchTally *tally) {
    const BatchHost *host = batch->host;
    BatchTables tables = {0};
    host->tables(host->context, tally, &tables);
    const struct {
        const char *name;
        Buf *text;
    } files[] = {{"grades.csv", &tables.csv},
                 {"summary.html", &tables.html},
                 {"summary.txt", &tables.text}};
    int code = BATCH_DONE;
    for (size_t i = 0; i < COUNT_OF(files) && code == BATCH_DONE; i++)
        code = batch_write(batch, batch_path(batch, "%s", files[i].name),
                           buf_view(files[i].text));
    if (code == BATCH_DONE)
        code = host->print(host->context, buf_view(&tables.shown));
    for (size_t i = 0; i < COUNT_OF(files); i++)
        buf_free(files[i].text);
    buf_free(&tables.shown);
    return code;
}

static int conclude(Batch *batch) {
    BatchTally tally;
    batch_tally(&batch->arena, batch->rows, batch->roster.count, &tally);
    tally.extras = batch->table.extras;
    tally.strangers = batch->table.strangers;
    find_alike(batch, &tally.alike);
    int code = write_tables(batch, &tally);
    batch_log(batch, "end: %zu graded, %zu not gradable, %zu failed",
              tally.graded, tally.ungradable, tally.failed);
    if (code == BATCH_DONE)
        code = batch_end(batch);
    if (code != BATCH_DONE)
        return code;
    if (tally.failed)
        return BATCH_TRY_LATER;
    return tally.ungradable ? BATCH_BELOW : BATCH_DONE;
}

// ---- the whole -----------------------------------------------------------

static int grade_class(Batch *batch) {
    size_t *indices = arena_new(&batch->arena, size_t, batch->roster.count + 1);
    size_t count = 0;
    if (batch->roster.count == 0)
        return batch_fail(batch, BATCH_USAGE,
                          "%.*s: there is no submission in it",
                          STR_ARG(batch->request.source));
    const bool *is_kept = batch_look(batch);
    for (size_t i = 0; i < batch->roster.count; i++)
        if (!is_kept[i] && batch_prepare(batch, i))
            indices[count++] = i;
    int code = read_points(batch);
    if (code != BATCH_DONE)
        return code;
    batch_log(batch, "begin: %zu submissions, %zu to be graded; seed %llu",
              batch->roster.count, count, (unsigned long long)batch->seed);
    bool ends = true;
    code = batch->request.cluster
               ? batch_array_work(batch, indices, count, &ends)
               : batch_work(batch, indices, count);
    int last = ends ? conclude(batch) : BATCH_DONE;
    return code ? code : last;
}

static int open_folder(Batch *batch) {
    bool is_live = false;
    int code = batch_open(batch);
    if (code == BATCH_DONE)
        code = batch_array_look(batch, &is_live);
    if (code == BATCH_DONE && !is_live) // else tasks write such files now
        batch_sweep(batch);
    return code == BATCH_DONE ? batch_settle_seed(batch) : code;
}

int batch_run(const BatchHost *host, const BatchRequest *request) {
    Batch batch = {
        .host = host, .request = *request, .lock = -1, .log = "batch.log"};
    int code = open_folder(&batch);
    if (code == BATCH_DONE)
        code = batch_read_class(&batch);
    if (code == BATCH_DONE)
        code = grade_class(&batch);
    batch_close(&batch);
    return code;
}
