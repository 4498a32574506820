// SPDX-License-Identifier: Apache-2.0
// check/trace.c: which run is recorded, what is asked for around its finding,
// and the map of the block indices.
#include "check/trace.h"
#include "tests/unit/check_fake.h"

static void bench_cleanup(Bench *bench) {
    bench_close(bench);
}

#define SCOPED_BENCH(name)                              \
    __attribute__((cleanup(bench_cleanup))) Bench name; \
    bench_open(&name, TECHNIQUE_CLC)

// ---- which run -----------------------------------------------------------

TEST(nothing_is_recorded_unless_it_is_asked_for) {
    SCOPED_BENCH(bench);
    CHECK(!bench_grade(&bench)->trace);
    CHECK_INT(bench.fake.traced, 0);
}

// Of a right kernel, the run whose blocks the report shows.
TEST(of_a_right_kernel_the_run_that_is_shown_is_recorded) {
    SCOPED_BENCH(bench);
    bench.options.is_traced = true;
    const Result *result = bench_grade(&bench);
    CHECK_INT(result->verdict, VERDICT_PASS);
    CHECK_INT(bench.fake.traced, 1);
    CHECK_INT(bench.fake.traced_size, result->ledger.n);
    CHECK_INT(bench.fake.wish.rule, DEVICE_RULE_NONE);
    if (!CHECK(result->trace != NULL))
        return;
    CHECK_STR(result->trace->run, "n = 20000, plain schedule");
    CHECK_U64(result->trace->map.blocks, result->ledger.totals.grid);
    CHECK(result->trace->map.knows_times);
    CHECK(!result->trace->moment.is_there);
    CHECK(!result->trace->plain); // it is this one
}

// For pictures in a report: only where time explains the first mistake.
TEST(a_picture_is_made_of_what_is_a_matter_of_time) {
    static const struct {
        DeviceRule rule;
        bool is_of_time;
    } cases[] = {{RULE_CLC004, true},  {RULE_CLC003, true},
                 {RULE_MEM004, true},  {RULE_DEADLOCK, true},
                 {RULE_CLC006, false}, {DEVICE_RULE_NONE, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_BENCH(bench);
        bench.options.has_pictures = true;
        bench.fake.spoil.rule = cases[i].rule;
        const Result *result = bench_grade(&bench);
        CHECK_INT(bench.fake.traced, cases[i].is_of_time);
        if (CHECK_INT(result->trace != NULL, cases[i].is_of_time) &&
            cases[i].is_of_time)
            CHECK(result->trace->moment.is_of_time);
    }
}

TEST(of_a_schedule_that_fails_the_same_schedule_is_recorded) {
    SCOPED_BENCH(bench);
    bench.options.is_traced = true;
    bench.fake.spoil.rule = RULE_CLC006;
    bench.fake.spoil.only_schedule = STRATEGY_NO_STEAL;
    const Result *result = bench_grade(&bench);
    CHECK_LIST(&bench, CHECK_FAIL, "schedules");
    CHECK_INT(bench.fake.traced, 2); // and the plain schedule, beside it
    CHECK_INT(bench.fake.traced_schedule.strategy, STRATEGY_NO_STEAL);
    CHECK_INT(bench.fake.traced_size, result->ledger.n);
    CHECK_INT(bench.fake.wish.rule, RULE_CLC006);
    CHECK_INT(bench.fake.wish.at.line, 7);
    if (!CHECK(result->trace != NULL))
        return;
    if (CHECK(result->trace->plain != NULL)) {
        CHECK_STR(result->trace->plain->run, "n = 1, plain schedule");
        CHECK(!result->trace->plain->moment.is_there);
        CHECK(!result->trace->plain->plain);
    }
    const TraceMoment *moment = &result->trace->moment;
    CHECK(moment->is_there);
    CHECK_STR(moment->code, "CLC006");
    CHECK_STR(moment->at.file, "my/kernel.cu");
    CHECK_INT(moment->related[0].line, 3);
    CHECK(moment->knows_other);
}

// Where no rule is broken there is no moment, but a run.
TEST(of_wrong_data_the_run_is_recorded_without_a_moment) {
    SCOPED_BENCH(bench);
    bench.options.is_traced = true;
    bench.fake.spoil.missed = 3;
    const Result *result = bench_grade(&bench);
    CHECK_INT(result->verdict, VERDICT_FAIL);
    CHECK_INT(bench.fake.wish.rule, DEVICE_RULE_NONE);
    if (!CHECK(result->trace != NULL))
        return;
    CHECK(!result->trace->moment.is_there);
    uint64_t never = 0;
    for (size_t i = 0; i < result->trace->map.bin_count; i++)
        never += result->trace->map.bins[i].never;
    CHECK_U64(never, 1);
}

TEST(of_a_file_that_does_not_build_nothing_is_recorded) {
    SCOPED_BENCH(bench);
    bench.options.is_traced = true;
    bench.submission.module = NULL;
    CHECK(!bench_grade(&bench)->trace);
    CHECK_INT(bench.fake.traced, 0);
}

// ---- what is asked for ---------------------------------------------------

static TraceWish wish_of(Finding *finding) {
    finding->rule = finding->rule ? finding->rule : RULE_CLC009;
    Cause cause = {.finding = finding, .at = {STR("k.cu"), 9, 2}};
    return trace_wish(&cause);
}

TEST(the_blocks_that_a_finding_is_about_are_looked_at) {
    Finding known = {.who = {.known = true, .cta = 5}, .cta = 5};
    TraceWish wish = wish_of(&known);
    CHECK_INT(wish.at.line, 9);
    CHECK_INT(wish.cta_count, 1);
    CHECK_INT(wish.ctas[0], 5);
    Finding lost = {.facts = FACTS(FACT(BLOCK, 7), FACT(OWNER, 2))};
    CHECK_INT(wish_of(&lost).ctas[0], 2); // who asked for it
    Finding left = {.facts = FACTS(FACT(BLOCK, 7))};
    CHECK_INT(wish_of(&left).ctas[0], 7);
    Finding race = {.who = {.known = true, .cta = 5},
                    .cta = 5,
                    .in_buffer = true,
                    .other_cta = 6};
    wish = wish_of(&race);
    CHECK(wish.cta_count == 2 && wish.ctas[1] == 6);
    CHECK_INT(trace_wish(NULL).cta_count, 0);
    CHECK_INT(trace_wish(&(Cause){.code = STR("PTX")}).rule, DEVICE_RULE_NONE);
}

// ---- the map -------------------------------------------------------------

// A grid of 4 x 2 blocks in clusters of 2 x 1.
TEST(each_block_has_the_fate_of_its_cluster) {
    Arena arena = {0};
    LedgerEntry entries[4] = {{.state = LEDGER_LAUNCHED},
                              {.state = LEDGER_GRANTED, .taken = true},
                              {.state = LEDGER_GRANTED},
                              {.state = LEDGER_PENDING}};
    BlockTally tally[8] = {
        {.size = 9, .times = 1},    {.size = 9, .times = 0},
        {.size = 9, .times = 2},    {.size = 9, .times = 2, .divided = true},
        {.size = 9, .mixed = true}, {.size = 0}};
    Ledger ledger = {.totals.grid = 8, .entries = entries, .entry_count = 4};
    TraceGrid grid = {.grid = {4, 2, 1},
                      .cluster = {2, 1, 1},
                      .tally = tally,
                      .tally_count = 6};
    TraceMap map = trace_map(&arena, &ledger, &grid);
    CHECK(map.each == 1 && map.bin_count == 8 && map.knows_times);
    CHECK(map.bins[0].started == 1 && map.bins[1].started == 1);
    CHECK(map.bins[2].stolen == 1 && map.bins[3].stolen == 1);
    CHECK(map.bins[4].lost == 1 && map.bins[5].lost == 1);
    CHECK(map.bins[6].pending == 1 && map.bins[7].pending == 1);
    CHECK(map.bins[0].once == 1 && map.bins[1].never == 1);
    CHECK(map.bins[2].more == 1 && map.bins[3].once == 1);
    CHECK_INT(map.bins[4].never + map.bins[4].once + map.bins[4].more, 0);
    CHECK_INT(map.bins[5].never + map.bins[5].once + map.bins[5].more, 0);
    arena_free(&arena);
}

// Three million blocks are 1024 bins at most, and none is left out.
TEST(a_large_grid_is_binned) {
    enum { BLOCKS = 3000001 };
    Arena arena = {0};
    LedgerEntry *entries = arena_new(&arena, LedgerEntry, BLOCKS);
    for (size_t i = 0; i < BLOCKS; i++)
        entries[i].state = i % 3 ? LEDGER_PENDING : LEDGER_LAUNCHED;
    Ledger ledger = {
        .totals.grid = BLOCKS, .entries = entries, .entry_count = BLOCKS};
    TraceGrid grid = {.grid = {BLOCKS, 1, 1}, .cluster = {1, 1, 1}};
    TraceMap map = trace_map(&arena, &ledger, &grid);
    uint64_t started = 0, all = 0;
    CHECK(map.bin_count <= TRACE_MOST_BINS && map.bin_count > 1000);
    CHECK(!map.knows_times);
    for (size_t i = 0; i < map.bin_count; i++) {
        started += map.bins[i].started;
        all += map.bins[i].started + map.bins[i].pending;
    }
    CHECK_U64(all, BLOCKS);
    CHECK_U64(started, 1000001);
    arena_free(&arena);
}

TEST(a_grid_without_blocks_has_an_empty_map) {
    Arena arena = {0};
    Ledger ledger = {0};
    TraceGrid grid = {.grid = {1, 1, 1}, .cluster = {1, 1, 1}};
    TraceMap map = trace_map(&arena, &ledger, &grid);
    CHECK_U64(map.bin_count, 0);
    CHECK_INT(map.each, 1);
    arena_free(&arena);
}

// ---- parameters ----------------------------------------------------------

static Str named(const char *source, uint32_t all) {
    Arena arena = {0};
    static char text[64];
    TraceMoment moment = {.kernel = STR("k"),
                          .all_params = all,
                          .params = {{.name = STR("k_param_0")},
                                     {.name = STR("k_param_2"), .index = 2}},
                          .param_count = 2};
    trace_name_params(&arena, str_from(source), &moment);
    snprintf(text, sizeof text, "%.*s %.*s", STR_ARG(moment.params[0].name),
             STR_ARG(moment.params[1].name));
    arena_free(&arena);
    return str_from(text);
}

TEST(parameters_have_the_names_of_the_source) {
    const char *right = "// k(int no) {\nvoid k(int a, int b, int c);\n"
                        "k<<<1, 2>>>(x, y, z);\n__global__ void k(const int "
                        "*__restrict__ a /* , b */, int b[3], float c) // d\n{";
    CHECK_STR(named(right, 3), "a c");
    CHECK_STR(named("void k(int (*a)[2], int b, int c) {", 3), "int c");
    CHECK_STR(named(right, 4), "k_param_0 k_param_2");
    CHECK_STR(named("void k(int a, int b, int c);", 3), "k_param_0 k_param_2");
    CHECK_STR(named("void k(int, , int) {", 3), "k_param_0 k_param_2");
    CHECK_STR(named("void k() {", 3), "k_param_0 k_param_2");
    CHECK_STR(named("void k(int a, int b", 3), "k_param_0 k_param_2");
    CHECK_STR(named("", 3), "k_param_0 k_param_2");
}

TEST_MAIN(TESTCASE(nothing_is_recorded_unless_it_is_asked_for),
          TESTCASE(of_a_right_kernel_the_run_that_is_shown_is_recorded),
          TESTCASE(a_picture_is_made_of_what_is_a_matter_of_time),
          TESTCASE(of_a_schedule_that_fails_the_same_schedule_is_recorded),
          TESTCASE(of_wrong_data_the_run_is_recorded_without_a_moment),
          TESTCASE(of_a_file_that_does_not_build_nothing_is_recorded),
          TESTCASE(the_blocks_that_a_finding_is_about_are_looked_at),
          TESTCASE(each_block_has_the_fate_of_its_cluster),
          TESTCASE(a_large_grid_is_binned),
          TESTCASE(a_grid_without_blocks_has_an_empty_map),
          TESTCASE(parameters_have_the_names_of_the_source))
