// SPDX-License-Identifier: Apache-2.0
// The time model. Every expectation is computed by hand from the figures of
// "mini": a CTA starts in 1000 cycles; an integer instruction takes 1 slot and
// max(1, 4 / 2) = 2 cycles; a global read 2 slots and 2 + 400 / 2 = 202 cycles;
// a request 500 cycles; a barrier 20.
#include "tests/unit/test.h"
#include "vm/time/timing.h"

typedef struct Bench {
    Arena arena;
    Diags diags;
    Timing *t;
} Bench;

static TimingModel model_with(Bench *b, const char *setting) {
    TimingModel model = {0};
    CHECK(timing_model_find(STR("mini"), &model));
    if (setting)
        CHECK(timing_model_set(&model, str_from(setting), &b->diags));
    return model;
}

static void bench_open(Bench *b, TimingShape shape, const char *setting) {
    *b = (Bench){0};
    b->diags = diags_new(&b->arena);
    TimingModel model = model_with(b, setting);
    b->t = timing_start(&b->arena, &model, shape);
}

static void bench_close(Bench *b) {
    arena_free(&b->arena);
}

static uint32_t start_one(Bench *b, uint32_t sm, uint32_t block) {
    uint32_t cta = 0;
    timing_cluster_start(b->t, &sm, &block, 1, &cta);
    return cta;
}

static void run_integers(Bench *b, uint32_t cta, uint32_t warp,
                         uint32_t count) {
    TimingRun run = {0};
    run.kinds[DEVICE_KIND_INTEGER] = count;
    timing_run(b->t, cta, warp, &run);
}

static void check_span(const DeviceTimeline *line, size_t i,
                       DeviceSpanKind kind, uint64_t from, uint64_t to,
                       uint32_t block) {
    if (!CHECK(i < line->span_count))
        return;
    const DeviceSpan *span = &line->spans[i];
    bool ok = CHECK_INT(span->kind, kind) && CHECK_U64(span->from, from) &&
              CHECK_U64(span->to, to) && CHECK_INT(span->block, block);
    if (!ok)
        printf("# span %zu\n", i);
}

// ---- figures -------------------------------------------------------------

TEST(models_have_their_names_and_settings_change_one_figure) {
    Bench b = {0};
    b.diags = diags_new(&b.arena);
    TimingModel model;
    CHECK(timing_model_find(STR("b200"), &model));
    CHECK_INT(model.values[TIMING_ISSUE_INTEGER], 2);
    CHECK(timing_model_find(STR("rtx5090"), &model));
    CHECK_INT(model.values[TIMING_ISSUE_FLOAT64], 64);
    CHECK(!timing_model_find(STR("b300"), &model));
    CHECK(timing_model_set(&model, STR("latency.warp=0x20"), &b.diags));
    CHECK_INT(model.values[TIMING_LATENCY_WARP], 32);
    CHECK_INT(model.values[TIMING_ISSUE_WARP], 4);
    CHECK_INT(b.diags.errors, 0);
    arena_free(&b.arena);
}

TEST(settings_that_make_no_sense_are_refused_with_a_reason) {
    static const struct {
        const char *setting, *part;
    } wrong[] = {
        {"global", "has no ="},
        {"", "has no ="},
        {"speed=3", "names no figure"},
        {"=3", "names no figure"},
        {"global=", "no whole number"},
        {"global=-1", "no whole number"},
        {"global=1.5", "no whole number"},
        {"global=1000001", "more than 1000000"},
        {"global=99999999999999999999999", "no whole number"},
        {"overlap=0", "is 0"},
        {"clock=0", "is 0"},
        {"schedulers=0", "is 0"},
        {"schedulers=65", "more than 64"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Arena arena = {0};
        Diags diags = diags_new(&arena);
        TimingModel model, before;
        timing_model_find(STR("mini"), &model);
        before = model;
        CHECK(!timing_model_set(&model, str_from(wrong[i].setting), &diags));
        if (CHECK_INT(diags.count, 1)) {
            CHECK_HOLDS(diags.items[0].what, wrong[i].part);
            CHECK(diags.items[0].help.len > 0);
        }
        CHECK(memcmp(&model, &before, sizeof model) == 0);
        arena_free(&arena);
    }
}

// ---- what a warp pays ----------------------------------------------------

TEST(a_warp_alone_pays_its_share_of_each_latency) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 1}, NULL);
    uint32_t cta = start_one(&b, 0, 5);
    CHECK_U64(timing_now(b.t, cta, 0), 1000);
    run_integers(&b, cta, 0, 10);
    CHECK_U64(timing_now(b.t, cta, 0), 1020);
    TimingRun run = {0};
    run.kinds[DEVICE_KIND_LOAD] = 3;
    run.kinds[DEVICE_KIND_STORE] = 1;   // 2 cycles: nobody waits for it
    run.reads[DEVICE_SPACE_GLOBAL] = 1; // 200
    run.reads[DEVICE_SPACE_SHARED] = 2; // 15 each
    timing_run(b.t, cta, 0, &run);
    CHECK_U64(timing_now(b.t, cta, 0), 1020 + 3 * 2 + 2 + 200 + 30);
    bench_close(&b);
}

TEST(warps_of_one_scheduler_share_its_slots) {
    Bench b; // without latency to hide, each warp could fill its scheduler
    bench_open(&b, (TimingShape){1, 1, 8}, "latency.integer=0");
    uint32_t cta = start_one(&b, 0, 0);
    for (uint32_t w = 0; w < 8; w += 4) {
        TimingRun move = {.kinds = {[DEVICE_KIND_MOVE] = 12}}; // to 1024
        timing_run(b.t, cta, w, &move);
        CHECK_U64(timing_now(b.t, cta, w), 1024);
    }
    run_integers(&b, cta, 0, 64); // a window of its own
    CHECK_U64(timing_now(b.t, cta, 0), 1088);
    run_integers(&b, cta, 4, 96); // the next one, and half of another
    CHECK_U64(timing_now(b.t, cta, 4), 1184);
    run_integers(&b, cta, 0, 40); // 32 slots are left until 1216
    CHECK_U64(timing_now(b.t, cta, 0), 1224);
    run_integers(&b, cta, 1, 24); // another scheduler: at 1000, as if alone
    CHECK_U64(timing_now(b.t, cta, 1), 1024);
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_U64(line.sms[0].issued, 2 * 12 + 64 + 96 + 40 + 24);
    CHECK_INT(line.schedulers, 4);
    bench_close(&b);
}

TEST(latency_is_hidden_behind_other_warps) {
    Bench b; // two warps of a scheduler, each half of whose slots are free
    bench_open(&b, (TimingShape){1, 1, 5}, "launch=1024");
    uint32_t cta = start_one(&b, 0, 0);
    run_integers(&b, cta, 0, 32);
    run_integers(&b, cta, 4, 32);
    CHECK_U64(timing_now(b.t, cta, 0), 1088);
    CHECK_U64(timing_now(b.t, cta, 4), 1088);
    bench_close(&b);
}

TEST(the_order_of_calls_is_not_the_order_of_time) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 5}, NULL);
    uint32_t cta = start_one(&b, 0, 0);
    timing_resume(b.t, cta, 0, 9000, TIMING_BARRIER);
    run_integers(&b, cta, 0, 10);
    CHECK_U64(timing_now(b.t, cta, 0), 9040);
    run_integers(&b, cta, 4, 10); // the same scheduler, long before
    CHECK_U64(timing_now(b.t, cta, 4), 1020);
    bench_close(&b);
}

TEST(slots_of_windows_that_are_forgotten_are_free) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 5}, "latency.integer=0");
    uint32_t cta = start_one(&b, 0, 0);
    run_integers(&b, cta, 4, 88); // 1000 to 1088: fills a window
    timing_resume(b.t, cta, 0, UINT64_C(1) << 40, TIMING_BARRIER);
    run_integers(&b, cta, 0, 1);
    CHECK_U64(timing_now(b.t, cta, 0), (UINT64_C(1) << 40) + 21);
    run_integers(&b, cta, 4, 100);
    CHECK_U64(timing_now(b.t, cta, 4), 1188);
    bench_close(&b);
}

// A scheduler has the slots of 4096 windows of 64 cycles, one place for all
// that are a multiple of that apart.
TEST(slots_of_a_window_are_not_those_of_a_forgotten_one) {
    const uint64_t late = (UINT64_C(4096) * 1000 + 17) * 64;
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 5}, "latency.integer=0");
    uint32_t cta = start_one(&b, 0, 0);
    run_integers(&b, cta, 4, 88); // until 1088: the 17th window begins
    timing_resume(b.t, cta, 0, late - 20, TIMING_BARRIER);
    run_integers(&b, cta, 0, 64); // all of its slots
    CHECK_U64(timing_now(b.t, cta, 0), late + 64);
    run_integers(&b, cta, 4, 32);
    CHECK_U64(timing_now(b.t, cta, 4), 1120);
    bench_close(&b);
}

// ---- waiting -------------------------------------------------------------

TEST(who_waits_goes_on_after_the_last_arrival) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 3}, NULL);
    uint32_t cta = start_one(&b, 0, 0);
    uint64_t event = 0;
    run_integers(&b, cta, 1, 100); // until 1200
    for (uint32_t w = 0; w < 3; w++)
        timing_arrive(b.t, cta, w, &event);
    CHECK_U64(event, 1200);
    for (uint32_t w = 0; w < 3; w++) {
        timing_resume(b.t, cta, w, event, TIMING_BARRIER);
        CHECK_U64(timing_now(b.t, cta, w), 1220);
    }
    timing_resume(b.t, cta, 0, 7, TIMING_CLUSTER); // long past
    CHECK_U64(timing_now(b.t, cta, 0), 1220);
    bench_close(&b);
}

TEST(sleep_is_in_nanoseconds_of_the_clock) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 1}, "clock=2000");
    uint32_t cta = start_one(&b, 0, 0);
    timing_sleep(b.t, cta, 0, 50);
    CHECK_U64(timing_now(b.t, cta, 0), 1100);
    timing_sleep(b.t, cta, 0, UINT64_MAX); // at most 2^32
    CHECK_U64(timing_now(b.t, cta, 0), 1100 + (UINT64_C(2) << 32));
    bench_close(&b);
}

// ---- CTAs ----------------------------------------------------------------

TEST(a_cta_starts_where_a_place_was_free_first) {
    Bench b;
    bench_open(&b, (TimingShape){2, 2, 1}, NULL);
    uint32_t first = start_one(&b, 0, 0), second = start_one(&b, 0, 1);
    uint32_t other = start_one(&b, 1, 2);
    CHECK_INT(first, 0);
    CHECK_INT(second, 1);
    CHECK_INT(other, 2);
    run_integers(&b, first, 0, 100);
    run_integers(&b, second, 0, 50);
    timing_cta_exit(b.t, first);  // at 1200
    timing_cta_exit(b.t, second); // at 1100
    uint32_t third = start_one(&b, 0, 3);
    CHECK_INT(third, second);
    CHECK_U64(timing_now(b.t, third, 0), 2100);
    CHECK_U64(timing_now(b.t, start_one(&b, 0, 4), 0), 2200);
    bench_close(&b);
}

TEST(ctas_of_a_cluster_start_together) {
    Bench b;
    bench_open(&b, (TimingShape){2, 1, 1}, NULL);
    uint32_t cta = start_one(&b, 1, 0);
    run_integers(&b, cta, 0, 150);
    timing_cta_exit(b.t, cta); // at 1300
    uint32_t sms[] = {0, 1}, blocks[] = {6, 7}, ctas[2];
    timing_cluster_start(b.t, sms, blocks, 2, ctas);
    CHECK_U64(timing_now(b.t, ctas[0], 0), 2300);
    CHECK_U64(timing_now(b.t, ctas[1], 0), 2300);
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_INT(line.sms[1].ctas, 2);
    CHECK_U64(line.cycles, 2300);
    bench_close(&b);
}

TEST(ends_are_summed_over_the_places_for_ctas) {
    Bench b;
    bench_open(&b, (TimingShape){1, 2, 1}, NULL);
    uint32_t first = start_one(&b, 0, 0), second = start_one(&b, 0, 1);
    timing_prologue(b.t, first, 0, true); // that it never leaves
    run_integers(&b, first, 0, 100);
    timing_cta_exit(b.t, second); // at 1000
    second = start_one(&b, 0, 2);
    timing_cta_exit(b.t, second); // at 2000
    timing_cta_exit(b.t, first);  // at 1200
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_INT(line.places, 2);
    CHECK_U64(line.ends, 1200 + 2000);
    bench_close(&b);
}

// Another kernel arrives at cycle 1500; it is given one of two places at 1600,
// and goes before it has the other.
TEST(who_was_there_before_another_kernel_is_refused_to_its_end) {
    Bench b;
    bench_open(&b, (TimingShape){1, 2, 1}, "arrive=1500");
    uint32_t first = start_one(&b, 0, 0), second = start_one(&b, 0, 1);
    run_integers(&b, first, 0, 300); // until 1600
    CHECK(timing_is_wanted(b.t, first, 0));
    CHECK(!timing_is_wanted(b.t, second, 0));
    CHECK(!timing_withholds(b.t));
    timing_cta_exit(b.t, first);
    CHECK(timing_withholds(b.t));
    timing_let_go(b.t);
    CHECK(!timing_withholds(b.t));
    uint32_t third = start_one(&b, 0, 2);
    CHECK_U64(timing_now(b.t, third, 0), 1600 + 10000 + 1000);
    CHECK(!timing_is_wanted(b.t, third, 0));
    timing_sleep(b.t, second, 0, 1000000);
    CHECK(timing_is_wanted(b.t, second, 0));
    timing_cta_exit(b.t, third);
    timing_cta_exit(b.t, second);
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_U64(line.first_free, 100);
    CHECK_U64(line.all_free, 1001000 - 1500);
    bench_close(&b);
}

// ---- the timeline --------------------------------------------------------

TEST(a_clc_loop_shows_as_launch_prologue_work_and_wait) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 1}, NULL);
    uint32_t cta = start_one(&b, 0, 3);
    timing_prologue(b.t, cta, 0, true);
    run_integers(&b, cta, 0, 10); // until 1020
    timing_prologue(b.t, cta, 0, false);
    uint64_t answer = timing_done_at(b.t, cta, 0, TIMING_REQUEST);
    CHECK_U64(answer, 1520);
    run_integers(&b, cta, 0, 5); // until 1030
    timing_resume(b.t, cta, 0, answer, TIMING_BARRIER);
    timing_block(b.t, cta, 0, 9); // at 1540
    timing_block(b.t, cta, 0, 9); // told again: nothing
    run_integers(&b, cta, 0, 5);
    timing_cta_exit(b.t, cta);
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_INT(line.span_count, 5);
    check_span(&line, 0, DEVICE_SPAN_LAUNCH, 0, 1000, 3);
    check_span(&line, 1, DEVICE_SPAN_PROLOGUE, 1000, 1020, 3);
    check_span(&line, 2, DEVICE_SPAN_WORK, 1020, 1030, 3);
    check_span(&line, 3, DEVICE_SPAN_WAIT, 1030, 1540, 3);
    check_span(&line, 4, DEVICE_SPAN_WORK, 1540, 1550, 9);
    CHECK_INT(line.spans[4].cta, 3);
    CHECK_U64(line.cycles, 1550);
    CHECK_INT(line.clock_mhz, 1000);
    CHECK_U64(line.sms[0].end, 1550);
    bench_close(&b);
}

TEST(a_cta_waits_only_when_all_of_its_warps_do) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 2}, NULL);
    uint32_t cta = start_one(&b, 0, 0);
    run_integers(&b, cta, 0, 10); // 1000 to 1020
    timing_resume(b.t, cta, 0, 1180, TIMING_BARRIER);
    run_integers(&b, cta, 0, 10); // 1200 to 1220
    run_integers(&b, cta, 1, 50); // 1000 to 1100: covers a part of the wait
    timing_cta_exit(b.t, cta);
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_INT(line.span_count, 4);
    check_span(&line, 1, DEVICE_SPAN_WORK, 1000, 1100, 0);
    check_span(&line, 2, DEVICE_SPAN_WAIT, 1100, 1200, 0);
    check_span(&line, 3, DEVICE_SPAN_WORK, 1200, 1220, 0);
    bench_close(&b);
}

// More waits than a CTA remembers: the shortest ones count as work.
TEST(many_waits_are_joined_and_nothing_is_lost) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 1}, NULL);
    uint32_t cta = start_one(&b, 0, 0);
    for (uint64_t i = 0; i < 500; i++) {
        run_integers(&b, cta, 0, 5);
        timing_resume(b.t, cta, 0, timing_now(b.t, cta, 0) + i % 7,
                      TIMING_BARRIER);
    }
    uint64_t end = timing_now(b.t, cta, 0), at = 0;
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK(line.span_count > 60 && line.span_count <= 2 * 64 + 2);
    for (size_t i = 0; i < line.span_count; i++) {
        CHECK_U64(line.spans[i].from, at);
        at = line.spans[i].to;
    }
    CHECK_U64(at, end);
    bench_close(&b);
}

TEST(spans_have_a_limit_and_what_is_left_out_is_counted) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 1}, NULL);
    enum { CTAS = 70000 };
    for (uint32_t i = 0; i < CTAS; i++) {
        uint32_t cta = start_one(&b, 0, i);
        run_integers(&b, cta, 0, 1);
        timing_sleep(b.t, cta, 0, 10);
        timing_cta_exit(b.t, cta);
    }
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_U64(line.span_count + line.spans_left_out, 3 * CTAS);
    CHECK_INT(line.span_count, 200000);
    CHECK_U64(line.cycles, CTAS * UINT64_C(1012));
    CHECK_INT(line.sms[0].ctas, CTAS);
    bench_close(&b);
}

TEST(events_have_a_limit_too_and_are_sorted) {
    Bench b;
    bench_open(&b, (TimingShape){1, 1, 1}, NULL);
    enum { EVENTS = 200010 };
    for (uint32_t i = 0; i < EVENTS; i++)
        timing_event(b.t, (DeviceEvent){.cycle = EVENTS - i / 2, .value = i});
    DeviceTimeline line = timing_finish(b.t, &b.arena);
    CHECK_INT(line.event_count, 200000);
    CHECK_INT(line.events_left_out, 10);
    CHECK_INT(line.events[0].value, 199998);
    CHECK_INT(line.events[1].value, 199999);
    CHECK_INT(line.events[199999].value, 1);
    bench_close(&b);
}

// ---- its page ------------------------------------------------------------

TEST(the_page_has_every_figure_as_it_is) {
    static const char *const rows[] = {
#define ROW(id, name, mini, b200, rtx5090, unit, what, from)                 \
    "| `" name "` | " #mini " | " #b200 " | " #rtx5090 " | " unit " | " what \
    " | " from " |\n",
        TIMING_VALUES(ROW)
#undef ROW
    };
    Arena arena = {0};
    Str page = test_file(&arena, "docs/time-model.md");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_HOLDS(page, rows[i]);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(models_have_their_names_and_settings_change_one_figure),
          TESTCASE(settings_that_make_no_sense_are_refused_with_a_reason),
          TESTCASE(a_warp_alone_pays_its_share_of_each_latency),
          TESTCASE(warps_of_one_scheduler_share_its_slots),
          TESTCASE(latency_is_hidden_behind_other_warps),
          TESTCASE(the_order_of_calls_is_not_the_order_of_time),
          TESTCASE(slots_of_windows_that_are_forgotten_are_free),
          TESTCASE(slots_of_a_window_are_not_those_of_a_forgotten_one),
          TESTCASE(who_waits_goes_on_after_the_last_arrival),
          TESTCASE(sleep_is_in_nanoseconds_of_the_clock),
          TESTCASE(a_cta_starts_where_a_place_was_free_first),
          TESTCASE(ctas_of_a_cluster_start_together),
          TESTCASE(ends_are_summed_over_the_places_for_ctas),
          TESTCASE(who_was_there_before_another_kernel_is_refused_to_its_end),
          TESTCASE(a_clc_loop_shows_as_launch_prologue_work_and_wait),
          TESTCASE(a_cta_waits_only_when_all_of_its_warps_do),
          TESTCASE(many_waits_are_joined_and_nothing_is_lost),
          TESTCASE(spans_have_a_limit_and_what_is_left_out_is_counted),
          TESTCASE(events_have_a_limit_too_and_are_sorted),
          TESTCASE(the_page_has_every_figure_as_it_is))
