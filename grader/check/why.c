// SPDX-License-Identifier: Apache-2.0
// Why a block index was not processed exactly once. The evidence is the ledger
// (which CTAs were started, what each was granted and decoded) and the watch
// (which CTA stored where).
//
// A chain holds the blocks that a CTA came to own: the one that it was started
// as and, for each answer that it decoded, the block at its own place in the
// granted cluster. A CTA that left its place out of the index, or added it
// twice, stores to another block.
#include "check/judge.h"

#include <assert.h>

// ---- who owns what, and who stored where ---------------------------------

static const LedgerEntry *entry_of(const Grade *grade, const Run *run,
                                   uint32_t block) {
    size_t cluster = block / grade->lab->cluster;
    const Ledger *ledger = &run->device.ledger;
    return cluster < ledger->entry_count ? &ledger->entries[cluster] : NULL;
}

static const LedgerChain *chain_of(const Run *run, uint32_t cta) {
    const Ledger *ledger = &run->device.ledger;
    for (size_t i = 0; i < ledger->chain_count; i++)
        if (ledger->chains[i].cta == cta)
            return &ledger->chains[i];
    return NULL;
}

static bool chain_has(const LedgerChain *chain, uint32_t block) {
    for (size_t i = 0; chain && i < chain->count; i++)
        if (chain->blocks[i] == block)
            return true;
    return false;
}

// The CTA that came to own `block`; NULL: no CTA did.
static const LedgerChain *owner_of(const Run *run, uint32_t block) {
    const Ledger *ledger = &run->device.ledger;
    for (size_t i = 0; i < ledger->chain_count; i++)
        if (chain_has(&ledger->chains[i], block))
            return &ledger->chains[i];
    return NULL;
}

bool why_has_stored(const Run *run, uint32_t cta, uint32_t block) {
    if (block >= run->watch.count)
        return false;
    const WatchPiece *piece = &run->watch.pieces[block];
    for (uint32_t i = 0; i < piece->writer_count && i < WATCH_WRITERS; i++)
        if (piece->writers[i] == cta)
            return true;
    return false;
}

// Finds the block that the chain has in the cluster of the block `near`.
static bool owned_in_cluster(const Grade *grade, const LedgerChain *chain,
                             uint32_t near, uint32_t *owned) {
    uint32_t cluster = grade->lab->cluster;
    for (size_t i = 0; chain && i < chain->count; i++)
        if (chain->blocks[i] / cluster == near / cluster) {
            *owned = chain->blocks[i];
            return true;
        }
    return false;
}

// ---- not at all ----------------------------------------------------------

// Where the owner of a block stored instead of storing to its block.
typedef struct Instead {
    FactWord word;
    uint32_t stored; // to the elements of this block
} Instead;

// Finds the first block after `block` in the chain of `cta` to which that CTA
// stored.
static bool stored_to_next(const Run *run, uint32_t cta, uint32_t block,
                           uint32_t *next) {
    const LedgerChain *chain = chain_of(run, cta);
    size_t at = 0;
    while (chain && at < chain->count && chain->blocks[at] != block)
        at++;
    for (at++; chain && at < chain->count; at++)
        if (why_has_stored(run, cta, chain->blocks[at])) {
            *next = chain->blocks[at];
            return true;
        }
    return false;
}

static Instead instead_of(const Grade *grade, const Run *run, uint32_t cta,
                          uint32_t block) {
    uint32_t rank = block % grade->lab->cluster, next;
    if (rank && why_has_stored(run, cta, block - rank))
        return (Instead){WORD_INSTEAD_PLACE_LEFT_OUT, block - rank};
    if (rank && why_has_stored(run, cta, block + rank))
        return (Instead){WORD_INSTEAD_PLACE_TWICE, block + rank};
    if (stored_to_next(run, cta, block, &next))
        return (Instead){WORD_INSTEAD_TAKEN_NEXT, next};
    const LedgerChain *chain = chain_of(run, cta);
    for (uint32_t other = 0; other < run->watch.count; other++)
        if (!chain_has(chain, other) && why_has_stored(run, cta, other))
            return (Instead){WORD_INSTEAD_NOT_OWNED, other};
    return (Instead){WORD_INSTEAD_NOTHING, 0};
}

static RelatedPlace place_of(const Grade *grade, FindingPlace place,
                             Facts facts) {
    assert(facts_are(facts, finding_place_carries(place)));
    return (RelatedPlace){.place = place,
                          .facts = facts_copy(grade->arena, facts)};
}

static RelatedPlace not_stored(const Grade *grade, const Run *run,
                               uint32_t block) {
    Instead instead = instead_of(grade, run, block, block);
    return place_of(grade, PLACE_NOT_STORED,
                    FACTS(FACT(BLOCK, block), FACT(INSTEAD, instead.word),
                          FACT(STORED, instead.stored),
                          FACT(RANK, block % grade->lab->cluster)));
}

// The block was granted, and `owner` took its index from the answer.
static RelatedPlace taken(const Grade *grade, const Run *run, uint32_t block,
                          const LedgerEntry *entry, uint32_t owner) {
    Instead instead = instead_of(grade, run, owner, block);
    return place_of(grade, entry->again ? PLACE_TAKEN_AND_LOST : PLACE_TAKEN,
                    FACTS(FACT(BLOCK, block), FACT(ASKER, entry->by_cta),
                          FACT(OWNER, owner), FACT(INSTEAD, instead.word),
                          FACT(STORED, instead.stored),
                          FACT(RANK, block % grade->lab->cluster)));
}

static RelatedPlace granted(const Grade *grade, const Run *run, uint32_t block,
                            const LedgerEntry *entry) {
    const LedgerChain *owner = owner_of(run, block);
    if (owner)
        return taken(grade, run, block, entry, owner->cta);
    if (entry->taken)
        return place_of(grade, PLACE_NOT_TAKEN_AT_PLACE,
                        FACTS(FACT(BLOCK, block), FACT(ASKER, entry->by_cta),
                              FACT(RANK, block % grade->lab->cluster)));
    return place_of(grade,
                    entry->overwritten ? PLACE_OVERWRITTEN
                    : entry->asked     ? PLACE_ONLY_ASKED
                                       : PLACE_NOT_DECODED,
                    FACTS(FACT(BLOCK, block), FACT(ASKER, entry->by_cta)));
}

// The block was granted. If a CTA took its index from the answer, that CTA lost
// it afterwards; if none did, the part to fix is not certain.
static Why why_granted(const Grade *grade, const Run *run, uint32_t block,
                       const LedgerEntry *entry) {
    SrcLoc at = entry->decoded_at.line ? entry->decoded_at : entry->at;
    Why why = {granted(grade, run, block, entry),
               owner_of(run, block) ? PART_INDEX : PART_HERE};
    why.place.at = at.line ? place_as_given(grade->submission, at) : at;
    return why;
}

Why why_none(const Grade *grade, const Run *run, uint32_t block) {
    const LedgerEntry *entry = entry_of(grade, run, block);
    Why why = {.cure = region_of_work(grade)};
    if (entry && entry->state == LEDGER_GRANTED)
        return why_granted(grade, run, block, entry);
    if (!entry)
        why.place =
            place_of(grade, PLACE_BEYOND_GRID,
                     FACTS(FACT(BLOCK, block), FACT(BLOCKS, run->grid)));
    else if (entry->state == LEDGER_PENDING)
        why.place =
            place_of(grade, PLACE_NOT_STARTED, FACTS(FACT(BLOCK, block)));
    else
        why.place = not_stored(grade, run, block);
    return why;
}

// ---- not at all: all of them, and what is different for others -----------

static bool is_missing(const Run *run, uint32_t block) {
    const BlockTally *tally = &run->tally[block];
    return tally->size > 0 && !tally->mixed && tally->times == 0;
}

// What a missing block can have to do with the chain of the CTA that owns it.
typedef struct Missing {
    bool all_own;   // it is the block that the CTA was started with
    bool all_last;  // the last of several
    bool all_asked; // granted, and the CTA has asked again with it in hand
    bool all_held;  // taken, and nothing of another block stored for it
    bool
        all_unowned; // granted, and taken for other blocks of its cluster alone
    uint32_t count;
} Missing;

// Whether the CTA has asked again after it took its last index: with a single
// request under way at a time, that is a new round of its loop.
static bool has_asked_behind(const LedgerChain *chain) {
    return chain->most_in_flight == 1 && chain->requests >= chain->count;
}

// Whether the CTA that took the block stored nothing for it, not even to
// another block, to which a wrong index would have led.
static bool is_held(const Grade *grade, const Run *run, uint32_t cta,
                    uint32_t block) {
    FactWord instead = instead_of(grade, run, cta, block).word;
    return instead == WORD_INSTEAD_NOTHING ||
           instead == WORD_INSTEAD_TAKEN_NEXT;
}

static Missing missing_of(const Grade *grade, const Run *run) {
    Missing all = {true, true, true, true, true, 0};
    for (uint32_t block = 0; block < run->blocks; block++) {
        if (!is_missing(run, block))
            continue;
        const LedgerChain *owner = owner_of(run, block);
        const LedgerEntry *entry = entry_of(grade, run, block);
        bool is_taken = entry && entry->state == LEDGER_GRANTED && entry->taken;
        all.count++;
        all.all_own &= owner && owner->cta == block;
        all.all_last &= owner && owner->count > 1 &&
                        owner->blocks[owner->count - 1] == block;
        all.all_held &= owner && owner->cta != block &&
                        is_held(grade, run, owner->cta, block);
        all.all_asked &= owner && has_asked_behind(owner);
        all.all_unowned &= !owner && is_taken;
    }
    return all;
}

// Whether a CTA that asked again with its last index in hand processed that: so
// the work is not left out with the last one as such.
static bool is_last_done(const Run *run) {
    const Ledger *ledger = &run->device.ledger;
    for (size_t i = 0; i < ledger->chain_count; i++) {
        const LedgerChain *chain = &ledger->chains[i];
        uint32_t last = chain->count > 1 ? chain->blocks[chain->count - 1] : 0;
        if (chain->count > 1 && has_asked_behind(chain) && last < run->blocks &&
            run->tally[last].size > 0 && !is_missing(run, last))
            return true;
    }
    return false;
}

// Whether all of them were taken, and a CTA that took one stored to the block
// whose index is that of the cluster's first one times the cluster's size.
static bool is_multiplied(const Grade *grade, const Run *run) {
    uint32_t cluster = grade->lab->cluster, seen = 0;
    for (uint32_t block = 0; block < run->blocks && cluster > 1; block++) {
        if (!is_missing(run, block))
            continue;
        const LedgerChain *owner = owner_of(run, block);
        uint32_t rank = block % cluster;
        uint64_t there = (uint64_t)(block - rank) * cluster + rank;
        if (!owner || owner->cta == block)
            return false;
        if (there >= run->watch.count)
            continue;
        if (!why_has_stored(run, owner->cta, (uint32_t)there))
            return false;
        seen++;
    }
    return seen > 0;
}

// Whether each block that was repeated was processed by itself alone, and those
// that were not were not started, so that others have to come to them.
bool why_is_own_again(const Grade *grade, const Run *run) {
    uint32_t missing = 0, again = 0;
    for (uint32_t block = 0; block < run->blocks; block++) {
        if (run->tally[block].mixed || block >= run->watch.count)
            return false;
        const WatchPiece *piece = &run->watch.pieces[block];
        const LedgerChain *owner = owner_of(run, block);
        if (run->tally[block].times > 1) {
            if (piece->writer_count != 1 || piece->writers[0] != block)
                return false;
            again++;
        }
        missing += is_missing(run, block);
        if (is_missing(run, block) && owner && owner->cta == block)
            return false;
    }
    return missing > 0 && again > 0 && grade->lab->technique != TECHNIQUE_FIXED;
}

// Whether each block that was repeated was processed by one CTA alone, at two
// different places.
bool why_is_at_two_places(const Run *run) {
    uint32_t again = 0;
    for (uint32_t block = 0; block < run->blocks; block++) {
        if (run->tally[block].mixed || block >= run->watch.count)
            return false;
        const WatchPiece *piece = &run->watch.pieces[block];
        if (run->tally[block].times <= 1)
            continue;
        if (piece->writer_count != 1 || !piece->called.line ||
            !piece->first_called.line ||
            piece->first_called.line == piece->called.line)
            return false;
        again++;
    }
    return again > 0;
}

// Blocks that were started and have elements.
static uint32_t started_with_work(const Run *run) {
    const Ledger *ledger = &run->device.ledger;
    uint32_t count = 0;
    for (size_t i = 0; i < ledger->chain_count; i++)
        count += ledger->chains[i].cta < run->blocks &&
                 run->tally[ledger->chains[i].cta].size > 0;
    return count;
}

FindingReason why_reason(const Grade *grade, const Run *run) {
    Missing all = missing_of(grade, run);
    if (grade->lab->technique != TECHNIQUE_CLC || all.count == 0)
        return REASON_NONE;
    if (all.all_own && all.count == started_with_work(run))
        return REASON_OWN_INDEX_LEFT_OUT;
    if (is_multiplied(grade, run))
        return REASON_INDEX_MULTIPLIED;
    if (all.all_last)
        return all.all_asked && is_last_done(run) ? REASON_INDEX_LED_ELSEWHERE
                                                  : REASON_LAST_INDEX_LEFT_OUT;
    if (all.all_unowned && grade->lab->cluster > 1)
        return REASON_ONE_REQUEST_A_PLACE;
    // Of several axes, two that are exchanged may lead beyond the grid as well.
    return all.all_held && shape_of(grade->lab) != SHAPE_BOX
               ? REASON_LEFT_WITH_INDICES
               : REASON_NONE;
}

// Whether the CTA that took the block processed one twice, alone, that it took
// later.
static bool is_held_over(const Run *run, uint32_t block) {
    const LedgerChain *owner = owner_of(run, block);
    bool is_behind = false, found = false;
    for (size_t i = 1; owner && i < owner->count && !found; i++) {
        uint32_t other = owner->blocks[i];
        found = is_behind && other < run->watch.count &&
                run->tally[other].times > 1 &&
                run->watch.pieces[other].writer_count == 1;
        is_behind |= other == block;
    }
    return found;
}

bool why_is_held_in_one_place(const Grade *grade, const Run *run) {
    bool all = grade->lab->technique == TECHNIQUE_CLC;
    for (uint32_t block = 0; block < run->blocks && all; block++)
        all = !is_missing(run, block) || is_held_over(run, block);
    return all;
}

SrcLoc why_left_at(const Run *run, uint32_t block) {
    const LedgerChain *owner = owner_of(run, block);
    return owner ? owner->left_at : (SrcLoc){0};
}

static void add_place(const Grade *grade, Finding *finding, SrcLoc at,
                      RelatedPlace place) {
    place.at = place_as_given(grade->submission, at);
    if (at.line && finding->related_count < COUNT_OF(finding->related))
        finding->related[finding->related_count++] = place;
}

uint32_t why_other_stored(const Run *run) {
    uint32_t block = 0;
    while (block < run->watch.count &&
           (run->tally[block].times != 1 || run->tally[block].mixed ||
            !run->watch.pieces[block].called.line))
        block++;
    return block;
}

void why_add_contrast(const Grade *grade, const Run *run, uint32_t block,
                      Finding *finding) {
    const LedgerChain *owner = owner_of(run, block);
    uint32_t other = why_other_stored(run);
    if (owner)
        add_place(
            grade, finding, owner->left_at,
            place_of(grade, PLACE_OWNER_LEFT, FACTS(FACT(OWNER, owner->cta))));
    if (other < run->watch.count)
        add_place(
            grade, finding, run->watch.pieces[other].called,
            place_of(grade, PLACE_OTHER_STORED, FACTS(FACT(BLOCK, other))));
}

void why_add_stored_before(const Grade *grade, const Run *run, uint32_t block,
                           Finding *finding) {
    if (block >= run->watch.count)
        return;
    const WatchPiece *piece = &run->watch.pieces[block];
    if (piece->first_called.line != piece->called.line)
        add_place(grade, finding, piece->first_called,
                  place_of(grade, PLACE_STORED_BEFORE, NO_FACTS));
}

// ---- several times -------------------------------------------------------

// How a CTA came to store to a block.
typedef struct Standing {
    FactWord word;
    uint32_t took; // the block that it owned instead; else the same block
} Standing;

static Standing standing(const Grade *grade, const Run *run, uint32_t cta,
                         uint32_t block) {
    const LedgerChain *chain = chain_of(run, cta);
    uint32_t cluster = grade->lab->cluster, rank = cta % cluster, owned;
    if (cta == block)
        return (Standing){WORD_STANDING_OWN, block};
    if (grade->lab->technique != TECHNIQUE_CLC)
        return (Standing){WORD_STANDING_NOT_SAID, block};
    if (chain_has(chain, block))
        return (Standing){WORD_STANDING_FROM_ANSWER, block};
    if (owned_in_cluster(grade, chain, block, &owned))
        return (Standing){rank && owned == block + rank
                              ? WORD_STANDING_PLACE_LEFT_OUT
                              : WORD_STANDING_OTHER_PLACE,
                          owned};
    if (rank && block >= 2 * rank && chain_has(chain, block - rank))
        return (Standing){WORD_STANDING_PLACE_TWICE, block - rank};
    return (Standing){WORD_STANDING_NO_ANSWER, block};
}

bool why_no_answer_gave(const Grade *grade, const Run *run, uint32_t block) {
    const WatchPiece *piece = &run->watch.pieces[block];
    uint32_t others = 0, unasked = 0;
    for (uint32_t i = 0; i < piece->writer_count && i < WATCH_WRITERS; i++) {
        uint32_t cta = piece->writers[i];
        others += cta != block;
        unasked +=
            standing(grade, run, cta, block).word == WORD_STANDING_NO_ANSWER;
    }
    return others > 0 && others == unasked;
}

static RelatedPlace by_one(const Grade *grade, const Run *run, uint32_t block,
                           uint32_t cta) {
    const LedgerEntry *entry = entry_of(grade, run, block);
    Standing how = standing(grade, run, cta, block);
    Fact times = FACT(TIMES, run->tally[block].times);
    if (entry && entry->again)
        return place_of(grade, PLACE_BY_ONE_LATE,
                        FACTS(FACT(BLOCK, block), times, FACT(OWNER, cta),
                              FACT(STANDING, how.word), FACT(STORED, how.took),
                              FACT(LINE, entry->again_at.line)));
    return place_of(grade, PLACE_BY_ONE,
                    FACTS(FACT(BLOCK, block), times, FACT(OWNER, cta),
                          FACT(STANDING, how.word), FACT(STORED, how.took)));
}

enum { TOLD_WRITERS = 4 };

static FactItem writer(const Grade *grade, const Run *run, uint32_t block,
                       uint32_t i) {
    const WatchPiece *piece = &run->watch.pieces[block];
    Standing how = standing(grade, run, piece->writers[i], block);
    return (FactItem){
        i == 0                         ? WORD_WRITERS_FIRST
        : i + 1 == piece->writer_count ? WORD_WRITERS_LAST
                                       : WORD_WRITERS_NEXT,
        facts_copy(grade->arena,
                   FACTS(FACT(OWNER, piece->writers[i]),
                         FACT(STANDING, how.word), FACT(STORED, how.took)))};
}

// Those that are not told one by one.
static FactItem more_writers(const Grade *grade, const WatchPiece *piece) {
    bool all_kept = piece->writer_count <= WATCH_WRITERS;
    uint32_t kept = all_kept ? piece->writer_count : WATCH_WRITERS;
    return (FactItem){
        all_kept ? WORD_WRITERS_MORE : WORD_WRITERS_OTHERS,
        facts_copy(grade->arena, FACTS(FACT(COUNT, kept - TOLD_WRITERS)))};
}

static RelatedPlace by_several(const Grade *grade, const Run *run,
                               uint32_t block) {
    const WatchPiece *piece = &run->watch.pieces[block];
    FactItem items[TOLD_WRITERS + 1];
    size_t count = 0;
    for (uint32_t i = 0; i < piece->writer_count && i < TOLD_WRITERS; i++)
        items[count++] = writer(grade, run, block, i);
    if (piece->writer_count > TOLD_WRITERS)
        items[count++] = more_writers(grade, piece);
    return place_of(
        grade, PLACE_BY_SEVERAL,
        FACTS(FACT(BLOCK, block), FACT_ITEMS(WRITERS, items, count)));
}

// The part to fix: the index, if a CTA that stored to the block had taken
// another block of the same cluster from an answer.
static DevicePart many_cure(const Grade *grade, const Run *run,
                            uint32_t block) {
    const WatchPiece *piece = &run->watch.pieces[block];
    for (uint32_t i = 0; i < piece->writer_count && i < WATCH_WRITERS; i++) {
        uint32_t cta = piece->writers[i], owned;
        const LedgerChain *chain = chain_of(run, cta);
        if (cta != block && !chain_has(chain, block) &&
            owned_in_cluster(grade, chain, block, &owned) && owned != cta)
            return PART_INDEX;
    }
    return region_of_work(grade);
}

Why why_many(const Grade *grade, const Run *run, uint32_t block) {
    if (block >= run->watch.count)
        return (Why){
            place_of(grade, PLACE_SEVERAL_TIMES, FACTS(FACT(BLOCK, block))),
            region_of_work(grade)};
    const WatchPiece *piece = &run->watch.pieces[block];
    return (Why){piece->writer_count == 1
                     ? by_one(grade, run, block, piece->writers[0])
                     : by_several(grade, run, block),
                 many_cure(grade, run, block)};
}
