// SPDX-License-Identifier: Apache-2.0
// Modelled time of kernels that the virtual machine runs. Expectations are
// computed by hand from the figures of "mini": a CTA starts in 1000 cycles; of
// what a warp executes
//
//     2 cycles   an integer, a move, a comparison: max(1 slot, 4 / 2)
//     5 cycles   control, barriers and mbarriers: max(1 slot, 10 / 2)
//     4 cycles   what is asynchronous: 4 slots
//     6 cycles   a load of a parameter: 2 slots, and 8 / 2
//     202 cycles a load of global memory: 2 slots, and 400 / 2
//
// and an answer takes 500 cycles, a copy 600, a barrier 20, a cluster's 200. A
// wait that parks is executed again when it is over.
#include "tests/unit/sample.h"
#include "tests/unit/test.h"
#include "vm/time/timing.h"
#include "vm/vm.h"

#define ADD "add.s32 %r1, %r1, 1;\n"
#define TEN ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
#define HEAD(name)                                                      \
    ".visible .entry " name "(.param .u64 out) {\n"                     \
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %l<20>; .reg .b128 " \
    "%q;\n.shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"
#define INIT "mbarrier.init.shared::cta.b64 [bar], 1;\n"
#define ASK                                                                 \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_" \
    "tx::bytes.b128 [slot], [bar];\n"                                       \
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
#define WAIT                                                                  \
    "wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], " \
    "%r9;\n@!%p1 bra wait;\n"
#define LOOP                                                              \
    "xor.b32 %r9, %r9, 1; ld.shared.b128 %q, [slot];\n"                   \
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"  \
    "@!%p2 ret;\n"                                                        \
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r8, " \
    "%q;\nfence.proxy.async::generic.acquire.sync_restrict::shared::"     \
    "cluster.cluster;\nbra again; }\n"

static const char TEXT[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".func pro() { .reg .b32 %r<9>;\n" TEN "ret; }\n"
    ".func outer() { call pro, (); ret; }\n"
    ".func half() { .reg .pred %p; .reg .b32 %r<9>;\n"
    "mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 16; @%p exit;\n" TEN "ret; }\n"
    // clang-format off
    HEAD("adds") "mov.u32 %r1, 0; ld.param.u64 %l1, [out];\n" TEN
    "ld.global.u32 %r2, [%l1]; ret; }\n"
    HEAD("meet") "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n"
    "@%p1 bra there;\n" TEN "there: bar.sync 0; ret; }\n"
    HEAD("late") "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32;\n"
    "@%p1 bra there;\n" TEN "ret;\n there: bar.sync 0; ret; }\n"
    HEAD("ask") INIT "mov.u32 %r9, 0;\n" ASK WAIT "ret; }\n"
    HEAD("careless") INIT "mov.u32 %r9, 0;\n" ASK WAIT
    "ld.shared.b128 %q, [slot];\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %q;\n"
    TEN "ret; }\n"
    HEAD("calls") "call pro, ();\n" TEN "ret; }\n"
    HEAD("nested") "call outer, ();\n" TEN "ret; }\n"
    HEAD("halves") "call half, ();\n" TEN "ret; }\n"
    HEAD("copies") "ld.param.u64 %l1, [out]; mov.u32 %r1, slot;\n"
    "cp.async.ca.shared.global [%r1], [%l1], 4; cp.async.commit_group;\n"
    "nanosleep.u32 1000;\n"
    "cp.async.ca.shared.global [%r1+4], [%l1], 4; cp.async.commit_group;\n"
    "cp.async.wait_group 1; ret; }\n"
    HEAD("copied") "ld.param.u64 %l1, [out]; mov.u32 %r1, slot;\n"
    "cp.async.ca.shared.global [%r1], [%l1], 4; cp.async.wait_all; ret; }\n"
    HEAD("stores") "mov.u32 %r1, 0; ld.param.u64 %l1, [out];\n" TEN
    "st.global.u32 [%l1+4], %r1; ret; }\n"
    HEAD("sends") "ld.param.u64 %l1, [out]; mov.u32 %r1, slot;\n"
    "st.shared.v4.u32 [%r1], {%r1, %r1, %r1, %r1};\n"
    "fence.proxy.async.shared::cta;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%l1], [%r1], 16;\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }\n"
    HEAD("apart") "barrier.cluster.arrive; barrier.cluster.wait; ret; }\n"
    HEAD("steal") INIT "mov.u32 %r9, 0;\nagain:\n" ASK TEN WAIT LOOP
    // The same, and each index takes 20,000 cycles.
    HEAD("slow") INIT "mov.u32 %r9, 0;\nagain:\n" ASK
    "nanosleep.u32 20000;\n" WAIT LOOP
    // Waits for 50,000 cycles, and then for 50,000 ns.
    HEAD("polls") "mov.u64 %l2, %clock64;\n"
    "first: mov.u64 %l3, %clock64; sub.s64 %l4, %l3, %l2;\n"
    "setp.lt.s64 %p1, %l4, 50000; @%p1 bra first;\n"
    "mov.u64 %l2, %globaltimer;\n"
    "second: mov.u64 %l3, %globaltimer; sub.s64 %l4, %l3, %l2;\n"
    "setp.lt.s64 %p1, %l4, 50000; @%p1 bra second; ret; }\n"
    // Takes the time of each of 2000 stores.
    HEAD("measures") "ld.param.u64 %l1, [out]; mov.u32 %r1, 0;\n"
    "again: mov.u64 %l2, %clock64; st.global.u32 [%l1], %r1;\n"
    "mov.u64 %l3, %clock64; add.u32 %r1, %r1, 1;\n"
    "setp.lt.u32 %p1, %r1, 2000; @%p1 bra again; ret; }\n"
    // Block 0 waits for block 8, which starts when a place is free.
    HEAD("waits") "mov.u32 %r1, %ctaid.x; ld.param.u64 %l1, [out];\n"
    "setp.eq.u32 %p1, %r1, 8; @%p1 st.release.gpu.global.u32 [%l1], 1;\n"
    "setp.ne.u32 %p2, %r1, 0; @%p2 ret;\n"
    "poll: ld.acquire.gpu.global.u32 %r2, [%l1]; setp.eq.u32 %p3, %r2, 0;\n"
    "@%p3 bra poll; ret; }\n"
    // Lane 0 waits, at a lower place in the code, for the other 31.
    HEAD("mates") "mov.u32 %r1, %tid.x; ld.param.u64 %l1, [out];\n"
    "setp.ne.u32 %p2, %r1, 0; @%p2 bra others;\n"
    "poll: ld.acquire.gpu.global.u32 %r2, [%l1]; setp.ne.u32 %p3, %r2, 31;\n"
    "@%p3 bra poll; ret;\n"
    "others: atom.add.release.gpu.global.u32 %r3, [%l1], 1; ret; }\n";
// clang-format on

typedef struct Machine {
    Arena arena;
    Diags diags;
    Device *device;
    uint64_t address;
} Machine;

static void machine_open(Machine *m) {
    uint32_t buffer;
    *m = (Machine){0};
    m->diags = diags_new(&m->arena);
    PtxModule *module =
        ptx_parse(&m->arena, STR("text"), str_from(TEXT), &m->diags);
    m->device = vm_open(vm_model_find(STR("mini")));
    for (size_t i = 0; i < m->diags.count; i++)
        printf("# line %u: %.*s\n", m->diags.items[i].at.line,
               STR_ARG(m->diags.items[i].what));
    CHECK(
        module && m->device->ops->load(m->device, module, &m->diags) &&
        m->device->ops->alloc(m->device, 64, &buffer, &m->address, &m->diags));
}

static void machine_close(Machine *m) {
    m->device->ops->close(m->device);
    arena_free(&m->arena);
}

static DeviceLaunch launch_of(Machine *m, const char *kernel, uint32_t grid,
                              uint32_t block) {
    return (DeviceLaunch){.kernel = str_from(kernel),
                          .grid = {grid, 1, 1},
                          .block = {block, 1, 1},
                          .cluster = {1, 1, 1},
                          .args = &m->address,
                          .arg_bytes = sizeof m->address};
}

static DeviceRun launch(Machine *m, const DeviceLaunch *request) {
    DeviceRun run = {0};
    CHECK(m->device->ops->launch(m->device, &m->arena, request, &run));
    if (!CHECK_INT(run.status, RUN_DONE) && run.finding_count)
        printf("# %.*s\n",
               STR_ARG(sample_text(&m->arena, &run.findings[0], WORDS_WHAT)));
    return run;
}

// In order of time at each place, apart, and within the launch.
static void check_line(const DeviceTimeline *line) {
    unsigned wrong = 0;
    for (size_t i = 0; i < line->span_count; i++) {
        const DeviceSpan *span = &line->spans[i], *last = span - 1;
        wrong += span->from >= span->to || span->to > line->cycles;
        if (i == 0)
            continue;
        bool same = span->sm == last->sm && span->slot == last->slot;
        wrong += same ? span->from < last->to
                      : span->sm < last->sm ||
                            (span->sm == last->sm && span->slot < last->slot);
    }
    CHECK_INT(wrong, 0);
}

static DeviceTimeline timed(Machine *m, const char *kernel, uint32_t block) {
    DeviceLaunch request = launch_of(m, kernel, 1, block);
    CHECK(vm_time(m->device, NULL, 0, &m->diags));
    DeviceRun run = launch(m, &request);
    CHECK(run.is_timed);
    check_line(&run.timeline);
    return run.timeline;
}

static void check_span(const DeviceTimeline *line, size_t i,
                       DeviceSpanKind kind, uint64_t from, uint64_t to) {
    if (!CHECK(i < line->span_count))
        return;
    const DeviceSpan *span = &line->spans[i];
    bool ok = CHECK_INT(span->kind, kind) && CHECK_INT(span->from, from) &&
              CHECK_INT(span->to, to);
    if (!ok)
        printf("# span %zu\n", i);
}

static uint64_t issued(const DeviceTimeline *line) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < line->sm_count; i++)
        sum += line->sms[i].issued;
    return sum;
}

// ---- by hand -------------------------------------------------------------

// 1000; mov 1002, ld.param 1008, ten adds 1028, ld.global 1230, ret 1235.
// Slots: 1 + 2 + 10 + 2 + 1.
// When the second piece of the buffer, of 4 bytes, was stored to last.
static uint64_t stored_at(Machine *m, const char *kernel, bool is_timed) {
    static const uint32_t piece_of[16] = {0, 1};
    Watch watch = {.piece_of = piece_of, .count = 2};
    DeviceLaunch request = launch_of(m, kernel, 1, 1);
    request.is_timed = is_timed;
    request.watches = &watch;
    request.watch_count = 1;
    launch(m, &request);
    CHECK(watch.pieces[1].stores > 0);
    return watch.pieces[1].cycle;
}

TEST(a_watch_says_when_a_piece_was_stored_to) {
    Machine m;
    machine_open(&m);
    CHECK_INT(stored_at(&m, "stores", false), 0);
    CHECK_INT(stored_at(&m, "stores", true), 1000 + 2 + 6 + 20 + 2);
    CHECK_INT(stored_at(&m, "sends", false), 0);
    CHECK_INT(stored_at(&m, "sends", true), 1000 + 6 + 3 * 2 + 2 * 4 + 600);
    machine_close(&m);
}

TEST(one_warp_pays_for_what_it_executes) {
    Machine m;
    machine_open(&m);
    DeviceTimeline line = timed(&m, "adds", 32);
    CHECK_INT(line.cycles, 1235);
    CHECK_INT(line.clock_mhz, 1000);
    CHECK_INT(line.sms[0].issued, 16);
    CHECK_INT(line.sms[0].end, 1235);
    CHECK_INT(line.sms[0].ctas, 1);
    CHECK_INT(line.sms[1].ctas, 0);
    check_span(&line, 0, DEVICE_SPAN_LAUNCH, 0, 1000);
    check_span(&line, 1, DEVICE_SPAN_WORK, 1000, 1235);
    CHECK_INT(line.span_count, 2);
    machine_close(&m);
}

// Warp 0: mov, setp, bra, bar: 1002, 1004, 1009, 1014. Warp 1 has ten adds in
// between: 1034. Both go on at 1034 + 20, and return in 5.
TEST(a_barrier_waits_for_the_last_warp) {
    Machine m;
    machine_open(&m);
    DeviceTimeline line = timed(&m, "meet", 64);
    CHECK_INT(line.cycles, 1059);
    check_span(&line, 1, DEVICE_SPAN_WORK, 1000, 1034);
    check_span(&line, 2, DEVICE_SPAN_WAIT, 1034, 1054);
    check_span(&line, 3, DEVICE_SPAN_WORK, 1054, 1059);
    machine_close(&m);
}

// As before, but warp 1 does not come: its exit (1009 + 20 + 5 = 1034) lets
// warp 0 go on, in whatever order they are interpreted.
// However many warps there are. The last poll may be an eighth of all waiting
// too late.
TEST(a_clock_shows_modelled_time_to_those_who_poll_it) {
    for (uint32_t block = 32; block <= 1024; block *= 32) {
        Machine m;
        machine_open(&m);
        uint64_t cycles = timed(&m, "polls", block).cycles;
        CHECK(cycles > 101000 && cycles < 130000);
        machine_close(&m);
    }
    Machine m;
    machine_open(&m);
    CHECK(timed(&m, "measures", 1).cycles < 2000 * 40);
    machine_close(&m);
}

// A poll takes 208 cycles, and so do its 31 mates together.
TEST(who_waits_lets_its_warp_mates_go_on) {
    Machine m;
    machine_open(&m);
    CHECK(timed(&m, "mates", 32).cycles < 1000 + 50 * 208);
    machine_close(&m);
}

TEST(an_exit_is_an_arrival) {
    Machine m;
    machine_open(&m);
    CHECK_INT(timed(&m, "late", 64).cycles, 1059);
    for (uint64_t seed = 0; seed < 8; seed++) {
        DeviceLaunch request = launch_of(&m, "late", 1, 64);
        request.schedule =
            (DeviceSchedule){.seed = seed, .strategy = STRATEGY_RANDOM};
        CHECK_INT(launch(&m, &request).timeline.cycles, 1059);
    }
    machine_close(&m);
}

// init 1005, mov 1007, try_cancel 1011: the answer is there at 1511. Arrive
// 1016, try_wait 1021, and once more 1026; it goes on at 1511 + 20; bra, ret.
TEST(a_request_takes_its_time) {
    Machine m;
    machine_open(&m);
    DeviceTimeline line = timed(&m, "ask", 1);
    CHECK_INT(line.cycles, 1541);
    check_span(&line, 1, DEVICE_SPAN_WORK, 1000, 1026);
    check_span(&line, 2, DEVICE_SPAN_WAIT, 1026, 1531);
    check_span(&line, 3, DEVICE_SPAN_WORK, 1531, 1541);
    machine_close(&m);
}

// ld.param 1006, mov 1008, copy 1012: done at 1612. Commit 1016, sleep: 1000
// cycles, at least 2016. The second copy is not waited for. In the other kernel
// all are: until 1612 + 20, then ret.
TEST(a_wait_for_copies_leaves_out_the_latest_groups) {
    Machine m;
    machine_open(&m);
    DeviceTimeline line = timed(&m, "copies", 1);
    CHECK(line.cycles > 2016 && line.cycles < 2100);
    CHECK_INT(timed(&m, "copied", 1).cycles, 1637);
    machine_close(&m);
}

// arrive 1005, wait 1010, and for who waited again 1015; on at 1005 + 200.
TEST(a_cluster_takes_longer_to_meet) {
    Machine m;
    machine_open(&m);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    DeviceLaunch request = launch_of(&m, "apart", 2, 1);
    request.cluster[0] = 2;
    DeviceRun run = launch(&m, &request);
    check_line(&run.timeline);
    CHECK_INT(run.timeline.cycles, 1210);
    CHECK_INT(run.timeline.sms[1].ctas, 1);
    machine_close(&m);
}

// The call is the caller's: 1005. Ten adds and a ret later: 1030. What the
// function calls belongs to it: a call and a ret more.
TEST(a_prologue_is_what_the_named_function_executes) {
    Machine m;
    machine_open(&m);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    DeviceLaunch request = launch_of(&m, "calls", 1, 32);
    request.prologue = STR("pro");
    DeviceTimeline line = launch(&m, &request).timeline;
    check_span(&line, 1, DEVICE_SPAN_WORK, 1000, 1005);
    check_span(&line, 2, DEVICE_SPAN_PROLOGUE, 1005, 1030);
    check_span(&line, 3, DEVICE_SPAN_WORK, 1030, 1055);
    request.kernel = STR("nested");
    request.prologue = STR("outer");
    line = launch(&m, &request).timeline;
    check_span(&line, 2, DEVICE_SPAN_PROLOGUE, 1005, 1040);
    request.kernel = STR("calls");
    request.prologue = STR("");
    line = launch(&m, &request).timeline;
    check_span(&line, 1, DEVICE_SPAN_WORK, 1000, 1055);
    machine_close(&m);
}

// Half of the warp exits within the prologue; the rest comes back and works.
TEST(a_prologue_may_be_left_by_exit) {
    Machine m;
    machine_open(&m);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    DeviceLaunch request = launch_of(&m, "halves", 1, 32);
    request.prologue = STR("half");
    DeviceTimeline line = launch(&m, &request).timeline;
    CHECK_INT(line.span_count, 4);
    check_line(&line);
    CHECK_INT(line.spans[2].kind, DEVICE_SPAN_PROLOGUE);
    CHECK_INT(line.spans[3].kind, DEVICE_SPAN_WORK);
    CHECK_INT(line.spans[3].to - line.spans[3].from, 25);
    machine_close(&m);
}

// ---- a grid --------------------------------------------------------------

// With an issue slot for each instruction the slots of all SMs are the
// warp-instructions that were counted.
static bool one_slot_each(Machine *m) {
#define SLOT(id, name) STR("issue." name "=1"),
    const Str settings[] = {DEVICE_KINDS(SLOT)};
#undef SLOT
    return CHECK(vm_time(m->device, settings, COUNT_OF(settings), &m->diags));
}

TEST(issue_slots_are_the_instructions_counted) {
    Machine m;
    machine_open(&m);
    one_slot_each(&m);
    static const char *const kernels[] = {"steal", "adds", "meet", "halves",
                                          "careless"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        DeviceLaunch request =
            launch_of(&m, kernels[i], 100, i % 4 == 0 ? 1 : 64);
        DeviceRun run = launch(&m, &request);
        check_line(&run.timeline);
        if (!CHECK_INT(issued(&run.timeline), run.counters.warp_instructions))
            printf("# of %s\n", kernels[i]);
    }
    machine_close(&m);
}

TEST(the_same_seed_is_the_same_time) {
    Machine m;
    machine_open(&m);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    for (uint64_t seed = 0; seed < STRATEGY_COUNT; seed++) {
        DeviceLaunch request = launch_of(&m, "steal", 100, 1);
        request.schedule =
            (DeviceSchedule){.seed = seed, .strategy = (DeviceStrategy)seed};
        DeviceRun one = launch(&m, &request), two = launch(&m, &request);
        check_line(&one.timeline);
        size_t bytes = one.timeline.span_count * sizeof *one.timeline.spans;
        CHECK_INT(one.timeline.cycles, two.timeline.cycles);
        CHECK_INT(one.timeline.span_count, two.timeline.span_count);
        CHECK(memcmp(one.timeline.spans, two.timeline.spans, bytes) == 0);
    }
    machine_close(&m);
}

// ---- events --------------------------------------------------------------

// The first event of this kind in the CTA from entry `from` on; the number of
// events where there is none.
static size_t find_event(const DeviceTimeline *line, uint32_t cta, size_t from,
                         DeviceEventKind kind) {
    while (from < line->event_count &&
           (line->events[from].cta != cta || line->events[from].kind != kind))
        from++;
    return from;
}

// The life of the first answer of block 0, whose grant is one of the blocks
// behind the 8 that were started.
TEST(events_tell_the_life_of_an_answer) {
    static const struct {
        DeviceEventKind kind;
        bool is_proxy;
        int32_t pending, tx;
    } life[] = {{DEVICE_EVENT_INIT, false, 1, 0},
                {DEVICE_EVENT_REQUEST, false, 0, 0},
                {DEVICE_EVENT_EXPECT, false, 1, 16},
                {DEVICE_EVENT_ARRIVE, false, 0, 16},
                {DEVICE_EVENT_ANSWER, true, 0, 0},
                {DEVICE_EVENT_BYTES, true, 0, 0},
                {DEVICE_EVENT_PHASE, true, 0, 0},
                {DEVICE_EVENT_WAIT, false, 0, 0},
                {DEVICE_EVENT_READ, false, 0, 0},
                {DEVICE_EVENT_ACQUIRE, false, 0, 0}};
    Machine m;
    machine_open(&m);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    DeviceLaunch request = launch_of(&m, "steal", 100, 1);
    DeviceTimeline line = launch(&m, &request).timeline;
    uint64_t asked = 0;
    size_t at = 0;
    for (size_t i = 0; i < COUNT_OF(life); i++) {
        at = find_event(&line, 0, at, life[i].kind);
        if (!CHECK(at < line.event_count))
            break;
        const DeviceEvent *event = &line.events[at];
        CHECK_INT(event->warp == DEVICE_EVENT_NONE, life[i].is_proxy);
        CHECK_INT(event->pending, life[i].pending);
        CHECK_INT(event->tx, life[i].tx);
        if (event->kind == DEVICE_EVENT_REQUEST)
            asked = event->cycle;
        if (event->kind != DEVICE_EVENT_ANSWER)
            continue;
        CHECK_INT(event->cycle - asked, 500);
        CHECK(event->block >= 8 && event->block < 100);
    }
    machine_close(&m);
}

TEST(events_are_in_order_of_time_and_each_answer_is_one) {
    Machine m;
    machine_open(&m);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    DeviceLaunch request = launch_of(&m, "steal", 100, 1);
    DeviceRun run = launch(&m, &request);
    const DeviceTimeline *line = &run.timeline;
    unsigned early = 0, answers = 0, refusals = 0;
    for (size_t i = 0; i < line->event_count; i++) {
        const DeviceEvent *event = &line->events[i];
        early += i && event->cycle < event[-1].cycle;
        answers += event->kind == DEVICE_EVENT_ANSWER;
        refusals += event->kind == DEVICE_EVENT_ANSWER &&
                    event->block == DEVICE_EVENT_NONE;
    }
    CHECK_INT(early, 0);
    CHECK_INT(answers, run.ledger.totals.requests);
    CHECK_INT(refusals, run.ledger.totals.refused);
    machine_close(&m);
}

TEST(a_span_names_the_block_that_is_processed) {
    Machine m;
    machine_open(&m);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    DeviceLaunch request = launch_of(&m, "steal", 100, 1);
    DeviceTimeline line = launch(&m, &request).timeline;
    bool seen[100] = {false};
    unsigned count = 0;
    for (size_t i = 0; i < line.span_count; i++) {
        if (!CHECK(line.spans[i].block < 100 && line.spans[i].cta < 8))
            break;
        count += !seen[line.spans[i].block];
        seen[line.spans[i].block] = true;
    }
    CHECK_INT(count, 100);
    machine_close(&m);
}

// ---- off -----------------------------------------------------------------

TEST(nothing_is_timed_unless_it_is_asked_for) {
    Machine m;
    machine_open(&m);
    DeviceLaunch request = launch_of(&m, "steal", 100, 1);
    request.schedule = (DeviceSchedule){.seed = 5, .strategy = STRATEGY_RANDOM};
    DeviceRun plain = launch(&m, &request);
    CHECK(!plain.is_timed);
    CHECK_INT(plain.timeline.cycles, 0);
    CHECK(vm_time(m.device, NULL, 0, &m.diags));
    DeviceRun timed_run = launch(&m, &request);
    CHECK(timed_run.is_timed);
    CHECK(memcmp(&plain.counters, &timed_run.counters, sizeof plain.counters) ==
          0);
    CHECK_INT(plain.ledger.totals.granted, timed_run.ledger.totals.granted);
    machine_close(&m);
}

TEST(a_launch_may_ask_to_be_timed_for_itself) {
    Machine m;
    machine_open(&m);
    DeviceLaunch request = launch_of(&m, "steal", 100, 1);
    request.is_timed = true;
    DeviceRun timed_run = launch(&m, &request);
    CHECK(timed_run.is_timed);
    CHECK(timed_run.timeline.cycles > 0);
    CHECK_INT(timed_run.timeline.places, 8);
    CHECK(timed_run.timeline.ends <= 8 * timed_run.timeline.cycles);
    request.is_timed = false;
    CHECK(!launch(&m, &request).is_timed);
    machine_close(&m);
}

// ---- another kernel ------------------------------------------------------

// Whether no block has a place for `hold` cycles after the last has been given
// up, and one has afterwards.
static bool is_quiet(const DeviceTimeline *line, uint64_t hold) {
    uint64_t from = line->arrival + line->all_free;
    for (size_t i = 0; i < line->span_count; i++)
        if (line->spans[i].to > from && line->spans[i].from < from + hold)
            return false;
    return line->cycles > from + hold;
}

// Blocks that steal refuse to go on when a kernel of higher priority is there;
// the rest of the grid is started when it has gone.
TEST(an_arrival_refuses_requests_and_holds_blocks_back) {
    Machine m;
    machine_open(&m);
    DeviceLaunch request = launch_of(&m, "steal", 100, 1);
    request.is_timed = true;
    DeviceRun alone = launch(&m, &request);
    uint64_t half = alone.timeline.cycles / 2;
    CHECK_INT(alone.timeline.arrival, 0);
    CHECK_INT(alone.ledger.totals.started, 8);
    request.arrival = half;
    DeviceRun run = launch(&m, &request);
    CHECK(run.allow_refusals);
    CHECK_INT(run.timeline.arrival, half);
    CHECK_INT(run.ledger.totals.started, 16);
    CHECK_INT(run.ledger.totals.granted, 84);
    CHECK(run.ledger.totals.refused_pending >= 8);
    CHECK(run.timeline.first_free <= run.timeline.all_free);
    CHECK(run.timeline.all_free < half);
    CHECK(is_quiet(&run.timeline, 10000));
    machine_close(&m);
}

// However long that takes: an index of 20,000 cycles does not outlast it,
// though it stays for 10 cycles only.
TEST(another_kernel_waits_for_every_place) {
    const Str settings[] = {STR("hold=10"), STR("hold=1000000")};
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        Machine m;
        machine_open(&m);
        CHECK(vm_time(m.device, &settings[i], 1, &m.diags));
        DeviceLaunch request = launch_of(&m, "slow", 100, 1);
        request.arrival = 130000; // of 265,000 or so
        DeviceRun run = launch(&m, &request);
        CHECK_INT(run.ledger.totals.started, 16);
        CHECK_INT(run.ledger.totals.granted, 84);
        CHECK(run.timeline.all_free > 20000);
        CHECK(run.timeline.all_free < 50000);
        CHECK(is_quiet(&run.timeline, i == 0 ? 10 : 1000000));
        machine_close(&m);
    }
}

// Otherwise it would wait for ever for the place of a block that waits for one
// that it keeps from starting.
TEST(another_kernel_goes_if_it_is_waited_for) {
    Machine m;
    machine_open(&m);
    DeviceLaunch request = launch_of(&m, "waits", 9, 1);
    request.is_timed = true;
    request.arrival = 1;
    DeviceRun run = launch(&m, &request);
    CHECK_INT(run.ledger.totals.started, 9);
    CHECK(run.timeline.all_free > 10000); // with the place of block 0
    machine_close(&m);
}

// What has not started by then never does, and the run is over.
TEST(an_arrival_that_stays_ends_the_run_when_it_has_every_place) {
    Machine m;
    machine_open(&m);
    DeviceLaunch request = launch_of(&m, "slow", 100, 1);
    request.is_timed = request.arrival_stays = true;
    request.arrival = 130000;
    DeviceRun run = launch(&m, &request);
    CHECK_INT(run.ledger.totals.started, 8);
    CHECK(run.ledger.totals.granted < 60);
    CHECK_INT(run.ledger.entries[99].state, LEDGER_PENDING);
    CHECK(run.timeline.all_free > 20000);
    CHECK_U64(run.timeline.cycles, 130000 + run.timeline.all_free);
    request.arrival = 10000000; // it never comes
    run = launch(&m, &request);
    CHECK_INT(run.ledger.totals.granted, 92);
    machine_close(&m);
}

TEST(an_arrival_after_the_end_waits_for_nothing) {
    Machine m;
    machine_open(&m);
    DeviceLaunch request = launch_of(&m, "steal", 100, 1);
    request.is_timed = true;
    request.arrival = launch(&m, &request).timeline.cycles + 1;
    DeviceRun run = launch(&m, &request);
    CHECK_INT(run.ledger.totals.started, 8);
    CHECK_INT(run.timeline.all_free, 0);
    machine_close(&m);
}

TEST(a_bad_setting_changes_nothing) {
    Machine m;
    machine_open(&m);
    const Str bad = STR("launch=no"), good = STR("launch=5000");
    CHECK(!vm_time(m.device, &bad, 1, &m.diags));
    CHECK_INT(m.diags.count, 1);
    DeviceLaunch request = launch_of(&m, "adds", 1, 32);
    CHECK(!launch(&m, &request).is_timed);
    CHECK(vm_time(m.device, &good, 1, &m.diags));
    CHECK_INT(launch(&m, &request).timeline.cycles, 5235);
    machine_close(&m);
}

TEST_MAIN(TESTCASE(a_watch_says_when_a_piece_was_stored_to),
          TESTCASE(one_warp_pays_for_what_it_executes),
          TESTCASE(a_barrier_waits_for_the_last_warp),
          TESTCASE(a_clock_shows_modelled_time_to_those_who_poll_it),
          TESTCASE(who_waits_lets_its_warp_mates_go_on),
          TESTCASE(an_exit_is_an_arrival), TESTCASE(a_request_takes_its_time),
          TESTCASE(a_wait_for_copies_leaves_out_the_latest_groups),
          TESTCASE(a_cluster_takes_longer_to_meet),
          TESTCASE(a_prologue_is_what_the_named_function_executes),
          TESTCASE(a_prologue_may_be_left_by_exit),
          TESTCASE(issue_slots_are_the_instructions_counted),
          TESTCASE(the_same_seed_is_the_same_time),
          TESTCASE(a_span_names_the_block_that_is_processed),
          TESTCASE(events_tell_the_life_of_an_answer),
          TESTCASE(events_are_in_order_of_time_and_each_answer_is_one),
          TESTCASE(nothing_is_timed_unless_it_is_asked_for),
          TESTCASE(a_launch_may_ask_to_be_timed_for_itself),
          TESTCASE(an_arrival_refuses_requests_and_holds_blocks_back),
          TESTCASE(another_kernel_waits_for_every_place),
          TESTCASE(another_kernel_goes_if_it_is_waited_for),
          TESTCASE(an_arrival_that_stays_ends_the_run_when_it_has_every_place),
          TESTCASE(an_arrival_after_the_end_waits_for_nothing),
          TESTCASE(a_bad_setting_changes_nothing))
