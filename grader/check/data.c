// SPDX-License-Identifier: Apache-2.0
// Judges correct and exactly_once on one run. Each block counts for only one of
// them, so that one mistake fails one check: a block that was processed 0 or
// several times as a whole counts for exactly_once, a block whose elements are
// wrong or disagree counts for correct.
//
// exactly_once reports which blocks (the first five, and totals), which CTAs
// stored to them, and what the ledger knows about them, which is usually the
// cause. The wording is in words/judged.c.
#include "check/judge.h"

#include <assert.h>
#include <math.h>

enum { LISTED = 5 };

static SrcLoc piece_at(const Grade *grade, const Run *run, uint32_t block) {
    SrcLoc at = {0};
    if (block < run->watch.count)
        at = place_as_given(grade->submission, run->watch.pieces[block].at);
    return at.line ? at : grade->kernel_at;
}

// Adds the call that led to the store, if it is in a function of its own.
static void add_caller(const Grade *grade, const Run *run, uint32_t block,
                       Finding *finding) {
    if (block >= run->watch.count)
        return;
    SrcLoc called = run->watch.pieces[block].called;
    if (called.line && called.line != finding->at.line)
        finding->callers[finding->caller_count++] =
            place_as_given(grade->submission, called);
}

// Nothing if the line is not known, or there is no room.
static void add_related(Finding *finding, SrcLoc at, FindingPlace place,
                        Facts facts) {
    if (at.line && finding->related_count < COUNT_OF(finding->related))
        finding->related[finding->related_count++] =
            (RelatedPlace){.at = at, .place = place, .facts = facts};
}

// Adds the lines that the store's address, or its value, comes from.
static void add_origin(const Grade *grade, const Run *run, uint32_t block,
                       FindingPlace place, Finding *finding) {
    if (block >= run->watch.count)
        return;
    const WatchPiece *piece = &run->watch.pieces[block];
    for (uint32_t i = 0; i < COUNT_OF(piece->index_from); i++) {
        SrcLoc at = place == PLACE_VALUE_FROM ? piece->value_from[i]
                                              : piece->index_from[i];
        add_related(finding, place_as_given(grade->submission, at), place,
                    NO_FACTS);
    }
}

// Whether the index in the address of the block's stores was read with nothing
// that orders it behind the write. If so, adds the two places.
static bool add_loose(const Grade *grade, const Run *run, uint32_t block,
                      Finding *finding) {
    if (block >= run->watch.count)
        return false;
    const WatchPiece *piece = &run->watch.pieces[block];
    const DeviceRun *device = &run->device;
    for (uint32_t k = 0; k < device->loose_count; k++) {
        const LooseRead *loose = &device->loose[k];
        for (uint32_t i = 0; i < COUNT_OF(piece->index_read); i++) {
            if (!loose->read.line ||
                piece->index_read[i].line != loose->read.line)
                continue;
            finding->reason = REASON_HANDED_OVER_LOOSELY;
            add_related(finding, place_as_given(grade->submission, loose->read),
                        PLACE_READ_LOOSELY, NO_FACTS);
            add_related(finding,
                        place_as_given(grade->submission, loose->written),
                        PLACE_WRITTEN_LOOSELY, NO_FACTS);
            return true;
        }
    }
    return false;
}

// Whether threads had left when the block was taken by another one, so that
// nobody was there for their elements. If so, adds where they left.
static bool add_thinned(const Grade *grade, const Run *run, uint32_t block,
                        Finding *finding) {
    const Ledger *ledger = &run->device.ledger;
    for (size_t i = 0; i < ledger->chain_count; i++) {
        const LedgerChain *chain = &ledger->chains[i];
        for (size_t k = chain->thinned; k && k < chain->count; k++) {
            if (chain->blocks[k] != block)
                continue;
            finding->reason = REASON_THREADS_LEFT;
            add_related(finding,
                        place_as_given(grade->submission, chain->thinned_at),
                        PLACE_GONE_BEFORE,
                        FACTS(FACT(THREADS, chain->gone),
                              FACT(OWNER, chain->cta), FACT(BLOCK, block)));
            return true;
        }
    }
    return false;
}

// Adds where the block's index is cut to fewer bits on its way to the address,
// and a type that does it.
static void add_cut(const Grade *grade, const Run *run, uint32_t block,
                    Finding *finding) {
    if (block >= run->watch.count || !run->watch.pieces[block].index_bits)
        return;
    const WatchPiece *piece = &run->watch.pieces[block];
    Facts facts =
        facts_copy(grade->arena, FACTS(FACT(COUNT, piece->index_bits)));
    add_related(finding,
                place_find_narrow(grade->submission, piece->index_bits),
                PLACE_NARROW_TYPE, facts);
    add_related(finding, place_as_given(grade->submission, piece->index_cut),
                PLACE_INDEX_CUT, facts);
}

// Adds how a value that was read from shared memory came there.
static void add_staged(const Grade *grade, const Run *run, uint32_t block,
                       Finding *finding) {
    static const FindingPlace places[] = {PLACE_STAGED, PLACE_STAGED_FROM};
    for (uint32_t i = 0; block < run->watch.count && i < COUNT_OF(places);
         i++) {
        SrcLoc at = run->watch.pieces[block].staged_at[i];
        if (at.line && finding->related_count < COUNT_OF(finding->related))
            finding->related[finding->related_count++] =
                (RelatedPlace){.at = place_as_given(grade->submission, at),
                               .place = places[i]};
    }
}

static void add_prologue(const Grade *grade, Finding *finding) {
    SrcLoc at = place_find_name(grade->submission, STR("compute_scalar"));
    if (at.line)
        finding->related[finding->related_count++] =
            (RelatedPlace){.at = at, .place = PLACE_PROLOGUE};
}

// ---- correct -------------------------------------------------------------

bool judge_has_evidence(const Run *run) {
    for (uint32_t block = 0; block < run->blocks; block++)
        if (run->tally[block].size > 0 &&
            (run->tally[block].mixed || run->tally[block].times == 1))
            return true;
    return false;
}

bool judge_has_all(const Run *run) {
    for (uint32_t block = 0; block < run->blocks; block++)
        if (run->tally[block].size > 0 && !run->tally[block].mixed &&
            run->tally[block].times != 1)
            return false;
    return true;
}

// Which elements a block owns.
static FactWord owned(const Lab *lab) {
    switch (shape_of(lab)) {
    case SHAPE_LINE:
        return WORD_OWNS_LINE;
    case SHAPE_BOX:
        return WORD_OWNS_BOX;
    case SHAPE_ROWS:
        break;
    }
    return WORD_OWNS_ROW;
}

// Collects the facts of one cause.
typedef struct FactList {
    Fact items[16];
    size_t count;
} FactList;

static void add_fact(FactList *list, Fact fact) {
    assert(list->count < COUNT_OF(list->items));
    list->items[list->count++] = fact;
}

static void add_element(const Grade *grade, const Run *run, int32_t i,
                        FactList *list) {
    add_fact(list, FACT_STR(ELEMENT, shape_element_name(grade, run, i)));
    add_fact(list, FACT(WANTED, fact_real(run->expected[i])));
    add_fact(list, FACT(FOUND, fact_real((double)run->after[i])));
    add_fact(list, FACT(HELD, fact_real((double)run->before[i])));
    add_fact(list, FACT(SCALAR, fact_real(grade->alpha)));
}

static FindingCase left_out_case(const Grade *grade, const Run *run,
                                 int32_t wrong, int32_t i, FactList *list) {
    Fact fact;
    FindingCase pattern = pattern_of_threads(grade, run, wrong, i, &fact);
    if (pattern == CASE_NONE)
        add_fact(list, FACT(OWNS, owned(grade->lab)));
    else if (pattern != CASE_CORRECT_LAST_LEFT_OUT &&
             pattern != CASE_CORRECT_TAIL_LEFT_OUT)
        add_fact(list, fact);
    return pattern ? pattern : CASE_CORRECT_LEFT_OUT;
}

// Which case describes a wrong element; each case has its own facts.
static FindingCase element_case(const Grade *grade, const Run *run,
                                int32_t wrong, int32_t i, FactList *list) {
    uint8_t times = run->elements[i];
    Fact fact;
    if (times == 0)
        return left_out_case(grade, run, wrong, i, list);
    if (times != ELEMENT_WRONG) {
        add_fact(list, FACT(TIMES, times));
        add_fact(list, FACT(OWNS, owned(grade->lab)));
        return CASE_CORRECT_REPEATED;
    }
    if (isnan(run->after[i]))
        return CASE_CORRECT_NOT_A_NUMBER;
    if (pattern_of_factor(run, &fact)) {
        add_fact(list, fact);
        return CASE_CORRECT_OTHER_FACTOR;
    }
    add_fact(list, FACT_STR(TEXT, grade->lab->work));
    return CASE_CORRECT_OTHER_VALUE;
}

// Whether the kernel left its inputs as they were.
static bool judge_inputs(const Grade *grade, const Run *run, Cause *cause) {
    if (run->changed.len == 0)
        return true;
    *cause =
        cause_of_case(grade, run, grade->kernel_at, CASE_CORRECT_INPUT_CHANGED,
                      FACTS(FACT_STR(NAME, run->changed),
                            FACT_STR(DATA, grade->lab->data_name)));
    cause_in_run(grade, run, cause);
    return false;
}

bool judge_touched(const Grade *grade, const Run *run, Cause *cause) {
    for (uint32_t block = 0; block < run->blocks; block++)
        if (run->tally[block].mixed || run->tally[block].times > 0)
            return true;
    if (run->n == 0)
        return true;
    FactList list = {0};
    add_fact(&list, FACT_STR(DATA, grade->lab->data_name));
    add_fact(&list, FACT_STR(TEXT, grade->lab->work));
    add_element(grade, run, 0, &list);
    Finding finding = {.at = grade->kernel_at,
                       .which = CASE_CORRECT_NO_CHANGE,
                       .facts = {list.items, list.count}};
    why_add_contrast(grade, run, run->owner[0], &finding);
    *cause = cause_judged(grade, run, &finding);
    region_cure(grade, region_of_work(grade), cause->at, cause);
    cause_in_run(grade, run, cause);
    return false;
}

// The cause for `wrong` wrong elements, the first of which has index `first`.
static Cause wrong_elements(const Grade *grade, const Run *run, int32_t wrong,
                            int32_t first) {
    uint32_t block = run->owner[first];
    FactList list = {0};
    add_fact(&list, FACT(COUNT, wrong));
    add_fact(&list, FACT(ELEMENTS, run->n));
    add_fact(&list, FACT_STR(DATA, grade->lab->data_name));
    add_fact(&list, FACT(INDEX, first));
    add_fact(&list, FACT(BLOCK, block));
    add_element(grade, run, first, &list);
    Finding finding = {.at = piece_at(grade, run, block)};
    finding.which = element_case(grade, run, wrong, first, &list);
    finding.facts = (Facts){list.items, list.count};
    add_caller(grade, run, block, &finding);
    if (finding.which == CASE_CORRECT_OTHER_FACTOR ||
        finding.which == CASE_CORRECT_OTHER_THREADS)
        add_prologue(grade, &finding);
    bool is_value = run->elements[first] == ELEMENT_WRONG;
    bool is_told = !is_value && (add_loose(grade, run, block, &finding) ||
                                 (run->elements[first] == 0 &&
                                  add_thinned(grade, run, block, &finding)));
    if (!is_told)
        add_origin(grade, run, block,
                   is_value ? PLACE_VALUE_FROM : PLACE_ADDRESS_FROM, &finding);
    if (is_value)
        add_staged(grade, run, block, &finding);
    return cause_judged(grade, run, &finding);
}

bool judge_correct(const Grade *grade, const Run *run, Cause *cause) {
    int32_t first = -1, wrong = 0;
    for (int32_t i = 0; i < run->n; i++) {
        if (!run->tally[run->owner[i]].mixed || run->elements[i] == 1)
            continue;
        first = wrong++ ? first : i;
    }
    if (wrong == 0)
        return judge_inputs(grade, run, cause);
    *cause = wrong_elements(grade, run, wrong, first);
    if (run->elements[first] != ELEMENT_WRONG)
        region_cure(grade, region_of_work(grade), cause->at, cause);
    cause_in_run(grade, run, cause);
    return false;
}

// ---- exactly_once: which blocks ------------------------------------------

// The blocks that were never processed, those that were processed more than
// once, or those whose elements were processed once, by several blocks.
typedef struct BlockSet {
    uint32_t first[LISTED];
    uint32_t count;   // of all of them
    uint32_t partial; // those of which some elements were processed once
} BlockSet;

static void set_add(BlockSet *set, uint32_t block, const BlockTally *tally) {
    set->partial += tally->again < tally->size;
    if (set->count < LISTED)
        set->first[set->count] = block;
    set->count++;
}

static bool is_short(const Grade *grade, const Run *run, uint32_t block) {
    return run->tally[block].size < grade->lab->threads;
}

// If `correct` failed, a block with fewer elements than threads is no evidence:
// the same mistake can leave out all of it.
static void collect(const Grade *grade, const Run *run, BlockSet *none,
                    BlockSet *many, BlockSet *divided) {
    for (uint32_t block = 0; block < run->blocks; block++) {
        BlockTally tally = run->tally[block];
        if (tally.size == 0 || tally.mixed ||
            (grade->correct_failed && is_short(grade, run, block)))
            continue;
        if (tally.times == 0)
            set_add(none, block, &tally);
        else if (tally.times > 1)
            set_add(many, block, &tally);
        else if (tally.divided)
            set_add(divided, block, &tally);
    }
}

// The words for the items of a list: the first, each further one, the same for
// blocks of which some elements are not meant, and the one that counts those
// that are not listed.
typedef struct ListWords {
    FactWord first, next, first_in_part, next_in_part, more;
} ListWords;

static const ListWords MISSED = {WORD_MISSED_FIRST, WORD_MISSED_NEXT,
                                 WORD_MISSED_FIRST, WORD_MISSED_NEXT,
                                 WORD_MISSED_MORE};
static const ListWords DIVIDED = {WORD_DIVIDED_FIRST, WORD_DIVIDED_NEXT,
                                  WORD_DIVIDED_FIRST, WORD_DIVIDED_NEXT,
                                  WORD_DIVIDED_MORE};
static const ListWords REPEATED = {
    WORD_REPEATED_FIRST, WORD_REPEATED_NEXT, WORD_REPEATED_FIRST_IN_PART,
    WORD_REPEATED_NEXT_IN_PART, WORD_REPEATED_MORE};

static FactItem block_item(const Grade *grade, const Run *run, uint32_t block,
                           FactWord whole, FactWord in_part) {
    const BlockTally *tally = &run->tally[block];
    return (FactItem){
        tally->again < tally->size ? in_part : whole,
        facts_copy(grade->arena,
                   FACTS(FACT(BLOCK, block), FACT(TIMES, tally->times),
                         FACT(COUNT, tally->again)))};
}

// Fills in the items of a list and returns how many there are.
static size_t list_blocks(const Grade *grade, const Run *run,
                          const BlockSet *set, const ListWords *words,
                          FactItem items[LISTED + 1]) {
    uint32_t listed = set->count < LISTED ? set->count : LISTED;
    for (uint32_t i = 0; i < listed; i++)
        items[i] = block_item(
            grade, run, set->first[i], i == 0 ? words->first : words->next,
            i == 0 ? words->first_in_part : words->next_in_part);
    if (set->count == listed)
        return listed;
    items[listed] = (FactItem){
        words->more,
        facts_copy(grade->arena, FACTS(FACT(COUNT, set->count - listed)))};
    return listed + 1;
}

// ---- exactly_once: what was found (why.c: why) -----------------------------

// The likely reason, if the lab's technique suggests one.
static FindingReason once_reason(const Grade *grade, bool many) {
    switch (grade->lab->technique) {
    case TECHNIQUE_FIXED:
        return REASON_FIXED_INDEX;
    case TECHNIQUE_PERSISTENT:
        return many ? REASON_STRIDE_TOO_SHORT : REASON_LOOP_TOO_SHORT;
    case TECHNIQUE_CLC:
        break;
    }
    return grade->lab->cluster > 1 ? REASON_PLACE_IN_CLUSTER : REASON_NONE;
}

static void add_place(Finding *finding, const RelatedPlace *place, SrcLoc at) {
    RelatedPlace *added = &finding->related[finding->related_count++];
    *added = *place;
    added->at = at;
}

// The elements from `first` to `last` were processed so often.
typedef struct Range {
    int32_t first, last;
    uint32_t times;
} Range;

// The next elements from `from` on that were processed several times, and
// equally often; false: there are none.
static bool next_range(const Run *run, int32_t from, Range *range) {
    int32_t i = from;
    while (i < run->n &&
           (tally_times(run, i) < 2 || run->elements[i] == ELEMENT_WRONG))
        i++;
    if (i == run->n)
        return false;
    *range = (Range){i, i, tally_times(run, i)};
    while (range->last + 1 < run->n &&
           tally_times(run, range->last + 1) == range->times)
        range->last++;
    return true;
}

// Lists the elements that were processed several times, and returns how many
// items there are; *count: how many elements, *first: the first of them.
static size_t list_ranges(const Grade *grade, const Run *run,
                          FactItem items[LISTED + 1], uint32_t *count,
                          int32_t *first) {
    Range range = {.last = -1};
    size_t listed = 0;
    uint32_t told = 0;
    for (*count = 0; next_range(run, range.last + 1, &range);) {
        uint32_t size = (uint32_t)(range.last - range.first + 1);
        *first = *count ? *first : range.first;
        *count += size;
        if (listed == LISTED)
            continue;
        told += size;
        FactWord word = size > 1 ? WORD_RANGES_FIRST : WORD_RANGES_FIRST_ALONE;
        if (listed > 0)
            word = size > 1 ? WORD_RANGES_NEXT : WORD_RANGES_NEXT_ALONE;
        items[listed++] = (FactItem){
            word, facts_copy(grade->arena, FACTS(FACT(FIRST, range.first),
                                                 FACT(LAST, range.last),
                                                 FACT(TIMES, range.times)))};
    }
    if (told < *count)
        items[listed++] = (FactItem){
            WORD_RANGES_MORE,
            facts_copy(grade->arena, FACTS(FACT(COUNT, *count - told)))};
    return listed;
}

// Of some blocks a part was repeated: which elements, and how often.
static Cause elements_cause(const Grade *grade, const Run *run,
                            const Finding *places) {
    Finding finding = *places;
    FactItem items[LISTED + 1];
    uint32_t count;
    int32_t first = 0;
    size_t listed = list_ranges(grade, run, items, &count, &first);
    finding.which = CASE_EXACTLY_ONCE_ELEMENTS;
    finding.facts = FACTS(FACT(COUNT, count), FACT(ELEMENTS, run->n),
                          FACT_STR(DATA, grade->lab->data_name),
                          FACT(INDEX, first), FACT(BLOCK, run->owner[first]),
                          FACT_ITEMS(RANGES, items, listed));
    return cause_judged(grade, run, &finding);
}

// Nothing is repeated: blocks share the elements of one index.
static Cause divided_cause(const Grade *grade, const Run *run,
                           const BlockSet *set, const Finding *places) {
    Finding finding = *places;
    FactItem divided[LISTED + 1];
    size_t count = list_blocks(grade, run, set, &DIVIDED, divided);
    finding.which = CASE_EXACTLY_ONCE_DIVIDED;
    finding.facts =
        FACTS(FACT(BLOCKS, run->blocks), FACT(OFTEN, set->count),
              FACT(AGAIN, set->first[0]), FACT_ITEMS(DIVIDED, divided, count),
              FACT(FIRST, 0), FACT(LAST, run->blocks - 1));
    return cause_judged(grade, run, &finding);
}

// `places` has only the place of the finding, its related places and, if it is
// known, the reason.
static Cause once_cause(const Grade *grade, const Run *run,
                        const BlockSet *none, const BlockSet *many,
                        const Finding *places) {
    Finding finding = *places;
    FactItem missed[LISTED + 1], repeated[LISTED + 1];
    size_t missed_count = list_blocks(grade, run, none, &MISSED, missed);
    size_t repeated_count = list_blocks(grade, run, many, &REPEATED, repeated);
    finding.which = none->count && many->count ? CASE_EXACTLY_ONCE_BOTH
                    : none->count              ? CASE_EXACTLY_ONCE_NEVER
                                               : CASE_EXACTLY_ONCE_REPEATED;
    if (!finding.reason)
        finding.reason = once_reason(grade, many->count > 0);
    finding.facts = FACTS(FACT(BLOCKS, run->blocks), FACT(NEVER, none->count),
                          FACT(BLOCK, none->first[0]), FACT(OFTEN, many->count),
                          FACT(AGAIN, many->first[0]),
                          FACT_ITEMS(MISSED, missed, missed_count),
                          FACT_ITEMS(REPEATED, repeated, repeated_count),
                          FACT(FIRST, 0), FACT(LAST, run->blocks - 1));
    return cause_judged(grade, run, &finding);
}

static Why blame_none(const Grade *grade, const Run *run, const BlockSet *none,
                      Finding *finding) {
    Why why = why_none(grade, run, none->first[0]);
    if (why.place.at.line)
        finding->at = why.place.at;
    add_place(finding, &why.place, finding->at);
    return why;
}

static Why blame_many(const Grade *grade, const Run *run, const BlockSet *many,
                      Finding *finding) {
    uint32_t first = many->first[0];
    Why why = why_many(grade, run, first);
    finding->at = piece_at(grade, run, first);
    add_caller(grade, run, first, finding);
    add_place(finding, &why.place, finding->at);
    return why;
}

// What the address of the first block that was processed again is computed
// from, and a refusal had left as it was.
static SrcLoc unset_in(const Run *run, const BlockSet *many) {
    uint32_t first = many->first[0];
    bool is_known = many->count > 0 && first < run->watch.count;
    return is_known ? run->watch.pieces[first].index_unset : (SrcLoc){0};
}

// Where to look besides: what was different before, or for other blocks, and
// where the index comes from.
static void add_evidence(const Grade *grade, const Run *run,
                         const BlockSet *none, const BlockSet *many,
                         Finding *finding) {
    uint32_t stored = many->count ? many->first[0] : why_other_stored(run);
    if (add_loose(grade, run, stored, finding))
        return;
    if (many->count) {
        add_related(finding,
                    place_as_given(grade->submission, unset_in(run, many)),
                    PLACE_LEFT_UNSET, NO_FACTS);
        why_add_stored_before(grade, run, many->first[0], finding);
        add_cut(grade, run, many->first[0], finding);
        add_origin(grade, run, many->first[0], PLACE_ADDRESS_FROM, finding);
    } else {
        why_add_contrast(grade, run, none->first[0], finding);
        add_origin(grade, run, why_other_stored(run), PLACE_ADDRESS_FROM,
                   finding);
    }
}

// Whether the address of block `many`'s elements is computed from an index that
// is cut to fewer bits than block `none` needs.
static bool is_cut(const Run *run, uint32_t none, uint32_t many) {
    uint32_t bits =
        many < run->watch.count ? run->watch.pieces[many].index_bits : 0;
    return bits > 0 && none >> (bits - 1) > 0;
}

// Whether only block 0 was processed again, by blocks that no answer gave it
// to.
static bool is_zero_taken(const Grade *grade, const Run *run,
                          const BlockSet *many) {
    return grade->lab->technique == TECHNIQUE_CLC && many->count == 1 &&
           many->first[0] == 0 && why_no_answer_gave(grade, run, 0);
}

// What the blocks that were never processed have in common, or those that were
// processed again.
static FindingReason shared_reason(const Grade *grade, const Run *run,
                                   const BlockSet *none, const BlockSet *many) {
    if (many->count == 0)
        return why_reason(grade, run);
    if (unset_in(run, many).line)
        return REASON_LEFT_UNSET;
    if (none->count && is_cut(run, none->first[0], many->first[0]))
        return REASON_INDEX_CUT;
    if (is_zero_taken(grade, run, many))
        return REASON_ZERO_IS_AN_INDEX;
    if (why_is_own_again(grade, run))
        return REASON_SAME_INDEX_AGAIN;
    if (why_is_at_two_places(run))
        return REASON_AT_TWO_PLACES;
    return none->count && why_is_held_in_one_place(grade, run)
               ? REASON_HELD_IN_ONE_PLACE
               : REASON_NONE;
}

static SrcLoc place_of(const Finding *finding, FindingPlace place) {
    for (uint32_t i = 0; i < finding->related_count; i++)
        if (finding->related[i].place == place)
            return finding->related[i].at;
    return (SrcLoc){0};
}

// `why`: of the first block of which the part to fix is known.
static void name_region(const Grade *grade, const Run *run,
                        const BlockSet *none, const Why *why,
                        const Finding *finding, Cause *cause) {
    FindingReason reason = finding->reason;
    SrcLoc left = none->count ? why_left_at(run, none->first[0]) : (SrcLoc){0};
    if (reason == REASON_ONE_REQUEST_A_PLACE)
        region_cure(grade, PART_ASK, why->place.at, cause);
    else if (reason == REASON_HELD_IN_ONE_PLACE &&
             grade->lab->parts[PART_AHEAD])
        region_cure(grade, PART_AHEAD, why->place.at, cause);
    else if (reason == REASON_INDEX_CUT)
        region_cure_place(grade, PART_HERE,
                          place_of(finding, PLACE_NARROW_TYPE), cause);
    else if (reason == REASON_LAST_INDEX_LEFT_OUT ||
             (reason == REASON_LEFT_WITH_INDICES && left.line))
        region_cure_place(grade, PART_DECODE, left, cause);
    else
        region_cure(grade, why->cure, why->place.at, cause);
}

// What is divided is judged by technique in a lab of strides. Beside blocks
// that were left out or repeated nothing is said of it.
bool judge_exactly_once(const Grade *grade, const Run *run, Cause *cause) {
    BlockSet none = {0}, many = {0}, divided = {0};
    collect(grade, run, &none, &many, &divided);
    bool is_divided = none.count + many.count == 0;
    if (is_divided &&
        (divided.count == 0 || grade->lab->technique == TECHNIQUE_PERSISTENT))
        return true;
    if (is_divided)
        many = divided;
    Why never = {0}, often = {0};
    Finding finding = {.at = grade->kernel_at};
    if (none.count)
        never = blame_none(grade, run, &none, &finding);
    if (many.count)
        often = blame_many(grade, run, &many, &finding);
    finding.reason = shared_reason(grade, run, &none, &many);
    add_evidence(grade, run, &none, &many, &finding);
    *cause = is_divided ? divided_cause(grade, run, &many, &finding)
             : none.count == 0 && many.partial > 0
                 ? elements_cause(grade, run, &finding)
                 : once_cause(grade, run, &none, &many, &finding);
    name_region(grade, run, &none,
                &(Why){never.place, never.cure ? never.cure : often.cure},
                &finding, cause);
    cause_in_run(grade, run, cause);
    return false;
}
