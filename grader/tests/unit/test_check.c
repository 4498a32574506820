// SPDX-License-Identifier: Apache-2.0
// check_grade, on the fake Device: for each check a pass, its failures and
// what they say, and what is skipped then. test_check_builds.c has the checks
// that need no run, test_check_errors.c the errors that are not the learner's.
#include "tests/unit/check_fake.h"

// ---- all right -----------------------------------------------------------

static void passes(LabTechnique technique) {
    Bench bench;
    bench_open(&bench, technique);
    const Result *result = bench_grade(&bench);
    CHECK_LIST(&bench, CHECK_FAIL, "");
    CHECK_LIST(&bench, CHECK_SKIP, "");
    CHECK_LIST(&bench, CHECK_ERROR, "");
    CHECK_INT(result->verdict, VERDICT_PASS);
    CHECK_DOUBLE(result->score, 100);
    CHECK_DOUBLE(result->max_score, 100);
    static const int probes[] = {[TECHNIQUE_CLC] = 7 + 2, // long schedules
                                 [TECHNIQUE_FIXED] = 7,
                                 [TECHNIQUE_PERSISTENT] = 7 + 5};
    CHECK_INT(bench.fake.launches, 5 + probes[technique] + 16);
    bench_close(&bench);
}

TEST(right_clc_kernel_gets_full_marks) {
    passes(TECHNIQUE_CLC);
}

TEST(right_fixed_kernel_gets_full_marks) {
    passes(TECHNIQUE_FIXED);
}

TEST(right_persistent_kernel_gets_full_marks) {
    passes(TECHNIQUE_PERSISTENT);
}

TEST(result_describes_the_run) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    const Result *result = bench_grade(&bench);
    CHECK_STR(result->title, "Clusters that steal");
    CHECK_STR(result->file, "my/kernel.cu");
    CHECK_STR(result->device, "vm");
    CHECK_STR(result->gpu_model, "mini");
    CHECK_STR(result->compiler, "NVRTC 13.0");
    CHECK_INT(result->lab, 4);
    CHECK_INT(result->seed, 7);
    CHECK(result->has_ledger);
    CHECK_INT(result->ledger.n, 20000);
    CHECK_INT(result->ledger.totals.grid, 158);
    CHECK_INT(result->ledger.totals.started, 8);
    CHECK_INT(result->ledger.totals.granted, 150);
    CHECK_INT(result->ledger.chain_count, 8);
    CHECK_STR(result->ledger.schedule, "plain schedule");
    CHECK_HOLDS(result->ledger.chains[1], "block 1: 1 -> 9 -> 17");
    CHECK_HOLDS(result->ledger.chains[1], " and 8 more");
    bench_close(&bench);
}

TEST(what_the_kernel_printed_is_kept) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.prints = "hello\n";
    CHECK_STR(bench_grade(&bench)->output, "hello\n");
    bench_close(&bench);
}

// ---- launch_plan ---------------------------------------------------------

TEST(wrong_plan_fails_launch_plan_alone) {
    for (LabTechnique t = TECHNIQUE_FIXED; t <= TECHNIQUE_PERSISTENT; t++) {
        Bench bench;
        bench_open(&bench, t);
        bench.fake.spoil.plan_off = 1;
        Cause cause = fails_alone(&bench, "launch_plan");
        CHECK_HOLDS(cause.what, "2 blocks for n = 1");
        CHECK_HOLDS(cause.expected, "blocks = 1");
        CHECK_HOLDS(cause.help,
                    t == TECHNIQUE_PERSISTENT ? "Two numbers" : "One thread");
        CHECK_INT(cause.at.line, 11);
        CHECK_DOUBLE(bench.result.score, 90); // the kernel is right
        bench_close(&bench);
    }
}

TEST(rounding_down_fails_launch_plan) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_FIXED);
    bench.fake.spoil.plan_off = -1;
    CHECK_HOLDS(fails_alone(&bench, "launch_plan").help, "Round up");
    bench_close(&bench);
}

TEST(plan_that_traps_fails_launch_plan) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_FIXED);
    bench.fake.spoil.plan_traps = true;
    CHECK_STR(fails_alone(&bench, "launch_plan").code, "TRAP");
    bench_close(&bench);
}

// ---- correct and exactly_once --------------------------------------------

TEST(wrong_element_fails_correct_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.wrong_element = 130;
    Cause cause = fails_alone(&bench, "correct");
    CHECK_HOLDS(cause.what, "1 of 1000 elements");
    CHECK_HOLDS(cause.what, "data[130], of block 1");
    CHECK_HOLDS(cause.expected, "data[130] = ");
    CHECK_STR(cause.actual, "data[130] = 17");
    CHECK_HOLDS(cause.context, "n = 1000");
    CHECK_INT(cause.at.line, 9);
    CHECK_STR(cause.replay,
              "clclab grade 4 my/kernel.cu --seed 7 --schedules 16");
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "schedules");
    CHECK_INT(bench.result.ledger.n, 1000);
    bench_close(&bench);
}

TEST(nan_never_passes) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.nan_element = 3;
    CHECK_HOLDS(fails_alone(&bench, "correct").help, "not a number");
    bench_close(&bench);
}

TEST(smallest_size_that_fails_and_has_right_elements_is_shown) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.wrong_element = 0; // at n = 1 it is the only one
    CHECK_HOLDS(fails_alone(&bench, "correct").context, "n = 127,");
    bench_close(&bench);
}

TEST(missed_block_fails_exactly_once_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.missed = 17;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.what, "1 of 80 block indices was not processed");
    CHECK_STR(cause.actual, "never: 17");
    CHECK_STR(cause.expected, "each block index from 0 to 79 exactly once");
    CHECK_INT(cause.related_count, 1);
    CHECK_HOLDS(cause.related[0].what, "request of block 0");
    CHECK_INT(cause.at.line, 6); // the request
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "schedules");
    bench_close(&bench);
}

TEST(started_block_that_wrote_nothing_is_named) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.missed = 2;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what,
                "Block 2 was started, but stored nothing to its "
                "own elements.");
    CHECK_INT(cause.at.line, 4);
    bench_close(&bench);
}

TEST(block_beyond_a_persistent_grid_is_explained) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_PERSISTENT);
    bench.fake.spoil.missed = 20;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what, "beyond the grid of 8 blocks");
    bench_close(&bench);
}

TEST(block_processed_twice_fails_exactly_once_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.twice = 9;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_STR(cause.actual, "repeated: 9 (2x)");
    CHECK_HOLDS(cause.related[0].what,
                "2 times by block 1 alone, which took it from "
                "an answer.");
    CHECK_INT(cause.at.line, 9);
    // What passed is what was compared.
    CHECK_STR(bench_check(&bench, "correct")->title,
              "Right where a block was processed exactly once.");
    bench_close(&bench);
}

TEST(block_processed_by_two_names_both) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.by_two = 11;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what, "by block 3, which took it from an "
                                       "answer, and by block 0, which no "
                                       "answer gave it to.");
    bench_close(&bench);
}

TEST(kernel_that_stores_nothing_fails_correct) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.leaves_data = true;
    Cause cause = fails_alone(&bench, "correct");
    CHECK_HOLDS(cause.what, "changed no element");
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "exactly_once schedules");
    bench_close(&bench);
}

// ---- technique and prologue ----------------------------------------------

TEST(kernel_that_does_not_steal_fails_technique_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.no_steals = true;
    Cause cause = fails_alone(&bench, "technique");
    CHECK_HOLDS(cause.what, "No block index was stolen");
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "prologue schedules");
    bench_close(&bench);
}

TEST(fewer_requests_in_flight_than_the_lab_asks_for_fail_technique) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.lab.in_flight = 2;
    bench_grade(&bench);
    CHECK_STR(bench_list(&bench, CHECK_FAIL), "");
    bench_close(&bench);
    bench_open(&bench, TECHNIQUE_CLC);
    bench.lab.in_flight = 2;
    bench.fake.spoil.one_at_a_time = true;
    Cause cause = fails_alone(&bench, "technique");
    CHECK_STR(cause.what,
              "No block had 2 requests in flight at once: at most 1.");
    bench_close(&bench);
    bench_open(&bench, TECHNIQUE_CLC);
    bench.lab.in_flight = 2;
    bench.fake.spoil.one_at_a_time_later = true;
    cause = fails_alone(&bench, "technique");
    CHECK_HOLDS(cause.what, "Block 2 never had 2 requests in flight at once, "
                            "though it stole ");
    CHECK_STR(cause.actual, "1 at most in block 2");
    bench_close(&bench);
}

TEST(work_taken_by_other_means_fails_technique_alone) {
    for (LabTechnique t = TECHNIQUE_FIXED; t <= TECHNIQUE_CLC; t++) {
        Bench bench;
        bench_open(&bench, t);
        bench.fake.spoil.wrong_writer = 4;
        Cause cause = fails_alone(&bench, "technique");
        CHECK_HOLDS(cause.what, "Block index 4 was processed by block 1");
        CHECK(cause.expected.len > 0);
        bench_close(&bench);
    }
}

TEST(requests_fail_technique_where_none_are_asked_for) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_PERSISTENT);
    bench.fake.spoil.requests = true;
    CHECK_HOLDS(fails_alone(&bench, "technique").what, "requests");
    bench_close(&bench);
}

TEST(repeated_prologue_fails_prologue_alone) {
    for (LabTechnique t = TECHNIQUE_FIXED; t <= TECHNIQUE_CLC; t++) {
        Bench bench;
        bench_open(&bench, t);
        bench.fake.spoil.prologues = 4;
        Cause cause = fails_alone(&bench, "prologue");
        CHECK_HOLDS(cause.what, "block 3 called compute_scalar() 5 times");
        CHECK_INT(cause.at.line, 5);
        CHECK_INT(cause.at.col, 19);
        bench_close(&bench);
    }
}

TEST(missing_prologue_fails_prologue_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_PERSISTENT);
    bench.fake.spoil.no_prologue = true;
    CHECK_STR(fails_alone(&bench, "prologue").what,
              "Block 0 never called compute_scalar().");
    bench_close(&bench);
}

// ---- rules ---------------------------------------------------------------

TEST(finding_fails_rules_and_skips_the_rest) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC004;
    Cause cause = fails_alone(&bench, "rules");
    CHECK_STR(cause.code, "CLC004");
    CHECK_STR(cause.what,
              "Block 3 exits while the answer of its own request is on its "
              "way to its shared memory (2 times in this run).");
    CHECK_INT(cause.at.line, 7);
    CHECK_STR(cause.via.file, "/usr/include/barrier.h");
    CHECK_STR(cause.related[0].at.file, "my/kernel.cu");
    CHECK(cause.in_order);
    CHECK_STR(cause.who, "block 3, rank 1 of its cluster of 2, warp 1, lane 5; "
                         "at block index 17, its 3rd");
    CHECK_STR(cause.missing, "A wait for the answer before the exit.");
    CHECK_STR(cause.explain, "clclab explain CLC004");
    CHECK_HOLDS(cause.context, "n = 1,");
    CHECK_STR(bench_list(&bench, CHECK_SKIP),
              "correct exactly_once technique prologue schedules");
    CHECK_INT(bench.fake.launches, 1);
    bench_close(&bench);
}

// A race for the elements of block 11, with what the fake did to that block.
static void race(Bench *bench, uint32_t by, uint32_t other) {
    bench_open(bench, TECHNIQUE_CLC);
    bench->fake.spoil.rule = RULE_RACE001;
    bench->fake.spoil.race_block = 11;
    bench->fake.spoil.race_cta[0] = by;
    bench->fake.spoil.race_cta[1] = other;
}

TEST(race_of_two_blocks_over_double_work_is_exactly_once) {
    Bench bench;
    race(&bench, 0, 3);
    bench.fake.spoil.by_two = 11;
    bench.fake.spoil.only_schedule = STRATEGY_ROUND_ROBIN;
    bench.lab.sizes[0] = (LabSize){{10240, 1, 1}};
    bench.lab.size_count = 1;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what, "block 3");
    bench_close(&bench);
}

TEST(other_races_fail_rules) {
    static const struct {
        uint32_t by, other;
        int by_two;
    } cases[] = {
        {0, 3, NOBODY}, // nobody worked twice
        {0, 3, 12},     // on another block
        {3, 3, 11},     // in one block
        {0, 5, 11},     // 5 did not work on it
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench bench;
        race(&bench, cases[i].by, cases[i].other);
        bench.fake.spoil.by_two = cases[i].by_two;
        CHECK_STR(fails_alone(&bench, "rules").code, "RACE001");
        bench_close(&bench);
    }
}

TEST(race_in_another_buffer_fails_rules) {
    Bench bench;
    race(&bench, 0, 3);
    bench.fake.spoil.race_block = 0;
    bench.fake.spoil.by_two = 0;
    CHECK_STR(fails_alone(&bench, "rules").code, "RACE001");
    bench_close(&bench);
}

TEST(advisory_costs_nothing_and_is_told_once) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC006;
    bench.fake.spoil.level = FINDING_ADVISORY;
    const Result *result = bench_grade(&bench);
    CHECK_DOUBLE(result->score, 100);
    CHECK_INT(result->advisory_count, 1);
    CHECK_STR(result->advisories[0].code, "CLC006");
    bench_close(&bench);
}

TEST(run_that_does_not_end_fails_rules) {
    static const struct {
        RunStatus status;
        const char *code;
    } cases[] = {
        {RUN_LIMIT, "LIMIT"}, {RUN_DEADLOCK, "DEADLOCK"}, {RUN_FAULT, ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench bench;
        bench_open(&bench, TECHNIQUE_CLC);
        bench.fake.spoil.status = cases[i].status;
        CHECK_STR(fails_alone(&bench, "rules").code, cases[i].code);
        bench_close(&bench);
    }
}

TEST(block_that_fits_nowhere_fails_rules) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.fits_nowhere = true;
    CHECK_HOLDS(fails_alone(&bench, "rules").what, "No block of kernel fits");
    CHECK_INT(bench.fake.launches, 0);
    bench_close(&bench);
}

// ---- schedules -----------------------------------------------------------

// Sizes and probes are launched before the schedules, and a far probe after
// them.
enum { FIRST = 5 + 6 };

TEST(schedules_cover_every_strategy) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench_grade(&bench);
    for (int k = 0; k < 16; k++) {
        int expected = k < STRATEGY_PCT           ? k
                       : k % 2 == 0               ? STRATEGY_PCT
                       : k % 16 == 9              ? STRATEGY_PATIENCE
                       : k % 8 == 3 || k % 8 == 5 ? STRATEGY_STALL
                                                  : STRATEGY_RANDOM;
        CHECK_INT(bench.fake.strategies[FIRST + k], expected);
        for (int other = 0; other < k; other++)
            CHECK(bench.fake.seeds[FIRST + k] !=
                  bench.fake.seeds[FIRST + other]);
    }
    bench_close(&bench);
}

TEST(failing_schedule_is_named) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC001;
    bench.fake.spoil.only_schedule = STRATEGY_REFUSE_EARLY;
    Cause cause = fails_alone(&bench, "schedules");
    CHECK_STR(cause.code, "CLC001");
    CHECK_HOLDS(cause.what, "In schedule 4 (refuse-early, 0 switches): Thread");
    CHECK_HOLDS(cause.context, "schedule 4 (refuse-early, 0 switches)");
    CHECK_STR(cause.replay, "clclab grade 4 my/kernel.cu --seed 7 "
                            "--only-schedule 4 --size 1 --switches 0");
    CHECK_STR(bench.result.ledger.schedule,
              "schedule 4 (refuse-early, 0 switches)");
    CHECK_DOUBLE(bench.result.score, 90);
    // Then the smallest size that has blocks, and no switch at all.
    CHECK_INT(bench.fake.launches, FIRST + 5 + 2);
    bench_close(&bench);
}

TEST(data_and_blocks_are_judged_in_schedules) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.only_schedule = STRATEGY_ONE_SM;
    bench.fake.spoil.missed = 20;
    CHECK_HOLDS(fails_alone(&bench, "schedules").what, "not processed");
    bench.fake.spoil.missed = NOBODY;
    bench.fake.spoil.wrong_element = 20;
    CHECK_HOLDS(fails_alone(&bench, "schedules").what, "elements is wrong");
    bench.fake.spoil.wrong_element = NOBODY;
    bench.fake.spoil.prologues = 1;
    CHECK_HOLDS(fails_alone(&bench, "schedules").what, "compute_scalar");
    bench_close(&bench);
}

TEST(unsupported_in_a_schedule_is_an_error_of_ours) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.only_schedule = STRATEGY_ONE_SM;
    bench.fake.spoil.status = RUN_UNSUPPORTED;
    CHECK_INT(bench_grade(&bench)->verdict, VERDICT_ERROR);
    CHECK_LIST(&bench, CHECK_ERROR, "schedules");
    bench_close(&bench);
}

TEST(no_schedules_means_plain_runs_and_no_points_for_schedules) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.options.schedules = 0;
    CHECK(bench_grade(&bench)->score < 100);
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "schedules");
    CHECK_INT(bench.fake.launches, FIRST + 1);
    bench_close(&bench);
}

TEST(sizes_beyond_the_limit_are_left_out) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.options.max_size = 10240;
    bench_grade(&bench);
    CHECK_INT(bench.result.ledger.n, 10240);
    bench_close(&bench);
}

TEST(same_seed_same_result) {
    Bench a, b, c;
    bench_open(&a, TECHNIQUE_CLC);
    bench_open(&b, TECHNIQUE_CLC);
    bench_open(&c, TECHNIQUE_CLC);
    c.options.seed = 8;
    a.fake.spoil.wrong_element = b.fake.spoil.wrong_element = 300;
    c.fake.spoil.wrong_element = 300;
    Cause first = fails_alone(&a, "correct"),
          again = fails_alone(&b, "correct");
    Cause other = fails_alone(&c, "correct");
    CHECK(str_equal(first.expected, again.expected));
    CHECK(!str_equal(first.expected, other.expected));
    bench_close(&a);
    bench_close(&b);
    bench_close(&c);
}

TEST_MAIN(
    TESTCASE(right_clc_kernel_gets_full_marks),
    TESTCASE(right_fixed_kernel_gets_full_marks),
    TESTCASE(right_persistent_kernel_gets_full_marks),
    TESTCASE(result_describes_the_run),
    TESTCASE(what_the_kernel_printed_is_kept),
    TESTCASE(wrong_plan_fails_launch_plan_alone),
    TESTCASE(rounding_down_fails_launch_plan),
    TESTCASE(plan_that_traps_fails_launch_plan),
    TESTCASE(wrong_element_fails_correct_alone), TESTCASE(nan_never_passes),
    TESTCASE(smallest_size_that_fails_and_has_right_elements_is_shown),
    TESTCASE(missed_block_fails_exactly_once_alone),
    TESTCASE(started_block_that_wrote_nothing_is_named),
    TESTCASE(block_beyond_a_persistent_grid_is_explained),
    TESTCASE(block_processed_twice_fails_exactly_once_alone),
    TESTCASE(block_processed_by_two_names_both),
    TESTCASE(kernel_that_stores_nothing_fails_correct),
    TESTCASE(kernel_that_does_not_steal_fails_technique_alone),
    TESTCASE(fewer_requests_in_flight_than_the_lab_asks_for_fail_technique),
    TESTCASE(work_taken_by_other_means_fails_technique_alone),
    TESTCASE(requests_fail_technique_where_none_are_asked_for),
    TESTCASE(repeated_prologue_fails_prologue_alone),
    TESTCASE(missing_prologue_fails_prologue_alone),
    TESTCASE(finding_fails_rules_and_skips_the_rest),
    TESTCASE(race_of_two_blocks_over_double_work_is_exactly_once),
    TESTCASE(other_races_fail_rules),
    TESTCASE(race_in_another_buffer_fails_rules),
    TESTCASE(advisory_costs_nothing_and_is_told_once),
    TESTCASE(run_that_does_not_end_fails_rules),
    TESTCASE(block_that_fits_nowhere_fails_rules),
    TESTCASE(schedules_cover_every_strategy),
    TESTCASE(failing_schedule_is_named),
    TESTCASE(data_and_blocks_are_judged_in_schedules),
    TESTCASE(unsupported_in_a_schedule_is_an_error_of_ours),
    TESTCASE(no_schedules_means_plain_runs_and_no_points_for_schedules),
    TESTCASE(sizes_beyond_the_limit_are_left_out),
    TESTCASE(same_seed_same_result))
