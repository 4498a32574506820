// SPDX-License-Identifier: Apache-2.0
// The child that grades one submission: a grade for each seed, the report for
// the student, and, last, the record. The files of a submission are replaced
// one by one; its record fits to them only when all are there.
#include "batch/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// As the result shows them, so that who adds them up gets the same.
static double shown(double points) {
    char text[DECIMAL_TEXT];
    return strtod(decimal_text(text, points).ptr, NULL);
}

static int grade_with(Batch *batch, const BatchRow *row, uint64_t seed,
                      BatchGrade *grade) {
    const BatchHost *host = batch->host;
    ResultSummary *summary = &grade->summary;
    *grade = (BatchGrade){0};
    int code = host->grade(host->context, row->file, seed, grade);
    if (code != BATCH_DONE && code != BATCH_BELOW)
        return code;
    if (!summary->has_score || summary->most <= 0)
        return batch_fail(batch, BATCH_OURS, "the grade has no points");
    summary->score = shown(summary->score);
    summary->most = shown(summary->most);
    return code;
}

// ---- all seeds -----------------------------------------------------------

// The grade with the fewest points: it is the one that the student is shown.
static size_t worst_of(const BatchGrade *graded, size_t count) {
    size_t worst = 0;
    for (size_t k = 1; k < count; k++)
        if (graded[k].summary.score < graded[worst].summary.score)
            worst = k;
    return worst;
}

static void add_points(Batch *batch, const BatchGrade *graded, BatchRow *row) {
    const ResultSummary *worst =
        &graded[worst_of(graded, row->seed_count)].summary;
    double sum = 0;
    for (size_t k = 0; k < row->seed_count; k++)
        sum += graded[k].summary.score;
    row->status = BATCH_GRADED;
    row->why = (Str){0};
    row->score =
        batch->request.is_mean ? sum / (double)row->seed_count : worst->score;
    row->most = worst->most;
    row->check = str_copy(&batch->arena, str_from(worst->check));
    row->code = str_copy(&batch->arena, str_from(worst->code));
}

static int write_files(Batch *batch, const BatchGrade *graded, BatchRow *row) {
    Arena *arena = &batch->arena;
    Str report = graded[worst_of(graded, row->seed_count)].report;
    int code = BATCH_DONE;
    for (size_t k = 0; k < row->seed_count && code == BATCH_DONE; k++) {
        row->results[k] = hash_sha256(arena, graded[k].result);
        code = batch_write(batch, batch_result_path(batch, row, k),
                           graded[k].result);
    }
    row->report = hash_sha256(arena, report);
    if (code == BATCH_DONE)
        code = batch_write(
            batch, batch_path(batch, "reports/%.*s.txt", STR_ARG(row->id)),
            report);
    return code;
}

static int write_record(Batch *batch, const BatchRow *row) {
    Buf out = {0};
    batch_write_record(row, &out);
    int code = batch_write(
        batch, batch_path(batch, "records/%.*s.json", STR_ARG(row->id)),
        buf_view(&out));
    buf_free(&out);
    return code;
}

// The file is graded from its folder, under the name that the student gave it:
// reports name it so.
static int enter_folder(Batch *batch, const BatchRow *row) {
    const char *folder =
        batch_path(batch, "submissions/%.*s", STR_ARG(row->id));
    if (chdir(folder) == 0)
        return BATCH_DONE;
    return batch_fail(batch, BATCH_OURS, "%s: %s", folder, strerror(errno));
}

int batch_grade(Batch *batch, size_t i) {
    BatchRow *row = &batch->rows[i];
    BatchGrade graded[BATCH_MOST_SEEDS];
    double start = clock_ms();
    int code = enter_folder(batch, row);
    if (code != BATCH_DONE)
        return code;
    for (size_t k = 0; k < row->seed_count; k++) {
        code = grade_with(batch, row, row->seeds[k], &graded[k]);
        if (code != BATCH_DONE && code != BATCH_BELOW)
            return code;
    }
    row->seconds = (clock_ms() - start) / 1000;
    add_points(batch, graded, row);
    code = write_files(batch, graded, row);
    return code == BATCH_DONE ? write_record(batch, row) : code;
}
