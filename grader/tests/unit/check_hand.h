// SPDX-License-Identifier: Apache-2.0
// Runs that are made by hand, for tests of the judges in check/. Eight blocks
// of 128 threads; the last owns 100 elements. At first each block was processed
// once, by the CTA of its own number.
#ifndef CLCLAB_CHECK_HAND_H
#define CLCLAB_CHECK_HAND_H

#include "check/judge.h"
#include "tests/unit/check_fake.h"

enum { BLOCKS = 8, THREADS = 128, N = 7 * THREADS + 100 };

typedef struct Hand {
    Bench bench;
    Grade grade;
    Run run;
    float after[N];
    WatchPiece pieces[BLOCKS];
    WatchElement elements[N];
    LedgerEntry entries[BLOCKS];
    LedgerChain chains[BLOCKS];
    uint32_t blocks[BLOCKS][16];
} Hand;

static inline void hand_open(Hand *h, LabTechnique technique,
                             uint32_t cluster) {
    *h = (Hand){0};
    bench_open(&h->bench, technique);
    h->bench.lab.cluster = cluster;
    h->grade = (Grade){.arena = &h->bench.arena,
                       .lab = &h->bench.lab,
                       .submission = &h->bench.submission,
                       .options = &h->bench.options,
                       .result = &h->bench.result,
                       .kernel_at = {STR("my/kernel.cu"), 4, 6},
                       .alpha = 1.5};
    grade_make_checks(&h->grade);
    Run *run = &h->run;
    *run = (Run){.size = {{N, 1, 1}}, .grid = BLOCKS, .plain = true};
    shape_make(&h->grade, &h->bench.arena, run);
    double *expected = arena_new(&h->bench.arena, double, N);
    LabProblem problem = shape_problem(&h->grade, run, run->before);
    h->bench.lab.reference(&problem, expected);
    run->expected = expected;
    run->after = h->after;
    run->watch =
        (Watch){.count = BLOCKS, .pieces = h->pieces, .elements = h->elements};
    run->device.ledger = (Ledger){.entries = h->entries,
                                  .entry_count = BLOCKS / cluster,
                                  .chains = h->chains,
                                  .chain_count = BLOCKS};
    run->device.resident = 4;
    for (uint32_t i = 0; i < N; i++) {
        h->after[i] = run->before[i] * 1.5f;
        h->elements[i].first = i / THREADS + 1;
    }
    for (uint32_t b = 0; b < BLOCKS; b++) {
        h->pieces[b] = (WatchPiece){.stores = THREADS,
                                    .writer_count = 1,
                                    .writers = {b},
                                    .at = {STR("x/kernel.cu"), 9, 5}};
        h->blocks[b][0] = b;
        h->chains[b] = (LedgerChain){
            .cta = b, .prologues = 1, .blocks = h->blocks[b], .count = 1};
        h->entries[b].state = LEDGER_LAUNCHED;
    }
}

static inline void hand_close(Hand *h) {
    bench_close(&h->bench);
}

#define SCOPED_HAND(name, technique, cluster)       \
    __attribute__((cleanup(hand_close))) Hand name; \
    hand_open(&name, technique, cluster)

// The element's value after it was processed so often.
static inline void process(Hand *h, uint32_t block, uint32_t times) {
    for (uint32_t i = block * THREADS; i < (block + 1) * THREADS && i < N;
         i++) {
        h->after[i] = h->run.before[i];
        for (uint32_t t = 0; t < times; t++)
            h->after[i] *= 1.5f;
    }
}

static inline BlockTally tally(Hand *h, uint32_t block) {
    tally_run(&h->grade, &h->bench.arena, &h->run);
    return h->run.tally[block];
}

static inline void check_tally(Hand *h, uint32_t block, uint32_t times,
                               bool mixed) {
    BlockTally t = tally(h, block);
    CHECK_INT(t.mixed, mixed);
    CHECK_INT(t.times, times);
    CHECK_INT(t.size, block == 7 ? 100 : THREADS);
}

static inline uint64_t number_of(const Cause *cause, FactKey key) {
    const Fact *fact = fact_find(cause->finding->facts, key);
    CHECK(fact != NULL);
    return fact ? fact->number : UINT64_MAX;
}

static inline double real_of(const Cause *cause, FactKey key) {
    return fact_real_value(number_of(cause, key));
}

// The CTA has stored to these elements, as well as who did so before.
static inline void store_too(Hand *h, uint32_t cta, uint32_t from,
                             uint32_t to) {
    WatchPiece *piece = &h->pieces[from / THREADS];
    uint32_t cluster = h->bench.lab.cluster;
    for (uint32_t i = from; i < to && i < N; i++)
        if ((h->elements[i].first - 1) / cluster != cta / cluster)
            h->elements[i].other = cta + 1;
    piece->writers[piece->writer_count++] = cta;
}

// The CTA has stored to these elements instead of the block's own.
static inline void store_instead(Hand *h, uint32_t cta, uint32_t from,
                                 uint32_t to) {
    WatchPiece *piece = &h->pieces[from / THREADS];
    for (uint32_t i = from; i < to && i < N; i++)
        h->elements[i].first = cta + 1;
    piece->writers[piece->writer_count++] = cta;
}

// No CTA processes the block.
static inline void leave_out(Hand *h, uint32_t block) {
    process(h, block, 0);
    h->pieces[block].stores = 0;
    h->pieces[block].writer_count = 0;
}

#endif
