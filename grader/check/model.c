// SPDX-License-Identifier: Apache-2.0
// What some labs require of technique in addition, in modelled time
// (docs/time-model.md). Both figures are ratios of modelled cycles:
//
//   balance   when the last place for a block ends, divided by the mean end of
//             all places; the mean of several problems
//   yield     how long a kernel of higher priority waits for the whole device,
//             divided by the mean time that a place takes for one block index;
//             the worst of several problems and arrivals
//
// The problems are secret and small, and the device is GradeOptions.timed, the
// same for whatever device grades the rest. So the figures of a kernel hardly
// differ from seed to seed. Read judge_balance and judge_yield; what stands
// before them is one run, and what a report says of the worst one.
//
// A timed run is judged like a plain one first: whoever knew the sizes of the
// lab by heart, and did nothing for others, would be fast.
#include "check/judge.h"

#include <assert.h>

enum {
    BALANCE_PROBLEMS = 8,
    YIELD_PROBLEMS = 4,
    YIELD_ARRIVALS = 6, // of each problem, spread over the middle of the run
    EXACT = 100,        // a ratio is kept in hundredths of a per cent
};

// The blocks of a problem: least, ..., least + spread - 1. Nine to eleven for
// each place of the small model, fourteen to seventeen.
typedef struct Blocks {
    uint32_t least, spread;
} Blocks;
static const Blocks BALANCE_BLOCKS = {72, 16}, YIELD_BLOCKS = {110, 32};

// One run, by what it depends on.
typedef struct Timed {
    uint32_t problem; // its number, from 1
    uint64_t arrival; // as in DeviceLaunch
    LabSize size;
} Timed;

// The figures of several runs.
typedef struct Figures {
    uint64_t sum, worst; // ratios
    uint32_t count;
    Timed slowest; // the run that has the worst
} Figures;

static uint64_t per_cent(uint64_t ratio) {
    return (ratio + EXACT / 2) / EXACT;
}

static uint64_t ratio_of(uint64_t part, uint64_t whole) {
    return whole ? part * (100 * EXACT) / whole : 100 * EXACT;
}

static void add_figure(Figures *figures, const Timed *what, uint64_t ratio) {
    figures->sum += ratio;
    figures->count++;
    if (ratio < figures->worst)
        return;
    figures->worst = ratio;
    figures->slowest = *what;
}

// ---- one run -------------------------------------------------------------

static Rng draws_of(const Grade *grade, uint32_t problem) {
    return rng_stream(grade->options->seed, TIMED_STREAM + 2 * problem);
}

static LabSize draw_size(const Grade *grade, Rng *rng, Blocks blocks) {
    uint32_t more = (uint32_t)rng_below(rng, blocks.spread);
    return shape_filling(grade->lab, blocks.least + more);
}

static bool fail(Grade *grade, Str id, CheckStatus status, Cause *causes,
                 size_t count) {
    for (size_t i = 0; i < count; i++)
        cause_keep(grade->arena, &causes[i]);
    grade_set_causes(grade, STR("technique"), CHECK_SKIP, NULL, 0);
    grade_set_causes(grade, id, status, causes, count);
    return false;
}

static bool fail_outcome(Grade *grade, RunOutcome outcome, Cause *cause) {
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

// False: the run went wrong, and the check that says so has failed.
static bool run_timed(Grade *grade, Arena *arena, const Timed *what, Run *run) {
    uint32_t grid = 0;
    Cause *cause = arena_new(grade->arena, Cause, 1);
    *run = (Run){.plain = true,
                 .is_timed = true,
                 .problem = what->problem,
                 .arrival = what->arrival};
    RunOutcome outcome = plan_grid(grade, what->size, &grid, cause);
    if (outcome == OUTCOME_RAN)
        outcome = run_kernel(grade, arena, what->size, grid, run, cause);
    return outcome == OUTCOME_RAN ? judge_run(grade, run)
                                  : fail_outcome(grade, outcome, cause);
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
static uint64_t first_end(const DeviceTimeline *line) {
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

// Adds who left the device at cycle `end`, and what it did after `since`:
// returns how many block indices it finished.
static uint32_t add_last(const Grade *grade, const Run *run, FindingPlace place,
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

// ---- the bars ------------------------------------------------------------

// Of a bar that was kept: how near it is.
static void note_figure(Grade *grade, const char *name, uint64_t ratio,
                        uint32_t most) {
    CheckResult *check = grade_check(grade, STR("technique"));
    if (check)
        check->figure =
            str_format(grade->arena, "%.*s%s%s %llu%% (at most %u%%)",
                       STR_ARG(check->figure), check->figure.len ? ", " : "",
                       name, (unsigned long long)ratio, most);
}

// Makes the slowest run once more, so that its records live as long as the
// result.
static Run run_slowest(Grade *grade, const Figures *figures) {
    Run run;
    bool right = run_timed(grade, grade->arena, &figures->slowest, &run);
    assert(right); // as it was before
    (void)right;
    return run;
}

// `part`: that decides it, if the run shows which.
static bool miss_bar(Grade *grade, const Run *run, DevicePart part,
                     Finding *finding) {
    finding->at = grade->kernel_at;
    Cause cause = cause_judged(grade, run, finding);
    region_cure(grade, part, (SrcLoc){0}, &cause);
    cause_in_run(grade, run, &cause);
    grade_set(grade, STR("technique"), CHECK_FAIL, &cause);
    return false;
}

// ---- balance -------------------------------------------------------------

static bool measure_balance(Grade *grade, Figures *figures) {
    bool right = true;
    for (uint32_t i = 1; i <= BALANCE_PROBLEMS && right; i++) {
        Rng rng = draws_of(grade, i);
        Timed what = {.problem = i,
                      .size = draw_size(grade, &rng, BALANCE_BLOCKS)};
        Arena scratch = {0};
        Run run;
        right = run_timed(grade, &scratch, &what, &run);
        const DeviceTimeline *line = &run.device.timeline;
        if (right)
            add_figure(figures, &what,
                       ratio_of(line->cycles * line->places, line->ends));
        arena_free(&scratch);
    }
    return right;
}

static bool judge_balance(Grade *grade, const Figures *figures) {
    uint64_t ratio = per_cent(figures->sum / figures->count);
    uint32_t most = grade->lab->balance;
    if (ratio <= most) {
        note_figure(grade, "balance", ratio, most);
        return true;
    }
    Run run = run_slowest(grade, figures);
    const DeviceTimeline *line = &run.device.timeline;
    Finding finding = {.which = CASE_TECHNIQUE_NOT_BALANCED,
                       .facts = FACTS(FACT(RATIO, ratio), FACT(LIMIT, most),
                                      FACT(COUNT, figures->count))};
    add_last(grade, &run, PLACE_ENDED_LAST, first_end(line), line->cycles,
             &finding);
    return miss_bar(grade, &run, PART_HERE, &finding);
}

// ---- yield ---------------------------------------------------------------

// One of the arrivals, each in its own part of the middle third of the run.
static uint64_t draw_arrival(Rng *rng, uint64_t cycles, uint32_t number) {
    uint64_t part = cycles / (3 * YIELD_ARRIVALS);
    return cycles / 3 + number * part + rng_below(rng, part + 1);
}

// `alone`: the run of the problem in which no other kernel arrives.
static bool measure_arrivals(Grade *grade, Rng *rng, const Run *alone,
                             Timed what, Figures *figures) {
    const DeviceTimeline *line = &alone->device.timeline;
    bool right = true;
    for (uint32_t i = 0; i < YIELD_ARRIVALS && right; i++) {
        Arena scratch = {0};
        Run run;
        what.arrival = draw_arrival(rng, line->cycles, i);
        right = run_timed(grade, &scratch, &what, &run);
        if (right)
            add_figure(figures, &what,
                       ratio_of(run.device.timeline.all_free * alone->blocks,
                                line->ends));
        arena_free(&scratch);
    }
    return right;
}

static bool measure_yield(Grade *grade, Figures *figures) {
    bool right = true;
    for (uint32_t i = 1; i <= YIELD_PROBLEMS && right; i++) {
        Rng rng = draws_of(grade, i);
        Timed what = {.problem = i,
                      .size = draw_size(grade, &rng, YIELD_BLOCKS)};
        Arena scratch = {0};
        Run alone;
        right = run_timed(grade, &scratch, &what, &alone) &&
                measure_arrivals(grade, &rng, &alone, what, figures);
        arena_free(&scratch);
    }
    return right;
}

static bool judge_yield(Grade *grade, const Figures *figures) {
    uint64_t ratio = per_cent(figures->worst);
    uint32_t most = grade->lab->yield;
    if (ratio <= most) {
        note_figure(grade, "yield", ratio, most);
        return true;
    }
    Run run = run_slowest(grade, figures);
    const DeviceTimeline *line = &run.device.timeline;
    Finding finding = {.which = CASE_TECHNIQUE_DOES_NOT_YIELD,
                       .facts = FACTS(FACT(RATIO, ratio), FACT(LIMIT, most),
                                      FACT(CYCLE, line->arrival),
                                      FACT(CYCLES, line->all_free),
                                      FACT(COUNT, figures->count))};
    uint32_t held = add_last(grade, &run, PLACE_LEFT_LAST, line->arrival,
                             line->arrival + line->all_free, &finding);
    // Whether these alone, at the mean time, take as long as the bar allows.
    bool is_held = 100 * (uint64_t)held > most;
    return miss_bar(grade, &run, is_held ? PART_AHEAD : PART_HERE, &finding);
}

// ---- both ----------------------------------------------------------------

// The same grading on the device that models time.
static bool prepare(const Grade *grade, Grade *timed) {
    Cause *cause = arena_new(grade->arena, Cause, 1);
    *timed = *grade;
    timed->device = grade->options->timed;
    timed->device->ops->info(timed->device, &timed->info);
    RunOutcome outcome = run_prepare(timed, cause);
    return outcome == OUTCOME_RAN || fail_outcome(timed, outcome, cause);
}

bool judge_model(Grade *grade) {
    const Lab *lab = grade->lab;
    Figures balance = {0}, yield = {0};
    Grade timed;
    if (!grade->options->timed || (lab->balance == 0 && lab->yield == 0) ||
        !prepare(grade, &timed) ||
        (lab->balance && !measure_balance(&timed, &balance)) ||
        (lab->yield && !measure_yield(&timed, &yield)))
        return true;
    return (lab->balance == 0 || judge_balance(&timed, &balance)) &&
           (lab->yield == 0 || judge_yield(&timed, &yield));
}
