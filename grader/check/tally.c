// SPDX-License-Identifier: Apache-2.0
// From the data of a run to "processed k times", for elements and blocks.
//
// A kernel that accumulates leaves x * alpha^k in an element that it processed
// k times, so k can be read off. A block has a `times` where its elements
// agree. Where two CTAs stored to one block, its elements may disagree only
// because the two ran at once: that counts as processed twice, not as a wrong
// value. A block that was stored to and holds what it held before has wrong
// values.
#include "check/internal.h"

#include <math.h>
#include <string.h>

enum { MOST_TIMES = 200 };

static bool is_near(double actual, double expected, double tolerance) {
    return fabs(actual - expected) <= tolerance * fabs(expected);
}

static uint8_t element_times(const Grade *grade, const Run *run, int32_t i) {
    double actual = (double)run->after[i], value = run->expected[i];
    if (is_near(actual, value, 1e-5))
        return 1;
    if (memcmp(&run->after[i], &run->before[i], sizeof run->after[i]) == 0)
        return 0;
    for (uint8_t times = 2; times < MOST_TIMES; times++) {
        value *= grade->alpha;
        if (is_near(actual, value, 1e-5 * times))
            return times;
    }
    return ELEMENT_WRONG;
}

// Distinct clusters among the writers of a block, saturating.
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

static BlockTally tally_block(const Grade *grade, const Run *run,
                              const uint8_t *elements, uint32_t block) {
    uint32_t threads = grade->lab->threads;
    size_t from = (size_t)block * threads, to = from + threads;
    if (to > (size_t)run->n)
        to = (size_t)run->n;
    BlockTally tally = {.times = elements[from]};
    bool wrong = false, untouched = false;
    for (size_t i = from; i < to; i++) {
        tally.mixed |= elements[i] != elements[from];
        wrong |= elements[i] == ELEMENT_WRONG;
        untouched |= elements[i] == 0;
        if (elements[i] > tally.times)
            tally.times = elements[i];
    }
    WatchPiece piece = {0};
    if (block < run->watch.count)
        piece = run->watch.pieces[block];
    bool written_in_vain = tally.times == 0 && piece.stores > 0;
    tally.mixed |= wrong || written_in_vain;
    uint32_t clusters = count_clusters(&piece, grade->lab->cluster);
    if (tally.mixed && !wrong && !untouched && piece.writer_count > 1)
        tally.mixed = false;
    if (clusters > 1 && !wrong && !written_in_vain) {
        tally.mixed = false;
        if (tally.times < clusters)
            tally.times = clusters;
    }
    return tally;
}

void tally_run(const Grade *grade, Arena *arena, Run *run) {
    size_t n = (size_t)run->n;
    uint8_t *elements = arena_new(arena, uint8_t, n + 1);
    BlockTally *tally = arena_new(arena, BlockTally, (size_t)run->blocks + 1);
    for (int32_t i = 0; i < run->n; i++)
        elements[i] = element_times(grade, run, i);
    for (uint32_t block = 0; block < run->blocks; block++)
        tally[block] = tally_block(grade, run, elements, block);
    run->elements = elements;
    run->tally = tally;
}
