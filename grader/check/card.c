// SPDX-License-Identifier: Apache-2.0
// device: the whole grading once more, on a real GPU, reported as one check. It
// carries no points and only confirms: the virtual machine judges the rules,
// and a card shows few of the mistakes that a kernel contains.
#include "check/judge.h"

enum { CARD_SCHEDULES = 5 }; // the named ones up to refuse-early

static const CheckResult *first_of(const Result *result, CheckStatus status) {
    for (size_t i = 0; i < result->check_count; i++)
        if (result->checks[i].status == status)
            return &result->checks[i];
    return NULL;
}

// Takes over the causes of the check that failed on the card, and names that
// check.
static void take_causes(const CheckResult *failed, CheckResult *check) {
    check->status = failed->status;
    check->causes = failed->causes;
    check->cause_count = failed->cause_count;
    if (failed->cause_count > 0)
        check->causes[0].on_card = failed->id;
}

static void skip(Arena *arena, Cause cause, CheckResult *check) {
    check->causes = arena_new(arena, Cause, 1);
    check->causes[0] = cause;
    check->cause_count = 1;
    check->status = CHECK_SKIP;
}

// Appends the check to the existing ones. Its title has the name of the device
// as it is now: loading a submission can change it.
static CheckResult *add_check(Arena *arena, Device *card, Result *result) {
    DeviceInfo info;
    card->ops->info(card, &info);
    Str name = info.name;
    str_cut(&name, ':');
    CheckResult *checks =
        arena_new(arena, CheckResult, result->check_count + 1);
    for (size_t i = 0; i < result->check_count; i++)
        checks[i] = result->checks[i];
    result->checks = checks;
    checks[result->check_count] = (CheckResult){
        .id = STR("device"),
        .title = str_format(arena, "The same on a GPU: %.*s.", STR_ARG(name)),
    };
    return &checks[result->check_count++];
}

void check_on_card(Arena *arena, const Lab *lab, const Submission *submission,
                   Device *card, const GradeOptions *options, Result *result) {
    GradeOptions on_card = *options;
    Result other;
    if (!submission->module) {
        skip(arena,
             cause_of_case(&(Grade){.arena = arena}, NULL, (SrcLoc){0},
                           CASE_DEVICE_NOT_BUILT, NO_FACTS),
             add_check(arena, card, result));
        return;
    }
    on_card.schedules = CARD_SCHEDULES;
    on_card.is_single = on_card.is_limited = false;
    on_card.timed = NULL; // judged once is enough
    on_card.enter = NULL; // it would tell of another result
    if (options->enter)
        options->enter(options->enter_context, GRADE_CARD, result);
    check_grade(arena, lab, submission, card, &on_card, &other);
    CheckResult *check = add_check(arena, card, result);
    const CheckResult *failed = first_of(&other, CHECK_ERROR);
    if (!failed)
        failed = first_of(&other, CHECK_FAIL);
    if (failed && str_equal(failed->causes[0].code, STR("TARGET")))
        skip(arena,
             (Cause){.finding = failed->causes[0].finding,
                     .what = failed->causes[0].what,
                     .help = failed->causes[0].help},
             check);
    else if (failed)
        take_causes(failed, check);
    else
        check->status = CHECK_PASS;
    if (check->status == CHECK_ERROR)
        result->verdict = VERDICT_ERROR;
    else if (check->status == CHECK_FAIL && result->verdict == VERDICT_PASS)
        result->verdict = VERDICT_FAIL;
}

void check_exceeded_on_card(Arena *arena, const Lab *lab,
                            const Submission *submission, Device *card,
                            const GradeOptions *options,
                            const GradeExceeded *exceeded, Result *result) {
    if (exceeded->stage != GRADE_CARD)
        return;
    Grade grade = grade_new(arena, lab, submission, card, options, result);
    Cause *cause = arena_new(arena, Cause, 1);
    *cause = cause_of_excess(&grade, exceeded);
    CheckResult *check = add_check(arena, card, result);
    check->status = exceeded_status(exceeded);
    check->causes = cause;
    check->cause_count = 1;
    if (check->status == CHECK_ERROR)
        result->verdict = VERDICT_ERROR;
    else if (result->verdict == VERDICT_PASS)
        result->verdict = VERDICT_FAIL;
}
