// SPDX-License-Identifier: Apache-2.0
// Probes and schedules that are run ahead (check/ahead.c), on fake Devices: the
// report is the same as without a crew, whatever is wrong and wherever it
// shows.
#include "tests/unit/check_fake.h"

#include <stdatomic.h>

enum { HELPERS = 3 };

typedef struct Shared { // a bench, and a crew with its devices
    Bench bench;
    Fake fakes[HELPERS];
    Device *helpers[HELPERS];
} Shared;

// The crew ends with the process.
static void share(Shared *shared) {
    static Crew *crew;
    crew = crew ? crew : crew_new(1 + HELPERS);
    for (size_t i = 0; i < HELPERS; i++) {
        shared->fakes[i] = shared->bench.fake;
        shared->helpers[i] = &shared->fakes[i].device;
    }
    shared->bench.options.crew = crew;
    shared->bench.options.helpers = shared->helpers;
}

static Str report_of(Bench *bench) {
    Buf out = {0};
    bench_grade(bench);
    report_json(&bench->result, &out);
    Str text = str_copy(&bench->arena, buf_view(&out));
    buf_free(&out);
    return text;
}

static int helped(const Shared *shared) {
    int launches = 0;
    for (size_t i = 0; i < HELPERS; i++)
        launches += shared->fakes[i].launches;
    return launches;
}

static void open_spoilt(Shared *shared, LabTechnique technique, Spoil spoil) {
    *shared = (Shared){0};
    bench_open(&shared->bench, technique);
    shared->bench.fake.spoil = spoil;
}

static void close_shared(Shared *shared) {
    for (size_t i = 0; i < HELPERS; i++)
        if (shared->helpers[i])
            shared->helpers[i]->ops->close(shared->helpers[i]);
    bench_close(&shared->bench);
}

// Returns whether it has full marks.
static bool check_same(LabTechnique technique, Spoil spoil) {
    Shared *alone = malloc(sizeof *alone), *shared = malloc(sizeof *shared);
    open_spoilt(alone, technique, spoil);
    open_spoilt(shared, technique, spoil);
    share(shared);
    CHECK_STR(report_of(&shared->bench), report_of(&alone->bench).ptr);
    CHECK_INT(helped(alone), 0);
    bool passed = alone->bench.result.verdict == VERDICT_PASS;
    bench_close(&alone->bench);
    close_shared(shared);
    free(alone);
    free(shared);
    return passed;
}

static void count_call(void *context, size_t worker) {
    atomic_int *calls = context;
    atomic_fetch_add(&calls[worker], 1);
}

TEST(each_worker_is_called_in_each_round) {
    Crew *crew = crew_new(4);
    atomic_int calls[4] = {0};
    CHECK_INT(crew_workers(crew), 4);
    CHECK_INT(crew_workers(NULL), 1);
    for (int round = 1; round <= 50; round++) {
        crew_run(crew, count_call, calls);
        for (size_t i = 0; i < COUNT_OF(calls); i++)
            CHECK_INT(atomic_load(&calls[i]), round);
    }
}

TEST(a_right_kernel_is_run_once_by_whoever_is_free) {
    Shared *shared = malloc(sizeof *shared);
    open_spoilt(shared, TECHNIQUE_CLC, fake_spoil_nothing());
    bench_grade(&shared->bench);
    int launches = shared->bench.fake.launches;
    bench_close(&shared->bench);
    open_spoilt(shared, TECHNIQUE_CLC, fake_spoil_nothing());
    share(shared);
    bench_grade(&shared->bench);
    CHECK_INT(shared->bench.fake.launches + helped(shared), launches);
    CHECK_INT(shared->bench.result.verdict, VERDICT_PASS);
    close_shared(shared);
    free(shared);
}

TEST(what_passes_has_the_same_report) {
    Spoil spoil = fake_spoil_nothing();
    CHECK(check_same(TECHNIQUE_FIXED, spoil));
    CHECK(check_same(TECHNIQUE_PERSISTENT, spoil));
    CHECK(check_same(TECHNIQUE_CLC, spoil));
}

TEST(a_schedule_that_fails_has_the_same_report) {
    for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
        Spoil spoil = fake_spoil_nothing();
        spoil.only_schedule = strategy;
        spoil.missed = 20;
        check_same(TECHNIQUE_CLC, spoil);
        spoil.missed = NOBODY;
        spoil.rule = RULE_CLC001;
        check_same(TECHNIQUE_CLC, spoil);
        spoil.level = FINDING_ADVISORY;
        check_same(TECHNIQUE_CLC, spoil);
        spoil.rule = 0;
        spoil.status = RUN_UNSUPPORTED;
        check_same(TECHNIQUE_CLC, spoil);
        spoil.status = RUN_LIMIT;
        check_same(TECHNIQUE_CLC, spoil);
    }
}

TEST(a_probe_that_fails_has_the_same_report) {
    Spoil spoil = fake_spoil_nothing();
    spoil.only_above = 20000; // no listed size is larger
    spoil.missed = 20;
    CHECK(!check_same(TECHNIQUE_CLC, spoil));
    spoil.missed = NOBODY;
    spoil.only_above = 0;
    spoil.only_second = true;
    spoil.wrong_element = 5;
    CHECK(!check_same(TECHNIQUE_CLC, spoil));
    spoil.only_second = false;
    spoil.only_grid = 3;
    CHECK(!check_same(TECHNIQUE_PERSISTENT, spoil));
}

// It passes, but ahead it would have been given up.
TEST(a_schedule_that_takes_many_steps_is_run_in_its_turn) {
    Spoil spoil = fake_spoil_nothing();
    spoil.only_schedule = STRATEGY_ONE_SM;
    spoil.steps = 30 * 1000 * 1000;
    CHECK(check_same(TECHNIQUE_CLC, spoil));
}

static void keep_told(void *context, uint64_t done, uint64_t of) {
    uint64_t *told = context;
    told[0]++;
    told[1] = done;
    told[2] = of;
}

// What its time goes into is told, stage by stage, and schedule by schedule.
TEST(a_long_grade_is_not_run_ahead) {
    uint64_t told[3] = {0};
    Shared *shared = malloc(sizeof *shared);
    open_spoilt(shared, TECHNIQUE_CLC, fake_spoil_nothing());
    share(shared);
    shared->bench.options.schedules = 60;
    shared->bench.options.tell = keep_told;
    shared->bench.options.tell_context = told;
    shared->bench.fake.counted = UINT64_C(1) << 40;
    bench_grade(&shared->bench);
    CHECK_INT(helped(shared), 0);
    CHECK_INT(shared->bench.result.verdict, VERDICT_PASS);
    CHECK(told[0] == 60 && told[1] == 60 && told[2] == 60);
    close_shared(shared);
    free(shared);
}

TEST(one_schedule_alone_needs_no_crew) {
    Shared *shared = malloc(sizeof *shared);
    open_spoilt(shared, TECHNIQUE_CLC, fake_spoil_nothing());
    share(shared);
    shared->bench.options.is_single = true;
    shared->bench.options.single = 3;
    bench_grade(&shared->bench);
    CHECK_INT(helped(shared), 0);
    close_shared(shared);
    free(shared);
}

TEST_MAIN(TESTCASE(each_worker_is_called_in_each_round),
          TESTCASE(a_right_kernel_is_run_once_by_whoever_is_free),
          TESTCASE(what_passes_has_the_same_report),
          TESTCASE(a_schedule_that_fails_has_the_same_report),
          TESTCASE(a_probe_that_fails_has_the_same_report),
          TESTCASE(a_schedule_that_takes_many_steps_is_run_in_its_turn),
          TESTCASE(a_long_grade_is_not_run_ahead),
          TESTCASE(one_schedule_alone_needs_no_crew))
