// SPDX-License-Identifier: Apache-2.0
// Makes Causes of what judges found and of messages, names the places of a
// finding as the submission has them (result/cause.c makes the cause of it),
// and adds the run in which each was seen and the command that replays it.
#include "check/judge.h"
#include "check/names.h"

#include <assert.h>

// ---- findings and messages -----------------------------------------------

static void set_rule(const Grade *grade, DeviceRule rule, Cause *cause) {
    cause_set_code(grade->arena, cause, rule_code(rule));
}

Cause cause_from_finding(const Grade *grade, const Finding *finding) {
    const Submission *submission = grade->submission;
    Finding named = *finding;
    names_give(grade, &named);
    Cause cause = cause_of_finding(grade->arena, &named);
    cause.at = place_as_given(submission, cause.at);
    region_name(grade, finding, &cause);
    if (cause.at.line == 0)
        cause.at = grade->kernel_at;
    for (uint32_t i = 0; i < cause.caller_count; i++)
        cause.callers[i] = place_as_given(submission, cause.callers[i]);
    for (uint32_t i = 0; i < cause.related_count; i++) {
        CausePlace *related = &cause.related[i];
        related->at = place_as_given(submission, related->at);
        related->caller = place_as_given(submission, related->caller);
    }
    return cause;
}

Cause cause_judged(const Grade *grade, const Run *run, const Finding *judged) {
    assert(facts_are(judged->facts, finding_case_carries(judged->which)));
    Finding finding = *judged;
    if (run && shape_of(grade->lab) == SHAPE_BOX) {
        finding.is_box = true;
        shape_grid(grade->lab, run->size, finding.grid);
    }
    return cause_of_finding(grade->arena, &finding);
}

Cause cause_of_case(const Grade *grade, const Run *run, SrcLoc at,
                    FindingCase which, Facts facts) {
    return cause_judged(grade, run,
                        &(Finding){.which = which, .facts = facts, .at = at});
}

bool cause_of_stop(const Grade *grade, RunStatus status, Cause *cause) {
    switch (status) {
    case RUN_DONE:
    case RUN_UNSUPPORTED:
    case RUN_REFUSED:
        return false;
    case RUN_FAULT:
        *cause = cause_of_case(grade, NULL, grade->kernel_at,
                               CASE_RULES_STOPPED, NO_FACTS);
        return true;
    case RUN_DEADLOCK:
        *cause = cause_of_case(grade, NULL, grade->kernel_at, CASE_RULES_WAITS,
                               NO_FACTS);
        set_rule(grade, RULE_DEADLOCK, cause);
        return true;
    case RUN_LIMIT:
        *cause = cause_of_case(grade, NULL, grade->kernel_at,
                               CASE_RULES_STEP_LIMIT, NO_FACTS);
        set_rule(grade, RULE_LIMIT, cause);
        return true;
    }
    return false;
}

Cause cause_of_excess(const Grade *grade, const GradeExceeded *exceeded) {
    FindingCase which =
        exceeded->is_memory ? CASE_RULES_MEMORY_LIMIT : CASE_RULES_TIME_LIMIT;
    Cause cause = cause_of_case(
        grade, NULL, grade->kernel_at, which,
        FACTS(FACT(LIMIT, exceeded->limit), FACT_STR(TEXT, exceeded->spent)));
    set_rule(grade, RULE_LIMIT, &cause);
    return cause;
}

static const Finding MESSAGE = {.which = CASE_ANY_CHECK_MESSAGE};

Cause cause_from_diag(const Grade *grade, const Diag *diag) {
    Cause cause = {
        .finding = diag->help.len ? NULL : &MESSAGE,
        .code = diag->code,
        .what = diag->what,
        .help = diag->help,
        .at = place_as_given(grade->submission, diag->at),
    };
    region_here(grade, &cause);
    return cause;
}

Cause cause_from_message(const Grade *grade, const Diag *message) {
    Cause cause = cause_from_diag(grade, message);
    cause.finding = NULL;
    return cause;
}

void cause_set_first(Cause *first, size_t count) {
    if (count > 1 && first->help.len == 0)
        first->finding = &MESSAGE;
}

void cause_set_reason(const Grade *grade, FindingReason reason, Cause *cause) {
    Finding *finding = arena_new(grade->arena, Finding, 1);
    *finding = cause->finding ? *cause->finding : MESSAGE;
    finding->reason = reason;
    cause->finding = finding;
    cause->help = (Str){0};
}

void cause_relate(const Grade *grade, Cause *cause, FindingPlace place) {
    if (!cause->finding ||
        cause->finding->related_count == COUNT_OF(cause->finding->related))
        return;
    Finding more = *cause->finding;
    more.related[more.related_count++] = (RelatedPlace){.place = place};
    cause->finding = finding_copy(grade->arena, &more);
    cause_add_related(cause, (SrcLoc){0}, (Str){0});
}

// ---- runs ----------------------------------------------------------------

Str cause_run_name(Arena *arena, const Run *run) {
    if (run->arrival)
        return str_format(arena, "modelled time, arrival at cycle %llu",
                          (unsigned long long)run->arrival);
    if (run->is_timed)
        return STR("modelled time");
    if (run->is_relaunch)
        return STR("plain schedule, in a second launch of the same kernel");
    if (run->far)
        return str_format(arena, "plain schedule, of which %zu clusters ran",
                          run->far->cluster_count);
    if (run->has_other_grid)
        return STR("plain schedule, in another grid than launch_plan's");
    if (run->plain)
        return STR("plain schedule");
    const DeviceSchedule *schedule = &run->schedule;
    if (run->explored)
        return str_format(arena, "schedule %llu of the search",
                          (unsigned long long)run->number);
    return trial_name(arena, run->number, schedule);
}

Str cause_replay(const Grade *grade) {
    const GradeOptions *options = grade->options;
    return replay_trials(grade->arena, options->replay, options->seed,
                         options->schedules);
}

// The command that runs only this schedule; for a plain run, the whole grading.
static Str replay_of(const Grade *grade, const Run *run) {
    Arena *arena = grade->arena;
    if (run->plain)
        return cause_replay(grade);
    Trial trial = {.seed = grade->options->seed,
                   .number = run->number,
                   .is_limited = run->schedule.is_limited,
                   .switches = run->schedule.switches};
    Str size = shape_size_digits(arena, grade->lab, run->size);
    return replay_trial(arena, grade->options->replay, &trial,
                        str_format(arena, " --size %.*s", STR_ARG(size)));
}

// Says which variables of the module the second launch found changed.
static void tell_second(const Grade *grade, const Run *run, Cause *cause) {
    Finding more = cause->finding ? *cause->finding : MESSAGE;
    more.reason = REASON_SECOND_LAUNCH;
    cause->schedule = STR("a second launch of the same kernel");
    cause->help = (Str){0};
    for (size_t i = 0; i < run->device.changed_count &&
                       more.related_count < COUNT_OF(more.related);
         i++) {
        Str name = run->device.changed[i];
        SrcLoc at = place_find_name(grade->submission, name);
        Facts facts = facts_copy(grade->arena, FACTS(FACT_STR(NAME, name)));
        more.related[more.related_count++] = (RelatedPlace){
            .at = at, .place = PLACE_KEPT_VARIABLE, .facts = facts};
        cause->finding = finding_copy(grade->arena, &more);
        cause_add_related(cause, at, (Str){0});
    }
    cause->finding = finding_copy(grade->arena, &more);
}

void cause_in_run(const Grade *grade, const Run *run, Cause *cause) {
    Str name = cause_run_name(grade->arena, run);
    cause->context = str_format(
        grade->arena, "%.*s, %u block%s of %u threads, %.*s",
        STR_ARG(shape_size_text(grade->arena, grade->lab, run->size)),
        run->grid, run->grid == 1 ? "" : "s", grade->lab->threads,
        STR_ARG(name));
    cause->replay = replay_of(grade, run);
    if (run->is_relaunch && run->tally)
        tell_second(grade, run, cause);
}
