// SPDX-License-Identifier: Apache-2.0
// What a class came to: points, the most frequent causes with a sample of each,
// the slowest, and who has other points than before.
#include "batch/batch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SLOW = 5 };

// ---- points --------------------------------------------------------------

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_points(Arena *arena, BatchTally *tally) {
    double *points = arena_new(arena, double, tally->graded + 1), sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < tally->count; i++) {
        const BatchRow *row = &tally->rows[i];
        if (row->status != BATCH_GRADED)
            continue;
        size_t tenth =
            row->most > 0 ? (size_t)(row->score * 10 / row->most) : 0;
        tally->bins[tenth < BATCH_BINS ? tenth : BATCH_BINS - 1]++;
        tally->full += row->score >= row->most;
        tally->most = row->most;
        sum += row->score;
        points[n++] = row->score;
    }
    if (n == 0)
        return;
    qsort(points, n, sizeof points[0], by_number);
    tally->mean = sum / (double)n;
    tally->median = (points[(n - 1) / 2] + points[n / 2]) / 2;
    tally->least = points[0];
    tally->greatest = points[n - 1];
}

// ---- causes --------------------------------------------------------------

static BatchCause *cause_of(BatchCause *causes, size_t count,
                            const BatchRow *row) {
    for (size_t i = 0; i < count; i++)
        if (str_equal(causes[i].check, row->check) &&
            str_equal(causes[i].code, row->code))
            return &causes[i];
    return NULL;
}

static int compare_text(Str x, Str y) {
    size_t len = x.len < y.len ? x.len : y.len;
    int order = len ? memcmp(x.ptr, y.ptr, len) : 0;
    return order ? order : (x.len > y.len) - (x.len < y.len);
}

static int by_frequency(const void *a, const void *b) {
    const BatchCause *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    int order = compare_text(x->code, y->code);
    return order ? order : compare_text(x->check, y->check);
}

static void add_causes(Arena *arena, BatchTally *tally) {
    BatchCause *causes = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < tally->count; i++) {
        const BatchRow *row = &tally->rows[i];
        if (row->status != BATCH_GRADED || row->check.len == 0)
            continue;
        BatchCause *cause = cause_of(causes, count, row);
        if (!cause) {
            arena_grow(arena, causes, count, capacity);
            cause = &causes[count++];
            *cause = (BatchCause){.check = row->check, .code = row->code};
        }
        cause->count++;
        if (cause->sample_count < BATCH_SAMPLES)
            cause->samples[cause->sample_count++] = row;
    }
    if (count)
        qsort(causes, count, sizeof causes[0], by_frequency);
    tally->causes = causes;
    tally->cause_count = count;
}

// ---- the slowest, and those that changed ---------------------------------

static void add_slow(BatchTally *tally, const BatchRow *row) {
    size_t at = tally->slowest_count;
    while (at > 0 && tally->slowest[at - 1]->seconds < row->seconds)
        at--;
    if (at == MOST_SLOW)
        return;
    size_t kept =
        tally->slowest_count < MOST_SLOW ? tally->slowest_count : MOST_SLOW - 1;
    memmove(tally->slowest + at + 1, tally->slowest + at,
            (kept - at) * sizeof tally->slowest[0]);
    tally->slowest[at] = row;
    tally->slowest_count = kept + 1;
}

static void add_lists(Arena *arena, BatchTally *tally) {
    size_t capacity = 0;
    tally->slowest = arena_new(arena, const BatchRow *, MOST_SLOW + 1);
    for (size_t i = 0; i < tally->count; i++) {
        const BatchRow *row = &tally->rows[i];
        if (row->status == BATCH_GRADED)
            add_slow(tally, row);
        if (row->status != BATCH_GRADED || !row->has_before ||
            row->before == row->score)
            continue;
        arena_grow(arena, tally->changed, tally->changed_count, capacity);
        tally->changed[tally->changed_count++] = row;
    }
}

void batch_tally(Arena *arena, const BatchRow *rows, size_t count,
                 BatchTally *tally) {
    *tally = (BatchTally){.rows = rows, .count = count};
    for (size_t i = 0; i < count; i++) {
        tally->graded += rows[i].status == BATCH_GRADED;
        tally->ungradable += rows[i].status == BATCH_UNGRADABLE;
        tally->failed += rows[i].status == BATCH_FAILED;
    }
    add_points(arena, tally);
    add_causes(arena, tally);
    add_lists(arena, tally);
}
