// SPDX-License-Identifier: Apache-2.0
// Calls of the watched function that come too late: LedgerChain.late.
#include "tests/unit/test.h"
#include "vm/vm.h"

// Warp 0 of each block runs the CLC loop; thread 0 asks, and all lanes decode.
//   mode 0  in round k, lane k calls `helper`
//   mode 1  lane 0 calls it in round 0; the other warps, whenever they run
//   mode 2  as mode 1, but the other warps wait for the end of the loop
//   mode 3  nobody calls it before the end of the loop; then the other warps
//   mode 4  lane 0 calls it in round 0, after it has decoded the next index
// After the call, each lane of warp 0 stores to a place of its own in each
// round.
static const char TEXT[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".file 1 \"k.cu\"\n"
    ".func helper() { ret; }\n"
    ".visible .entry k(.param .u64 out, .param .u32 mode) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b128 %q;\n"
    ".reg .b64 %l<9>; .shared .align 16 .b8 slot[16]; .shared .align 8 .b64 "
    "bar;\n"
    "ld.param.u32 %r1, [mode]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0;\n"
    "setp.eq.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r2, 32;\n"
    "mov.u32 %r6, %ctaid.x; mad.lo.u32 %r6, %r6, 32, %r2;\n"
    "ld.param.u64 %l1, [out]; mad.wide.u32 %l1, %r6, 4, %l1;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "bar.sync 0; @%p2 bra again;\n"
    "setp.eq.u32 %p3, %r1, 1; @%p3 bra other; bar.sync 1;\n"
    "other: .loc 1 20 1\ncall helper, (); ret;\n"
    "again: setp.eq.u32 %p4, %r2, %r3;\n"
    "setp.eq.u32 %p5, %r3, 0; setp.eq.or.u32 %p5, %r1, 0, %p5;\n"
    "and.pred %p4, %p4, %p5;\n"
    "setp.lt.and.u32 %p5, %r1, 3, %p4; @!%p5 bra asks;\n"
    ".loc 1 30 1\ncall helper, ();\n"
    "asks: st.global.u32 [%l1], %r3; @!%p1 bra waits;\n"
    "fence.proxy.async.shared::cta;\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "waits: and.b32 %r4, %r3, 1;\n"
    "test: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p6, [bar], "
    "%r4;\n@!%p6 bra test;\n"
    "ld.shared.b128 %q, [slot]; add.u32 %r3, %r3, 1;\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p7, %q;\n"
    "@!%p7 bra end;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r5, %q;\n"
    "setp.gt.u32 %p5, %r5, 99; @%p5 bra end;\n"
    "setp.eq.and.u32 %p5, %r1, 4, %p4; @!%p5 bra next; call helper, ();\n"
    "next: bar.sync 2, 32; bra again;\n"
    "end: setp.eq.u32 %p3, %r1, 1; @%p3 ret; bar.sync 1; ret; }\n";

enum { GRID = 30 };

typedef struct Bench {
    Arena arena;
    Device *device;
    DeviceRun run;
    bool watches; // what the lanes store to
} Bench;

// Runs a mode with so many threads under a strategy.
static bool bench_run(Bench *bench, uint32_t mode, uint32_t threads,
                      DeviceStrategy strategy, uint64_t unchecked) {
    static const uint32_t piece_of[GRID * 32] = {0};
    struct {
        uint64_t out;
        uint32_t mode;
    } args = {.mode = mode};
    Watch watch = {.piece_of = piece_of, .count = 1};
    Diags diags = diags_new(&bench->arena);
    PtxModule *module =
        ptx_parse(&bench->arena, STR("text"), str_from(TEXT), &diags);
    bench->device = vm_open(vm_model_find(STR("mini")));
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {GRID, 1, 1},
                           .block = {threads, 1, 1},
                           .cluster = {1, 1, 1},
                           .args = &args,
                           .arg_bytes = 12,
                           .schedule = {.seed = mode, .strategy = strategy},
                           .unchecked = unchecked,
                           .prologue = STR("helper"),
                           .watches = &watch,
                           .watch_count = bench->watches};
    const DeviceOps *ops = bench->device->ops;
    return CHECK(module != NULL) &&
           CHECK(ops->load(bench->device, module, &diags)) &&
           CHECK(ops->alloc(bench->device, sizeof piece_of, &watch.buffer,
                            &args.out, &diags)) &&
           CHECK(ops->launch(bench->device, &bench->arena, &launch,
                             &bench->run)) &&
           CHECK_INT(bench->run.status, RUN_DONE) &&
           CHECK_INT(bench->run.finding_count, 0);
}

static void bench_close(Bench *bench) {
    bench->device->ops->close(bench->device);
    arena_free(&bench->arena);
}

static uint64_t late_calls(const Bench *bench) {
    uint64_t late = 0;
    for (size_t i = 0; i < bench->run.ledger.chain_count; i++)
        late += bench->run.ledger.chains[i].late;
    return late;
}

TEST(another_thread_in_each_round_is_late_from_the_second_on) {
    for (DeviceStrategy s = 0; s < STRATEGY_PCT; s++) {
        Bench bench = {0};
        if (bench_run(&bench, 0, 32, s, 0))
            for (size_t i = 0; i < bench.run.ledger.chain_count; i++) {
                const LedgerChain *chain = &bench.run.ledger.chains[i];
                CHECK_INT(chain->prologues, 1);
                CHECK_INT(chain->late, chain->count - 1);
                CHECK_INT(chain->late_at.line, chain->count > 1 ? 30 : 0);
            }
        bench_close(&bench);
    }
}

TEST(late_calls_of_threads_that_have_stored_are_told_apart) {
    for (int watches = 0; watches < 2; watches++) {
        Bench bench = {.watches = watches};
        if (bench_run(&bench, 0, 32, STRATEGY_ALL_STEAL, 0))
            for (size_t i = 0; i < bench.run.ledger.chain_count; i++) {
                const LedgerChain *chain = &bench.run.ledger.chains[i];
                CHECK_INT(chain->late_worked, watches ? chain->late : 0);
            }
        bench_close(&bench);
    }
    Bench bench = {.watches =
                       true}; // the late ones are other warps', idle ones
    if (bench_run(&bench, 2, 96, STRATEGY_ALL_STEAL, 0)) {
        CHECK(late_calls(&bench) > 0);
        for (size_t i = 0; i < bench.run.ledger.chain_count; i++)
            CHECK_INT(bench.run.ledger.chains[i].late_worked, 0);
    }
    bench_close(&bench);
}

TEST(a_call_that_nothing_orders_after_the_second_index_is_not_late) {
    for (DeviceStrategy s = 0; s < STRATEGY_PCT; s++) {
        Bench bench = {0};
        if (bench_run(&bench, 1, 96, s, 0))
            CHECK_INT(late_calls(&bench), 0);
        bench_close(&bench);
    }
}

TEST(a_call_behind_a_barrier_after_the_second_index_is_late) {
    Bench bench = {0};
    if (bench_run(&bench, 2, 96, STRATEGY_ALL_STEAL, 0))
        for (size_t i = 0; i < bench.run.ledger.chain_count; i++) {
            const LedgerChain *chain = &bench.run.ledger.chains[i];
            CHECK_INT(chain->late, chain->count > 1 ? 64 : 0);
            CHECK_INT(chain->late_at.line, chain->count > 1 ? 20 : 0);
        }
    bench_close(&bench);
}

TEST(the_first_call_of_a_block_is_never_late) {
    for (uint32_t mode = 3; mode <= 4; mode++) {
        Bench bench = {0};
        if (bench_run(&bench, mode, 32, STRATEGY_ALL_STEAL, 0))
            CHECK_INT(late_calls(&bench), 0);
        bench_close(&bench);
    }
    Bench bench = {0};
    if (bench_run(&bench, 3, 96, STRATEGY_ALL_STEAL, 0)) {
        CHECK_INT(late_calls(&bench), 0);
        CHECK_INT(bench.run.ledger.chains[0].prologues, 1);
    }
    bench_close(&bench);
}

TEST(without_clocks_no_call_is_late) {
    Bench bench = {0};
    if (bench_run(&bench, 0, 32, STRATEGY_ALL_STEAL, UINT64_MAX)) {
        CHECK_INT(late_calls(&bench), 0);
        CHECK_INT(bench.run.ledger.chains[0].prologues, 1);
    }
    bench_close(&bench);
}

TEST_MAIN(
    TESTCASE(another_thread_in_each_round_is_late_from_the_second_on),
    TESTCASE(late_calls_of_threads_that_have_stored_are_told_apart),
    TESTCASE(a_call_that_nothing_orders_after_the_second_index_is_not_late),
    TESTCASE(a_call_behind_a_barrier_after_the_second_index_is_late),
    TESTCASE(the_first_call_of_a_block_is_never_late),
    TESTCASE(without_clocks_no_call_is_late))
