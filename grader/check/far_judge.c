// SPDX-License-Identifier: Apache-2.0
// What is said of a few blocks of a very large grid (far.c). A block all of
// whose elements hold what they held was not processed: exactly_once. Else an
// element that is not right: correct. Where blocks take turns, they show by
// what block 0 stores to how many elements one takes at a time; then it is
// known which elements each of the others has, and it must store to each of
// them.
#include "check/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 5, MOST_EACH = 32 }; // MOST_EACH: as in turns.c

// Blocks that were looked at and are not as they must be.
typedef struct Amiss {
    uint32_t first[LISTED], count;
} Amiss;

static void add(Amiss *amiss, uint32_t block) {
    if (amiss->count < LISTED)
        amiss->first[amiss->count] = block;
    amiss->count++;
}

// ---- what is said --------------------------------------------------------

static SrcLoc store_at(const Grade *grade, const Run *run) {
    SrcLoc at = {0};
    if (run->watch.pieces)
        at = place_as_given(grade->submission, run->watch.pieces[0].first_at);
    return at.line ? at : grade->kernel_at;
}

// Where an index is cut on its way to the address, if the compiler's code says
// so, and a type that does it.
static void add_cut(const Grade *grade, const Run *run, Finding *finding) {
    const WatchPiece *piece = run->watch.pieces;
    if (!piece || !piece->index_bits)
        return;
    const SrcLoc places[] = {
        place_find_narrow(grade->submission, piece->index_bits),
        place_as_given(grade->submission, piece->index_cut)};
    Facts facts =
        facts_copy(grade->arena, FACTS(FACT(COUNT, piece->index_bits)));
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (places[i].line)
            finding->related[finding->related_count++] =
                (RelatedPlace){.at = places[i],
                               .place = i ? PLACE_INDEX_CUT : PLACE_NARROW_TYPE,
                               .facts = facts};
    finding->reason = REASON_INDEX_CUT;
}

static const char *blame_blocks(const Grade *grade, const Run *run,
                                const Amiss *amiss, FindingCase which,
                                uint32_t looked_at, Cause *cause) {
    FactItem items[LISTED + 1];
    uint32_t listed = amiss->count < LISTED ? amiss->count : LISTED;
    for (uint32_t i = 0; i < listed; i++)
        items[i] = (FactItem){
            i ? WORD_FAR_NEXT : WORD_FAR_FIRST,
            facts_copy(
                grade->arena,
                FACTS(FACT_STR(
                    NAME, shape_block_name(grade, run, amiss->first[i]))))};
    if (listed < amiss->count)
        items[listed++] =
            (FactItem){WORD_FAR_MORE,
                       facts_copy(grade->arena,
                                  FACTS(FACT(COUNT, amiss->count - LISTED)))};
    Finding finding = {
        .at = store_at(grade, run),
        .which = which,
        .facts = FACTS(FACT(COUNT, amiss->count), FACT(BLOCKS, looked_at),
                       FACT(GRID, run->grid), FACT_ITEMS(FAR, items, listed))};
    add_cut(grade, run, &finding);
    *cause = cause_judged(grade, run, &finding);
    region_cure(grade, region_of_work(grade), cause->at, cause);
    cause_in_run(grade, run, cause);
    return "exactly_once";
}

// ---- by what is in the elements ------------------------------------------

static size_t count_of(const FarPiece *piece) {
    return (size_t)piece->size[0] * (size_t)piece->size[1] *
           (size_t)piece->size[2];
}

static bool is_right(const FarPiece *piece, size_t i) {
    double expected = piece->expected[i], actual = (double)piece->after[i];
    return fabs(actual - expected) <=
           1e-5 * fmax(fabs(expected), fabs((double)piece->before[i]));
}

static bool is_untouched(const FarPiece *piece) {
    return memcmp(piece->before, piece->after,
                  count_of(piece) * sizeof *piece->after) == 0;
}

// The element of the problem that is number i of the piece's.
static int32_t index_of(const Run *run, const FarPiece *piece, size_t i) {
    int32_t x = (int32_t)(i % (size_t)piece->size[0]);
    int32_t row = (int32_t)(i / (size_t)piece->size[0]);
    int64_t y = piece->from[1] + row % piece->size[1];
    int64_t z = piece->from[2] + row / piece->size[1];
    return (int32_t)(piece->from[0] + x +
                     run->size.dim[0] * (y + run->size.dim[1] * z));
}

static const char *blame_element(const Grade *grade, const Run *run,
                                 const FarPiece *piece, size_t i,
                                 uint32_t wrong, Cause *cause) {
    Str name = shape_element_name(grade, run, index_of(run, piece, i));
    Finding finding = {
        .at = store_at(grade, run),
        .which = CASE_CORRECT_FAR,
        .facts =
            FACTS(FACT(COUNT, wrong), FACT(GRID, run->grid),
                  FACT_STR(NAME, shape_block_name(grade, run, piece->block)),
                  FACT_STR(ELEMENT, name),
                  FACT(WANTED, fact_real(piece->expected[i])),
                  FACT(FOUND, fact_real((double)piece->after[i])),
                  FACT(HELD, fact_real((double)piece->before[i])),
                  FACT(SCALAR, fact_real(grade->alpha)))};
    add_cut(grade, run, &finding);
    *cause = cause_judged(grade, run, &finding);
    cause_in_run(grade, run, cause);
    return "correct";
}

static const char *judge_values(const Grade *grade, const Run *run,
                                Cause *cause) {
    const Far *far = run->far;
    Amiss amiss = {0};
    uint32_t wrong = 0;
    const FarPiece *first = NULL;
    size_t first_at = 0;
    for (size_t k = 0; k < far->piece_count; k++) {
        const FarPiece *piece = &far->pieces[k];
        if (is_untouched(piece)) {
            add(&amiss, piece->block);
            continue;
        }
        for (size_t i = 0; i < count_of(piece); i++)
            if (!is_right(piece, i) && wrong++ == 0) {
                first = piece;
                first_at = i;
            }
    }
    if (amiss.count)
        return blame_blocks(grade, run, &amiss, CASE_EXACTLY_ONCE_FAR,
                            (uint32_t)far->piece_count, cause);
    return first ? blame_element(grade, run, first, first_at, wrong, cause)
                 : NULL;
}

// ---- by who stored to the elements ---------------------------------------

static int by_element(const void *a, const void *b) {
    const WatchTouch *x = a, *y = b;
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return x->cta < y->cta ? -1 : x->cta > y->cta;
}

// The number of the first store to `element` or one behind it.
static size_t find_touch(const Watch *watch, uint64_t element) {
    size_t low = 0, high = watch->touch_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (watch->touches[middle].element < element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Whether the CTA, and none besides, stored to all of `count` elements.
static bool has_all(const Watch *watch, uint64_t from, uint64_t count,
                    uint32_t cta) {
    size_t i = find_touch(watch, from);
    for (uint64_t element = from; element < from + count; element++) {
        size_t begin = i;
        while (i < watch->touch_count && watch->touches[i].element == element &&
               watch->touches[i].cta == cta + 1)
            i++;
        if (i == begin)
            return false;
    }
    return i == watch->touch_count || watch->touches[i].element >= from + count;
}

// How many elements block 0 has stored to from the first on, whoever else did.
static uint64_t unit_of(const Watch *watch) {
    uint64_t unit = 0;
    size_t i = 0;
    while (i < watch->touch_count && watch->touches[i].element == unit &&
           watch->touches[i].cta == 1)
        i = find_touch(watch, ++unit);
    return unit;
}

// Whether the block has stored to all units that are its own, in the rounds
// that all blocks take part in; behind these the rest may be shared out
// otherwise. If there is no such round, what is behind the last whole unit may
// be.
static bool has_its_own(const Run *run, uint64_t unit, uint32_t block) {
    uint64_t whole = (uint64_t)run->n / unit;
    if (whole >= run->grid)
        whole -= whole % run->grid;
    for (uint64_t turn = block; turn < whole; turn += run->grid)
        if (!has_all(&run->watch, turn * unit, unit, block))
            return false;
    return true;
}

static const char *judge_turns(const Grade *grade, const Run *run,
                               Cause *cause) {
    const Watch *watch = &run->watch;
    if (watch->touch_count == watch->touch_most)
        return NULL; // not all is known
    qsort(watch->touches, watch->touch_count, sizeof *watch->touches,
          by_element);
    uint64_t unit = unit_of(watch);
    Amiss amiss = {0};
    if (unit == 0 || unit > (uint64_t)MOST_EACH * grade->lab->threads)
        return NULL;
    for (size_t i = 0; i < run->far->cluster_count; i++)
        if (!has_its_own(run, unit, run->far->clusters[i]))
            add(&amiss, run->far->clusters[i]);
    return amiss.count
               ? blame_blocks(grade, run, &amiss, CASE_EXACTLY_ONCE_FAR_TURNS,
                              (uint32_t)run->far->cluster_count, cause)
               : NULL;
}

const char *far_failure(const Grade *grade, const Run *run, Cause *cause) {
    return run->watch.touch_most ? judge_turns(grade, run, cause)
                                 : judge_values(grade, run, cause);
}
