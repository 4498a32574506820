// SPDX-License-Identifier: Apache-2.0
// Judges one schedule of a lab's kernel, and makes one that failed as small as
// a few tries can: it takes the smallest of the lab's sizes at which the
// schedule fails in the same way, and the fewest context switches at that size.
// Then says whether it fails because of the order in which blocks are launched
// and granted.
#include "check/judge.h"

// ---- one schedule --------------------------------------------------------

TrialCheck trial_judge(Grade *grade, const Run *run, Cause *cause) {
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

void trial_run(LabTrial *trial) {
    Grade *grade = trial->grade;
    const Run *plain = trial->plain;
    Run *run = &trial->run;
    *run = (Run){.number = trial->asked.number,
                 .is_unchecked = plain->is_unchecked,
                 .alike = plain->expected ? plain : NULL};
    run->schedule = trial_schedule(&trial->asked, plain->device.steps);
    trial->outcome = run_kernel(grade, trial->arena, plain->size, plain->grid,
                                run, &trial->cause);
    if (trial->outcome != OUTCOME_RAN)
        return;
    trial->failed = trial_judge(grade, run, &trial->cause);
    if (trial->failed != TRIAL_PASSED)
        trial->outcome = OUTCOME_THEIRS;
}

// ---- the same again ------------------------------------------------------

// Of the trial's grade and size, under another schedule. What is an advisory
// there is none of this grading.
static bool run_again(void *context, Arena *arena, const Trial *asked,
                      TrialSeen *seen) {
    const LabTrial *like = context;
    Result *result = like->grade->result;
    size_t known = result->advisory_count;
    LabTrial *again = arena_new(arena, LabTrial, 1);
    *again = (LabTrial){.grade = like->grade,
                        .plain = like->plain,
                        .asked = *asked,
                        .arena = arena};
    trial_run(again);
    result->advisory_count = known;
    // One that fails in another way says nothing about this failure.
    seen->has_ended = again->outcome == OUTCOME_RAN;
    seen->steps = again->run.device.counters.thread_instructions;
    seen->shown = again;
    return true;
}

static bool fails_alike(void *context, const void *failed,
                        const TrialSeen *seen) {
    (void)context;
    const LabTrial *a = failed, *b = seen->shown;
    return a->outcome == OUTCOME_THEIRS && b->outcome == OUTCOME_THEIRS &&
           a->failed == b->failed && str_equal(a->cause.code, b->cause.code) &&
           a->cause.at.line == b->cause.at.line &&
           a->cause.at.col == b->cause.at.col;
}

static TrialClient client_of(LabTrial *trial) {
    return (TrialClient){
        .context = trial, .run = run_again, .is_alike = fails_alike};
}

// ---- a smaller one -------------------------------------------------------

static void take_over(LabTrial *trial, TrialSmall *small) {
    Arena *arena = trial->arena;
    LabTrial better = *(const LabTrial *)small->seen.shown;
    arena_free(arena);
    *arena = small->arena;
    *trial = better;
    trial->arena = arena;
}

// Whether the trial fails in the same way at the size of `plain`; takes it over
// then.
static bool fails_at(LabTrial *trial, const Run *plain, TrialBudget *budget) {
    LabTrial like = *trial;
    TrialSmall small = {.trial = trial->asked};
    like.plain = plain;
    run_again(&like, &small.arena, &small.trial, &small.seen);
    trial_spend(budget, small.seen.steps);
    if (fails_alike(NULL, trial, &small.seen)) {
        take_over(trial, &small);
        return true;
    }
    arena_free(&small.arena);
    return false;
}

static void choose_size(LabTrial *trial, TrialBudget *budget) {
    const Grade *grade = trial->grade;
    for (size_t i = 0; i < grade->run_count && trial_may_try(budget); i++) {
        const Run *plain = &grade->runs[i];
        if (plain->n >= trial->run.n)
            return;
        if (plain->grid > 0 && plain->n > 0 && fails_at(trial, plain, budget))
            return;
    }
}

void trial_minimise(LabTrial *trial) {
    TrialBudget budget = TRIAL_BUDGET;
    TrialSmall small;
    TrialClient client = client_of(trial);
    if (!cause_is_retried(&trial->cause))
        return;
    if (!trial->grade->options->has_size)
        choose_size(trial, &budget);
    if (trial_make_small(&client, trial, &trial->asked,
                         trial->run.device.switches, &budget, &small))
        take_over(trial, &small);
}

// ---- the order of blocks -------------------------------------------------

void trial_keep_order(LabTrial *trial) {
    TrialClient client = client_of(trial);
    TrialSuspect suspect = {
        .finding = trial,
        .trial = trial->asked,
        .steps = UINT64_MAX,
        .is_clear =
            !trial->run.device.out_of_order || !cause_is_retried(&trial->cause),
    };
    trial_try_in_order(&client, &suspect, 1);
    if (!suspect.is_clear)
        cause_relate(trial->grade, &trial->cause, PLACE_NOT_IN_ORDER);
}
