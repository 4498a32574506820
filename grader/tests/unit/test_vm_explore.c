// SPDX-License-Identifier: Apache-2.0
// Exhaustive search: what the reduction leaves out makes no difference. Small
// kernels have as many schedules as can be counted by hand; of random ones,
// the buffers after all schedules are the same with and without the reduction.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { WORDS = 8, MOST_RUNS = 200000, MOST_RESULTS = 4096 };

typedef struct Search {
    uint64_t schedules, redundant;
    bool is_complete;
    RunStatus last;       // of the last schedule
    uint64_t least, most; // blocks started
    uint64_t refused;     // schedules that refused while blocks were pending
    uint64_t *results;    // hashes of the buffer, ascending
    size_t result_count;
} Search;

typedef struct Shape {
    uint32_t grid, warps;
    bool is_naive;
} Shape;

static void add_result(Search *s, uint64_t hash) {
    size_t at = 0;
    while (at < s->result_count && s->results[at] < hash)
        at++;
    if ((at < s->result_count && s->results[at] == hash) ||
        !CHECK(s->result_count < MOST_RESULTS))
        return;
    for (size_t i = s->result_count++; i > at; i--)
        s->results[i] = s->results[i - 1];
    s->results[at] = hash;
}

static void note_run(Search *s, const DeviceRun *run, uint64_t hash) {
    if (s->schedules == 0 || run->ledger.totals.started < s->least)
        s->least = run->ledger.totals.started;
    if (run->ledger.totals.started > s->most)
        s->most = run->ledger.totals.started;
    s->refused += run->ledger.totals.refused_pending > 0;
    s->schedules++;
    s->last = run->status;
    add_result(s, hash);
}

// One run of kernel k(u32 *words).
static void run_next(Device *vm, const PtxModule *module, Shape shape,
                     DeviceExploration *about, Search *s) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    uint32_t index;
    uint64_t address, words[WORDS];
    DeviceRun run;
    vm->ops->load(vm, module, &diags);
    vm->ops->alloc(vm, sizeof words, &index, &address, &diags);
    DeviceLaunch launch = {
        .kernel = STR("k"),
        .grid = {shape.grid, 1, 1},
        .block = {32 * shape.warps, 1, 1},
        .cluster = {1, 1, 1},
        .args = &address,
        .arg_bytes = sizeof address,
        .unchecked = UINT64_C(1) << RULE_RACE001 | UINT64_C(1) << RULE_RACE002 |
                     UINT64_C(1) << RULE_CLC006 | UINT64_C(1) << RULE_MEM003,
        .exploration = about};
    CHECK(vm->ops->launch(vm, &arena, &launch, &run));
    vm->ops->read(vm, index, 0, words, sizeof words);
    if (about->is_redundant)
        s->redundant++;
    else
        note_run(s, &run, hash_bytes(1, words, sizeof words));
    arena_free(&arena);
}

static Search search(Arena *arena, Str body, Shape shape) {
    Str text = str_format(
        arena,
        ".version 9.0\n.target sm_100a\n.address_size 64\n.file 1 \"k.cu\"\n"
        ".visible .entry k(.param .u64 p) {\n.reg .pred %%q<4>;\n"
        ".reg .b32 %%r<16>;\n.reg .b64 %%d<8>;\n.reg .b128 %%h;\n"
        "ld.param.u64 %%d0, [p];\nmov.u32 %%r0, %%tid.x;\n"
        "shr.u32 %%r1, %%r0, 5;\nmov.u32 %%r2, %%ctaid.x;\n%.*s}\n",
        STR_ARG(body));
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, STR("k.ptx"), text, &diags);
    Search s = {.results = arena_new(arena, uint64_t, MOST_RESULTS)};
    if (!CHECK(module != NULL))
        return s;
    Device *vm = vm_open(vm_model_find(STR("mini")));
    DeviceExploration about = {.is_naive = shape.is_naive};
    while (!about.is_complete && s.last == RUN_DONE &&
           s.schedules + s.redundant < MOST_RUNS)
        run_next(vm, module, shape, &about, &s);
    s.is_complete = about.is_complete;
    arena_free(&about.arena);
    vm->ops->close(vm);
    return s;
}

static void check_count(const char *body, Shape shape, uint64_t schedules,
                        size_t results) {
    Arena arena = {0};
    Search s = search(&arena, str_from(body), shape);
    CHECK(s.is_complete);
    CHECK_U64(s.schedules, schedules);
    CHECK_INT(s.result_count, results);
    arena_free(&arena);
}

// ---- by hand -------------------------------------------------------------

TEST(what_has_one_order_is_one_schedule) {
    check_count("ret;\n", (Shape){1, 3, false}, 1, 1);
    // Each warp has a word of its own; and a barrier.
    check_count("mad.wide.u32 %d1, %r1, 4, %d0;\nst.global.u32 [%d1], 7;\n"
                "bar.sync 0;\nst.global.u32 [%d1], 8;\nret;\n",
                (Shape){1, 3, false}, 1, 1);
}

TEST(atomics_on_one_word_come_in_each_order) {
    check_count("atom.global.exch.b32 %r3, [%d0], %r1;\nret;\n",
                (Shape){1, 3, false}, 6, 3);
}

// Two stores, two loads: four orders, of which one cannot be (each load before
// the other's store).
TEST(store_and_load_of_two_words_have_three_orders) {
    check_count("mad.wide.u32 %d1, %r1, 4, %d0;\nxor.b32 %r3, %r1, 1;\n"
                "mad.wide.u32 %d2, %r3, 4, %d0;\n"
                "st.global.u32 [%d1], 1;\nld.global.u32 %r4, [%d2];\n"
                "st.global.u32 [%d1+16], %r4;\nret;\n",
                (Shape){1, 2, false}, 3, 3);
}

// Load, add, store: with loads before either store the order of stores counts.
TEST(a_lost_update_is_found) {
    check_count("ld.global.u32 %r4, [%d0];\nadd.u32 %r4, %r4, 1;\n"
                "st.global.u32 [%d0], %r4;\nret;\n",
                (Shape){1, 2, false}, 4, 2);
}

TEST(a_barrier_orders_what_is_on_both_sides) {
    check_count("setp.ne.u32 %q0, %r1, 0;\n@%q0 bra A;\n"
                "st.global.u32 [%d0], 5;\nA: bar.sync 0;\n"
                "ld.global.u32 %r4, [%d0];\nmad.wide.u32 %d1, %r1, 4, %d0;\n"
                "st.global.u32 [%d1+8], %r4;\nret;\n",
                (Shape){1, 2, false}, 1, 1);
}

// Each waits for what the other sends later: in no order does it end.
TEST(a_deadlock_ends_the_search) {
    Arena arena = {0};
    Search s = search(&arena,
                      STR("setp.ne.u32 %q0, %r1, 0;\n"
                          "@%q0 bra A;\nbar.sync 1, 64;\nA: ret;\n"),
                      (Shape){1, 2, false});
    CHECK(!s.is_complete);
    CHECK_INT(s.last, RUN_DEADLOCK);
    arena_free(&arena);
}

// ---- Cluster Launch Control ----------------------------------------------

static const char STEALING[] =
    ".shared .align 16 .b8 slot[16];\n.shared .align 8 .b64 bar;\n"
    "mov.u32 %r5, slot;\nmov.u32 %r6, bar;\nmov.u32 %r7, 0;\n"
    "mbarrier.init.shared.b64 [%r6], 1;\n"
    "LOOP: mad.wide.u32 %d1, %r2, 4, %d0;\n"
    "red.global.add.u32 [%d1], 1;\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta."
    "mbarrier::complete_tx::bytes.b128 [%r5], [%r6];\n"
    "mbarrier.arrive.expect_tx.shared.b64 %d2, [%r6], 16;\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %q0, [%r6], %r7;\n"
    "@!%q0 bra WAIT;\nxor.b32 %r7, %r7, 1;\n"
    "ld.shared.b128 %h, [%r5];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %q1, %h;\n"
    "@!%q1 bra DONE;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %h;\n"
    "fence.proxy.async.shared::cta;\nbra LOOP;\nDONE: ret;\n";

TEST(requests_are_granted_and_refused) {
    Arena arena = {0};
    Search s = search(&arena,
                      str_format(&arena,
                                 "setp.ne.u32 %%q2, %%r0, 0;\n"
                                 "@%%q2 ret;\n%s",
                                 STEALING),
                      (Shape){3, 1, false});
    CHECK(s.is_complete);
    CHECK_INT(s.last, RUN_DONE);
    CHECK(s.schedules > 10);
    CHECK_U64(s.least, 1); // granted before it was launched
    CHECK_U64(s.most, 3);
    CHECK(s.refused > 0 && s.refused < s.schedules);
    CHECK_INT(s.result_count, 1); // each block once, whatever happens
    arena_free(&arena);
}

// ---- with and without the reduction --------------------------------------

// Operations of one warp on a few words; what it loads goes to a word of its
// own at the end.
static void add_operations(Buf *out, Rng *rng, uint32_t warp, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = (uint32_t)rng_below(rng, 2) * 4;
        uint32_t value = 1 + warp * 16 + i;
        switch (rng_below(rng, 4)) {
        case 0:
            buf_printf(out, "st.global.u32 [%%d0+%u], %u;\n", word, value);
            break;
        case 1:
            buf_printf(out,
                       "ld.global.u32 %%r4, [%%d0+%u];\n"
                       "mad.lo.u32 %%r5, %%r5, 31, %%r4;\n",
                       word);
            break;
        case 2:
            buf_printf(out,
                       "atom.global.exch.b32 %%r4, [%%d0+%u], %u;\n"
                       "mad.lo.u32 %%r5, %%r5, 31, %%r4;\n",
                       word, value);
            break;
        case 3:
            buf_printf(out, "red.global.add.u32 [%%d0+%u], %u;\n", word, value);
            break;
        }
    }
    buf_printf(out, "st.global.u32 [%%d0+%u], %%r5;\n", 16 + 4 * warp);
}

static Str random_body(Arena *arena, Rng *rng, uint32_t warps, uint32_t count) {
    Buf out = {0};
    bool barrier = warps == 2 && rng_below(rng, 4) == 0; // else too many
    buf_str(&out, STR("mov.u32 %r5, 0;\n"));
    for (uint32_t w = 0; w < warps; w++) {
        buf_printf(&out, "setp.ne.u32 %%q0, %%r1, %u;\n@%%q0 bra L%u;\n", w, w);
        if (barrier)
            add_operations(&out, rng, w, 1);
        if (barrier)
            buf_str(&out, STR("bar.sync 0;\n"));
        add_operations(&out, rng, w, barrier ? 1 : count);
        buf_printf(&out, "ret;\nL%u:\n", w);
    }
    buf_str(&out, STR("ret;\n"));
    Str body = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return body;
}

static uint64_t compare(uint64_t seed, uint32_t warps, uint32_t count) {
    Arena arena = {0};
    Rng rng = rng_stream(seed, warps);
    Str body = random_body(&arena, &rng, warps, count);
    Search all = search(&arena, body, (Shape){1, warps, true});
    Search few = search(&arena, body, (Shape){1, warps, false});
    CHECK(all.is_complete && few.is_complete);
    CHECK(few.schedules <= all.schedules);
    CHECK_INT(few.result_count, all.result_count);
    for (size_t i = 0; i < few.result_count && i < all.result_count; i++)
        CHECK_U64(few.results[i], all.results[i]);
    uint64_t saved = all.schedules - few.schedules;
    arena_free(&arena);
    return saved;
}

TEST(the_reduction_leaves_no_result_out) {
    uint64_t saved = 0;
    for (uint64_t seed = 0; seed < 30; seed++)
        saved += compare(seed, 2, 3);
    for (uint64_t seed = 0; seed < 6; seed++)
        saved += compare(seed, 3, 1);
    CHECK(saved > 4000);
}

TEST_MAIN(TESTCASE(what_has_one_order_is_one_schedule),
          TESTCASE(atomics_on_one_word_come_in_each_order),
          TESTCASE(store_and_load_of_two_words_have_three_orders),
          TESTCASE(a_lost_update_is_found),
          TESTCASE(a_barrier_orders_what_is_on_both_sides),
          TESTCASE(a_deadlock_ends_the_search),
          TESTCASE(requests_are_granted_and_refused),
          TESTCASE(the_reduction_leaves_no_result_out))
