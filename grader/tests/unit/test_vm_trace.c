// SPDX-License-Identifier: Apache-2.0
// The trace of a launch: what the tape lists and what it leaves out, and what
// the virtual machine tells it. The kernel below steals: its line 2 asks, 3
// announces, 4 waits, 5 reads the answer, 6 looks whether there is one, 7
// decodes it, 8 has the proxy fence, which `careless` lacks, and 9 goes on.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/trace/tape.h"
#include "vm/vm.h"

// ---- the tape ------------------------------------------------------------

typedef struct Bench {
    Arena arena;
    Tape *tape;
} Bench;

static void bench_open(Bench *b, uint32_t stays, uint32_t events) {
    *b = (Bench){0};
    TraceWish wish = {.most_stays = stays, .most_events = events};
    b->tape = tape_start(&b->arena, &wish, 2, 2);
}

static TraceEvent event_at(uint64_t at) {
    return (TraceEvent){
        .at = at, .kind = DEVICE_EVENT_ARRIVE, .shared = 16, .times = 1};
}

static TraceEvent step_of(uint32_t warp, uint32_t line) {
    return (TraceEvent){.kind = TRACE_STEP,
                        .warp = warp,
                        .line = line,
                        .shared = DEVICE_EVENT_NONE,
                        .times = 1};
}

TEST(stays_follow_each_other_in_a_place) {
    Bench b;
    bench_open(&b, 8, 8);
    uint32_t first = tape_enter(b.tape, 1, 5, 10);
    uint32_t second = tape_enter(b.tape, 1, 6, 12);
    tape_block(b.tape, first, 9, 30);
    tape_block(b.tape, first, 9, 31);
    tape_leave(b.tape, second, 40);
    uint32_t third = tape_enter(b.tape, 1, 7, 41);
    CHECK_INT(third, second);
    const RunTrace *trace = tape_finish(b.tape, &b.arena, 50);
    CHECK_U64(trace->stay_total, 4);
    if (!CHECK_U64(trace->stay_count, 4))
        return;
    const TraceStay *s = trace->stays;
    CHECK(s[0].cta == 5 && s[0].block == 5 && !s[0].is_stolen);
    CHECK(s[0].from == 10 && s[0].to == 30 && s[0].sm == 1 && s[0].place == 0);
    CHECK(s[1].place == 1 && s[1].from == 12 && s[1].to == 40);
    CHECK(s[2].cta == 5 && s[2].block == 9 && s[2].is_stolen);
    CHECK(s[2].from == 30 && s[2].to == 50 && s[3].to == 50);
    CHECK_U64(trace->sms[1].started, 3);
    CHECK_U64(trace->sms[1].stolen, 1);
    CHECK_U64(trace->sms[1].started_time, 20 + 28 + 9);
    CHECK_U64(trace->sms[1].stolen_time, 20);
    CHECK_U64(trace->sms[0].started, 0);
    arena_free(&b.arena);
}

// Of a million blocks, what is listed is spread over the launch, and the rest
// is counted.
TEST(a_long_launch_is_thinned) {
    enum { BLOCKS = 1000000, MOST = 64 };
    Bench b;
    bench_open(&b, MOST, 2 * MOST);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t place = tape_enter(b.tape, 0, i, i);
        tape_event(b.tape, place, event_at(i));
        tape_leave(b.tape, place, i + 1);
    }
    const RunTrace *trace = tape_finish(b.tape, &b.arena, BLOCKS);
    CHECK_U64(trace->stay_total, BLOCKS);
    CHECK_U64(trace->event_total, BLOCKS);
    CHECK_U64(trace->sms[0].started, BLOCKS);
    CHECK_U64(trace->sms[0].started_time, BLOCKS);
    CHECK(trace->stay_count > MOST / 2 - 2 && trace->stay_count <= MOST);
    CHECK_U64(trace->event_count, trace->stay_count);
    CHECK(trace->every * (trace->stay_count - 1) < BLOCKS);
    CHECK(trace->every * (trace->stay_count + 1) > BLOCKS);
    for (size_t i = 0; i < trace->stay_count; i++) {
        CHECK_U64(trace->stays[i].number / trace->every, i);
        CHECK_U64(trace->stays[i].to, trace->stays[i].from + 1);
        CHECK_U64(trace->events[i].stay, trace->stays[i].number);
    }
    arena_free(&b.arena);
}

// Places that begin their stays in turns are all seen.
TEST(a_thinned_launch_has_stays_at_all_places) {
    enum { PLACES = 4, BLOCKS = 100000, MOST = 64 };
    Bench b;
    uint64_t seen[PLACES] = {0};
    bench_open(&b, MOST, 2 * MOST);
    uint32_t places[PLACES];
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (i >= PLACES)
            tape_leave(b.tape, places[i % PLACES], i);
        places[i % PLACES] = tape_enter(b.tape, i % 2, i, i);
    }
    const RunTrace *trace = tape_finish(b.tape, &b.arena, BLOCKS);
    for (size_t i = 0; i < trace->stay_count; i++)
        seen[trace->stays[i].sm * 2 + trace->stays[i].place]++;
    for (size_t i = 0; i < PLACES; i++)
        CHECK(seen[i] > trace->stay_count / PLACES / 3);
    arena_free(&b.arena);
}

// Events alone can fill the list: half of the stays go, with theirs.
TEST(many_events_thin_the_stays) {
    Bench b;
    bench_open(&b, 64, 8);
    uint32_t first = tape_enter(b.tape, 0, 0, 0);
    uint32_t second = tape_enter(b.tape, 0, 1, 0);
    for (uint64_t i = 0; i < 7; i++)
        tape_event(b.tape, second, event_at(i));
    tape_event(b.tape, first, event_at(9));
    tape_event(b.tape, first, event_at(3));
    const RunTrace *trace = tape_finish(b.tape, &b.arena, 10);
    CHECK_U64(trace->every, 2);
    CHECK_U64(trace->stay_count, 1);
    if (CHECK_U64(trace->event_count, 2)) {
        CHECK_U64(trace->events[0].at, 3); // in order of time
        CHECK_U64(trace->events[1].at, 9);
    }
    arena_free(&b.arena);
}

TEST(one_stay_has_no_more_events_than_there_is_room_for) {
    Bench b;
    bench_open(&b, 4, 8);
    uint32_t place = tape_enter(b.tape, 0, 0, 0);
    for (uint64_t i = 0; i < 100; i++)
        tape_event(b.tape, place, event_at(i));
    const RunTrace *trace = tape_finish(b.tape, &b.arena, 10);
    CHECK_U64(trace->event_count, 8);
    CHECK_U64(trace->event_total, 100);
    CHECK_U64(trace->stay_count, 1);
    arena_free(&b.arena);
}

// ---- the moment ----------------------------------------------------------

TEST(the_latest_steps_before_the_finding_are_kept) {
    Bench b;
    bench_open(&b, 4, 4);
    TraceEvent old = event_at(1), newer = event_at(2);
    tape_step(b.tape, &old);
    tape_step(b.tape, &newer);
    for (uint32_t i = 0; i < 300; i++) {
        TraceEvent step = step_of(0, i);
        tape_step(b.tape, &step);
    }
    TraceEvent found = step_of(0, 7);
    found.kind = TRACE_FOUND;
    CHECK(!tape_has_found(b.tape));
    tape_found(b.tape, &found);
    tape_found(b.tape, &old); // only the first counts
    CHECK(tape_has_found(b.tape));
    for (uint32_t i = 0; i < 100; i++) {
        TraceEvent step = step_of(1, i);
        tape_step(b.tape, &step);
    }
    const TraceMoment *m = &tape_finish(b.tape, &b.arena, 9)->moment;
    CHECK(m->is_there);
    CHECK_U64(m->step_count, TRACE_BEFORE + 1 + TRACE_AFTER);
    CHECK_U64(m->found, TRACE_BEFORE);
    CHECK_U64(m->left_out, 102);
    CHECK_INT(m->steps[0].line, 100);
    CHECK_INT(m->steps[m->found].line, 7);
    CHECK_INT(m->steps[m->step_count - 1].line, TRACE_AFTER - 1);
    if (CHECK_U64(m->before_count, 1)) // what the object was last
        CHECK_U64(m->before[0].at, 2);
    arena_free(&b.arena);
}

TEST(polls_are_counted_once_for_each_warp) {
    Bench b;
    bench_open(&b, 4, 4);
    for (uint32_t i = 0; i < 20; i++) {
        TraceEvent step = step_of(i % 2, 40);
        tape_step(b.tape, &step);
    }
    TraceEvent other = step_of(0, 41), poll = step_of(0, 40);
    TraceEvent event = event_at(0);
    tape_step(b.tape, &other);
    tape_step(b.tape, &poll);  // the loop's other steps do not end it
    tape_step(b.tape, &event); // what happens does
    tape_step(b.tape, &poll);
    const TraceMoment *m = &tape_finish(b.tape, &b.arena, 9)->moment;
    CHECK(!m->is_there);
    if (CHECK_U64(m->step_count, 5)) {
        CHECK_INT(m->steps[0].times, 11);
        CHECK_INT(m->steps[1].times, 10);
        CHECK_INT(m->steps[2].line, 41);
        CHECK_INT(m->steps[4].times, 1);
    }
    arena_free(&b.arena);
}

// The place of a step on the tape is another step's later; the same step again
// has the values of the last time.
TEST(values_belong_to_their_step) {
    Bench b;
    bench_open(&b, 4, 4);
    for (uint32_t i = 0; i < 2 * TRACE_BEFORE; i++) {
        TraceEvent step = step_of(0, i / 2);
        TraceValue value = {.name = STR("%r1"), .at = {i}};
        TraceEvent *kept = tape_step(b.tape, &step);
        tape_values(b.tape, kept, &value, i / 2 % 2);
    }
    TraceEvent found = step_of(0, 7);
    tape_found(b.tape, &found);
    for (uint32_t i = 0; i < TRACE_AFTER; i++) {
        TraceEvent step = step_of(0, 1000 + i);
        CHECK(tape_step(b.tape, &step) != NULL);
    }
    CHECK(tape_step(b.tape, &found) == NULL);
    const TraceMoment *m = &tape_finish(b.tape, &b.arena, 9)->moment;
    CHECK_U64(m->found, TRACE_BEFORE);
    for (size_t i = 0; i < m->found; i++) {
        uint32_t line = m->steps[i].line;
        CHECK_INT(m->steps[i].times, 2);
        if (CHECK_U64(m->steps[i].value_count, line % 2) && line % 2)
            CHECK_U64(m->steps[i].values[0].at[0], 2 * line + 1);
    }
    arena_free(&b.arena);
}

// ---- the machine ---------------------------------------------------------

// clang-format off
#define KERNEL(name, fence)                                                    \
    ".visible .entry " name "() {\n"                                           \
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b128 %q;\n"                     \
    ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"             \
    ".loc 1 1 1\nmbarrier.init.shared::cta.b64 [bar], 1;\nmov.u32 %r9, 0;\n"   \
    "again:\n.loc 1 2 1\n"                                                     \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_"    \
    "tx::bytes.b128 [slot], [bar];\n.loc 1 3 1\n"                              \
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"    \
    ".loc 1 4 1\nwait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 "  \
    "%p1, [bar], %r9;\n@!%p1 bra wait;\nxor.b32 %r9, %r9, 1;\n"                \
    ".loc 1 5 1\nld.shared.b128 %q, [slot];\n.loc 1 6 1\n"                     \
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"       \
    "@!%p2 ret;\n.loc 1 7 1\n"                                                 \
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r8, %q;\n" \
    ".loc 1 8 1\n" fence ".loc 1 9 1\nbra again; }\n"

static const char TEXT[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"k.cu\"\n"
    KERNEL("steal", "fence.proxy.async::generic.acquire.sync_restrict::shared"
                    "::cluster.cluster;\n")
    KERNEL("careless", "");
// clang-format on

typedef struct Machine {
    Arena arena;
    Device *device;
} Machine;

static void machine_load(Machine *m, const char *text) {
    *m = (Machine){0};
    Diags diags = diags_new(&m->arena);
    PtxModule *module =
        ptx_parse(&m->arena, STR("text"), str_from(text), &diags);
    m->device = vm_open(vm_model_find(STR("mini")));
    CHECK(module && m->device->ops->load(m->device, module, &diags));
}

static void machine_open(Machine *m) {
    machine_load(m, TEXT);
}

static void machine_close(Machine *m) {
    m->device->ops->close(m->device);
    arena_free(&m->arena);
}

static DeviceRun run_of(Machine *m, const char *kernel, const TraceWish *wish,
                        bool is_timed) {
    DeviceRun run;
    DeviceLaunch launch = {.kernel = str_from(kernel),
                           .grid = {20, 1, 1},
                           .block = {1, 1, 1},
                           .cluster = {1, 1, 1},
                           .step_limit = 100000,
                           .is_timed = is_timed,
                           .trace = wish};
    CHECK(m->device->ops->launch(m->device, &m->arena, &launch, &run));
    return run;
}

static size_t count_of(const RunTrace *trace, uint32_t kind) {
    size_t count = 0;
    for (size_t i = 0; i < trace->event_count; i++)
        count += trace->events[i].kind == kind;
    return count;
}

TEST(a_launch_that_is_not_traced_has_no_trace) {
    Machine m;
    machine_open(&m);
    CHECK(!run_of(&m, "steal", NULL, false).trace);
    machine_close(&m);
}

// 8 of 20 blocks fit; each of these asks until it is refused.
TEST(each_block_has_its_stay) {
    Machine m;
    machine_open(&m);
    TraceWish wish = {0};
    DeviceRun run = run_of(&m, "steal", &wish, false);
    const RunTrace *trace = run.trace;
    if (!CHECK(trace != NULL))
        return;
    uint32_t seen = 0;
    for (size_t i = 0; i < trace->stay_count; i++) {
        const TraceStay *stay = &trace->stays[i];
        seen |= 1u << stay->block;
        CHECK(stay->from < stay->to && stay->to <= trace->end);
        CHECK_INT(stay->is_stolen, stay->block != stay->cta);
    }
    CHECK_U64(seen, (1u << 20) - 1);
    CHECK_U64(trace->stay_count, 20);
    CHECK_U64(trace->totals.granted, 12);
    CHECK_U64(count_of(trace, DEVICE_EVENT_REQUEST), 20);
    CHECK_U64(count_of(trace, DEVICE_EVENT_ANSWER), 20);
    CHECK_U64(count_of(trace, DEVICE_EVENT_WAIT), 20);
    CHECK(!trace->moment.is_there && !trace->is_timed);
    CHECK_U64(trace->moment.step_count, 0);
    machine_close(&m);
}

TEST(events_have_their_lines_and_the_state_after_them) {
    Machine m;
    machine_open(&m);
    TraceWish wish = {0};
    const RunTrace *trace = run_of(&m, "steal", &wish, false).trace;
    for (size_t i = 0; trace && i < trace->event_count; i++) {
        const TraceEvent *e = &trace->events[i];
        if (e->kind == DEVICE_EVENT_INIT)
            CHECK(e->line == 1 && e->pending == 1 && e->warp == 0);
        if (e->kind == DEVICE_EVENT_REQUEST)
            CHECK(e->line == 2 && str_equal(e->name, STR("slot")));
        if (e->kind == DEVICE_EVENT_PHASE || e->kind == DEVICE_EVENT_WAIT)
            CHECK(str_equal(e->name, STR("bar")) && e->inside == 0);
        if (e->kind == DEVICE_EVENT_EXPECT)
            CHECK(e->line == 3 && e->pending == 1 && e->tx == 16);
        if (e->kind == DEVICE_EVENT_WAIT)
            CHECK_INT(e->line, 4);
        if (e->kind == DEVICE_EVENT_READ)
            CHECK(e->line == 5 && str_equal(e->op, STR("ld")));
        if (e->kind == DEVICE_EVENT_ACQUIRE)
            CHECK_INT(e->line, 8);
        if (e->kind == DEVICE_EVENT_ANSWER)
            CHECK(e->warp == DEVICE_EVENT_NONE && e->line == 0);
    }
    machine_close(&m);
}

static bool is_same_run(const DeviceRun *a, const DeviceRun *b) {
    return a->status == b->status &&
           a->counters.thread_instructions == b->counters.thread_instructions &&
           a->switches == b->switches && a->finding_count == b->finding_count;
}

// To record a run does not change it.
TEST(a_traced_run_is_the_same_run) {
    static const char *const kernels[] = {"steal", "careless"};
    Machine m;
    machine_open(&m);
    TraceWish wish = {0};
    for (int i = 0; i < 4; i++) {
        const char *kernel = kernels[i % 2];
        DeviceRun plain = run_of(&m, kernel, NULL, i / 2);
        DeviceRun traced = run_of(&m, kernel, &wish, i / 2);
        CHECK(is_same_run(&plain, &traced));
        CHECK_U64(plain.timeline.event_count, traced.timeline.event_count);
    }
    machine_close(&m);
}

TEST(in_modelled_time_the_clock_counts_cycles) {
    Machine m;
    machine_open(&m);
    TraceWish wish = {0};
    DeviceRun run = run_of(&m, "steal", &wish, true);
    CHECK(run.trace->is_timed);
    CHECK_U64(run.trace->end, run.timeline.cycles);
    CHECK_INT(run.trace->clock_mhz, 1000);
    CHECK_U64(run.trace->stays[0].from, 1000); // a CTA starts in so many
    machine_close(&m);
}

// The moment of a finding: the read that no fence orders, then the request that
// overwrites what was read.
TEST(the_moment_holds_what_led_to_the_finding) {
    Machine m;
    machine_open(&m);
    DeviceRun plain = run_of(&m, "careless", NULL, false);
    if (!CHECK(plain.finding_count > 0))
        return;
    const Finding *finding = &plain.findings[0];
    TraceWish wish = {.rule = finding->rule,
                      .at = finding->at,
                      .ctas = {finding->who.cta},
                      .cta_count = 1};
    CHECK_INT(finding->rule, RULE_CLC006);
    const RunTrace *trace = run_of(&m, "careless", &wish, false).trace;
    const TraceMoment *moment = &trace->moment;
    if (!CHECK(moment->is_there))
        return;
    CHECK_INT(moment->steps[moment->found].line, 2);
    CHECK_INT(moment->steps[moment->found].kind, TRACE_FOUND);
    CHECK_INT(moment->steps[moment->found - 1].kind, DEVICE_EVENT_REQUEST);
    bool was_read = false;
    for (size_t i = 0; i < moment->found; i++) {
        CHECK_INT(moment->steps[i].cta, finding->who.cta);
        was_read |= moment->steps[i].kind == DEVICE_EVENT_READ;
    }
    CHECK(was_read);
    machine_close(&m);
}

// An instruction that nobody else can observe is a step only at the lines that
// are asked for.
TEST(lines_that_are_asked_for_are_steps) {
    Machine m;
    machine_open(&m);
    TraceWish wish = {.rule = RULE_CLC006,
                      .at = {.line = 2, .col = 1},
                      .cta_count = 1,
                      .lines = {9},
                      .line_count = 1};
    for (uint32_t count = 0; count < 2; count++) {
        wish.line_count = count;
        const TraceMoment *moment =
            &run_of(&m, "careless", &wish, false).trace->moment;
        bool decoded = false;
        for (size_t i = 0; i < moment->step_count; i++)
            decoded |= moment->steps[i].line == 9;
        CHECK_INT(decoded, count);
    }
    machine_close(&m);
}

// ---- registers -----------------------------------------------------------

// A race of two warps. %dead has the place of %next; lane 1 of warp 1 alone
// writes %one; %folded is never written; line 9 is behind the step.
static const char REGISTERS[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"k.cu\"\n"
    ".visible .entry k(.param .u32 k_param_0,\n"
    ".param .align 4 .b8 k_param_1[12], .param .s16 k_param_2) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<9>, %dead, %next, %one, %folded;\n"
    ".reg .f32 %f<2>; .reg .b64 %rd<3>; .shared .align 8 .b8 s[64];\n"
    ".loc 1 2 1\nmov.u32 %r1, %tid.x;\nmov.u32 %folded, 7;\n"
    "add.u32 %dead, %r1, 5;\n.loc 1 3 1\nadd.u32 %r2, %dead, %folded;\n"
    "add.s32 %next, %r2, -100;\ncvt.rn.f32.u32 %f1, %r1;\n"
    "mul.wide.u32 %rd1, %r1, %r2;\n"
    ".loc 1 4 1\nsetp.eq.u32 %p1, %r1, 33;\n@%p1 mul.lo.u32 %one, %r1, 2;\n"
    ".loc 1 5 1\nst.shared.u32 [s], %next;\nbar.sync 0;\n"
    ".loc 1 9 1\nadd.u32 %r1, %r1, 1;\nst.shared.f32 [s+4], %f1;\n"
    "st.shared.u64 [s+16], %rd1;\n@%p1 st.shared.u32 [s+8], %one;\n"
    "st.shared.u32 [s+12], %r1;\nret; }\n";

static const TraceValue *value_of(const TraceEvent *step, const char *name) {
    for (size_t i = 0; i < step->value_count; i++)
        if (str_equal(step->values[i].name, str_from(name)))
            return &step->values[i];
    return NULL;
}

static DeviceRun run_registers(Machine *m, const TraceWish *wish) {
    static const uint8_t args[18] = {9, 0, 0, 0, [16] = 0xfe, 0xff};
    DeviceRun run;
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {64, 1, 1},
                           .cluster = {1, 1, 1},
                           .args = args,
                           .arg_bytes = sizeof args,
                           .trace = wish};
    CHECK(m->device->ops->launch(m->device, &m->arena, &launch, &run));
    return run;
}

static void check_registers(const TraceEvent *step) {
    const TraceValue *r1 = value_of(step, "%r1"), *one = value_of(step, "%one");
    const TraceValue *f1 = value_of(step, "%f1"), *p1 = value_of(step, "%p1");
    const TraceValue *rd1 = value_of(step, "%rd1");
    const TraceValue *next = value_of(step, "%next");
    CHECK(!value_of(step, "%dead") && !value_of(step, "%folded"));
    if (!CHECK(r1 && one && f1 && p1 && rd1 && next))
        return;
    CHECK(r1->line == 2 && r1->lanes == UINT32_MAX && r1->bytes == 4);
    CHECK_U64(r1->at[31], 63);
    CHECK(next->kind == TRACE_VALUE_SIGNED && next->line == 3);
    CHECK_U64(next->at[0], (uint32_t)(32 + 12 - 100));
    CHECK(f1->kind == TRACE_VALUE_FLOAT && f1->at[0] == 0x42000000); // 32.0f
    CHECK(rd1->bytes == 8 && rd1->at[2] == 34 * 46);
    CHECK(p1->kind == TRACE_VALUE_PRED && p1->bytes == 0 && p1->line == 4);
    CHECK(p1->at[0] == 0 && p1->at[1] == 1 && p1->at[2] == 0);
    CHECK(one->lanes == 2 && one->at[1] == 66);
}

TEST(a_step_has_the_registers_of_its_warp) {
    Machine m;
    machine_load(&m, REGISTERS);
    DeviceRun plain = run_registers(&m, NULL);
    if (!CHECK(plain.finding_count > 0))
        return;
    TraceWish wish = {.rule = plain.findings[0].rule,
                      .at = plain.findings[0].at,
                      .cta_count = 1};
    DeviceRun traced = run_registers(&m, &wish);
    const TraceMoment *moment = &traced.trace->moment;
    size_t steps = 0;
    for (size_t i = 0; i < moment->found; i++) {
        steps += moment->steps[i].line == 5 && moment->steps[i].warp == 1;
        if (moment->steps[i].line == 5 && moment->steps[i].warp == 1)
            check_registers(&moment->steps[i]);
    }
    CHECK(steps > 0);
    machine_close(&m);
}

TEST(a_moment_has_the_parameters) {
    Machine m;
    machine_load(&m, REGISTERS);
    TraceWish wish = {0};
    DeviceRun run = run_registers(&m, &wish);
    const TraceMoment *moment = &run.trace->moment;
    CHECK_STR(moment->kernel, "k");
    CHECK_INT(moment->all_params, 3);
    if (!CHECK_INT(moment->param_count, 2)) // a structure is left out
        return;
    const TraceParam *a = &moment->params[0], *b = &moment->params[1];
    CHECK_STR(a->name, "k_param_0");
    CHECK(a->index == 0 && a->bytes == 4 && a->value == 9);
    CHECK(b->index == 2 && b->bytes == 2 && b->value == 0xfffe);
    CHECK_INT(b->kind, TRACE_VALUE_SIGNED);
    machine_close(&m);
}

TEST_MAIN(TESTCASE(stays_follow_each_other_in_a_place),
          TESTCASE(a_long_launch_is_thinned),
          TESTCASE(a_thinned_launch_has_stays_at_all_places),
          TESTCASE(many_events_thin_the_stays),
          TESTCASE(one_stay_has_no_more_events_than_there_is_room_for),
          TESTCASE(the_latest_steps_before_the_finding_are_kept),
          TESTCASE(polls_are_counted_once_for_each_warp),
          TESTCASE(values_belong_to_their_step),
          TESTCASE(a_launch_that_is_not_traced_has_no_trace),
          TESTCASE(each_block_has_its_stay),
          TESTCASE(events_have_their_lines_and_the_state_after_them),
          TESTCASE(a_traced_run_is_the_same_run),
          TESTCASE(in_modelled_time_the_clock_counts_cycles),
          TESTCASE(the_moment_holds_what_led_to_the_finding),
          TESTCASE(lines_that_are_asked_for_are_steps),
          TESTCASE(a_step_has_the_registers_of_its_warp),
          TESTCASE(a_moment_has_the_parameters))
