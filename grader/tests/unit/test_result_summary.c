// SPDX-License-Identifier: Apache-2.0
// What is kept of a Result where the Result itself is gone.
#include "result/summary.h"
#include "tests/unit/test.h"

static Result result_of(CheckResult *checks, size_t count, Verdict verdict) {
    return (Result){.checks = checks,
                    .check_count = count,
                    .verdict = verdict,
                    .score = 42.5,
                    .max_score = 100};
}

TEST(the_first_failure_is_named) {
    Cause causes[] = {{.code = STR("CLC006")}, {.code = STR("CLC001")}};
    CheckResult checks[] = {
        {.id = STR("builds"), .status = CHECK_PASS},
        {.id = STR("technique"), .status = CHECK_SKIP, .causes = causes},
        {.id = STR("rules"),
         .status = CHECK_FAIL,
         .causes = causes,
         .cause_count = 2},
        {.id = STR("correct"), .status = CHECK_FAIL}};
    Result result = result_of(checks, COUNT_OF(checks), VERDICT_FAIL);
    ResultSummary summary = result_summary(&result);
    CHECK(summary.has_score && summary.score == 42.5 && summary.most == 100);
    CHECK_STR(str_from(summary.check), "rules");
    CHECK_STR(str_from(summary.code), "CLC006");
    result.checks = checks + 3; // it has no cause
    result.check_count = 1;
    summary = result_summary(&result);
    CHECK_STR(str_from(summary.check), "correct");
    CHECK_STR(str_from(summary.code), "");
}

TEST(what_could_not_be_judged_is_no_failure) {
    Cause cause = {.code = STR("BUSY")};
    CheckResult checks[] = {{.id = STR("rules"),
                             .status = CHECK_ERROR,
                             .causes = &cause,
                             .cause_count = 1}};
    Result result = result_of(checks, 1, VERDICT_ERROR);
    ResultSummary summary = result_summary(&result);
    CHECK(!summary.has_score);
    CHECK_STR(str_from(summary.check), "");
    CHECK_STR(str_from(summary.code), "");
}

#define REGION \
    "TO"       \
    "DO"

TEST(the_region_to_mend_is_that_of_the_first_cause_that_names_one) {
    Cause causes[] = {{.what = STR("no region")},
                      {.region = STR(REGION "(3): wait for it."),
                       .mend = STR(REGION "(2): ask once.")},
                      {.region = STR(REGION "(1): start.")}};
    CheckResult checks[] = {
        {.status = CHECK_PASS},
        {.status = CHECK_FAIL, .causes = causes, .cause_count = 3}};
    Result result = result_of(checks, 2, VERDICT_FAIL);
    CHECK_INT(result_summary(&result).region, 2);
    causes[1].mend = (Str){0};
    CHECK_INT(result_summary(&result).region, 3);
    causes[1].region = STR(REGION "(100)"); // no region has that number
    CHECK_INT(result_summary(&result).region, 1);
    checks[1].cause_count = 1;
    CHECK_INT(result_summary(&result).region, 0);
}

TEST(names_have_their_end) {
    char name[SUMMARY_NAME * 2];
    memset(name, 'x', sizeof name);
    CheckResult checks[] = {{.id = {name, sizeof name}, .status = CHECK_FAIL}};
    Result result = result_of(checks, 1, VERDICT_FAIL);
    CHECK_INT(strlen(result_summary(&result).check), SUMMARY_NAME - 1);
}

TEST_MAIN(
    TESTCASE(the_first_failure_is_named),
    TESTCASE(what_could_not_be_judged_is_no_failure),
    TESTCASE(the_region_to_mend_is_that_of_the_first_cause_that_names_one),
    TESTCASE(names_have_their_end))
