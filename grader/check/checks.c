// SPDX-License-Identifier: Apache-2.0
// The checks of a Result. All start as skipped and stay so unless they are
// judged. The reason for a skip is filled in at the end, when it is known which
// check failed.
#include "check/judge.h"

CheckResult *grade_check(Grade *grade, Str id) {
    for (size_t i = 0; i < grade->result->check_count; i++)
        if (str_equal(grade->result->checks[i].id, id))
            return &grade->result->checks[i];
    return NULL;
}

void grade_set_causes(Grade *grade, Str id, CheckStatus status, Cause *causes,
                      size_t count) {
    CheckResult *check = grade_check(grade, id);
    if (!check)
        return;
    check->status = status;
    check->points = status == CHECK_PASS ? check->max_points : 0;
    check->causes = causes;
    check->cause_count = count;
}

void grade_set(Grade *grade, Str id, CheckStatus status, const Cause *cause) {
    Cause *causes = arena_new(grade->arena, Cause, 1);
    if (cause)
        causes[0] = *cause;
    grade_set_causes(grade, id, status, causes, status == CHECK_PASS ? 0 : 1);
}

void grade_narrow(Grade *grade, Str id) {
    CheckResult *check = grade_check(grade, id);
    if (check && check->status == CHECK_PASS)
        check->title = STR("Right where a block was processed exactly once.");
}

bool grade_has_passed(Grade *grade, Str id) {
    const CheckResult *check = grade_check(grade, id);
    return !check || check->status == CHECK_PASS;
}

void grade_make_checks(Grade *grade) {
    const Lab *lab = grade->lab;
    Result *result = grade->result;
    result->checks = arena_new(grade->arena, CheckResult, lab->check_count);
    result->check_count = lab->check_count;
    for (size_t i = 0; i < lab->check_count; i++)
        result->checks[i] = (CheckResult){
            .id = lab->checks[i].id,
            .title = lab->checks[i].title,
            .max_points = lab->checks[i].points,
            .status = CHECK_SKIP,
        };
}

CheckResult *check_first_failed(const Grade *grade) {
    const Result *result = grade->result;
    for (size_t i = 0; i < result->check_count; i++)
        if (result->checks[i].status == CHECK_FAIL ||
            result->checks[i].status == CHECK_ERROR)
            return &result->checks[i];
    return NULL;
}

void grade_explain_skips(Grade *grade) {
    const CheckResult *failure = check_first_failed(grade);
    Cause cause =
        failure
            ? cause_of_case(grade, NULL, (SrcLoc){0}, CASE_ANY_CHECK_SKIPPED,
                            FACTS(FACT_STR(NAME, failure->id)))
            : cause_of_case(grade, NULL, (SrcLoc){0},
                            CASE_ANY_CHECK_SKIPPED_EARLIER, NO_FACTS);
    for (size_t i = 0; i < grade->result->check_count; i++) {
        CheckResult *check = &grade->result->checks[i];
        if (check->status == CHECK_SKIP && check->cause_count == 0)
            grade_set(grade, check->id, CHECK_SKIP, &cause);
    }
}

void grade_enter(const Grade *grade, GradeStage stage) {
    if (grade->options->enter)
        grade->options->enter(grade->options->enter_context, stage,
                              grade->result);
}
