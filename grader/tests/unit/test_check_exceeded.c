// SPDX-License-Identifier: Apache-2.0
// A grade that costs too much: the stages that check_grade announces, and what
// check_exceeded makes of one that was ended in each of them.
#include "tests/unit/check_fake.h"

typedef struct Seen {
    GradeStage stages[GRADE_STAGE_COUNT];
    size_t count;
    bool had_rules; // when the schedules began, rules had passed
} Seen;

static void enter(void *context, GradeStage stage, const Result *result) {
    Seen *seen = context;
    if (!CHECK(seen->count < COUNT_OF(seen->stages)))
        return;
    seen->stages[seen->count++] = stage;
    for (size_t i = 0; i < result->check_count; i++)
        if (str_equal(result->checks[i].id, STR("rules")))
            seen->had_rules = result->checks[i].status == CHECK_PASS;
}

TEST(stages_are_announced_in_their_order) {
    Bench bench;
    Seen seen = {0};
    bench_open(&bench, TECHNIQUE_CLC);
    bench.options.enter = enter;
    bench.options.enter_context = &seen;
    bench_grade(&bench);
    CHECK_INT(seen.count, 4);
    for (size_t i = 0; i < seen.count; i++)
        CHECK_INT(seen.stages[i], GRADE_RUNS + i);
    CHECK(seen.had_rules);
    check_on_card(&bench.arena, &bench.lab, &bench.submission,
                  &bench.fake.device, &bench.options, &bench.result);
    CHECK_INT(seen.count, 5);
    CHECK_INT(seen.stages[4], GRADE_CARD);
    bench_close(&bench);
}

static const Result *exceed(Bench *bench, GradeExceeded exceeded) {
    check_exceeded(&bench->arena, &bench->lab, &bench->submission,
                   &bench->fake.device, &bench->options, &exceeded,
                   &bench->result);
    report_tell(&bench->arena, &bench->result);
    return &bench->result;
}

TEST(the_check_of_the_stage_is_an_error_and_what_passed_stays) {
    static const struct {
        GradeStage stage;
        const char *failed;
    } rows[] = {{GRADE_READING, "builds"},
                {GRADE_RUNS, "rules"},
                {GRADE_TIMED, "rules"},
                {GRADE_PROBES, "rules"},
                {GRADE_SCHEDULES, "schedules"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Bench bench;
        bench_open(&bench, TECHNIQUE_CLC);
        GradeExceeded exceeded = {.stage = rows[i].stage,
                                  .limit = 30,
                                  .spent = STR("the plain runs 30.0 s"),
                                  .passed = {[1] = true}};
        const Result *result = exceed(&bench, exceeded);
        CHECK_INT(result->verdict, VERDICT_ERROR);
        CHECK_LIST(&bench, CHECK_FAIL, "");
        CHECK_LIST(&bench, CHECK_PASS, "signature");
        CHECK_LIST(&bench, CHECK_ERROR, rows[i].failed);
        CHECK_DOUBLE(result->score, result->checks[1].max_points);
        const Cause *cause = bench_check(&bench, rows[i].failed)->causes;
        CHECK_STR(cause->code, "LIMIT");
        CHECK_STR(cause->what,
                  "Judging the kernel took more than 30 s of processor time, "
                  "and was ended (the plain runs 30.0 s): it could not be "
                  "judged here.");
        CHECK_STR(cause->at.file, "my/kernel.cu");
        CHECK(cause->at.line > 0);
        for (size_t k = 0; k < result->check_count; k++)
            CHECK(result->checks[k].status != CHECK_SKIP ||
                  result->checks[k].cause_count == 1);
        bench_close(&bench);
    }
}

TEST(on_a_card_only_the_check_of_the_device_is_an_error) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    GradeExceeded exceeded = {.stage = GRADE_CARD,
                              .limit = 60,
                              .spent = STR("the runs on the GPU 50.0 s"),
                              .passed = {[0] = true, [1] = true}};
    check_exceeded(&bench.arena, &bench.lab, &bench.submission,
                   &bench.fake.device, &bench.options, &exceeded,
                   &bench.result);
    double score = bench.result.score;
    CHECK_LIST(&bench, CHECK_FAIL, "");
    check_exceeded_on_card(&bench.arena, &bench.lab, &bench.submission,
                           &bench.fake.device, &bench.options, &exceeded,
                           &bench.result);
    report_tell(&bench.arena, &bench.result);
    CHECK_LIST(&bench, CHECK_ERROR, "device");
    CHECK_LIST(&bench, CHECK_PASS, "builds signature");
    CHECK_DOUBLE(bench.result.score, score);
    CHECK_INT(bench.result.verdict, VERDICT_ERROR);
    const Cause *cause = bench_check(&bench, "device")->causes;
    CHECK_STR(cause->code, "LIMIT");
    CHECK_HOLDS(cause->what, "the runs on the GPU 50.0 s");
    // Where it was ended before, nothing is said of the device.
    exceeded.stage = GRADE_RUNS;
    exceed(&bench, exceeded);
    size_t count = bench.result.check_count;
    check_exceeded_on_card(&bench.arena, &bench.lab, &bench.submission,
                           &bench.fake.device, &bench.options, &exceeded,
                           &bench.result);
    CHECK_INT(bench.result.check_count, count);
    bench_close(&bench);
}

TEST(memory_is_told_as_such) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    exceed(&bench, (GradeExceeded){.stage = GRADE_RUNS,
                                   .is_memory = true,
                                   .limit = 2048,
                                   .spent = STR("the plain runs")});
    CHECK_STR(bench_check(&bench, "rules")->causes->what,
              "Judging the kernel took more than 2048 MiB of memory, and was "
              "ended in the plain runs.");
    CHECK_LIST(&bench, CHECK_FAIL, "rules");
    CHECK_INT(bench.result.verdict, VERDICT_FAIL);
    bench_close(&bench);
}

TEST_MAIN(TESTCASE(stages_are_announced_in_their_order),
          TESTCASE(the_check_of_the_stage_is_an_error_and_what_passed_stays),
          TESTCASE(on_a_card_only_the_check_of_the_device_is_an_error),
          TESTCASE(memory_is_told_as_such))
