// SPDX-License-Identifier: Apache-2.0
// Why a block index was processed not once: from the ledger (who was started,
// who was granted what, who decoded it) and the watch (who stored where).
//
// A chain holds the blocks that a CTA came to own: the one it was started as,
// and for each answer that it decoded the block of its own place in the
// cluster. Where it stores elsewhere, the place was left out or counted twice.
#include "check/internal.h"

// For "%.*s": what a block is called.
#define NAMED(block) STR_ARG(shape_block_name(grade, run, (block)))

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

// The CTA that came to own `block`; NULL: none did.
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

// The block of the cluster of `near` that the chain owns; false: none.
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

// What the owner of `block` did instead: "", or the end of a sentence.
static Str instead(const Grade *grade, const Run *run, uint32_t cta,
                   uint32_t block) {
    uint32_t cluster = grade->lab->cluster, rank = block % cluster;
    if (rank && why_has_stored(run, cta, block - rank))
        return str_format(grade->arena,
                          "; it stored to those of block %.*s, the cluster's "
                          "first: its place in the cluster (%u) was not added",
                          NAMED(block - rank), rank);
    if (rank && why_has_stored(run, cta, block + rank))
        return str_format(
            grade->arena,
            "; it stored to those of block %.*s: its place in the "
            "cluster (%u) was added twice",
            NAMED(block + rank), rank);
    const LedgerChain *chain = chain_of(run, cta);
    size_t at = 0;
    while (chain && at < chain->count && chain->blocks[at] != block)
        at++;
    for (at++; chain && at < chain->count; at++)
        if (why_has_stored(run, cta, chain->blocks[at]))
            return str_format(grade->arena,
                              "; it took block %.*s next, and stored to those",
                              NAMED(chain->blocks[at]));
    for (uint32_t other = 0; other < run->watch.count; other++)
        if (!chain_has(chain, other) && why_has_stored(run, cta, other))
            return str_format(
                grade->arena,
                "; it stored to those of block %.*s, which it does "
                "not own",
                NAMED(other));
    return (Str){0};
}

static Str started_text(const Grade *grade, const Run *run, uint32_t block) {
    return str_format(grade->arena,
                      "Block %.*s was started, but stored nothing to its own "
                      "elements%.*s.",
                      NAMED(block), STR_ARG(instead(grade, run, block, block)));
}

static Str granted_text(const Grade *grade, const Run *run, uint32_t block,
                        const LedgerEntry *entry) {
    Arena *arena = grade->arena;
    Str given =
        str_format(arena, "Block %.*s was given to a request of block %.*s",
                   NAMED(block), NAMED(entry->by_cta));
    const LedgerChain *owner = owner_of(run, block);
    if (owner)
        return str_format(
            arena,
            "%.*s; block %.*s took its index%s, but stored nothing to its "
            "elements%.*s.",
            STR_ARG(given), NAMED(owner->cta),
            entry->again ? " and then another one's" : "",
            STR_ARG(instead(grade, run, owner->cta, block)));
    if (!entry->taken)
        return str_format(
            arena, "%.*s, and its index never taken: %s.", STR_ARG(given),
            entry->overwritten ? "the next answer came to the same slot first"
            : entry->asked     ? "only is_canceled was asked"
                               : "query_cancel never saw the answer");
    return str_format(arena,
                      "%.*s with its cluster; the block at place %u of the "
                      "cluster that asked never took the index.",
                      STR_ARG(given), block % grade->lab->cluster);
}

// It was granted: whoever took its index lost it behind that.
static Why why_granted(const Grade *grade, const Run *run, uint32_t block,
                       const LedgerEntry *entry) {
    SrcLoc at = entry->decoded_at.line ? entry->decoded_at : entry->at;
    if (at.line)
        at = place_as_given(grade->submission, at);
    return (Why){granted_text(grade, run, block, entry), at,
                 owner_of(run, block) ? PART_INDEX : PART_HERE};
}

Why why_none(const Grade *grade, const Run *run, uint32_t block) {
    Arena *arena = grade->arena;
    const LedgerEntry *entry = entry_of(grade, run, block);
    Why why = {.cure = region_of_work(grade)};
    if (entry && entry->state == LEDGER_GRANTED)
        return why_granted(grade, run, block, entry);
    if (!entry)
        why.text =
            str_format(arena,
                       "Block index %.*s is beyond the grid of %u blocks: some "
                       "block must loop over it as well.",
                       NAMED(block), run->grid);
    else if (entry->state == LEDGER_PENDING)
        why.text = str_format(arena,
                              "Block %.*s was neither started nor given to a "
                              "request.",
                              NAMED(block));
    else
        why.text = started_text(grade, run, block);
    return why;
}

// ---- several times -------------------------------------------------------

// What `cta` had to do with `block`, as the end of "by block 9, ".
static Str standing(const Grade *grade, const Run *run, uint32_t cta,
                    uint32_t block) {
    Arena *arena = grade->arena;
    const LedgerChain *chain = chain_of(run, cta);
    uint32_t cluster = grade->lab->cluster, rank = cta % cluster, owned;
    if (cta == block)
        return STR("whose own it is");
    if (grade->lab->technique != TECHNIQUE_CLC)
        return (Str){0};
    if (chain_has(chain, block))
        return STR("which took it from an answer");
    if (owned_in_cluster(grade, chain, block, &owned))
        return str_format(arena, "which took block %.*s from that answer%s",
                          NAMED(owned),
                          rank && owned == block + rank
                              ? " and left its place in the cluster out"
                              : "");
    if (rank && block >= 2 * rank && chain_has(chain, block - rank))
        return str_format(arena,
                          "which took block %.*s and added its place in the "
                          "cluster twice",
                          NAMED(block - rank));
    return STR("which no answer gave it to");
}

static Str writer_text(const Grade *grade, const Run *run, uint32_t cta,
                       uint32_t block) {
    Str how = standing(grade, run, cta, block);
    return str_format(grade->arena, "block %.*s%s%.*s", NAMED(cta),
                      how.len ? ", " : "", STR_ARG(how));
}

static Str why_by_one(const Grade *grade, const Run *run, uint32_t block,
                      uint32_t cta) {
    Arena *arena = grade->arena;
    const LedgerEntry *entry = entry_of(grade, run, block);
    Str how = standing(grade, run, cta, block), again = {0};
    if (entry && entry->again)
        again = str_format(arena,
                           "; its answer was decoded again (line %u) when a "
                           "later one had come",
                           entry->again_at.line);
    return str_format(arena,
                      "The elements of block %.*s were processed %u times by "
                      "block %.*s alone%s%.*s%.*s.",
                      NAMED(block), run->tally[block].times, NAMED(cta),
                      how.len ? ", " : "", STR_ARG(how), STR_ARG(again));
}

// Who stored to it took another block of its cluster from an answer.
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

static Str many_text(const Grade *grade, const Run *run, uint32_t block) {
    Arena *arena = grade->arena;
    const WatchPiece *piece = &run->watch.pieces[block];
    uint32_t kept = piece->writer_count;
    if (kept > WATCH_WRITERS)
        kept = WATCH_WRITERS;
    if (kept == 1)
        return why_by_one(grade, run, block, piece->writers[0]);
    Str list = STR("");
    for (uint32_t i = 0; i < kept; i++)
        list = str_format(
            arena, "%.*s%s%.*s", STR_ARG(list),
            i == 0                         ? ""
            : i + 1 == piece->writer_count ? ", and by "
                                           : ", by ",
            STR_ARG(writer_text(grade, run, piece->writers[i], block)));
    return str_format(arena,
                      "The elements of block %.*s were processed by %.*s%s.",
                      NAMED(block), STR_ARG(list),
                      piece->writer_count > kept ? ", and by others" : "");
}

Why why_many(const Grade *grade, const Run *run, uint32_t block) {
    if (block >= run->watch.count)
        return (Why){.text =
                         str_format(grade->arena,
                                    "Block %.*s was processed several times.",
                                    NAMED(block)),
                     .cure = region_of_work(grade)};
    return (Why){.text = many_text(grade, run, block),
                 .cure = many_cure(grade, run, block)};
}
