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
static const char TEXT[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".file 1 \"k.cu\"\n"
    ".func helper() { ret; }\n"
    ".visible .entry k(.param .u32 mode) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"
    "ld.param.u32 %r1, [mode]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0;\n"
    "setp.eq.u32 %p1, %r2, 0; setp.lt.u32 %p2, %r2, 32;\n"
    "@%p1 mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "bar.sync 0; @%p2 bra again;\n"
    "setp.eq.u32 %p3, %r1, 1; @%p3 bra other; bar.sync 1;\n"
    "other: .loc 1 20 1\ncall helper, (); ret;\n"
    "again: setp.eq.u32 %p4, %r2, %r3;\n"
    "setp.eq.u32 %p5, %r3, 0; setp.eq.or.u32 %p5, %r1, 0, %p5;\n"
    "and.pred %p4, %p4, %p5;\n"
    "setp.lt.and.u32 %p5, %r1, 3, %p4; @!%p5 bra asks;\n"
    ".loc 1 30 1\ncall helper, ();\n"
    "asks: @!%p1 bra waits;\n"
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

typedef struct Bench {
    Arena arena;
    Device *device;
    DeviceRun run;
} Bench;

// Runs a mode with so many threads under a strategy.
static bool bench_run(Bench *bench, uint32_t mode, uint32_t threads,
                      DeviceStrategy strategy, uint64_t unchecked) {
    *bench = (Bench){0};
    Diags diags = diags_new(&bench->arena);
    PtxModule *module =
        ptx_parse(&bench->arena, STR("text"), str_from(TEXT), &diags);
    bench->device = vm_open(vm_model_find(STR("mini")));
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {30, 1, 1},
                           .block = {threads, 1, 1},
                           .cluster = {1, 1, 1},
                           .args = &mode,
                           .arg_bytes = sizeof mode,
                           .schedule = {.seed = mode, .strategy = strategy},
                           .unchecked = unchecked,
                           .prologue = STR("helper")};
    return CHECK(module != NULL) &&
           CHECK(bench->device->ops->load(bench->device, module, &diags)) &&
           CHECK(bench->device->ops->launch(bench->device, &bench->arena,
                                            &launch, &bench->run)) &&
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
        Bench bench;
        if (bench_run(&bench, 0, 32, s, 0))
            for (size_t i = 0; i < bench.run.ledger.chain_count; i++) {
                const LedgerChain *chain = &bench.run.ledger.chains[i];
                CHECK_INT(chain->prologues, 1);
                CHECK_INT(chain->late, chain->count - 1);
                CHECK_INT(chain->late_taken,
                          chain->count > 1 ? chain->count : 0);
                CHECK_INT(chain->late_at.line, chain->count > 1 ? 30 : 0);
            }
        bench_close(&bench);
    }
}

TEST(a_call_that_nothing_orders_after_the_second_index_is_not_late) {
    for (DeviceStrategy s = 0; s < STRATEGY_PCT; s++) {
        Bench bench;
        if (bench_run(&bench, 1, 96, s, 0))
            CHECK_INT(late_calls(&bench), 0);
        bench_close(&bench);
    }
}

TEST(a_call_behind_a_barrier_after_the_second_index_is_late) {
    Bench bench;
    if (bench_run(&bench, 2, 96, STRATEGY_ALL_STEAL, 0))
        for (size_t i = 0; i < bench.run.ledger.chain_count; i++) {
            const LedgerChain *chain = &bench.run.ledger.chains[i];
            CHECK_INT(chain->late, chain->count > 1 ? 64 : 0);
            CHECK_INT(chain->late_at.line, chain->count > 1 ? 20 : 0);
            CHECK_INT(chain->late_taken, chain->count > 1 ? chain->count : 0);
        }
    bench_close(&bench);
}

TEST(the_first_call_of_a_block_is_never_late) {
    for (uint32_t mode = 3; mode <= 4; mode++) {
        Bench bench;
        if (bench_run(&bench, mode, 32, STRATEGY_ALL_STEAL, 0))
            CHECK_INT(late_calls(&bench), 0);
        bench_close(&bench);
    }
    Bench bench;
    if (bench_run(&bench, 3, 96, STRATEGY_ALL_STEAL, 0)) {
        CHECK_INT(late_calls(&bench), 0);
        CHECK_INT(bench.run.ledger.chains[0].prologues, 1);
    }
    bench_close(&bench);
}

TEST(without_clocks_no_call_is_late) {
    Bench bench;
    if (bench_run(&bench, 0, 32, STRATEGY_ALL_STEAL, UINT64_MAX)) {
        CHECK_INT(late_calls(&bench), 0);
        CHECK_INT(bench.run.ledger.chains[0].prologues, 1);
    }
    bench_close(&bench);
}

TEST_MAIN(
    TESTCASE(another_thread_in_each_round_is_late_from_the_second_on),
    TESTCASE(a_call_that_nothing_orders_after_the_second_index_is_not_late),
    TESTCASE(a_call_behind_a_barrier_after_the_second_index_is_late),
    TESTCASE(the_first_call_of_a_block_is_never_late),
    TESTCASE(without_clocks_no_call_is_late))
