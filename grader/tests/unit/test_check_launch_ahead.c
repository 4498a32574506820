// SPDX-License-Identifier: Apache-2.0
// Schedules of check_launch that several workers share (launch_trial.c), on
// fake Devices: the report is the same as that of one worker, whatever the
// schedules do.
#include "tests/unit/launch_fake.h"

#include <stdatomic.h>

enum { HELPERS = 3, SCHEDULES = 60, LONG = 50 * 1000 * 1000 };

// What schedules of this strategy do. -1: none does.
typedef struct Spoil {
    int differs, breaks, refused, ends, is_long;
    RunStatus ends_with;
} Spoil;

#define NOTHING ((Spoil){-1, -1, -1, -1, -1, RUN_DONE})

// For all fakes of a test, as a launch is given its device alone.
static Spoil the_spoil;
static atomic_int the_launches, the_helped;
static Device *the_caller;

static bool spoilt_launch(Device *device, Arena *arena,
                          const DeviceLaunch *launch, DeviceRun *run) {
    Fake *fake = (Fake *)device;
    int strategy = launch->schedule.seed ? (int)launch->schedule.strategy : -2;
    fake->launches = 0; // what it says does not depend on who runs it
    fake_launch(device, arena, launch, run);
    run->is_timed = false;
    run->counters.thread_instructions = 1000;
    atomic_fetch_add(&the_launches, 1);
    atomic_fetch_add(&the_helped, device != the_caller);
    if (strategy == the_spoil.differs)
        fake->bytes[0][4 + launch->schedule.seed % 8]++;
    if (strategy == the_spoil.breaks)
        fake_finding(fake, arena, run);
    if (strategy == the_spoil.is_long) {
        bool is_cut = launch->step_limit < LONG;
        run->counters.thread_instructions = is_cut ? launch->step_limit : LONG;
        run->status = is_cut ? RUN_LIMIT : RUN_DONE;
    }
    if (strategy == the_spoil.ends)
        run->status = the_spoil.ends_with;
    if (strategy == the_spoil.refused) {
        run->status = RUN_REFUSED;
        run->error = (Diag){.what = STR("not this one"), .help = STR("ask")};
    }
    return run->status != RUN_REFUSED;
}

static DeviceOps spoilt_ops(void) {
    DeviceOps ops = FAKE_OPS;
    ops.launch = spoilt_launch;
    return ops;
}

// The report of one worker, or of several; of a refusal, what it says.
static Str report_of(Bench *b, Crew *crew, uint64_t memory) {
    static Fake fakes[HELPERS];
    static Device *helpers[HELPERS];
    DeviceOps ops = spoilt_ops();
    Buf out = {0};
    bench_open(b);
    b->fake.device.ops = &ops;
    b->fake.rule = RULE_CLC004;
    for (size_t i = 0; i < HELPERS; i++) {
        fakes[i] = b->fake;
        helpers[i] = &fakes[i].device;
    }
    the_caller = &b->fake.device;
    atomic_store(&the_launches, 0);
    atomic_store(&the_helped, 0);
    b->request.schedules = SCHEDULES;
    b->request.step_limit = 2 * (uint64_t)LONG;
    b->request.crew = crew;
    b->request.helpers = helpers;
    b->request.memory = memory;
    if (bench_run(b))
        report_run_json(&b->result, &out);
    else
        buf_str(&out, b->error.what);
    for (size_t i = 0; i < HELPERS; i++)
        fake_free(&fakes[i]);
    Str text = str_copy(&b->arena, buf_view(&out));
    buf_free(&out);
    return text;
}

// The crew ends with the process.
static Crew *the_crew(void) {
    static Crew *crew;
    crew = crew ? crew : crew_new(1 + HELPERS);
    return crew;
}

// Returns how many launches the helpers had.
static int check_same(Spoil spoil) {
    static Bench alone, shared;
    the_spoil = spoil;
    Str expected = report_of(&alone, NULL, 0);
    CHECK_INT(the_helped, 0);
    Str text = report_of(&shared, the_crew(), UINT64_MAX);
    CHECK_STR(text, expected.ptr);
    int helped = the_helped;
    bench_close(&alone);
    bench_close(&shared);
    return helped;
}

TEST(what_is_clean_is_run_once_by_whoever_is_free) {
    static Bench b;
    check_same(NOTHING);
    report_of(&b, the_crew(), UINT64_MAX);
    CHECK_INT(the_launches, SCHEDULES);
    CHECK_INT(b.result.schedule_count, SCHEDULES);
    CHECK_INT(b.result.verdict, VERDICT_PASS);
    bench_close(&b);
}

TEST(findings_and_other_outputs_have_the_same_report) {
    for (int strategy = 1; strategy < STRATEGY_COUNT; strategy++) {
        Spoil spoil = NOTHING;
        spoil.differs = strategy;
        check_same(spoil);
        spoil.breaks = strategy;
        check_same(spoil);
        spoil.differs = -1;
        check_same(spoil);
    }
}

TEST(a_schedule_that_ends_otherwise_has_the_same_report) {
    static const RunStatus ends[] = {RUN_FAULT, RUN_DEADLOCK, RUN_LIMIT,
                                     RUN_UNSUPPORTED};
    for (int strategy = 1; strategy < STRATEGY_COUNT; strategy++)
        for (size_t i = 0; i < COUNT_OF(ends); i++) {
            Spoil spoil = NOTHING;
            spoil.ends = strategy;
            spoil.ends_with = ends[i];
            check_same(spoil);
        }
}

TEST(a_schedule_that_is_refused_says_so) {
    static Bench b;
    Spoil spoil = NOTHING;
    spoil.refused = STRATEGY_RANDOM;
    check_same(spoil);
    CHECK_STR(report_of(&b, the_crew(), UINT64_MAX), "not this one");
    bench_close(&b);
}

// The others are shared out again behind it.
TEST(a_schedule_that_takes_far_more_steps_is_run_by_the_caller) {
    static Bench b;
    Spoil spoil = NOTHING;
    spoil.is_long = STRATEGY_RANDOM;
    check_same(spoil);
    report_of(&b, the_crew(), UINT64_MAX);
    CHECK_INT(b.result.schedule_count, SCHEDULES);
    CHECK_INT(b.result.errors, 0);
    CHECK(the_launches > SCHEDULES);
    bench_close(&b);
}

TEST(what_is_too_much_memory_for_two_is_run_by_one) {
    static Bench b;
    the_spoil = NOTHING;
    report_of(&b, the_crew(), 2 * heap_peak() - 1);
    CHECK_INT(the_helped, 0);
    CHECK_INT(the_launches, SCHEDULES);
    CHECK_INT(b.result.schedule_count, SCHEDULES);
    bench_close(&b);
}

TEST_MAIN(TESTCASE(what_is_clean_is_run_once_by_whoever_is_free),
          TESTCASE(findings_and_other_outputs_have_the_same_report),
          TESTCASE(a_schedule_that_ends_otherwise_has_the_same_report),
          TESTCASE(a_schedule_that_is_refused_says_so),
          TESTCASE(a_schedule_that_takes_far_more_steps_is_run_by_the_caller),
          TESTCASE(what_is_too_much_memory_for_two_is_run_by_one))
