// SPDX-License-Identifier: Apache-2.0
// What some labs require of technique in addition, in modelled time
// (docs/time-model.md). Both figures are ratios of modelled cycles:
//
//   balance   when the last place for a block ends, compared with the mean end
//             of all places: 100% and the difference, as a part of the time
//             that the last TIMED_TAIL block indices take; the worst of several
//             sizes
//   yield     how long a kernel of higher priority waits for the whole device,
//             divided by the mean time that a place takes for one block index;
//             the worst of several sizes and arrivals
//
// The problems are secret, and the device is GradeOptions.timed, the same for
// whatever device grades the rest. Their sizes are drawn anew for each run, one
// from each of many intervals that lie side by side: who behaves at some sizes
// only is met at others. What a figure says does not depend on the size: so the
// bars are the same for all. Read judge_balance and judge_yield; timed.h has
// one run, and what a report says of the worst one.
//
// A timed run is judged like a plain one first: whoever knew the sizes of the
// lab by heart, and did nothing for others, would be fast.
#include "check/timed.h"

#include <assert.h>

enum {
    // Numbers of problems: the first of balance, of those looked at, of yield.
    BALANCE_FIRST = 1,
    LOOK_FIRST = 101,
    YIELD_FIRST = 201,
    MORE_FIRST = 1001,
    EXACT = 100, // a ratio is kept in hundredths of a per cent
};

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

static uint64_t mean_of(const Figures *figures) {
    return per_cent(figures->sum / figures->count);
}

// ---- problems ------------------------------------------------------------

// Block indices of a problem: least, ..., least + spread - 1.
typedef struct Blocks {
    uint32_t least, spread;
} Blocks;

static Rng draws_of(const Grade *grade, uint32_t problem) {
    return rng_stream(grade->options->seed, TIMED_STREAM + 2 * problem);
}

// The i-th interval, where each octave from `least` on has so many equal parts.
static Blocks part_of_octaves(uint32_t least, uint32_t parts, uint32_t i) {
    uint32_t octave = least << i / parts;
    return (Blocks){octave + i % parts * (octave / parts), octave / parts};
}

static LabSize draw_size(const Grade *grade, Rng *rng, Blocks blocks) {
    uint32_t more = (uint32_t)rng_below(rng, blocks.spread);
    return shape_filling(grade->lab, blocks.least + more);
}

// ---- an arrival ----------------------------------------------------------

// How long a place takes for a block index: so many cycles, of all places, for
// so many indices.
typedef struct Pace {
    uint64_t cycles, indices;
    uint32_t places;
} Pace;

static Pace pace_of(const Run *run) {
    const DeviceTimeline *line = &run->device.timeline;
    return (Pace){line->ends, run->blocks, line->places};
}

// So many indices of one place, in cycles.
static uint64_t cycles_of(Pace pace, uint64_t indices) {
    return pace.indices ? indices * pace.cycles / pace.indices : 0;
}

// In the middle third of the run, but no later than when each place has done
// `deepest` indices: what comes later is like that, and takes longer to run.
static uint64_t draw_arrival(Rng *rng, Pace pace, uint32_t blocks,
                             uint32_t deepest) {
    uint64_t third = cycles_of(pace, blocks) / (3 * (uint64_t)pace.places);
    uint64_t from = third, to = 2 * third, most = cycles_of(pace, deepest);
    if (to > most) {
        to = most;
        from = third < most / 2 ? third : most / 2;
    }
    return 1 + from + rng_below(rng, to - from + 1);
}

// Whether the run was about to end, and had nothing more to grant.
static bool is_too_late(const Run *run) {
    const LedgerTotals *totals = &run->device.ledger.totals;
    const DeviceTimeline *line = &run->device.timeline;
    return totals->started + totals->granted >= totals->grid &&
           line->arrival > line->cycles / 4 * 3;
}

// A run that is cut short when the other kernel has every place. If the kernel
// is faster at this size than `pace` says, the run itself says how fast it is.
static bool run_arrival(Grade *grade, Arena *arena, Rng *rng, Pace pace,
                        uint32_t deepest, Timed *what, Run *run) {
    uint32_t blocks = shape_blocks(grade->lab, what->size);
    what->stays = true;
    what->arrival = draw_arrival(rng, pace, blocks, deepest);
    if (!timed_run(grade, arena, what, run))
        return false;
    if (!is_too_late(run))
        return true;
    what->arrival = draw_arrival(rng, pace_of(run), blocks, deepest);
    return timed_run(grade, arena, what, run);
}

// The wait for all places, against the mean time of an index so far.
static uint64_t yield_ratio(const Run *run) {
    const LedgerTotals *totals = &run->device.ledger.totals;
    const DeviceTimeline *line = &run->device.timeline;
    uint64_t indices = totals->started + totals->granted;
    if (indices > run->blocks) // of a cluster that is not full
        indices = run->blocks;
    return ratio_of(line->all_free * indices, line->ends);
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
    bool right = timed_run(grade, grade->arena, &figures->slowest, &run);
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

// Nine and more for each place of the small model. Below, a kernel that holds
// four ahead, and is right, ends as unevenly as one that holds many.
static const Blocks BALANCE_BLOCKS[] = {{72, 36}, {108, 36}, {216, 216}};

enum {
    // Problems of a size, in steps: each is taken if the mean of the last
    // misses
    // the bar, but not the last step if it does so CLEARLY.
    SIZE_FEW = 4,
    SIZE_MORE = 12,
    SIZE_MOST = 24,
    CLEARLY = 10,     // per cent
    LOOK_LEAST = 144, // block indices of the smallest size that is looked at
    LOOK_OCTAVES = 4,
    LOOK_PARTS = 3, // of an octave: a size of each is looked at
    LOOK_DEEPEST = 6,
    // Per cent of the mean time of an index, for which another kernel waits if
    // this one has promised little.
    LOOK_PROMISED = 700,
};

static uint64_t balance_ratio(const DeviceTimeline *line, uint32_t blocks) {
    uint64_t tail = blocks < TIMED_TAIL ? blocks : TIMED_TAIL;
    uint64_t late = line->cycles * line->places - line->ends;
    return 100 * EXACT + ratio_of(late * blocks, line->ends * tail);
}

static uint32_t problem_of(uint32_t first, uint32_t i) {
    return i < SIZE_FEW ? first + i : MORE_FIRST + first * SIZE_MOST + i;
}

// How many are to be taken in all.
static uint32_t more_problems(uint32_t count, uint64_t mean, uint32_t bar) {
    if (mean <= bar)
        return count;
    if (count < SIZE_MORE)
        return count < SIZE_FEW ? SIZE_FEW : SIZE_MORE;
    return mean > bar + CLEARLY ? count : SIZE_MOST;
}

// Adds the figures of `least` problems of this size, with the numbers from
// `first` on. A few may miss the bar by chance: then of more.
static bool measure_at(Grade *grade, uint32_t first, uint32_t least,
                       LabSize size, Figures *figures, Pace *pace) {
    uint32_t count = least;
    for (uint32_t i = 0; i < count; i++) {
        Timed what = {.problem = problem_of(first, i), .size = size};
        Arena scratch = {0};
        Run run;
        bool right = timed_run(grade, &scratch, &what, &run);
        if (right) {
            add_figure(figures, &what,
                       balance_ratio(&run.device.timeline, run.blocks));
            *pace = pace_of(&run);
        }
        arena_free(&scratch);
        if (!right)
            return false;
        if (i + 1 == count)
            count = more_problems(count, mean_of(figures), grade->lab->balance);
    }
    return true;
}

// Keeps the figures of the size that has the worse mean.
static void keep_worse(Figures *worst, const Figures *figures) {
    if (worst->count == 0 || mean_of(figures) > mean_of(worst))
        *worst = *figures;
}

// Whether balance has to be measured at this size, too: how much the kernel
// promises there tells. For that, a run need not come to its end.
static bool look_at(Grade *grade, uint32_t first, Blocks blocks, Pace pace,
                    Figures *worst) {
    Rng rng = draws_of(grade, first);
    Timed what = {.problem = first, .size = draw_size(grade, &rng, blocks)};
    Arena scratch = {0};
    Figures figures = {0};
    Run run;
    bool right =
        run_arrival(grade, &scratch, &rng, pace, LOOK_DEEPEST, &what, &run);
    bool is_much = right && per_cent(yield_ratio(&run)) > LOOK_PROMISED;
    arena_free(&scratch);
    if (!is_much)
        return right;
    if (!measure_at(grade, first, SIZE_FEW, what.size, &figures, &pace))
        return false;
    keep_worse(worst, &figures);
    return true;
}

static bool measure_one(Grade *grade, uint32_t first, Blocks blocks, Pace *pace,
                        Figures *worst) {
    Rng rng = draws_of(grade, first);
    Figures figures = {0};
    if (!measure_at(grade, first, 1, draw_size(grade, &rng, blocks), &figures,
                    pace))
        return false;
    keep_worse(worst, &figures);
    return true;
}

static bool is_clear(const Grade *grade, const Figures *worst) {
    return worst->count && mean_of(worst) > grade->lab->balance + CLEARLY;
}

// What is clear at one size is not measured at another.
static bool measure_balance(Grade *grade, Figures *worst) {
    Pace pace;
    bool right = true;
    for (uint32_t i = 0;
         i < COUNT_OF(BALANCE_BLOCKS) && right && !is_clear(grade, worst); i++)
        right = measure_one(grade, BALANCE_FIRST + i * SIZE_FEW,
                            BALANCE_BLOCKS[i], &pace, worst);
    for (uint32_t i = 0;
         i < LOOK_OCTAVES * LOOK_PARTS && right && !is_clear(grade, worst); i++)
        right =
            look_at(grade, LOOK_FIRST + i * SIZE_FEW,
                    part_of_octaves(LOOK_LEAST, LOOK_PARTS, i), pace, worst);
    return right;
}

static bool judge_balance(Grade *grade, const Figures *figures) {
    uint64_t ratio = mean_of(figures);
    uint32_t most = grade->lab->balance;
    if (ratio <= most) {
        note_figure(grade, "balance", ratio, most);
        return true;
    }
    Run run = run_slowest(grade, figures);
    const DeviceTimeline *line = &run.device.timeline;
    Finding finding = {.which = CASE_TECHNIQUE_NOT_BALANCED,
                       .facts = FACTS(FACT(RATIO, ratio), FACT(LIMIT, most),
                                      FACT(COUNT, figures->count),
                                      FACT(BLOCKS, run.blocks))};
    timed_add_last(grade, &run, PLACE_ENDED_LAST, timed_first_end(line),
                   line->cycles, &finding);
    return miss_bar(grade, &run, PART_HERE, &finding);
}

// ---- yield ---------------------------------------------------------------

enum {
    YIELD_LEAST = 64, // block indices: eight for each place of the small model
    YIELD_OCTAVES = 5,
    YIELD_PARTS = 5, // of an octave: an arrival in a run of a size of each
    YIELD_DEEPEST = 12,
    // In the first part of each octave the arrival may come as late as this. By
    // then the places have drifted apart, so that one of them may just have
    // begun an index more than the others: that is not counted, in per cent.
    YIELD_VERY_DEEP = 64,
    YIELD_DRIFT = 100,
};

// A run in which no other kernel arrives.
static bool measure_pace(Grade *grade, Pace *pace) {
    Rng rng = draws_of(grade, YIELD_FIRST);
    Timed what = {.problem = YIELD_FIRST,
                  .size =
                      draw_size(grade, &rng,
                                part_of_octaves(YIELD_LEAST, YIELD_PARTS, 0))};
    Arena scratch = {0};
    Run run;
    bool right = timed_run(grade, &scratch, &what, &run);
    if (right)
        *pace = pace_of(&run);
    arena_free(&scratch);
    return right;
}

// The wait of an arrival, the drift left out.
static uint64_t ratio_of_arrival(const Run *run, Pace pace) {
    uint64_t ratio = yield_ratio(run), drift = YIELD_DRIFT * EXACT;
    bool is_deep =
        run->device.timeline.arrival > cycles_of(pace, YIELD_DEEPEST) + 1;
    if (!is_deep)
        return ratio;
    return ratio > drift ? ratio - drift : 0;
}

static bool measure_arrival(Grade *grade, uint32_t problem, Blocks blocks,
                            Pace pace, uint32_t deepest, Figures *figures) {
    Rng rng = draws_of(grade, problem);
    Timed what = {.problem = problem, .size = draw_size(grade, &rng, blocks)};
    Arena scratch = {0};
    Run run;
    bool right = run_arrival(grade, &scratch, &rng, pace, deepest, &what, &run);
    if (right)
        add_figure(figures, &what, ratio_of_arrival(&run, pace));
    arena_free(&scratch);
    return right;
}

static bool measure_yield(Grade *grade, Figures *figures) {
    Pace pace;
    bool right = measure_pace(grade, &pace);
    for (uint32_t i = 0; i < YIELD_OCTAVES * YIELD_PARTS && right; i++) {
        bool is_deep = i % YIELD_PARTS == 0;
        right =
            measure_arrival(grade, YIELD_FIRST + 1 + i,
                            part_of_octaves(YIELD_LEAST, YIELD_PARTS, i), pace,
                            is_deep ? YIELD_VERY_DEEP : YIELD_DEEPEST, figures);
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
    uint32_t held = timed_add_last(grade, &run, PLACE_LEFT_LAST, line->arrival,
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
    return outcome == OUTCOME_RAN || timed_fail_outcome(timed, outcome, cause);
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
