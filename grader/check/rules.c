// SPDX-License-Identifier: Apache-2.0
// Judges rules on one run: the device's findings become causes, each rule and
// place once. Advisories go to the result, whether or not the check passes.
#include "check/judge.h"

enum { MAX_ADVISORIES = 8 };

void grade_advise(Grade *grade, const Cause *cause) {
    Result *result = grade->result;
    if (!result->advisories)
        result->advisories = arena_new(grade->arena, Cause, MAX_ADVISORIES);
    for (size_t i = 0; i < result->advisory_count; i++)
        if (str_equal(result->advisories[i].code, cause->code) &&
            result->advisories[i].at.line == cause->at.line)
            return;
    if (result->advisory_count < MAX_ADVISORIES)
        result->advisories[result->advisory_count++] = *cause;
}

static bool is_known(const Cause *causes, size_t count, const Cause *cause) {
    for (size_t i = 0; i < count; i++)
        if (str_equal(causes[i].code, cause->code) &&
            causes[i].at.line == cause->at.line &&
            causes[i].at.col == cause->at.col)
            return true;
    return false;
}

static bool is_writer(const WatchPiece *piece, uint32_t cta) {
    uint32_t kept = piece->writer_count;
    if (kept > WATCH_WRITERS)
        return true; // perhaps one of those that were not kept
    for (uint32_t i = 0; i < kept; i++)
        if (piece->writers[i] == cta)
            return true;
    return false;
}

// Two blocks that both processed an index race for its elements. That is not
// a mistake of its own: exactly_once judges it, and says why they did.
static bool is_double_work(Grade *grade, const Run *run,
                           const Finding *finding) {
    const Watch *watch = &run->watch;
    if (finding->rule != RULE_RACE001 || !finding->in_buffer ||
        finding->buffer != watch->buffer || finding->cta == finding->other_cta)
        return false;
    uint64_t element = finding->offset / BYTES_PER_ELEMENT;
    if (run->device.status != RUN_DONE || element >= (uint64_t)run->n)
        return false;
    uint32_t block = run->owner[element];
    const BlockTally *tally = &run->tally[block];
    if (tally->mixed || tally->times < 2 ||
        (tally->again < tally->size &&
         tally_times(run, (int32_t)element) < 2) ||
        !grade_check(grade, STR("exactly_once")))
        return false;
    const WatchPiece *piece = &watch->pieces[block];
    return is_writer(piece, finding->cta) &&
           is_writer(piece, finding->other_cta);
}

// So is a block that was done in part, where its elements show it: correct or
// exactly_once fails then, and this says why.
static bool is_partial_work(Grade *grade, const Run *run,
                            const Finding *finding) {
    const Fact *block = fact_find(finding->facts, FACT_BLOCK);
    bool in_part = finding->which == CASE_CLC009_IN_PART_LEFT ||
                   finding->which == CASE_CLC009_IN_PART_KEPT ||
                   finding->which == CASE_CLC009_IN_PART_AXIS;
    if (!in_part || !run->tally || block->number >= run->blocks ||
        !grade_check(grade, STR("exactly_once")))
        return false;
    const BlockTally *tally = &run->tally[block->number];
    return tally->mixed || tally->times != 1;
}

// Work that was granted and lost (CLC009): adds where the block that asked
// stores the elements of its own index.
static Finding with_stores(const Grade *grade, const Run *run,
                           const Finding *finding) {
    Finding more = *finding;
    const Fact *owner = fact_find(finding->facts, FACT_OWNER);
    uint32_t block = owner ? (uint32_t)owner->number : UINT32_MAX;
    if (finding->rule != RULE_CLC009 || block >= run->watch.count ||
        !run->watch.pieces[block].called.line ||
        more.related_count == COUNT_OF(more.related))
        return more;
    more.related[more.related_count++] = (RelatedPlace){
        .at = run->watch.pieces[block].called,
        .caller = run->watch.pieces[block].called,
        .place = PLACE_OWN_STORES,
        .facts = facts_copy(grade->arena, FACTS(FACT(BLOCK, block)))};
    return more;
}

// An address that was computed from a cut index: adds a type that cuts it.
static Finding with_type(const Grade *grade, const Finding *finding) {
    Finding more = *finding;
    for (uint32_t i = 0; i < finding->related_count; i++) {
        const RelatedPlace *cut = &finding->related[i];
        if (cut->place != PLACE_INDEX_CUT ||
            more.related_count == COUNT_OF(more.related))
            continue;
        SrcLoc at = place_find_narrow(
            grade->submission,
            (uint32_t)fact_find(cut->facts, FACT_COUNT)->number);
        if (at.line)
            more.related[more.related_count++] =
                (RelatedPlace){.at = at,
                               .caller = at,
                               .place = PLACE_NARROW_TYPE,
                               .facts = cut->facts};
    }
    return more;
}

// Of a lab that is about giving the device back: a sleep that the file itself
// asks for, when all that is left to do is to finish and go. A library's wait
// may sleep between two looks.
static void advise_of_sleep(Grade *grade, const Run *run) {
    SrcLoc at = place_as_given(grade->submission, run->device.slept);
    if (!grade->lab->yield || !at.line ||
        !str_equal(at.file, grade->submission->file))
        return;
    Cause cause =
        cause_of_case(grade, run, at, CASE_TECHNIQUE_SLEEPS, NO_FACTS);
    region_here(grade, &cause);
    cause_in_run(grade, run, &cause);
    grade_advise(grade, &cause);
}

size_t judge_rules(Grade *grade, const Run *run, Cause *causes) {
    size_t count = 0;
    advise_of_sleep(grade, run);
    const DeviceRun *device = &run->device;
    for (size_t i = 0; i < device->finding_count; i++) {
        if (is_double_work(grade, run, &device->findings[i]))
            continue;
        Finding finding = with_stores(grade, run, &device->findings[i]);
        finding = with_type(grade, &finding);
        Cause cause = cause_from_finding(grade, &finding);
        cause_in_run(grade, run, &cause);
        if (device->findings[i].level == FINDING_ADVISORY ||
            is_partial_work(grade, run, &device->findings[i]))
            grade_advise(grade, &cause);
        else if (count < MAX_RULE_CAUSES && !is_known(causes, count, &cause))
            causes[count++] = cause;
    }
    if (count == 0 && cause_of_stop(grade, run->device.status, &causes[0])) {
        cause_in_run(grade, run, &causes[0]);
        count = 1;
    }
    return count;
}
