// SPDX-License-Identifier: Apache-2.0
// One run in modelled time, judged like a plain one, and what its last block
// did: see timed.h. Read timed_run first, then timed_add_last.
#include "check/timed.h"

// ---- one run -------------------------------------------------------------

static bool fail(Grade *grade, Str id, CheckStatus status, Cause *causes,
                 size_t count) {
    for (size_t i = 0; i < count; i++)
        cause_keep(grade->arena, &causes[i]);
    grade_set_causes(grade, STR("technique"), CHECK_SKIP, NULL, 0);
    grade_set_causes(grade, id, status, causes, count);
    return false;
}

bool timed_fail_outcome(Grade *grade, RunOutcome outcome, Cause *cause) {
    CheckStatus status = outcome == OUTCOME_THEIRS ? CHECK_FAIL : CHECK_ERROR;
    return fail(grade, STR("rules"), status, cause, 1);
}

static bool fail_without_time(Grade *grade, Cause *cause) {
    *cause = cause_of_case(grade, NULL, (SrcLoc){0}, CASE_TECHNIQUE_NO_TIME,
                           NO_FACTS);
    return fail(grade, STR("technique"), CHECK_ERROR, cause, 1);
}

// Fails the check that a plain run like this would fail.
static bool judge_run(Grade *grade, const Run *run) {
    Cause *causes = arena_new(grade->arena, Cause, MAX_RULE_CAUSES);
    size_t count = judge_rules(grade, run, causes);
    if (count > 0)
        return fail(grade, STR("rules"), CHECK_FAIL, causes, count);
    if (!run->device.is_timed)
        return fail_without_time(grade, causes);
    if (!grade->correct_failed && !judge_correct(grade, run, causes))
        return fail(grade, STR("correct"), CHECK_FAIL, causes, 1);
    return judge_exactly_once(grade, run, causes) ||
           fail(grade, STR("exactly_once"), CHECK_FAIL, causes, 1);
}

static bool launch(Grade *grade, Arena *arena, const Timed *what, Run *run) {
    uint32_t grid = 0;
    Cause *cause = arena_new(grade->arena, Cause, 1);
    *run = (Run){.plain = true,
                 .is_timed = true,
                 .problem = what->problem,
                 .arrival = what->arrival,
                 .arrival_stays = what->stays};
    RunOutcome outcome = plan_grid(grade, what->size, &grid, cause);
    if (outcome == OUTCOME_RAN)
        outcome = run_kernel(grade, arena, what->size, grid, run, cause);
    return outcome == OUTCOME_RAN || timed_fail_outcome(grade, outcome, cause);
}

static bool is_pending(const Grade *grade, const Run *run, uint32_t block) {
    const Ledger *ledger = &run->device.ledger;
    size_t cluster = block / grade->lab->cluster;
    return cluster < ledger->entry_count &&
           ledger->entries[cluster].state == LEDGER_PENDING;
}

// Whether each index that was started or granted before the run ended has been
// processed, and no other one.
static bool is_right_so_far(const Grade *grade, const Run *run) {
    if (run->device.status != RUN_DONE || !run->device.is_timed)
        return false;
    for (uint32_t block = 0; block < run->blocks; block++) {
        const BlockTally *tally = &run->tally[block];
        uint32_t wanted = is_pending(grade, run, block) ? 0 : 1;
        if (tally->size > 0 && (tally->mixed || tally->times != wanted))
            return false;
    }
    return true;
}

// A run that is cut short is not judged where it looks wrong: the same run is,
// with an arrival that does not stay.
bool timed_run(Grade *grade, Arena *arena, const Timed *what, Run *run) {
    Timed whole = *what;
    whole.stays = false;
    if (!launch(grade, arena, what, run))
        return false;
    if (!what->stays)
        return judge_run(grade, run);
    if (is_right_so_far(grade, run))
        return true;
    return launch(grade, arena, &whole, run) && judge_run(grade, run);
}

// ---- what the last block did ---------------------------------------------

enum { LISTED = 5 };

// The block whose CTA left its place at this cycle.
static uint32_t block_leaving_at(const DeviceTimeline *line, uint64_t cycle) {
    for (size_t i = 0; i < line->span_count; i++)
        if (line->spans[i].to == cycle)
            return line->spans[i].cta;
    return 0;
}

// When the first place had come to its end.
uint64_t timed_first_end(const DeviceTimeline *line) {
    uint64_t first = line->cycles;
    for (size_t i = 0; i < line->span_count; i++) {
        const DeviceSpan *span = &line->spans[i], *next = span + 1;
        bool is_last = i + 1 == line->span_count || next->sm != span->sm ||
                       next->slot != span->slot;
        if (is_last && span->to < first)
            first = span->to;
    }
    return first;
}

// What a CTA did with the data after a cycle.
typedef struct Late {
    uint32_t first[LISTED]; // block indices, in order of time
    uint32_t last;
    uint32_t count;
} Late;

static bool is_late(const Run *run, uint32_t block, uint32_t cta,
                    uint64_t cycle) {
    const WatchPiece *piece = &run->watch.pieces[block];
    return piece->writer_count > 0 && piece->writers[0] == cta &&
           piece->cycle > cycle;
}

// The block index that the CTA finished next after `cycle`; false: none.
static bool next_late(const Run *run, uint32_t cta, uint64_t cycle,
                      uint32_t *next) {
    bool found = false;
    for (uint32_t block = 0; block < run->watch.count; block++)
        if (is_late(run, block, cta, cycle) &&
            (!found ||
             run->watch.pieces[block].cycle < run->watch.pieces[*next].cycle)) {
            *next = block;
            found = true;
        }
    return found;
}

static Late find_late(const Run *run, uint32_t cta, uint64_t cycle) {
    Late late = {0};
    while (next_late(run, cta, cycle, &late.last)) {
        cycle = run->watch.pieces[late.last].cycle;
        if (late.count < LISTED)
            late.first[late.count] = late.last;
        late.count++;
    }
    return late;
}

static size_t list_late(const Grade *grade, const Late *late,
                        FactItem items[LISTED + 1]) {
    uint32_t listed = late->count < LISTED ? late->count : LISTED;
    for (uint32_t i = 0; i < listed; i++)
        items[i] = (FactItem){
            i == 0 ? WORD_STILL_FIRST : WORD_STILL_NEXT,
            facts_copy(grade->arena, FACTS(FACT(BLOCK, late->first[i])))};
    if (late->count == listed)
        return listed;
    items[listed] = (FactItem){
        WORD_STILL_MORE,
        facts_copy(grade->arena, FACTS(FACT(COUNT, late->count - listed)))};
    return listed + 1;
}

// Where a block index was asked for; else the kernel.
static SrcLoc asked_at(const Grade *grade, const Run *run, uint32_t block) {
    const Ledger *ledger = &run->device.ledger;
    size_t cluster = block / grade->lab->cluster;
    SrcLoc at = {0};
    if (cluster < ledger->entry_count)
        at = place_as_given(grade->submission, ledger->entries[cluster].at);
    return at.line ? at : grade->kernel_at;
}

uint32_t timed_add_last(const Grade *grade, const Run *run, FindingPlace place,
                        uint64_t since, uint64_t end, Finding *finding) {
    uint32_t cta = block_leaving_at(&run->device.timeline, end);
    Late late = find_late(run, cta, since);
    FactItem items[LISTED + 1];
    size_t count = list_late(grade, &late, items);
    finding->related[finding->related_count++] = (RelatedPlace){
        .at = asked_at(grade, run, late.count ? late.last : cta),
        .place = late.count ? place : PLACE_LAST_AND_IDLE,
        .facts = facts_copy(grade->arena,
                            FACTS(FACT(BLOCK, cta), FACT(CYCLE, end),
                                  FACT(CYCLES, since), FACT(COUNT, late.count),
                                  FACT_ITEMS(STILL, items, count)))};
    return late.count;
}
