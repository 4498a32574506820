// SPDX-License-Identifier: Apache-2.0
// Tests of check/model.c, the bars in modelled time, with two fake Devices: one
// for the grading, and one that models time as a test asks for.
#include "tests/unit/check_fake.h"

#include <stddef.h>

enum {
    MEASURED = 3,   // sizes at which balance is measured
    LOOKED_AT = 12, // and those at which it may be
    BALANCE_RUNS = MEASURED + LOOKED_AT,
    YIELD_RUNS = 26, // one alone, and 25 sizes with an arrival each
};

typedef struct Timed {
    Bench bench;
    Fake timed;
    DeviceLaunch launches[2 * YIELD_RUNS]; // of `timed`
    int32_t n[2 * YIELD_RUNS];
} Timed;

static void timed_close(Timed *t) {
    fake_close(&t->timed.device);
    bench_close(&t->bench);
}

#define SCOPED_TIMED(name) __attribute__((cleanup(timed_close))) Timed name

// Bars in per cent; 0: there is none.
static void timed_open(Timed *t, uint32_t balance, uint32_t yield,
                       void (*time)(FakeLaunch *, DeviceTimeline *)) {
    bench_open(&t->bench, TECHNIQUE_CLC);
    t->timed = t->bench.fake;
    t->timed.time = time;
    t->bench.lab.balance = balance;
    t->bench.lab.yield = yield;
    t->bench.options.timed = &t->timed.device;
}

static const CheckResult *technique(Timed *t) {
    bench_grade(&t->bench);
    return bench_check(&t->bench, "technique");
}

static bool is_kept(uint32_t balance, uint32_t yield,
                    void (*time)(FakeLaunch *, DeviceTimeline *)) {
    SCOPED_TIMED(t);
    timed_open(&t, balance, yield, time);
    bool passes = technique(&t)->status == CHECK_PASS;
    CHECK_LIST(&t.bench, CHECK_FAIL, passes ? "" : "technique");
    CHECK_LIST(&t.bench, CHECK_SKIP, "");
    CHECK_LIST(&t.bench, CHECK_ERROR, "");
    CHECK_DOUBLE(t.bench.result.score, passes ? 100 : 85);
    return passes;
}

// ---- timelines -----------------------------------------------------------

// One place, which takes 200 cycles a block index.
static void take_200(FakeLaunch *f, DeviceTimeline *line) {
    *line = (DeviceTimeline){.cycles = 200 * f->blocks,
                             .places = 1,
                             .ends = 200 * f->blocks,
                             .arrival = f->launch->arrival};
}

static uint64_t tail_of(const FakeLaunch *f) {
    return f->blocks < 80 ? f->blocks : 80;
}

// The end is so much later than the mean end, of what 80 indices take.
static void end_late(FakeLaunch *f, DeviceTimeline *line, uint64_t per_mille) {
    line->cycles = line->ends + 200 * tail_of(f) * per_mille / 1000;
}

// Both ratios are 155.5%, in each run.
static void all_155_and_a_half(FakeLaunch *f, DeviceTimeline *line) {
    take_200(f, line);
    end_late(f, line, 555);
    line->all_free = 311;
}

// 180% in the third run, 100% in the others.
static void third_is_late(FakeLaunch *f, DeviceTimeline *line) {
    take_200(f, line);
    bool is_third = f->fake->launches == 3;
    end_late(f, line, is_third ? 800 : 0);
    line->all_free = is_third ? 360 : 200;
}

// Another kernel waits for eight indices.
static void much_is_promised(FakeLaunch *f, DeviceTimeline *line) {
    take_200(f, line);
    line->all_free = 1600;
}

// Block 5 leaves last, at cycle 2000; the first place ends at 850. Nothing of
// more than 107 blocks is late.
static void block_5_is_last(FakeLaunch *f, DeviceTimeline *line) {
    static const DeviceSpan spans[] = {
        {.from = 0, .to = 500, .cta = 1},
        {.from = 500, .to = 1400, .cta = 1},
        {.from = 0, .to = 850, .slot = 1, .cta = 3},
        {.from = 0, .to = 2000, .sm = 1, .cta = 5},
    };
    take_200(f, line);
    if (!line->arrival && f->blocks > 107)
        return;
    line->cycles = 2000;
    line->places = 3;
    line->ends = 600000 * (uint64_t)f->blocks /
                 (100 * (uint64_t)f->blocks + 41 * tail_of(f)); // 141%
    line->spans = arena_new(f->arena, DeviceSpan, COUNT_OF(spans));
    line->span_count = COUNT_OF(spans);
    memcpy(line->spans, spans, sizeof spans);
    if (!line->arrival)
        return;
    line->all_free = 2000 - line->arrival;
    line->ends = 1; // every ratio is far beyond its bar
}

// ---- the figures ---------------------------------------------------------

TEST(bars_are_in_per_cent_rounded) {
    CHECK(is_kept(156, 0, all_155_and_a_half));
    CHECK(!is_kept(155, 0, all_155_and_a_half));
    CHECK(is_kept(0, 156, all_155_and_a_half));
    CHECK(!is_kept(0, 155, all_155_and_a_half));
    CHECK(is_kept(156, 156, all_155_and_a_half));
    CHECK(!is_kept(156, 155, all_155_and_a_half));
    CHECK(!is_kept(155, 156, all_155_and_a_half));
}

// One miss may be chance: the mean of 24 problems of that size counts, 180% and
// 23 times 100%.
TEST(balance_is_the_mean_of_the_worst_size) {
    CHECK(is_kept(103, 0, third_is_late));
    CHECK(!is_kept(102, 0, third_is_late));
}

TEST(balance_is_measured_where_much_is_promised) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 0, much_is_promised);
    CHECK_INT(technique(&t)->status, CHECK_PASS);
    CHECK_INT(t.timed.launches, MEASURED + LOOKED_AT * (1 + 4));
}

TEST(yield_is_the_worst_of_its_runs) {
    CHECK(is_kept(0, 180, third_is_late));
    CHECK(!is_kept(0, 179, third_is_late));
}

TEST(figures_are_told_where_bars_are_kept) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 180, take_200);
    CHECK_STR(technique(&t)->figure, "balance 100% (at most 110%), yield 0% "
                                     "(at most 180%)");
    CHECK_INT(t.timed.launches, BALANCE_RUNS + YIELD_RUNS);
}

// ---- the runs ------------------------------------------------------------

static void note_launch(FakeLaunch *f, DeviceTimeline *line) {
    Timed *t = (Timed *)((char *)f->fake - offsetof(Timed, timed));
    size_t i = (size_t)f->fake->launches - 1;
    take_200(f, line);
    if (!CHECK(i < COUNT_OF(t->launches)))
        return;
    t->launches[i] = *f->launch;
    t->n[i] = f->n;
}

static bool is_listed(const Timed *t, int32_t n) {
    for (size_t i = 0; i < t->bench.lab.size_count; i++)
        if (t->bench.lab.sizes[i].dim[0] == n)
            return true;
    return false;
}

// Each size is drawn from an interval of its own.
TEST(problems_are_secret_and_of_no_size_of_the_lab) {
    static const uint32_t intervals[BALANCE_RUNS][2] = {
        {72, 108},  {108, 144},  {216, 432},   {144, 192},   {192, 240},
        {240, 288}, {288, 384},  {384, 480},   {480, 576},   {576, 768},
        {768, 960}, {960, 1152}, {1152, 1536}, {1536, 1920}, {1920, 2304}};
    SCOPED_TIMED(one);
    SCOPED_TIMED(two);
    timed_open(&one, 110, 0, note_launch);
    timed_open(&two, 110, 0, note_launch);
    two.bench.options.seed++;
    CHECK_INT(technique(&one)->status, CHECK_PASS);
    CHECK_INT(technique(&two)->status, CHECK_PASS);
    CHECK_INT(one.timed.launches, BALANCE_RUNS);
    int same = 0;
    for (size_t i = 0; i < BALANCE_RUNS; i++) {
        const DeviceLaunch *launch = &one.launches[i];
        bool is_short = i >= MEASURED;
        CHECK(launch->is_timed && launch->unchecked == UINT64_MAX);
        CHECK(is_short == (launch->arrival > 0));
        CHECK(is_short == launch->arrival_stays);
        CHECK(launch->grid[0] > intervals[i][0]); // shape_filling adds one
        CHECK(launch->grid[0] <= intervals[i][1]);
        CHECK(!is_listed(&one, one.n[i]));
        same += one.n[i] == two.n[i];
    }
    CHECK(same < BALANCE_RUNS / 2);
}

// In the middle third, or when each of the places (here, one) has done 12
// indices, or 64.
TEST(arrivals_come_at_many_sizes_and_stay) {
    SCOPED_TIMED(t);
    timed_open(&t, 0, 300, note_launch);
    CHECK_INT(technique(&t)->status, CHECK_PASS);
    CHECK_INT(t.timed.launches, YIELD_RUNS);
    CHECK_INT(t.launches[0].arrival, 0);
    uint32_t before = 64;
    bool is_deep = false;
    for (size_t i = 1; i < YIELD_RUNS; i++) {
        const DeviceLaunch *launch = &t.launches[i];
        uint64_t each = 200, most = i % 5 == 1 ? 64 * each : 12 * each;
        CHECK(launch->arrival_stays);
        CHECK(launch->arrival > most / 3 && launch->arrival <= most + 1);
        is_deep |= launch->arrival > 40 * each;
        CHECK(launch->grid[0] > before); // the next interval
        before = launch->grid[0] - 1;
    }
    CHECK(is_deep);
    CHECK(before > 1800 && before < 2048);
}

// Runs with 100 blocks and more take a twentieth of the time: their arrivals
// come when they have ended, and once more in their middle.
static void large_ones_are_fast(FakeLaunch *f, DeviceTimeline *line) {
    note_launch(f, line);
    if (f->blocks >= 100)
        line->cycles = line->ends = 10 * f->blocks;
    line->all_free = 1;
}

TEST(an_arrival_that_comes_too_late_comes_again) {
    SCOPED_TIMED(t);
    timed_open(&t, 0, 300, large_ones_are_fast);
    CHECK_INT(technique(&t)->status, CHECK_PASS);
    size_t again = 0;
    for (size_t i = 1; i < (size_t)t.timed.launches; i++) {
        const DeviceLaunch *last = &t.launches[i - 1], *launch = last + 1;
        if (launch->grid[0] < 101 || launch->grid[0] != last->grid[0])
            continue;
        uint64_t cycles = 10 * (uint64_t)launch->grid[0];
        CHECK(last->arrival > cycles / 2);
        CHECK(launch->arrival <= cycles * 2 / 3 + 1);
        again++;
    }
    CHECK(again > 0);
}

TEST(without_a_device_for_it_no_bar_is_judged) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 110, third_is_late);
    t.bench.options.timed = NULL;
    CHECK_INT(technique(&t)->status, CHECK_PASS);
    CHECK_INT(t.timed.launches, 0);
}

TEST(a_card_does_not_judge_the_bars_again) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 0, take_200);
    CHECK_INT(technique(&t)->status, CHECK_PASS);
    Fake card = t.bench.fake;
    card.is_card = true;
    card.data = NULL;
    check_on_card(&t.bench.arena, &t.bench.lab, &t.bench.submission,
                  &card.device, &t.bench.options, &t.bench.result);
    CHECK_INT(bench_check(&t.bench, "device")->status, CHECK_PASS);
    CHECK_INT(t.timed.launches, BALANCE_RUNS);
    fake_close(&card.device);
}

// ---- runs that go wrong --------------------------------------------------

// Which check fails when the timed runs are spoilt; technique is not judged.
static void fails_instead(Spoil spoil, const char *id, int launches) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 110, take_200);
    t.timed.spoil = spoil;
    CHECK_INT(technique(&t)->status, CHECK_SKIP);
    CHECK_LIST(&t.bench, CHECK_FAIL, id);
    CHECK_LIST(&t.bench, CHECK_ERROR, "");
    CHECK_LIST(&t.bench, CHECK_SKIP, "technique schedules");
    CHECK_INT(t.timed.launches, launches);
    const CheckResult *check = bench_check(&t.bench, id);
    CHECK(check->cause_count > 0 && check->causes[0].what.len > 0);
    CHECK_HOLDS(check->causes[0].context, "modelled time");
    CHECK_DOUBLE(check->points, 0);
}

TEST(a_timed_run_that_goes_wrong_fails_what_a_plain_one_would) {
    Spoil spoil = fake_spoil_nothing();
    spoil.status = RUN_DEADLOCK;
    fails_instead(spoil, "rules", 1);
    spoil.status = RUN_LIMIT; // no plain run needed more steps
    fails_instead(spoil, "rules", 1);
    spoil = fake_spoil_nothing();
    spoil.rule = RULE_MEM001;
    fails_instead(spoil, "rules", 1);
    spoil = fake_spoil_nothing();
    spoil.missed = 60;
    fails_instead(spoil, "exactly_once", 1);
    spoil = fake_spoil_nothing();
    spoil.wrong_element = 9000;
    fails_instead(spoil, "correct", 1);
}

// A run that is cut short and looks wrong is run once more, to its end.
TEST(what_goes_wrong_with_an_arrival_is_judged_in_a_whole_run) {
    SCOPED_TIMED(t);
    timed_open(&t, 0, 110, note_launch);
    t.timed.spoil.missed = 60;
    t.timed.spoil.only_above = 128 * 100;
    CHECK_INT(technique(&t)->status, CHECK_SKIP);
    CHECK_LIST(&t.bench, CHECK_FAIL, "exactly_once");
    size_t last = (size_t)t.timed.launches - 1;
    CHECK(last > 1 && t.launches[last - 1].arrival_stays);
    CHECK(!t.launches[last].arrival_stays);
    CHECK_U64(t.launches[last].arrival, t.launches[last - 1].arrival);
}

// A kernel that spins gets more steps in modelled time, as it did before.
TEST(a_kernel_that_spins_may_take_more_steps_in_modelled_time) {
    static const uint64_t steps = 100 * 1000 * 1000;
    SCOPED_TIMED(t);
    timed_open(&t, 110, 0, take_200);
    t.bench.fake.spoil.steps = t.timed.spoil.steps = steps;
    CHECK_INT(technique(&t)->status, CHECK_PASS);
    CHECK_LIST(&t.bench, CHECK_FAIL, "");
    CHECK(t.timed.launches >= BALANCE_RUNS + 2); // the small ones, twice
}

TEST(a_device_that_cannot_time_is_our_error) {
    SCOPED_TIMED(t);
    timed_open(&t, 0, 110, NULL);
    CHECK_INT(technique(&t)->status, CHECK_ERROR);
    CHECK_HOLDS(technique(&t)->causes[0].what, "models no time");
    CHECK_INT(t.bench.result.verdict, VERDICT_ERROR);
}

TEST(a_device_that_cannot_load_is_our_error) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 0, take_200);
    t.timed.spoil.cannot_load = true;
    CHECK_INT(technique(&t)->status, CHECK_SKIP);
    CHECK_LIST(&t.bench, CHECK_ERROR, "rules");
    CHECK_INT(t.timed.launches, 0);
}

TEST(a_launch_that_fails_is_our_error) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 0, take_200);
    t.timed.spoil.fails = "BUSY";
    CHECK_INT(technique(&t)->status, CHECK_SKIP);
    CHECK_LIST(&t.bench, CHECK_ERROR, "rules");
    CHECK_INT(t.timed.launches, 1);
}

TEST(a_launch_that_is_refused_is_the_submissions_fault) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 0, take_200);
    t.timed.spoil.status = RUN_REFUSED;
    t.timed.spoil.refuse_code = true;
    CHECK_INT(technique(&t)->status, CHECK_SKIP);
    CHECK_LIST(&t.bench, CHECK_FAIL, "rules");
}

// ---- what is said --------------------------------------------------------

static Cause missed(Timed *t) {
    const CheckResult *check = technique(t);
    CHECK_INT(check->status, CHECK_FAIL);
    if (!CHECK(check->cause_count == 1 && check->causes[0].related_count == 1))
        return (Cause){0};
    CHECK_STR(check->figure, "");
    return check->causes[0];
}

// Block 5's indices are stored at cycles 100, 200, ..., in the order 5, 13, ...
TEST(who_ends_last_is_told_with_what_it_had_still_to_do) {
    SCOPED_TIMED(t);
    timed_open(&t, 110, 0, block_5_is_last);
    Cause cause = missed(&t);
    CHECK_HOLDS(cause.what, "ends at 141% of the places' mean end, reckoned "
                            "from the last 80 block indices, in the mean of "
                            "12 secret problems of ");
    CHECK_STR(cause.expected, "at most 110%");
    CHECK_STR(cause.actual, "141%");
    CHECK_HOLDS(cause.context, "threads, modelled time");
    CHECK_INT(cause.related[0].at.line, 6);
    CHECK_HOLDS(cause.related[0].what,
                "Block 5 ended last, at cycle 2000. When the first place had "
                "no more work, at cycle 850, it had ");
    CHECK_HOLDS(cause.related[0].what, " still to finish: 69");
    CHECK_HOLDS(cause.related[0].what, "The last of them was asked for here.");
}

static void first_arrival_at_700(FakeLaunch *f, DeviceTimeline *line) {
    block_5_is_last(f, line);
    line->arrival = line->arrival ? 700 : 0;
    line->all_free = 1300;
}

static void last_leaves_idle(FakeLaunch *f, DeviceTimeline *line) {
    block_5_is_last(f, line);
    if (!line->arrival)
        return;
    line->spans[3].to = 100000; // later than all that it stores
    line->arrival = 99900;
    line->all_free = 100;
}

TEST(who_leaves_last_is_told_with_what_it_did_after_the_arrival) {
    SCOPED_TIMED(t);
    timed_open(&t, 0, 300, first_arrival_at_700);
    Cause cause = missed(&t);
    CHECK_HOLDS(cause.what, "arrives at modelled cycle 700 waits 1300 cycles "
                            "for the device, the longest of 25 arrivals");
    CHECK_HOLDS(cause.context, "modelled time, arrival at cycle ");
    CHECK_INT(cause.related[0].at.line, 6);
    CHECK_HOLDS(cause.related[0].what,
                "Block 5 left last. After the arrival it finished ");
    CHECK_HOLDS(cause.related[0].what,
                " more block indices: 61, 69, 77, 85, 93");
    CHECK_HOLDS(cause.related[0].what, "The last of them was asked for here.");
}

TEST(who_leaves_last_may_have_done_nothing) {
    SCOPED_TIMED(t);
    timed_open(&t, 0, 300, last_leaves_idle);
    Cause cause = missed(&t);
    CHECK_HOLDS(cause.related[0].what,
                "Block 5 was the last, at cycle 100000, and stored nothing "
                "after cycle 99900.");
}

TEST_MAIN(TESTCASE(bars_are_in_per_cent_rounded),
          TESTCASE(balance_is_the_mean_of_the_worst_size),
          TESTCASE(balance_is_measured_where_much_is_promised),
          TESTCASE(yield_is_the_worst_of_its_runs),
          TESTCASE(figures_are_told_where_bars_are_kept),
          TESTCASE(problems_are_secret_and_of_no_size_of_the_lab),
          TESTCASE(arrivals_come_at_many_sizes_and_stay),
          TESTCASE(an_arrival_that_comes_too_late_comes_again),
          TESTCASE(without_a_device_for_it_no_bar_is_judged),
          TESTCASE(a_card_does_not_judge_the_bars_again),
          TESTCASE(a_timed_run_that_goes_wrong_fails_what_a_plain_one_would),
          TESTCASE(what_goes_wrong_with_an_arrival_is_judged_in_a_whole_run),
          TESTCASE(a_kernel_that_spins_may_take_more_steps_in_modelled_time),
          TESTCASE(a_device_that_cannot_time_is_our_error),
          TESTCASE(a_device_that_cannot_load_is_our_error),
          TESTCASE(a_launch_that_fails_is_our_error),
          TESTCASE(a_launch_that_is_refused_is_the_submissions_fault),
          TESTCASE(who_ends_last_is_told_with_what_it_had_still_to_do),
          TESTCASE(who_leaves_last_is_told_with_what_it_did_after_the_arrival),
          TESTCASE(who_leaves_last_may_have_done_nothing))
