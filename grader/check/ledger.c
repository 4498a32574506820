// SPDX-License-Identifier: Apache-2.0
// technique and prologue, judged on one run: from the device's ledger and its
// watch over stores, never from memory that the learner's code can write.
#include "check/internal.h"

// ---- technique: who processed what ---------------------------------------

static const LedgerChain *find_chain(const Ledger *ledger, uint32_t cta) {
    for (size_t i = 0; i < ledger->chain_count; i++)
        if (ledger->chains[i].cta == cta)
            return &ledger->chains[i];
    return NULL;
}

static bool owns_block(const Run *run, uint32_t cta, uint32_t block) {
    const LedgerChain *chain = find_chain(&run->device.ledger, cta);
    for (size_t i = 0; chain && i < chain->count; i++)
        if (chain->blocks[i] == block)
            return true;
    return false;
}

// Whether a CTA of the cluster of `cta` came to own the cluster of `block`.
static bool owns(const Ledger *ledger, uint32_t cluster, uint32_t cta,
                 uint32_t block) {
    uint32_t first = cta / cluster * cluster;
    for (uint32_t rank = 0; rank < cluster; rank++) {
        const LedgerChain *chain = find_chain(ledger, first + rank);
        for (size_t i = 0; chain && i < chain->count; i++)
            if (chain->blocks[i] / cluster == block / cluster)
                return true;
    }
    return false;
}

static bool is_right_writer(const Lab *lab, const Run *run, uint32_t writer,
                            uint32_t block) {
    switch (lab->technique) {
    case TECHNIQUE_FIXED:
        return writer == block;
    case TECHNIQUE_PERSISTENT:
        return writer == block % run->grid;
    case TECHNIQUE_CLC:
        return owns(&run->device.ledger, lab->cluster, writer, block);
    }
    return false;
}

static Str technique_rule(const Lab *lab) {
    switch (lab->technique) {
    case TECHNIQUE_FIXED:
        return STR("each block processes its own block index, blockIdx.x");
    case TECHNIQUE_PERSISTENT:
        return STR("a grid-stride loop: block b processes the block indices b, "
                   "b + gridDim.x, b + 2 * gridDim.x, ...");
    case TECHNIQUE_CLC:
        break;
    }
    return STR("a block processes its own block index, and those that its "
               "requests were granted");
}

static Str technique_help(const Lab *lab) {
    switch (lab->technique) {
    case TECHNIQUE_FIXED:
        return STR("Compute the index once, from blockIdx.x, blockDim.x and "
                   "threadIdx.x.");
    case TECHNIQUE_PERSISTENT:
        return STR("Start at blockIdx.x * blockDim.x + threadIdx.x and advance "
                   "by gridDim.x * blockDim.x.");
    case TECHNIQUE_CLC:
        break;
    }
    return STR("Get further indices from try_cancel's answers only: no atomic "
               "counter, no stride.");
}

static bool judge_writers(const Grade *grade, const Run *run, Cause *cause) {
    const Lab *lab = grade->lab;
    for (uint32_t block = 0; block < run->watch.count; block++) {
        const WatchPiece *piece = &run->watch.pieces[block];
        if (piece->writer_count == 0 ||
            is_right_writer(lab, run, piece->writers[0], block))
            continue;
        SrcLoc at = place_as_given(grade->submission, piece->at);
        *cause = cause_at(
            at.line ? at : grade->kernel_at,
            str_format(
                grade->arena,
                "Block index %.*s was processed by block %.*s, and "
                "not by the lab's technique.",
                STR_ARG(shape_block_name(grade, run, block)),
                STR_ARG(shape_block_name(grade, run, piece->writers[0]))),
            technique_help(lab));
        cause->expected = technique_rule(lab);
        region_cure(grade, region_of_work(grade), cause->at, cause);
        return false;
    }
    return true;
}

// ---- technique: requests -------------------------------------------------

static bool judge_no_requests(const Grade *grade, const Run *run,
                              Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    if (ledger->totals.requests == 0)
        return true;
    *cause = cause_at(
        grade->kernel_at,
        str_format(grade->arena,
                   "The kernel made %llu Cluster Launch Control requests.",
                   (unsigned long long)ledger->totals.requests),
        STR("Solve this lab without try_cancel: a later one is about it."));
    cause->expected = technique_rule(grade->lab);
    return false;
}

static Str ask_help(const Grade *grade) {
    bool calls = grade->result->dialect == DIALECT_CPP;
    if (grade->lab->cluster > 1)
        return str_format(
            grade->arena,
            "Ask for a pending cluster, for all blocks of yours (%s), before "
            "the block's own work.",
            calls ? "ptx::clusterlaunchcontrol_try_cancel_multicast"
                  : ".multicast::cluster::all");
    return str_format(grade->arena,
                      "Ask for a pending block with %s before the block's own "
                      "work.",
                      calls ? "ptx::clusterlaunchcontrol_try_cancel"
                            : "clusterlaunchcontrol.try_cancel");
}

static bool judge_steals(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    if (run->grid <= run->device.resident || ledger->totals.granted > 0)
        return true;
    Arena *arena = grade->arena;
    *cause = cause_at(
        grade->kernel_at,
        STR("No block index was stolen, though blocks were pending."),
        ledger->totals.requests
            ? STR("Each block must ask again after a grant, until it is "
                  "refused, and while blocks are still pending.")
            : ask_help(grade));
    cause->expected =
        str_format(arena,
                   "of %u blocks, %llu fit on the device; the rest are "
                   "stolen by them",
                   run->grid, (unsigned long long)run->device.resident);
    cause->actual = str_format(arena, "%llu blocks were started; %llu requests",
                               (unsigned long long)ledger->totals.started,
                               (unsigned long long)ledger->totals.requests);
    if (ledger->totals.requests == 0)
        region_cure(grade, PART_ASK, cause->at, cause);
    return false;
}

// Labs about several requests at once say how many.
static bool judge_in_flight(const Grade *grade, const Run *run, Cause *cause) {
    uint32_t least = grade->lab->in_flight,
             most = run->device.ledger.totals.most_in_flight;
    if (grade->info.is_card || run->grid <= run->device.resident ||
        most >= least)
        return true;
    Arena *arena = grade->arena;
    *cause = cause_at(
        grade->kernel_at,
        str_format(arena,
                   "No block had %u requests in flight at once: at most %u.",
                   least, most),
        str_format(arena,
                   "Make %u requests, each with a slot of its own, before any "
                   "thread waits for an answer.",
                   least));
    cause->expected =
        str_format(arena, "%u requests of a block under way at once", least);
    cause->actual = str_format(arena, "%u", most);
    region_cure(grade, PART_ASK, cause->at, cause);
    return false;
}

// Who stored what is judged only where exactly_once passed: else a wrong index
// would fail both.
bool judge_technique(const Grade *grade, const Run *run, Cause *cause) {
    bool right = grade->lab->technique == TECHNIQUE_CLC
                     ? judge_steals(grade, run, cause) &&
                           judge_in_flight(grade, run, cause)
                     : judge_no_requests(grade, run, cause);
    if (right && !grade->once_failed)
        right = judge_writers(grade, run, cause);
    if (!right)
        cause_in_run(grade, run, cause);
    return right;
}

// ---- prologue ------------------------------------------------------------

static SrcLoc prologue_at(const Grade *grade) {
    SrcLoc at = place_find_name(grade->submission, STR("compute_scalar"));
    return at.line ? at : grade->kernel_at;
}

static bool judge_chain(const Grade *grade, const Run *run,
                        const LedgerChain *chain, Cause *cause) {
    bool has_work = chain->count > 1 || (chain->cta < run->blocks &&
                                         run->tally[chain->cta].size > 0);
    if (chain->prologues == 1 || (chain->prologues == 0 && !has_work))
        return true;
    Arena *arena = grade->arena;
    Str name = shape_block_name(grade, run, chain->cta);
    if (chain->prologues == 0)
        *cause = cause_at(
            grade->kernel_at,
            str_format(arena, "Block %.*s never called compute_scalar().",
                       STR_ARG(name)),
            STR("Call it once in each started block, before the block's "
                "work."));
    else
        *cause = cause_at(
            prologue_at(grade),
            str_format(arena,
                       "A thread of block %.*s called compute_scalar() %u "
                       "times.",
                       STR_ARG(name), chain->prologues),
            STR("Call it once, before the loop over block indices, and keep "
                "its value."));
    if (chain->prologues > 1)
        region_here(grade, cause);
    cause->expected = STR("the prologue once in each started block");
    cause->actual = str_format(arena, "%u times in block %.*s",
                               chain->prologues, STR_ARG(name));
    return false;
}

// A persistent grid is no larger than launch_plan's check allows: only on a
// smaller device, as some schedules play it, do not all its blocks fit.
static bool judge_started(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    LabTechnique technique = grade->lab->technique;
    bool bounded = technique == TECHNIQUE_CLC ||
                   (technique == TECHNIQUE_PERSISTENT && run->plain);
    if (!bounded || run->device.allow_refusals ||
        ledger->totals.started <= run->device.resident)
        return true;
    Arena *arena = grade->arena;
    *cause = cause_at(
        prologue_at(grade),
        str_format(arena,
                   "%llu blocks were started, and each paid for the prologue.",
                   (unsigned long long)ledger->totals.started),
        STR("Blocks should go on stealing until they are refused, so that no "
            "pending block needs to be started."));
    cause->expected =
        str_format(arena, "at most %llu: as many as fit on the device",
                   (unsigned long long)run->device.resident);
    cause->actual = str_format(arena, "%llu started, %llu stolen",
                               (unsigned long long)ledger->totals.started,
                               (unsigned long long)ledger->totals.granted);
    return false;
}

bool judge_prologue(const Grade *grade, const Run *run, Cause *cause) {
    const Ledger *ledger = &run->device.ledger;
    bool right = true;
    for (size_t i = 0; i < ledger->chain_count && right; i++)
        right = judge_chain(grade, run, &ledger->chains[i], cause);
    right = right && judge_started(grade, run, cause);
    if (!right)
        cause_in_run(grade, run, cause);
    return right;
}

// ---- the summary ---------------------------------------------------------

enum { SHOWN_CHAINS = 16, SHOWN_LINKS = 12 };

// Where a CTA stored instead: "" where it stored to its block, or that has no
// elements.
static Str strayed(const Grade *grade, const Run *run, uint32_t cta,
                   uint32_t block) {
    uint32_t cluster = grade->lab ? grade->lab->cluster : 1;
    bool judged = grade->lab && run->device.status == RUN_DONE &&
                  block < run->watch.count && run->tally[block].size > 0;
    if (!judged || why_has_stored(run, cta, block))
        return (Str){0};
    uint32_t from = block / cluster * cluster;
    for (uint32_t other = from; other < from + 2 * cluster; other++)
        if (!owns_block(run, cta, other) && why_has_stored(run, cta, other))
            return str_format(grade->arena, " (stored to %.*s)",
                              STR_ARG(shape_block_name(grade, run, other)));
    return STR(" (nothing stored)");
}

static Str chain_text(const Grade *grade, const Run *run,
                      const LedgerChain *chain) {
    Arena *arena = grade->arena;
    Str text = str_format(arena, "block %.*s:",
                          STR_ARG(shape_block_name(grade, run, chain->cta)));
    size_t shown = chain->count < SHOWN_LINKS ? chain->count : SHOWN_LINKS;
    for (size_t i = 0; i < shown; i++)
        text = str_format(
            arena, "%.*s%s%.*s%.*s", STR_ARG(text), i ? " -> " : " ",
            STR_ARG(shape_block_name(grade, run, chain->blocks[i])),
            STR_ARG(strayed(grade, run, chain->cta, chain->blocks[i])));
    if (chain->count > shown)
        text = str_format(arena, "%.*s -> ... (%llu in all)", STR_ARG(text),
                          (unsigned long long)chain->count);
    return text;
}

LedgerSummary ledger_summary(const Grade *grade, const Run *run) {
    Arena *arena = grade->arena;
    const Ledger *ledger = &run->device.ledger;
    LedgerSummary summary = {
        .totals = ledger->totals,
        .n = run->n,
        .size = grade->lab ? shape_size_text(arena, grade->lab, run->size)
                           : (Str){0},
        .schedule = cause_run_name(arena, run),
    };
    summary.chain_count =
        ledger->chain_count < SHOWN_CHAINS ? ledger->chain_count : SHOWN_CHAINS;
    summary.chains = arena_new(arena, Str, summary.chain_count + 1);
    for (size_t i = 0; i < summary.chain_count; i++)
        summary.chains[i] = chain_text(grade, run, &ledger->chains[i]);
    return summary;
}
