// SPDX-License-Identifier: Apache-2.0
// Tests of check/card.c: the check that a second grading on a GPU becomes.
#include "tests/unit/check_fake.h"

typedef struct Cards { // a grading on the model, and the GPU
    Bench bench;
    Fake card;
} Cards;

static void cards_close(Cards *cards) {
    fake_close(&cards->card.device);
    bench_close(&cards->bench);
}

#define SCOPED_CARDS(name) __attribute__((cleanup(cards_close))) Cards name

static void cards_open(Cards *cards, LabTechnique technique) {
    bench_open(&cards->bench, technique);
    cards->card = cards->bench.fake;
    cards->card.is_card = true;
}

// What the check `device` says; NULL: there is none.
static const CheckResult *grade(Cards *cards) {
    Bench *bench = &cards->bench;
    bench_grade(bench);
    check_on_card(&bench->arena, &bench->lab, &bench->submission,
                  &cards->card.device, &bench->options, &bench->result);
    report_tell(&bench->arena, &bench->result);
    const CheckResult *check = bench_check(bench, "device");
    CHECK(check == &bench->result.checks[bench->result.check_count - 1]);
    return check;
}

static Str what_of(const CheckResult *check) {
    return check->cause_count ? check->causes[0].what : (Str){0};
}

TEST(a_right_kernel_passes_without_points) {
    static const LabTechnique techniques[] = {TECHNIQUE_CLC, TECHNIQUE_FIXED,
                                              TECHNIQUE_PERSISTENT};
    for (size_t i = 0; i < COUNT_OF(techniques); i++) {
        SCOPED_CARDS(cards);
        cards_open(&cards, techniques[i]);
        const CheckResult *check = grade(&cards);
        CHECK_STR(what_of(check), "");
        CHECK_INT(check->status, CHECK_PASS);
        CHECK_STR(check->title, "The same on a GPU: Some GPU (compute 9.0).");
        CHECK_DOUBLE(check->max_points, 0);
        CHECK_DOUBLE(check->points, 0);
        CHECK_INT(cards.bench.result.verdict, VERDICT_PASS);
        CHECK_DOUBLE(cards.bench.result.score, 100);
        CHECK_DOUBLE(cards.bench.result.max_score, 100);
        CHECK_STR(cards.bench.result.device, "vm");
    }
}

// On a GPU a schedule is its refusals: three of the first five have some.
TEST(few_sizes_and_schedules_are_run) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.bench.options.schedules = 1000;
    cards.bench.options.is_single = true; // the model's alone
    cards.bench.options.single = 9;
    CHECK_INT(grade(&cards)->status, CHECK_PASS);
    CHECK_INT(cards.bench.fake.launches, 5 + 8 + 1);
    CHECK_INT(cards.card.launches, 6);
    CHECK_INT(cards.card.strategies[0], STRATEGY_ROUND_ROBIN);
    CHECK_INT(cards.card.strategies[3], STRATEGY_RANDOM);
    CHECK_INT(cards.card.strategies[4], STRATEGY_NO_STEAL);
    CHECK_INT(cards.card.strategies[5], STRATEGY_REFUSE_EARLY);
}

TEST(what_fails_on_the_card_alone_is_a_fail_without_points) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.card.spoil.wrong_element = 5;
    const CheckResult *check = grade(&cards);
    CHECK_INT(check->status, CHECK_FAIL);
    CHECK_INT(cards.bench.result.verdict, VERDICT_FAIL);
    CHECK_DOUBLE(cards.bench.result.score, 100);
    CHECK(str_starts(what_of(check), STR("On the GPU, correct: ")));
    CHECK(check->causes[0].help.len > 0);
    // Only the model's own checks are judged by it.
    CHECK_INT(bench_check(&cards.bench, "correct")->status, CHECK_PASS);
}

TEST(a_finding_on_the_card_is_told_with_its_code) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.card.spoil.rule = RULE_TIMEOUT;
    cards.card.spoil.status = RUN_FAULT;
    const CheckResult *check = grade(&cards);
    CHECK_INT(check->status, CHECK_FAIL);
    CHECK(str_starts(what_of(check), STR("On the GPU, rules: ")));
    CHECK_STR(check->causes[0].code, "TIMEOUT");
}

// The check of the kernel's ledger, and of a schedule with refusals.
TEST(ledgers_and_refusals_are_judged_on_the_card) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.card.spoil.no_steals = true;
    CHECK_HOLDS(what_of(grade(&cards)), "On the GPU, technique: ");
    SCOPED_CARDS(others);
    cards_open(&others, TECHNIQUE_CLC);
    others.card.spoil.missed = 3;
    others.card.spoil.only_schedule = STRATEGY_REFUSE_EARLY;
    CHECK_HOLDS(what_of(grade(&others)), "On the GPU, schedules: ");
}

TEST(a_card_that_lacks_something_is_no_mistake) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.card.spoil.fails = "TARGET";
    const CheckResult *check = grade(&cards);
    CHECK_INT(check->status, CHECK_SKIP);
    CHECK_STR(what_of(check), "it did not run");
    CHECK_STR(check->causes[0].help, "look elsewhere");
    CHECK_INT(cards.bench.result.verdict, VERDICT_PASS);
}

TEST(a_card_that_fails_is_an_error_and_not_the_students) {
    static const char *const codes[] = {"BUSY", "DEVICE"};
    for (size_t i = 0; i < COUNT_OF(codes); i++) {
        SCOPED_CARDS(cards);
        cards_open(&cards, TECHNIQUE_CLC);
        cards.card.spoil.fails = codes[i];
        const CheckResult *check = grade(&cards);
        CHECK_INT(check->status, CHECK_ERROR);
        CHECK_STR(check->causes[0].code, codes[i]);
        CHECK_STR(what_of(check), "On the GPU, rules: it did not run");
        CHECK_INT(cards.bench.result.verdict, VERDICT_ERROR);
        CHECK_DOUBLE(cards.bench.result.score, 100);
    }
}

// Nobody may conclude that the kernel needs too much.
TEST(a_card_that_does_not_say_what_fits_is_an_error) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.card.spoil.keeps_fit_secret = true;
    const CheckResult *check = grade(&cards);
    CHECK_INT(check->status, CHECK_ERROR);
    CHECK_STR(check->causes[0].code, "BUSY");
    CHECK_HOLDS(check->causes[0].what, "did not say how many blocks fit");
    CHECK_INT(cards.bench.result.verdict, VERDICT_ERROR);
}

TEST(what_does_not_build_is_not_run) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.bench.submission.module = NULL;
    const CheckResult *check = grade(&cards);
    CHECK_INT(check->status, CHECK_SKIP);
    CHECK_HOLDS(what_of(check), "does not build");
    CHECK_INT(cards.card.launches, 0);
    CHECK_INT(cards.bench.result.verdict, VERDICT_FAIL);
}

// One that the model found wrong stays so, and the card is asked all the same.
TEST(a_mistake_that_no_card_shows_still_fails) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.bench.fake.spoil.rule = RULE_CLC006;
    CHECK_INT(grade(&cards)->status, CHECK_PASS);
    CHECK_INT(cards.bench.result.verdict, VERDICT_FAIL);
}

TEST(an_error_of_the_model_stays_one) {
    SCOPED_CARDS(cards);
    cards_open(&cards, TECHNIQUE_CLC);
    cards.bench.fake.spoil.status = RUN_UNSUPPORTED;
    cards.card.spoil.wrong_element = 5;
    CHECK_INT(grade(&cards)->status, CHECK_FAIL);
    CHECK_INT(cards.bench.result.verdict, VERDICT_ERROR);
}

TEST_MAIN(TESTCASE(a_right_kernel_passes_without_points),
          TESTCASE(few_sizes_and_schedules_are_run),
          TESTCASE(what_fails_on_the_card_alone_is_a_fail_without_points),
          TESTCASE(a_finding_on_the_card_is_told_with_its_code),
          TESTCASE(ledgers_and_refusals_are_judged_on_the_card),
          TESTCASE(a_card_that_lacks_something_is_no_mistake),
          TESTCASE(a_card_that_fails_is_an_error_and_not_the_students),
          TESTCASE(a_card_that_does_not_say_what_fits_is_an_error),
          TESTCASE(what_does_not_build_is_not_run),
          TESTCASE(a_mistake_that_no_card_shows_still_fails),
          TESTCASE(an_error_of_the_model_stays_one))
