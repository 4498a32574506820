// SPDX-License-Identifier: Apache-2.0
// check_launch: what buffers hold before a launch, which schedules are run,
// how their findings join, and that outputs are compared bit by bit. The Device
// is a fake (launch_fake.h).
#include "tests/unit/launch_fake.h"

// ---- buffers -------------------------------------------------------------

TEST(random_buffers_are_splitmix64) {
    // The first outputs of splitmix64 from the states 0, 1, 2: upper halves.
    // e220a8397b1dcdaf, 910a2dec89025cc1, 975835de1c9756ce
    static const uint8_t expected[12] = {0x39, 0xa8, 0x20, 0xe2, 0xec, 0x2d,
                                         0x0a, 0x91, 0xde, 0x35, 0x58, 0x97};
    LaunchArgument argument = {
        .is_buffer = true, .size = 12, .fill = FILL_RANDOM};
    uint8_t bytes[12];
    launch_fill(&argument, 0, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        CHECK_INT(bytes[i], expected[i]);
    Rng rng = {2};
    uint64_t third = rng_next(&rng);
    CHECK_INT(bytes[8], third >> 32 & 0xff);
    CHECK_INT(bytes[11], third >> 56);
    argument.seed = 1; // word i is that of state 1 + i
    launch_fill(&argument, 0, bytes, 4);
    CHECK_INT(memcmp(bytes, expected + 4, 4), 0);
    argument.seed = UINT64_MAX; // wraps
    launch_fill(&argument, 4, bytes, 4);
    CHECK_INT(memcmp(bytes, expected, 4), 0);
}

TEST(a_size_that_is_no_multiple_of_4_cuts_the_last_word) {
    LaunchArgument argument = {.is_buffer = true, .size = 7, .fill = FILL_IOTA};
    uint8_t bytes[8] = {0};
    launch_fill(&argument, 4 * 0x010203, bytes, 7);
    static const uint8_t expected[8] = {3, 2, 1, 0, 4, 2, 1, 0};
    CHECK_INT(memcmp(bytes, expected, 8), 0);
}

TEST(arguments_are_laid_out_as_parameters) {
    static Bench b;
    bench_open(&b);
    CHECK(bench_run(&b));
    // pointer at 0, short at 8, double at the next multiple of 8
    static const uint8_t expected[24] = {0,    0x10, 0, 0, 0, 0, 0, 0,
                                         0x34, 0x12, 0, 0, 0, 0, 0, 0,
                                         1,    2,    3, 4, 5, 6, 7, 8};
    CHECK_INT(b.fake.block_bytes, 24);
    CHECK_INT(memcmp(b.fake.block, expected, 24), 0);
    CHECK_INT(b.outputs[0].len, 38);
    CHECK_INT(b.outputs[0].ptr[36], 9);
    CHECK_INT(b.outputs[1].len, 0);
    CHECK_U64(b.fake.step_limit, 99);
    bench_close(&b);
}

// ---- schedules -----------------------------------------------------------

TEST(the_plain_schedule_comes_first_then_the_strategies_in_turn) {
    static Bench b, c;
    bench_open(&b);
    b.request.schedules = 10;
    CHECK(bench_run(&b));
    CHECK_INT(b.fake.launches, 10);
    CHECK_INT(b.fake.schedules[0].strategy, STRATEGY_ROUND_ROBIN);
    CHECK_U64(b.fake.schedules[0].seed, 0);
    for (int i = 1; i <= STRATEGY_PCT; i++)
        CHECK_INT(b.fake.schedules[i].strategy, i);
    CHECK_INT(b.fake.schedules[8].depth, 1);
    CHECK_U64(b.fake.schedules[8].steps, 100);
    CHECK_INT(b.fake.schedules[9].strategy, STRATEGY_PATIENCE);
    CHECK(b.fake.schedules[8].seed != b.fake.schedules[9].seed);
    CHECK_STR(b.result.schedules[0].strategy, "plain");
    CHECK_STR(b.result.schedules[4].strategy, "refuse-early");
    CHECK_INT(b.result.verdict, VERDICT_PASS);
    CHECK_INT(b.result.schedules[9].outputs, OUTPUTS_SAME);

    bench_open(&c);
    c.request.first = 5; // alone
    CHECK(bench_run(&c));
    CHECK_INT(c.fake.launches, 1);
    CHECK_U64(c.fake.schedules[0].seed, b.fake.schedules[5].seed);
    CHECK_INT(c.fake.schedules[0].strategy, b.fake.schedules[5].strategy);
    CHECK_INT(c.result.schedules[0].number, 5);
    bench_close(&b);
    bench_close(&c);
}

TEST(pct_promises_1_in_n_k_to_the_d_minus_1) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 15; // 8, 10, 12, 14: depths 1, 2, 3, 1
    CHECK(bench_run(&b));
    CHECK_STR(b.result.schedules[10].strategy, "PCT-2");
    CHECK_INT(b.result.schedules[9].pct.depth, 0);
    CHECK_INT(b.result.schedules[12].pct.depth, 3);
    CHECK_U64(b.result.schedules[12].pct.one_in, 20 * 100 * 100);
    CHECK_U64(b.result.pct[1].one_in, 20 * 100);
    CHECK_U64(b.result.pct[0].runs, 2);
    CHECK_U64(b.result.pct[0].one_in, 20);
    CHECK_U64(b.result.pct[0].all_one_in, 11); // 1 / (1 - (19/20)^2) = 10.3
    bench_close(&b);
}

TEST(a_pct_schedule_alone_learns_the_steps_of_the_plain_one) {
    static Bench b;
    bench_open(&b);
    b.request.first = 10;
    CHECK(bench_run(&b));
    CHECK_INT(b.fake.launches, 2);
    CHECK_INT(b.fake.schedules[0].strategy, STRATEGY_ROUND_ROBIN);
    CHECK_U64(b.fake.schedules[1].steps, 100);
    CHECK_INT(b.result.schedule_count, 1);
    CHECK_INT(b.result.schedules[0].number, 10);
    bench_close(&b);
}

TEST(the_schedules_are_those_of_a_grading_with_the_seed) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 2;
    CHECK(bench_run(&b));
    Rng rng = rng_stream(hash_u64(7), 1);
    CHECK_U64(b.fake.schedules[1].seed, rng_next(&rng));
    bench_close(&b);
}

TEST(a_schedule_that_is_not_judged_to_its_end_is_the_last) {
    static const RunStatus last[] = {RUN_LIMIT, RUN_UNSUPPORTED};
    for (size_t i = 0; i < COUNT_OF(last); i++) {
        static Bench b;
        bench_open(&b);
        b.request.schedules = 8;
        b.fake.ends_in = 2;
        b.fake.status = last[i];
        CHECK(bench_run(&b));
        CHECK_INT(b.fake.launches, 3);
        CHECK_INT(b.result.schedule_count, 3);
        CHECK_INT(b.result.schedules_asked, 8);
        CHECK_INT(b.result.verdict,
                  last[i] == RUN_LIMIT ? VERDICT_FAIL : VERDICT_ERROR);
        CHECK_STR(b.result.findings[0].cause.code,
                  last[i] == RUN_LIMIT ? "LIMIT" : "UNSUPPORTED");
        CHECK_HOLDS(b.result.findings[0].cause.help,
                    last[i] == RUN_LIMIT
                        ? "loop that never ends"
                        : "This is the virtual machine's limit, not a mistake");
        bench_close(&b);
    }
}

TEST(a_refused_launch_is_an_error_with_its_help) {
    static Bench b;
    bench_open(&b);
    b.fake.ends_in = 0;
    b.fake.status = RUN_REFUSED;
    CHECK(!bench_run(&b));
    CHECK_STR(b.error.what, "it does not fit");
    CHECK_STR(b.error.help, "cut");
    b.fake.no_memory = true;
    CHECK(!bench_run(&b));
    CHECK_STR(b.error.what, "no memory for it");
    bench_close(&b);
}

// ---- findings ------------------------------------------------------------

TEST(a_finding_of_two_schedules_is_one_and_says_so) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 5;
    b.fake.finding_in = 2;
    b.fake.rule = RULE_CLC004;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.finding_count, 1);
    CHECK_INT(b.result.errors, 1);
    CHECK_INT(b.result.verdict, VERDICT_FAIL);
    const LaunchFinding *finding = &b.result.findings[0];
    CHECK_INT(finding->schedule, 2);
    CHECK_INT(finding->schedules, 2);
    CHECK_STR(finding->cause.code, "CLC004");
    CHECK_STR(finding->cause.what, BROKE_IT);
    CHECK_STR(finding->cause.at.file, "my/k.cu");
    CHECK_STR(finding->cause.context,
              "schedule 2 (all-steal), and 1 more of the 5 schedules");
    CHECK_STR(finding->cause.replay,
              "clclab run my/k.cu --seed 7 --only-schedule 2");
    CHECK_INT(b.result.schedules[3].errors, 1);
    CHECK_INT(b.result.schedules[1].errors, 0);
    bench_close(&b);
}

// Nothing is random here: all that has 13 switches or more shows it.
TEST(a_finding_is_shown_with_the_fewest_switches_and_replays) {
    static Bench b, c;
    bench_open(&b);
    Rng rng = rng_stream(hash_u64(7), 2);
    b.request.schedules = 4;
    b.fake.rule = RULE_CLC004;
    b.fake.finding_seed = rng_next(&rng);
    b.fake.switches = 13;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.finding_count, 1);
    const Cause *found = &b.result.findings[0].cause;
    CHECK_STR(found->replay, "clclab run my/k.cu --seed 7 --only-schedule 2 "
                             "--switches 13");
    CHECK_STR(found->context, "schedule 2 (all-steal, 13 switches)");
    CHECK(b.fake.launches <= 4 + 24);
    CHECK_INT(b.result.schedule_count, 4);

    bench_open(&c);
    c.fake = b.fake;
    c.fake.device.ops = &FAKE_OPS;
    c.fake.count = c.fake.launches = 0;
    c.request.first = 2;
    c.request.is_limited = true;
    c.request.switches = 13;
    CHECK(bench_run(&c));
    CHECK_INT(c.fake.launches, 1); // no search
    const Cause *again = &c.result.findings[0].cause;
    CHECK_STR(again->what, BROKE_IT);
    CHECK_INT(strncmp(again->replay.ptr, found->replay.ptr, found->replay.len),
              0);
    CHECK_INT(
        strncmp(again->context.ptr, found->context.ptr, found->context.len), 0);
    bench_close(&b);
    bench_close(&c);
}

// The run that is recorded is that of the first finding, in its smallest form;
// without a finding, the first schedule.
TEST(the_run_of_the_first_finding_is_recorded) {
    static Bench b, c;
    bench_open(&b);
    Rng rng = rng_stream(hash_u64(7), 2);
    b.request.schedules = 4;
    b.request.is_traced = true;
    b.fake.rule = RULE_CLC004;
    b.fake.finding_seed = rng_next(&rng);
    b.fake.switches = 13;
    CHECK(bench_run(&b));
    CHECK_INT(b.fake.traced, 2); // and the plain schedule, beside it
    CHECK_INT(b.fake.wish.rule, RULE_CLC004);
    CHECK_INT(b.fake.wish.at.line, 7);
    CHECK(b.fake.traced_schedule.is_limited);
    CHECK_U64(b.fake.traced_schedule.switches, 13);
    CHECK_U64(b.fake.traced_schedule.seed, b.fake.finding_seed);
    if (CHECK(b.result.trace != NULL)) {
        CHECK_STR(b.result.trace->run, "schedule 2 (all-steal, 13 switches)");
        if (CHECK(b.result.trace->plain != NULL))
            CHECK_STR(b.result.trace->plain->run, "plain schedule");
        CHECK_U64(b.result.trace->map.blocks, 10);
    }
    bench_open(&c);
    c.request.is_traced = true;
    CHECK(bench_run(&c));
    CHECK_INT(c.fake.traced, 1);
    CHECK_INT(c.fake.wish.rule, DEVICE_RULE_NONE);
    CHECK_INT(c.fake.traced_schedule.strategy, STRATEGY_ROUND_ROBIN);
    if (CHECK(c.result.trace != NULL))
        CHECK_STR(c.result.trace->run, "plain schedule");
    bench_close(&b);
    bench_close(&c);
}

TEST(nothing_is_recorded_unless_asked_for_and_no_search_is) {
    static Bench b, c;
    bench_open(&b);
    CHECK(bench_run(&b));
    CHECK_INT(b.fake.traced, 0);
    CHECK(!b.result.trace);
    bench_open(&c);
    c.request.is_traced = c.request.is_exhaustive = true;
    c.fake.search_runs = 1;
    CHECK(bench_run(&c));
    CHECK_INT(c.fake.traced, 0);
    bench_close(&b);
    bench_close(&c);
}

TEST(a_finding_that_does_not_come_again_is_shown_as_it_came) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 4;
    b.fake.finding_in = 2;
    b.fake.rule = RULE_CLC004;
    CHECK(bench_run(&b));
    CHECK_STR(b.result.findings[0].cause.replay,
              "clclab run my/k.cu --seed 7 --only-schedule 2");
    CHECK(b.fake.launches <= 4 + 24);
    bench_close(&b);
}

TEST(a_finding_of_the_plain_schedule_is_not_searched_for_again) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 2;
    b.fake.finding_in = 0;
    b.fake.rule = RULE_CLC004;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.finding_count, 1);
    CHECK_INT(b.result.findings[0].schedule, 0);
    CHECK_INT(b.fake.launches, 2);
    bench_close(&b);
}

TEST(advisories_alone_are_clean) {
    static Bench b;
    bench_open(&b);
    b.fake.finding_in = 0;
    b.fake.rule = RULE_CLC002;
    b.fake.level = FINDING_ADVISORY;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.verdict, VERDICT_PASS);
    CHECK_INT(b.result.advisories, 1);
    CHECK_INT(b.result.errors, 0);
    CHECK_STR(b.result.findings[0].cause.replay, "clclab run my/k.cu");
    bench_close(&b);
}

TEST(rules_that_are_not_checked_are_not_reported_unless_they_end_the_run) {
    static Bench b;
    bench_open(&b);
    b.fake.finding_in = 0;
    b.fake.rule = RULE_MEM001;
    b.request.unchecked = UINT64_C(1) << RULE_MEM001;
    CHECK(bench_run(&b));
    CHECK_U64(b.fake.unchecked, UINT64_C(1) << RULE_MEM001);
    CHECK_INT(b.result.finding_count, 0);
    CHECK_INT(b.result.verdict, VERDICT_PASS);
    b.fake.launches = 0;
    b.fake.ends_in = 0;
    b.fake.status = RUN_FAULT;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.finding_count, 1);
    CHECK_INT(b.result.schedules[0].status, RUN_FAULT);
    bench_close(&b);
}

TEST(a_run_that_stops_without_a_finding_has_one) {
    static Bench b;
    bench_open(&b);
    b.fake.ends_in = 0;
    b.fake.status = RUN_DEADLOCK;
    CHECK(bench_run(&b));
    CHECK_STR(b.result.findings[0].cause.code, "DEADLOCK");
    CHECK_INT(b.result.findings[0].cause.at.line, 2); // the kernel's name
    CHECK_INT(b.result.verdict, VERDICT_FAIL);
    bench_close(&b);
}

// ---- outputs -------------------------------------------------------------

TEST(other_output_in_a_schedule_is_a_finding) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 4;
    b.fake.differs_in = 2;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.errors, 1);
    CHECK_INT(b.result.verdict, VERDICT_FAIL);
    CHECK_INT(b.result.schedules[1].outputs, OUTPUTS_SAME);
    CHECK_INT(b.result.schedules[2].outputs, OUTPUTS_DIFFER);
    CHECK_INT(b.result.schedules[3].outputs, OUTPUTS_SAME);
    const Cause *cause = &b.result.findings[0].cause;
    CHECK_STR(cause->code, "OUTPUT");
    CHECK_STR(cause->what,
              "The output depends on the schedule: the buffer of --arg 0 "
              "(numbered from 0) ends with other bytes in schedule 2 "
              "(all-steal) than in the plain one.");
    CHECK_STR(cause->expected,
              "the same bytes in every schedule, unless the order is free");
    CHECK_STR(cause->actual,
              "first at byte 12: 0x00000003 (u32 3, f32 4.20389539e-45) in the "
              "plain schedule, 0x00000004 (u32 4, f32 5.60519386e-45) in "
              "schedule 2 (all-steal); 1 of 10 words differ");
    CHECK_HOLDS(cause->help, ":close=1e-5");
    CHECK_STR(cause->replay, "clclab run my/k.cu --seed 7 --schedules 3");
    bench_close(&b);
}

// What is said where buffer 0 of 40 bytes has 4 instead of 3 as its word 3.
static void check_output(LaunchOutput output, double tolerance,
                         LaunchCompare compare, int errors, int advisories) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 4;
    b.fake.differs_in = 2;
    b.request.compare = compare;
    b.arguments[0].output = output;
    b.arguments[0].tolerance = tolerance;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.errors, errors);
    CHECK_INT(b.result.advisories, advisories);
    CHECK_INT(b.result.verdict, errors ? VERDICT_FAIL : VERDICT_PASS);
    CHECK_INT(b.result.schedules[2].errors, errors);
    CHECK_INT(b.result.schedules[2].advisories, advisories);
    CHECK_INT(b.result.schedules[2].outputs,
              errors + advisories ? OUTPUTS_DIFFER : OUTPUTS_SAME);
    bench_close(&b);
}

TEST(whether_a_buffer_may_differ_is_the_callers_to_say) {
    check_output(OUTPUT_TOLD, 0, COMPARE_TELL, 0, 1);
    check_output(OUTPUT_TOLD, 0, COMPARE_DEMAND, 1, 0);
    check_output(OUTPUT_SAME, 0, COMPARE_TELL, 1, 0);
    check_output(OUTPUT_ANY, 0, COMPARE_TELL, 0, 0);
    check_output(OUTPUT_ANY, 0, COMPARE_DEMAND, 0, 0);
    // As floats they are 3 and 4 times the least number: 1/4 of the greater.
    check_output(OUTPUT_CLOSE, 0.2, COMPARE_TELL, 1, 0);
    check_output(OUTPUT_CLOSE, 0.25, COMPARE_TELL, 0, 0);
}

TEST(outputs_are_not_compared_where_that_is_not_asked_or_a_run_did_not_end) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 3;
    b.request.compare = COMPARE_NONE;
    b.fake.differs_in = 1;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.errors, 0);
    CHECK_INT(b.result.schedules[1].outputs, OUTPUTS_NOT_COMPARED);
    b.request.compare = COMPARE_DEMAND;
    b.fake.launches = 0;
    b.fake.ends_in = 1;
    b.fake.status = RUN_DEADLOCK;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.errors, 1); // the deadlock
    CHECK_INT(b.result.schedules[1].outputs, OUTPUTS_NOT_COMPARED);
    CHECK_INT(b.result.schedules[2].outputs, OUTPUTS_SAME);
    bench_close(&b);
}

TEST(a_difference_behind_the_first_chunk_and_in_a_cut_word_is_seen) {
    static Bench b;
    bench_open(&b);
    b.arguments[0].size = 3 * 64 * 1024 + 3;
    b.request.schedules = 2;
    CHECK(bench_run(&b));
    CHECK_INT(b.result.schedules[1].outputs, OUTPUTS_SAME);
    CHECK_INT(b.outputs[0].len, 3 * 64 * 1024 + 3);
    CHECK_INT(b.outputs[0].ptr[64 * 1024 + 2], 0);
    CHECK_INT(b.outputs[0].ptr[64 * 1024 + 1], 0x40); // word 0x4000
    b.fake.launches = 0;
    b.fake.differs_in = 1;
    b.fake.differs_at = 3 * 64 * 1024 + 2;
    CHECK(bench_run(&b));
    CHECK_HOLDS(b.result.findings[0].cause.actual,
                "first at byte 196608: 0x00c000 in the plain schedule, "
                "0x01c000 in");
    CHECK_HOLDS(b.result.findings[0].cause.actual, "1 of 49153 words");
    bench_close(&b);
}

// ---- an exhaustive search ------------------------------------------------

static void search(Bench *b, uint64_t most, SearchEnd end) {
    b->request.schedules = most;
    b->request.is_exhaustive = true;
    CHECK(bench_run(b));
    CHECK_INT(b->result.search, end);
}

TEST(a_search_ends_when_it_is_complete) {
    static Bench b;
    bench_open(&b);
    b.fake.search_runs = 5;
    b.fake.redundant = 1u << 1 | 1u << 3; // not judged
    b.fake.finding_in = 3;                // and in run 4
    b.fake.level = FINDING_ERROR;
    b.fake.rule = RULE_RACE001;
    search(&b, 100, SEARCH_COMPLETE);
    CHECK_INT(b.fake.launches, 5);
    CHECK_INT(b.result.schedule_count, 3);
    CHECK_INT(b.result.search_redundant, 2);
    CHECK_INT(b.result.finding_count, 1);
    bench_close(&b);
}

TEST(a_search_ends_after_as_many_runs_as_were_asked_for) {
    static Bench b;
    bench_open(&b);
    b.fake.redundant = 1u << 1; // counts, too
    search(&b, 4, SEARCH_CUT);
    CHECK_INT(b.fake.launches, 4);
    CHECK_INT(b.result.schedule_count, 3);
    bench_close(&b);
}

TEST(a_search_ends_with_a_run_that_does_not) {
    static Bench b;
    bench_open(&b);
    b.fake.ends_in = 1;
    b.fake.status = RUN_LIMIT;
    search(&b, 10, SEARCH_STOPPED);
    CHECK_INT(b.fake.launches, 2);
    bench_close(&b);
}

TEST(what_is_too_large_is_not_searched) {
    static Bench b;
    bench_open(&b);
    b.fake.too_large = 1u << 2;
    search(&b, 10, SEARCH_TOO_LARGE);
    CHECK_INT(b.result.schedule_count, 2);
    bench_close(&b);
    bench_open(&b);
    b.fake.too_large = 1;
    b.request.schedules = 10;
    b.request.is_exhaustive = true;
    CHECK(!bench_run(&b));
    CHECK_HOLDS(b.error.what, "too large to be searched");
    CHECK(b.error.help.len > 0);
    bench_close(&b);
}

// ---- what is shown of the first schedule ---------------------------------

TEST(ledger_counters_and_output_are_those_of_the_first_schedule) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 3;
    CHECK(bench_run(&b));
    CHECK(b.result.has_ledger);
    CHECK_INT(b.result.ledger.totals.started, 3);
    CHECK_INT(b.result.ledger.totals.granted, 6);
    CHECK_STR(b.result.ledger.schedule, "plain schedule");
    CHECK_STR(b.result.output, "hello 0\n");
    CHECK_INT(b.result.counters.by_kind[DEVICE_KIND_INTEGER], 40);
    CHECK_INT(b.result.counters.loaded[DEVICE_SPACE_SHARED], 16);
    CHECK_INT(b.result.counters.copied_to[DEVICE_SPACE_GLOBAL], 32);
    CHECK_STR(b.result.device, "vm");
    CHECK_STR(b.result.gpu_model, "mini");
    bench_close(&b);
}

// The device's lists are gone by then: they are copied.
TEST(modelled_time_is_that_of_the_first_schedule) {
    static Bench b;
    bench_open(&b);
    b.request.schedules = 3;
    CHECK(bench_run(&b));
    const DeviceTimeline *time = &b.result.time;
    CHECK(b.result.is_timed);
    CHECK_INT(time->cycles, 0);
    CHECK_INT(time->sms[0].end, 0);
    CHECK_INT(time->spans[0].to, 0);
    CHECK_INT(time->spans[0].kind, DEVICE_SPAN_WAIT);
    CHECK_INT(time->events[0].cycle, 0);
    CHECK_INT(time->events[0].kind, DEVICE_EVENT_READ);
    CHECK_INT(b.result.schedules[2].cycles, 2);
    bench_close(&b);
}

TEST(the_kernels_own_cluster_is_shown) {
    static Bench b;
    bench_open(&b);
    b.kernel.req_cluster = (PtxDim3){2, 0, 0};
    CHECK(bench_run(&b));
    CHECK_INT(b.result.cluster[0], 2);
    CHECK_INT(b.result.cluster[1], 1);
    bench_close(&b);
}

TEST(a_submission_that_does_not_build_has_its_messages_as_findings) {
    Arena arena = {0};
    Diag messages[] = {
        {.level = DIAG_ERROR, .at = {STR("k.cu"), 3, 1}, .what = STR("wrong")},
        {.level = DIAG_WARNING, .at = {STR("k.cu"), 4, 1}, .what = STR("odd")},
    };
    Submission submission = {
        .file = STR("k.cu"), .messages = messages, .message_count = 2};
    LaunchResult result;
    check_launch_build(&arena, &submission, &result);
    CHECK_INT(result.verdict, VERDICT_FAIL);
    CHECK_INT(result.errors, 1);
    CHECK_STR(result.findings[0].cause.what, "wrong");
    CHECK_INT(result.findings[0].schedules, 0);
    submission = (Submission){.file = STR("k.cu"),
                              .reject = {.what = STR("It is empty.")}};
    check_launch_build(&arena, &submission, &result);
    CHECK_STR(result.findings[0].cause.what, "It is empty.");
    submission = (Submission){.file = STR("k.cu")};
    check_launch_build(&arena, &submission, &result);
    CHECK_INT(result.errors, 1); // never a failure without a word
    arena_free(&arena);
}

TEST_MAIN(
    TESTCASE(random_buffers_are_splitmix64),
    TESTCASE(a_size_that_is_no_multiple_of_4_cuts_the_last_word),
    TESTCASE(arguments_are_laid_out_as_parameters),
    TESTCASE(the_plain_schedule_comes_first_then_the_strategies_in_turn),
    TESTCASE(pct_promises_1_in_n_k_to_the_d_minus_1),
    TESTCASE(a_pct_schedule_alone_learns_the_steps_of_the_plain_one),
    TESTCASE(the_schedules_are_those_of_a_grading_with_the_seed),
    TESTCASE(a_schedule_that_is_not_judged_to_its_end_is_the_last),
    TESTCASE(a_refused_launch_is_an_error_with_its_help),
    TESTCASE(a_finding_of_two_schedules_is_one_and_says_so),
    TESTCASE(a_finding_is_shown_with_the_fewest_switches_and_replays),
    TESTCASE(the_run_of_the_first_finding_is_recorded),
    TESTCASE(nothing_is_recorded_unless_asked_for_and_no_search_is),
    TESTCASE(a_finding_that_does_not_come_again_is_shown_as_it_came),
    TESTCASE(a_finding_of_the_plain_schedule_is_not_searched_for_again),
    TESTCASE(advisories_alone_are_clean),
    TESTCASE(
        rules_that_are_not_checked_are_not_reported_unless_they_end_the_run),
    TESTCASE(a_run_that_stops_without_a_finding_has_one),
    TESTCASE(other_output_in_a_schedule_is_a_finding),
    TESTCASE(whether_a_buffer_may_differ_is_the_callers_to_say),
    TESTCASE(
        outputs_are_not_compared_where_that_is_not_asked_or_a_run_did_not_end),
    TESTCASE(a_difference_behind_the_first_chunk_and_in_a_cut_word_is_seen),
    TESTCASE(a_search_ends_when_it_is_complete),
    TESTCASE(a_search_ends_after_as_many_runs_as_were_asked_for),
    TESTCASE(a_search_ends_with_a_run_that_does_not),
    TESTCASE(what_is_too_large_is_not_searched),
    TESTCASE(ledger_counters_and_output_are_those_of_the_first_schedule),
    TESTCASE(modelled_time_is_that_of_the_first_schedule),
    TESTCASE(the_kernels_own_cluster_is_shown),
    TESTCASE(a_submission_that_does_not_build_has_its_messages_as_findings))
