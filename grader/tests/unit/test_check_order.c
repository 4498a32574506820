// SPDX-License-Identifier: Apache-2.0
// check_launch on the virtual machine: what a kernel that counts on the order
// of blocks is told, what one that does not is not told, and that schedules in
// order are clean for the first.
#include "check/check.h"
#include "report/report.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { GRID = 40 };

// The CLC loop of one thread. %r5 is the last index, or -1. What is done with
// an index %r1 stands at `work`; what is done after a refusal, at `leave`.
#define LOOP(work, leave)                                                      \
    ".version 9.0\n.target sm_100a\n.address_size 64\n"                        \
    ".visible .entry k(.param .u64 out) {\n"                                   \
    ".reg .pred %p<9>; .reg .b32 %r<10>; .reg .b64 %l<9>; .reg .b128 %q;\n"    \
    ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"             \
    "mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r9, 0;\n"                \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r5, -1; ld.param.u64 %l0, [out];\n"       \
    "again: fence.proxy.async.shared::cta;\n"                                  \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx"  \
    "::bytes.b128 [slot], [bar];\n"                                            \
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"    \
    "mul.wide.u32 %l1, %r1, 4; add.s64 %l1, %l0, %l1;\n" work                  \
    "mov.u32 %r5, %r1;\n"                                                      \
    "wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "  \
    "%r9;\n@!%p1 bra wait; xor.b32 %r9, %r9, 1;\n"                             \
    "ld.shared.b128 %q, [slot];\n"                                             \
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"       \
    "@!%p2 bra leave;\n"                                                       \
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;\n" \
    "bra again;\nleave: " leave "ret; }\n"

#define STORE "st.global.u32 [%l1], 1;\n"
static const char RIGHT[] = LOOP(STORE, "");
// Does not work on an index that is smaller than the one before.
static const char SKIPS[] = LOOP("setp.gt.s32 %p3, %r1, %r5;\n@%p3 " STORE, "");
// Stops everything at such an index.
static const char STOPS[] =
    LOOP("setp.lt.s32 %p3, %r1, %r5;\n@%p3 trap;\n" STORE, "");
// Stops everything if the first answer is a refusal.
static const char INSISTS[] = LOOP(
    STORE, "mov.u32 %r6, %ctaid.x; setp.eq.u32 %p4, %r5, %r6;\n@%p4 trap;\n");

typedef struct Bench {
    Arena arena;
    Device *device;
    Submission submission;
    LaunchArgument out;
    LaunchRequest request;
    LaunchResult result;
} Bench;

static bool bench_open(Bench *b, const char *text) {
    *b = (Bench){0};
    Diags diags = diags_new(&b->arena);
    PtxModule *module =
        ptx_parse(&b->arena, STR("k.ptx"), str_from(text), &diags);
    b->device = vm_open(vm_model_find(STR("mini")));
    if (!CHECK(module != NULL))
        return false;
    b->submission = (Submission){
        .file = STR("k.ptx"), .source = str_from(text), .module = module};
    b->out = (LaunchArgument){.is_buffer = true, .size = 4 * GRID};
    b->request = (LaunchRequest){.submission = &b->submission,
                                 .kernel = ptx_find_func(module, STR("k")),
                                 .grid = {GRID, 1, 1},
                                 .block = {1, 1, 1},
                                 .cluster = {1, 1, 1},
                                 .arguments = &b->out,
                                 .argument_count = 1,
                                 .seed = 1,
                                 .schedules = 24,
                                 .compare = COMPARE_DEMAND,
                                 .step_limit = 1000 * 1000,
                                 .replay = STR("clclab run k.ptx")};
    return true;
}

static void bench_run(Bench *b) {
    Diag error = {0};
    CHECK(check_launch(&b->arena, &b->request, b->device, &b->result, NULL,
                       &error));
    report_tell_launch(&b->arena, &b->result);
}

static void bench_close(Bench *b) {
    b->device->ops->close(b->device);
    arena_free(&b->arena);
}

static const Cause *find_cause(const Bench *b, const char *code) {
    for (size_t i = 0; i < b->result.finding_count; i++)
        if (str_equal(b->result.findings[i].cause.code, str_from(code)))
            return &b->result.findings[i].cause;
    return NULL;
}

static bool blames_order(const Cause *cause) {
    for (uint32_t i = 0; i < cause->related_count; i++)
        if (test_holds(cause->related[i].what, STR("order is no promise")))
            return true;
    return false;
}

// Whether the order is blamed for the finding of this code; it has to be there.
static bool is_blamed(const char *text, const char *code) {
    Bench b;
    if (!bench_open(&b, text))
        return false;
    bench_run(&b);
    const Cause *cause = find_cause(&b, code);
    bool blamed = CHECK(cause != NULL) && blames_order(cause);
    bench_close(&b);
    return blamed;
}

TEST(who_counts_on_the_order_is_told_so) {
    CHECK(is_blamed(STOPS, "TRAP"));
    CHECK(is_blamed(SKIPS, "OUTPUT"));
}

TEST(what_shows_in_order_as_well_is_not_blamed_on_it) {
    CHECK(!is_blamed(INSISTS, "TRAP"));
}

TEST(schedules_in_order_are_clean_for_who_counts_on_it) {
    static const char *const texts[] = {RIGHT, SKIPS, STOPS};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Bench b;
        if (!bench_open(&b, texts[i]))
            return;
        b.request.in_order = true;
        bench_run(&b);
        CHECK_INT(b.result.schedule_count, 24);
        CHECK_INT(b.result.finding_count, 0);
        bench_close(&b);
    }
}

TEST(a_kernel_that_takes_any_order_is_clean_in_any) {
    Bench b;
    if (!bench_open(&b, RIGHT))
        return;
    bench_run(&b);
    CHECK_INT(b.result.finding_count, 0);
    bench_close(&b);
}

// A single schedule says what all of them together said of it.
TEST(a_replay_blames_the_order_too) {
    Bench b, c;
    if (!bench_open(&b, STOPS) || !bench_open(&c, STOPS))
        return;
    bench_run(&b);
    const LaunchFinding *found = &b.result.findings[0];
    CHECK(found->schedule > 0);
    CHECK_HOLDS(found->cause.replay, "--switches ");
    c.request.first = found->schedule;
    c.request.schedules = 1;
    c.request.is_limited = true;
    Str rest = found->cause.replay, word = {0};
    while (rest.len > 0)
        word = str_cut(&rest, ' ');
    CHECK(str_to_u64(word, &c.request.switches));
    bench_run(&c);
    CHECK(c.result.finding_count == 1 &&
          blames_order(&c.result.findings[0].cause));
    bench_close(&b);
    bench_close(&c);
}

TEST_MAIN(TESTCASE(who_counts_on_the_order_is_told_so),
          TESTCASE(what_shows_in_order_as_well_is_not_blamed_on_it),
          TESTCASE(schedules_in_order_are_clean_for_who_counts_on_it),
          TESTCASE(a_kernel_that_takes_any_order_is_clean_in_any),
          TESTCASE(a_replay_blames_the_order_too))
