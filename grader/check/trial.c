// SPDX-License-Identifier: Apache-2.0
// Judges one schedule of a lab's kernel, and makes one that failed as small as
// a few tries can: it takes the smallest of the lab's sizes at which the
// schedule fails in the same way, and the fewest context switches at that size.
// Then says whether it fails because of the order in which blocks are launched
// and granted.
#include "check/internal.h"

enum { TRIES = 24 };
// In thread-instructions, for all tries together.
static const uint64_t MOST_STEPS = 100 * 1000 * 1000;

// ---- one schedule --------------------------------------------------------

// The first check that the run does not pass, with its *cause.
static TrialCheck judge(Grade *grade, const Run *run, Cause *cause) {
    Cause causes[MAX_RULE_CAUSES] = {0};
    if (judge_rules(grade, run, causes) > 0) {
        *cause = causes[0];
        return TRIAL_RULES;
    }
    if (!judge_correct(grade, run, cause))
        return TRIAL_CORRECT;
    if (!judge_exactly_once(grade, run, cause))
        return TRIAL_ONCE;
    if (!judge_technique(grade, run, cause))
        return TRIAL_TECHNIQUE;
    return judge_prologue(grade, run, cause) ? TRIAL_PASSED : TRIAL_PROLOGUE;
}

void trial_run(Trial *trial) {
    Grade *grade = trial->grade;
    const Run *plain = trial->plain;
    Run *run = &trial->run;
    *run = (Run){.number = trial->number,
                 .is_unchecked = plain->is_unchecked,
                 .alike = plain->expected ? plain : NULL};
    run->schedule = schedule_make(grade->options->seed, trial->number);
    run->schedule.steps = plain->device.steps;
    run->schedule.is_limited = trial->is_limited;
    run->schedule.switches = trial->switches;
    run->schedule.in_order = trial->in_order;
    trial->outcome = run_kernel(grade, &trial->arena, plain->size, plain->grid,
                                run, &trial->cause);
    if (trial->outcome != OUTCOME_RAN)
        return;
    trial->failed = judge(grade, run, &trial->cause);
    if (trial->failed != TRIAL_PASSED)
        trial->outcome = OUTCOME_THEIRS;
}

// ---- a smaller one -------------------------------------------------------

static bool fails_alike(const Trial *a, const Trial *b) {
    return a->outcome == OUTCOME_THEIRS && b->outcome == OUTCOME_THEIRS &&
           a->failed == b->failed && str_equal(a->cause.code, b->cause.code) &&
           a->cause.at.line == b->cause.at.line &&
           a->cause.at.col == b->cause.at.col;
}

typedef struct Smaller {
    Trial *best;
    uint32_t tries;
    uint64_t steps; // thread-instructions of all tries so far
} Smaller;

// Runs `trial`, which replaces the best one if it fails in the same way.
static bool replaces(Smaller *smaller, Trial *trial) {
    Trial *best = smaller->best;
    size_t known = best->grade->result->advisory_count;
    trial_run(trial);
    best->grade->result->advisory_count = known;
    smaller->steps += trial->run.device.counters.thread_instructions;
    if (smaller->steps > MOST_STEPS)
        smaller->tries = 0;
    bool alike = fails_alike(trial, best);
    if (alike) {
        arena_free(&best->arena);
        *best = *trial;
    } else {
        arena_free(&trial->arena);
    }
    return alike;
}

static void choose_size(Smaller *smaller) {
    Trial *best = smaller->best;
    const Grade *grade = best->grade;
    for (size_t i = 0; i < grade->run_count && smaller->tries > 0; i++) {
        const Run *plain = &grade->runs[i];
        if (plain->n >= best->run.n)
            return;
        if (plain->grid == 0 || plain->n == 0)
            continue;
        Trial trial = {
            .grade = best->grade, .plain = plain, .number = best->number};
        smaller->tries--;
        if (replaces(smaller, &trial))
            return;
    }
}

static bool try_switches(void *context, uint64_t switches) {
    Smaller *smaller = context;
    const Trial *best = smaller->best;
    Trial trial = {.grade = best->grade,
                   .plain = best->plain,
                   .number = best->number,
                   .is_limited = true,
                   .switches = switches};
    return replaces(smaller, &trial);
}

void trial_minimise(Trial *trial) {
    Smaller smaller = {.best = trial, .tries = TRIES};
    uint64_t switches;
    if (str_equal(trial->cause.code, STR("LIMIT")))
        return;
    if (!trial->grade->options->has_size)
        choose_size(&smaller);
    minimise_switches(try_switches, &smaller, trial->run.device.switches,
                      &smaller.tries, &switches);
}

// ---- the order of blocks -------------------------------------------------

// Whether the schedule passes in order, at the size of `trial`.
static bool passes_in_order(const Trial *trial, uint64_t number) {
    Result *result = trial->grade->result;
    size_t known = result->advisory_count;
    bool same = number == trial->number;
    Trial again = {.grade = trial->grade,
                   .plain = trial->plain,
                   .number = number,
                   .is_limited = same && trial->is_limited,
                   .switches = trial->switches,
                   .in_order = true};
    trial_run(&again);
    result->advisory_count = known;
    arena_free(&again.arena);
    return again.outcome == OUTCOME_RAN;
}

void trial_keep_order(Trial *trial) {
    bool passes = trial->run.device.out_of_order &&
                  !str_equal(trial->cause.code, STR("LIMIT")) &&
                  passes_in_order(trial, trial->number);
    for (uint64_t i = 1; passes && i < ORDER_TRIES; i++)
        passes = passes_in_order(trial, i);
    if (passes)
        cause_relate(trial->grade, &trial->cause, PLACE_NOT_IN_ORDER);
}
