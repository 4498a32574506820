// SPDX-License-Identifier: Apache-2.0
// Which region of a lab's file a finding is in, and which is to be mended
// (check/region.c): a fake device finds something at a line of a text with
// regions, and says what part of the loop, or which line, is its cure.
#include "check/internal.h"
#include "tests/unit/check_fake.h"

// Grades; the cause of `rules`, which fails alone.
static Cause broken_rule(Bench *bench) {
    bench_grade(bench);
    CHECK_STR(bench_list(bench, CHECK_FAIL), "rules");
    const CheckResult *check = bench_check(bench, "rules");
    return CHECK(check && check->cause_count > 0) ? check->causes[0]
                                                  : (Cause){0};
}

// clang-format off
#define REGION "TO" "DO"
// clang-format on

TEST(finding_names_the_region_that_it_is_in) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC004;
    bench.submission.source =
        STR("// BEGIN " REGION "(1): the slot.\n// END " REGION "(1)\n"
            "extern \"C\" __global__ __cluster_dims__(2, 1, 1)\n"
            "void kernel(float *data, int n) {\n    compute_scalar();\n"
            "    // BEGIN " REGION "(2): wait for it.\n    wait();\n"
            "    // END " REGION "(2)\n}\n");
    Cause cause = broken_rule(&bench);
    Str region =
        str_format(&bench.arena, REGION "(2): wait for it. (clclab hint %u 2)",
                   bench.lab.number);
    CHECK_STR(cause.region, region.ptr);
    bench.lab.has_hints = false; // a handout without them
    cause = broken_rule(&bench);
    CHECK_STR(cause.region, REGION "(2): wait for it.");
    bench_close(&bench);
}

// Three regions; the finding is at line 7, in the second, and the place that
// belongs to it at line 3, in none.
static void with_regions(Bench *bench) {
    bench_open(bench, TECHNIQUE_CLC);
    bench->fake.spoil.rule = RULE_CLC004;
    bench->submission.source =
        STR("// BEGIN " REGION "(1): the slot.\n// END " REGION "(1)\n"
            "extern \"C\" __global__ __cluster_dims__(2, 1, 1)\n"
            "void kernel(float *data, int n) {\n    compute_scalar();\n"
            "    // BEGIN " REGION "(2): wait for it.\n    wait();\n"
            "    // END " REGION "(2)\n"
            "    // BEGIN " REGION "(3): give it back.\n    release();\n"
            "    // END " REGION "(3)\n}\n");
}

static void mends(Bench *bench, const char *mend) {
    Cause cause = broken_rule(bench);
    Str text = mend[0] ? str_format(&bench->arena, REGION "%s %u %c)", mend,
                                    bench->lab.number, mend[1])
                       : (Str){0};
    CHECK_STR(cause.mend, text.len ? text.ptr : "");
    bench_close(bench);
}

TEST(finding_names_the_region_that_has_the_part_to_mend) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.cure = PART_RELEASE;
    bench.lab.parts[PART_RELEASE] = 1u << 3;
    mends(&bench, "(3): give it back. (clclab hint");
}

TEST(empty_region_is_meant_before_a_later_one_of_that_part) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.cure = PART_DECLARE;
    bench.lab.parts[PART_DECLARE] = 1u << 1 | 1u << 3;
    mends(&bench, "(1): the slot. (clclab hint");
}

TEST(any_text_behind_the_mark_is_a_region) {
    CHECK(region_has_any(STR("x\n  // BEGIN " REGION "(1")));
    CHECK(region_has_any(STR("// BEGIN " REGION "(12): wait\n")));
    CHECK(!region_has_any(STR("// BEGIN " REGION "(\n1")));
    CHECK(!region_has_any(STR("// BEGIN\n// END " REGION "(1)\n")));
}

TEST(region_with_nothing_but_comments_is_empty) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.cure = PART_DECLARE;
    bench.lab.parts[PART_DECLARE] = 1u << 1 | 1u << 3;
    bench.submission.source =
        STR("// BEGIN " REGION "(1): the slot.\n\n    // later\n"
            "// END " REGION "(1)\n"
            "// BEGIN " REGION "(2): wait for it.\n    wait();\n"
            "    // END " REGION "(2)\n"
            "// BEGIN " REGION "(3): give it back.\n    release();\n"
            "// END " REGION "(3)\n");
    mends(&bench, "(1): the slot. (clclab hint");
}

TEST(regions_without_code_are_listed_where_something_failed) {
    Bench bench;
    with_regions(&bench);
    broken_rule(&bench);
    CHECK_STR(bench.result.empty_regions, REGION "(1)");
    bench.submission.source =
        STR("// BEGIN " REGION "(12): last.\n// END " REGION "(12)\n"
            "// BEGIN " REGION "(2): code.\nx();\n// END " REGION "(2)\n"
            "// BEGIN " REGION "(3): none.\n//\n// END " REGION "(3)\n");
    broken_rule(&bench);
    CHECK_STR(bench.result.empty_regions, REGION "(3), " REGION "(12)");
    bench.fake.spoil.rule = DEVICE_RULE_NONE;
    bench_grade(&bench);
    CHECK_STR(bench.result.empty_regions, "");
    bench_close(&bench);
}

TEST(finding_is_mended_where_it_is_if_that_region_has_the_part) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.cure = PART_WAIT;
    bench.lab.parts[PART_WAIT] = 1u << 2 | 1u << 3;
    mends(&bench, "");
}

TEST(place_of_the_cure_counts_more_than_its_part) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.cure = PART_WAIT;
    bench.fake.spoil.cure_line = 10;
    bench.lab.parts[PART_WAIT] = 1u << 1;
    mends(&bench, "(3), line 10: give it back. (clclab hint");
}

TEST(part_that_no_region_has_names_none) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.cure = PART_LEAVE;
    bench.fake.spoil.cure_line = 4;
    mends(&bench, "");
}

TEST(call_from_a_region_is_in_it) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.line = 5;
    bench.fake.spoil.caller_line = 10;
    Cause cause = broken_rule(&bench);
    CHECK_HOLDS(cause.region, "(3): give it back.");
    CHECK_INT(cause.caller_count, 1);
    CHECK_INT(cause.callers[0].line, 10);
    CHECK_STR(cause.callers[0].file, "my/kernel.cu");
    bench_close(&bench);
}

TEST(race_outside_of_regions_is_mended_in_the_one_between) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.rule = RULE_RACE001;
    bench.fake.spoil.line = 12;
    mends(&bench, "(3): give it back. (clclab hint");
}

TEST(race_round_a_loop_is_mended_in_front_of_the_later_access) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.rule = RULE_RACE001;
    bench.fake.spoil.line = 5;
    bench.fake.spoil.earlier_line = 12;
    mends(&bench, "(1): the slot. (clclab hint");
}

TEST(place_of_the_cure_in_no_region_leaves_the_part_unnamed) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.line = 5;
    bench.fake.spoil.cure = PART_RELEASE;
    bench.fake.spoil.cure_line = 4;
    bench.lab.parts[PART_RELEASE] = 1u << 3;
    mends(&bench, "");
}

// ---- judges --------------------------------------------------------------

// Grades; what the check says of regions: "in", then "mend".
static void judged(Bench *bench, const char *id, const char *in,
                   const char *mend) {
    bench_grade(bench);
    const CheckResult *check = bench_check(bench, id);
    if (CHECK(check && check->status == CHECK_FAIL && check->cause_count > 0)) {
        Cause cause = check->causes[0];
        size_t len = sizeof REGION "(1)" - 1;
        CHECK_STR(str_slice(cause.region, 0, len), in);
        CHECK_STR(str_slice(cause.mend, 0, len), mend);
    }
    bench_close(bench);
}

TEST(index_that_was_taken_and_lost_is_mended_where_it_is_decoded) {
    Bench bench;
    with_regions(&bench); // the answer's line, 6, is in the second
    bench.fake.spoil.rule = 0;
    bench.fake.spoil.missed = 20;
    bench.lab.parts[PART_INDEX] = 1u << 3;
    judged(&bench, "exactly_once", REGION "(2)", REGION "(3)");
    with_regions(&bench);
    bench.fake.spoil.rule = 0;
    bench.fake.spoil.missed = 20;
    bench.lab.parts[PART_INDEX] = 1u << 2 | 1u << 3;
    judged(&bench, "exactly_once", REGION "(2)", "");
}

TEST(judge_that_is_not_sure_names_no_region) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.rule = 0;
    bench.fake.spoil.missed = 3; // a block that was started
    bench.lab.parts[PART_INDEX] = 1u << 3;
    judged(&bench, "exactly_once", "", "");
    with_regions(&bench);
    bench.fake.spoil.rule = 0;
    bench.fake.spoil.missed = 20;
    bench.lab.parts[PART_INDEX] = 1u << 1 | 1u << 3; // which of them?
    judged(&bench, "exactly_once", "", "");
    with_regions(&bench);
    bench.fake.spoil.rule = 0;
    bench.fake.spoil.twice = 20;
    bench.lab.parts[PART_INDEX] = 1u << 3;
    judged(&bench, "exactly_once", "", "");
}

TEST(too_few_requests_under_way_are_mended_where_they_are_made) {
    Bench bench;
    with_regions(&bench);
    bench.fake.spoil.rule = 0;
    bench.fake.spoil.one_at_a_time = true;
    bench.lab.in_flight = 2;
    bench.lab.parts[PART_ASK] = 1u << 2;
    judged(&bench, "technique", "", REGION "(2)");
}

// The CTA that leaves last finishes its own block index and one in eight of the
// others after the other kernel has arrived: nine and more, where a bar of 400%
// allows four; 257 at most, where one of 40000% allows 400.
static void hold_on(FakeLaunch *f, DeviceTimeline *line) {
    static const DeviceSpan spans[] = {{.from = 0, .to = 100000, .cta = 5}};
    *line = (DeviceTimeline){.cycles = 300,
                             .places = 1,
                             .ends = 100 * f->blocks,
                             .arrival = f->launch->arrival,
                             .all_free = 100000 - f->launch->arrival};
    line->spans = arena_new(f->arena, DeviceSpan, 1);
    line->spans[0] = spans[0];
    line->span_count = 1;
}

TEST(what_is_held_too_long_is_mended_where_it_is_said_how_much_is_held) {
    for (uint32_t yield = 400; yield <= 40000; yield += 39600) {
        Bench bench;
        with_regions(&bench);
        bench.fake.spoil.rule = 0;
        bench.fake.time = hold_on;
        bench.options.timed = &bench.fake.device;
        bench.lab.yield = yield;
        bench.lab.parts[PART_AHEAD] = 1u << 3;
        judged(&bench, "technique", "", yield == 400 ? REGION "(3)" : "");
    }
}

static void with_a_plan(Bench *bench) {
    bench_open(bench, TECHNIQUE_FIXED);
    bench->submission.source =
        STR("int launch_plan(int n) {\n"
            "// BEGIN " REGION "(1): how many.\n// END " REGION "(1)\n}\n"
            "extern \"C\" __global__ void kernel(float *data, int n) {\n"
            "    compute_scalar();\n"
            "    // BEGIN " REGION "(2): the work.\n    work();\n"
            "    // END " REGION "(2)\n}\n");
    bench->lab.parts[PART_PLAN] = 1u << 1;
    bench->lab.parts[PART_INDEX] = 1u << 2;
}

TEST(plan_and_work_are_mended_in_their_regions) {
    Bench bench;
    with_a_plan(&bench);
    bench.fake.spoil.plan_off = 1;
    judged(&bench, "launch_plan", "", REGION "(1)");
    with_a_plan(&bench);
    bench.fake.spoil.missed = 3;
    judged(&bench, "exactly_once", "", REGION "(2)");
    with_a_plan(&bench);
    bench.fake.spoil.twice = 3;
    judged(&bench, "exactly_once", REGION "(2)", "");
    with_a_plan(&bench);
    bench.fake.spoil.wrong_writer = 3;
    judged(&bench, "technique", REGION "(2)", "");
    with_a_plan(&bench);
    bench.fake.spoil.leaves_data = true;
    judged(&bench, "correct", "", REGION "(2)");
}

TEST(wrong_value_names_no_region) {
    Bench bench;
    with_a_plan(&bench);
    bench.fake.spoil.wrong_element = 5;
    judged(&bench, "correct", "", "");
}

// The edit that heals is what the learner is told: its region goes before the
// one that usually has the part, which would be another file's mistake.
TEST(region_of_an_edit_goes_before_the_usual_one) {
    static const struct {
        uint32_t line;
        const char *mend; // NULL: that of the cause itself
    } rows[] = {
        {10, REGION "(3), line 10: give it back."}, {7, NULL}, {3, NULL}};
    Bench bench;
    with_regions(&bench);
    bench.lab.has_hints = false;
    Grade grade = {.arena = &bench.arena,
                   .lab = &bench.lab,
                   .submission = &bench.submission};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Cause cause = {.at = {bench.submission.file, 7, 1},
                       .mend = STR("part 9: usually"),
                       .advice = {.edit_count = 1}};
        region_of_advice(&grade, &cause);
        CHECK_STR(cause.mend, "part 9: usually"); // of no file of hers
        cause.advice.edits[0].at =
            (SrcLoc){bench.submission.file, rows[i].line, 1};
        region_of_advice(&grade, &cause);
        CHECK_STR(cause.region, REGION "(2): wait for it.");
        CHECK_STR(cause.mend, rows[i].mend ? rows[i].mend : "");
    }
    bench_close(&bench);
}

TEST_MAIN(
    TESTCASE(region_of_an_edit_goes_before_the_usual_one),

    TESTCASE(finding_names_the_region_that_it_is_in),
    TESTCASE(place_of_the_cure_in_no_region_leaves_the_part_unnamed),
    TESTCASE(index_that_was_taken_and_lost_is_mended_where_it_is_decoded),
    TESTCASE(judge_that_is_not_sure_names_no_region),
    TESTCASE(too_few_requests_under_way_are_mended_where_they_are_made),
    TESTCASE(what_is_held_too_long_is_mended_where_it_is_said_how_much_is_held),
    TESTCASE(plan_and_work_are_mended_in_their_regions),
    TESTCASE(wrong_value_names_no_region),
    TESTCASE(finding_names_the_region_that_has_the_part_to_mend),
    TESTCASE(empty_region_is_meant_before_a_later_one_of_that_part),
    TESTCASE(any_text_behind_the_mark_is_a_region),
    TESTCASE(region_with_nothing_but_comments_is_empty),
    TESTCASE(regions_without_code_are_listed_where_something_failed),
    TESTCASE(finding_is_mended_where_it_is_if_that_region_has_the_part),
    TESTCASE(place_of_the_cure_counts_more_than_its_part),
    TESTCASE(part_that_no_region_has_names_none),
    TESTCASE(call_from_a_region_is_in_it),
    TESTCASE(race_outside_of_regions_is_mended_in_the_one_between),
    TESTCASE(race_round_a_loop_is_mended_in_front_of_the_later_access))
