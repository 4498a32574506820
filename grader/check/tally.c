// SPDX-License-Identifier: Apache-2.0
// Finds out from the data of a run how often each element and block was
// processed.
//
// The kernel accumulates, so an element that it processed k times holds what
// the reference gives when it is applied k times, and k can be read off. A
// block has a `times` if its elements agree. If two CTAs stored to one element,
// it may hold what one of them made of it, because the two ran at once: that
// counts as processed twice, not as a wrong value. Blocks may share the
// elements of an index without that, as loops over vectors do. A block that was
// stored to but holds its old values has wrong values.
#include "check/internal.h"

#include <math.h>
#include <string.h>

enum { MOST_TIMES = 200 };

// Relative to the old value as well, because a sum may be close to zero.
static bool is_near(double actual, double expected, double before,
                    double tolerance) {
    return fabs(actual - expected) <=
           tolerance * fmax(fabs(expected), fabs(before));
}

static uint8_t element_times(const Run *run, int32_t i) {
    if (is_near((double)run->after[i], run->expected[i], (double)run->before[i],
                1e-5))
        return 1;
    if (memcmp(&run->after[i], &run->before[i], sizeof run->after[i]) == 0)
        return 0;
    return ELEMENT_WRONG;
}

// Finds the elements that hold what the reference gives when it is applied to
// its own result: 2, 3, ... times.
static void find_repeated(const Grade *grade, Arena *arena, const Run *run,
                          uint8_t *elements) {
    size_t n = (size_t)run->n;
    float *data = arena_new(arena, float, n + 1);
    double *value = arena_new(arena, double, n + 1);
    memcpy(value, run->expected, n * sizeof *value);
    for (uint8_t times = 2; times < MOST_TIMES; times++) {
        bool is_open = false;
        for (size_t i = 0; i < n; i++)
            data[i] = (float)value[i];
        LabProblem problem = shape_problem(grade, run, data);
        grade->lab->reference(&problem, value);
        for (size_t i = 0; i < n; i++) {
            if (elements[i] == ELEMENT_WRONG &&
                is_near((double)run->after[i], value[i], (double)run->before[i],
                        1e-5 * times))
                elements[i] = times;
            is_open |= elements[i] == ELEMENT_WRONG;
        }
        if (!is_open)
            return;
    }
}

// How many clusters the known writers of a block belong to.
static uint32_t count_clusters(const WatchPiece *piece, uint32_t cluster) {
    uint32_t count = 0, kept = piece->writer_count;
    if (kept > WATCH_WRITERS)
        kept = WATCH_WRITERS;
    for (uint32_t i = 0; i < kept; i++) {
        bool seen = false;
        for (uint32_t j = 0; j < i; j++)
            seen |= piece->writers[i] / cluster == piece->writers[j] / cluster;
        count += !seen;
    }
    return count;
}

// What the elements of a block add up to.
typedef struct BlockSum {
    BlockTally tally;
    uint8_t first;   // times of its first element
    uint32_t shared; // elements that several clusters stored to
    bool wrong, untouched;
} BlockSum;

static bool is_shared(const Run *run, int32_t i) {
    return run->watch.elements && run->watch.elements[i].other;
}

uint32_t tally_times(const Run *run, int32_t i) {
    uint32_t times = run->elements[i], least = is_shared(run, i) ? 2 : 0;
    return times < least ? least : times;
}

static void add_element(BlockSum *sum, uint8_t times, bool shared) {
    sum->shared += shared;
    sum->tally.again += shared || (times > 1 && times != ELEMENT_WRONG);
    if (sum->tally.size++ == 0)
        sum->tally.times = sum->first = times;
    sum->tally.mixed |= times != sum->first;
    sum->wrong |= times == ELEMENT_WRONG;
    sum->untouched |= times == 0;
    if (times > sum->tally.times)
        sum->tally.times = times;
}

static BlockTally tally_block(const Grade *grade, const Run *run,
                              const BlockSum *sum, uint32_t block) {
    BlockTally tally = sum->tally;
    WatchPiece piece = {0};
    if (run->watch.pieces)
        piece = run->watch.pieces[block];
    bool written_in_vain = tally.times == 0 && piece.stores > 0;
    tally.mixed |= sum->wrong || written_in_vain;
    uint32_t clusters = count_clusters(&piece, grade->lab->cluster);
    bool is_known = !sum->wrong && !written_in_vain && !sum->untouched;
    bool is_at_once = tally.mixed && clusters == 1 && piece.writer_count > 1;
    if (is_known && (sum->shared || is_at_once))
        tally.mixed = false;
    if (is_known && is_at_once)
        tally.again = tally.size;
    if (is_known && sum->shared && tally.times < clusters)
        tally.times = clusters;
    tally.divided = clusters > 1 && !tally.mixed && tally.times == 1;
    return tally;
}

void tally_run(const Grade *grade, Arena *arena, Run *run) {
    uint8_t *elements = arena_new(arena, uint8_t, (size_t)run->n + 1);
    BlockTally *tally = arena_new(arena, BlockTally, (size_t)run->blocks + 1);
    BlockSum *sums = arena_new(arena, BlockSum, (size_t)run->blocks + 1);
    bool is_open = false;
    for (int32_t i = 0; i < run->n; i++) {
        elements[i] = element_times(run, i);
        is_open |= elements[i] == ELEMENT_WRONG;
    }
    if (is_open)
        find_repeated(grade, arena, run, elements);
    for (int32_t i = 0; i < run->n; i++)
        add_element(&sums[run->owner[i]], elements[i], is_shared(run, i));
    for (uint32_t block = 0; block < run->blocks; block++)
        tally[block] = tally_block(grade, run, &sums[block], block);
    run->elements = elements;
    run->tally = tally;
}
