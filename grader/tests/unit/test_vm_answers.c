// SPDX-License-Identifier: Apache-2.0
// Answers of Cluster Launch Control: what is decoded of them, in grids and
// clusters of one to three dimensions, under every strategy. Each block of the
// grid is processed once, by a block that was started or that was granted it;
// and the ledger's sums fit.
#include "result/finding.h"
#include "result/run.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { WORDS = 256, SEEDS = 3 };

// Each block adds one to out[index] for each index that it gets: its own, and
// the first block's of each cluster granted plus its own place in the cluster.
// out[WORDS - 1] counts answers whose two decodings differ. The block of rank 0
// asks for its cluster.
static const char KERNEL[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %l<9>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"
    "ld.param.u64 %l0, [out]; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y;\n"
    "mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.y;\n"
    "mov.u32 %r5, %cluster_ctaid.x; mov.u32 %r6, %cluster_ctaid.y;\n"
    "mov.u32 %r7, %cluster_ctaid.z; mov.u32 %r8, %cluster_ctarank;\n"
    "setp.eq.u32 %p0, %r8, 0; mov.u32 %r9, 0;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "work:\n"
    "mad.lo.u32 %r10, %r2, %r4, %r1; mad.lo.u32 %r10, %r10, %r3, %r0;\n"
    "mul.wide.u32 %l1, %r10, 4; add.u64 %l1, %l1, %l0;\n"
    "red.relaxed.gpu.global.add.u32 [%l1], 1;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"
    "fence.proxy.async;\n"
    "barrier.cluster.arrive; barrier.cluster.wait;\n"
    "@%p0 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::"
    "complete_tx::bytes.multicast::cluster::all.b128 [slot], [bar];\n"
    "wait:\n"
    "mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r9; @!%p1 bra "
    "wait;\n"
    "xor.b32 %r9, %r9, 1; ld.shared.v2.u64 {%l2, %l3}, [slot];\n"
    "mov.b128 %q, {%l2, %l3};\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@!%p2 bra end;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r0, %q;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r1, %q;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r2, %q;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
    "{%r11, %r12, %r13, %r14}, %q;\n"
    "xor.b32 %r11, %r11, %r0; xor.b32 %r12, %r12, %r1; xor.b32 %r13, %r13, "
    "%r2;\n"
    "or.b32 %r11, %r11, %r12; or.b32 %r11, %r11, %r13;\n"
    "setp.ne.u32 %p3, %r11, 0;\n"
    "@%p3 red.relaxed.gpu.global.add.u32 [%l0+1020], 1;\n"
    "add.u32 %r0, %r0, %r5; add.u32 %r1, %r1, %r6; add.u32 %r2, %r2, %r7;\n"
    "bra work;\n"
    "end:\n"
    "barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n";

typedef struct Shape {
    uint32_t grid[3], cluster[3];
} Shape;

static const Shape SHAPES[] = {
    {{40, 1, 1}, {1, 1, 1}}, {{3, 1, 1}, {1, 1, 1}},  {{7, 5, 1}, {1, 1, 1}},
    {{3, 4, 5}, {1, 1, 1}},  {{1, 1, 30}, {1, 1, 1}}, {{1, 33, 1}, {1, 1, 1}},
    {{24, 1, 1}, {2, 1, 1}}, {{6, 6, 2}, {2, 1, 1}},  {{5, 8, 2}, {1, 2, 1}},
    {{3, 3, 8}, {1, 1, 2}},  {{4, 6, 4}, {2, 2, 1}},  {{4, 6, 4}, {1, 2, 2}},
};

static uint32_t volume(const uint32_t v[3]) {
    return v[0] * v[1] * v[2];
}

typedef struct Machine {
    Arena arena;
    Device *device;
    uint32_t buffer, words[WORDS];
    uint64_t address;
} Machine;

static bool machine_open(Machine *m) {
    *m = (Machine){.device = vm_open(vm_model_find(STR("mini")))};
    Diags diags = diags_new(&m->arena);
    PtxModule *module = ptx_parse(&m->arena, STR("k.ptx"), STR(KERNEL), &diags);
    const DeviceOps *ops = m->device->ops;
    for (size_t i = 0; i < diags.count; i++)
        printf("# %.*s\n", STR_ARG(diags.items[i].what));
    return CHECK(module != NULL) &&
           CHECK(ops->load(m->device, module, &diags)) &&
           CHECK(ops->alloc(m->device, sizeof m->words, &m->buffer, &m->address,
                            &diags));
}

static DeviceRun launch(Machine *m, const Shape *s, DeviceStrategy strategy,
                        uint64_t seed) {
    DeviceLaunch launch = {
        .kernel = STR("k"),
        .grid = {s->grid[0], s->grid[1], s->grid[2]},
        .block = {1, 1, 1},
        .cluster = {s->cluster[0], s->cluster[1], s->cluster[2]},
        .args = &m->address,
        .arg_bytes = sizeof m->address,
        .schedule = {
            .seed = seed, .strategy = strategy, .depth = 2, .steps = 1000}};
    DeviceRun run;
    memset(m->words, 0, sizeof m->words);
    const DeviceOps *ops = m->device->ops;
    ops->write(m->device, m->buffer, 0, m->words, sizeof m->words);
    CHECK(ops->launch(m->device, &m->arena, &launch, &run));
    ops->read(m->device, m->buffer, 0, m->words, sizeof m->words);
    return run;
}

static size_t error_count(const DeviceRun *run) {
    size_t count = 0;
    for (size_t i = 0; i < run->finding_count; i++)
        count += run->findings[i].level == FINDING_ERROR;
    return count;
}

// What is true of any schedule: each request is granted or refused; each block
// was started or granted, and is in one block's chain; each cluster that was
// started is refused once.
static void check_ledger(const Shape *s, const DeviceRun *run) {
    const LedgerTotals *t = &run->ledger.totals;
    uint32_t blocks = volume(s->grid), cluster = volume(s->cluster);
    CHECK_U64(t->grid, blocks);
    CHECK_U64(t->started + t->granted, blocks);
    CHECK_U64(t->lost, 0);
    CHECK_U64(t->requests, t->granted / cluster + t->refused);
    CHECK_U64(t->refused, t->started / cluster);
    CHECK(t->refused_pending <= t->refused);
    uint32_t owners[WORDS] = {0};
    for (size_t i = 0; i < run->ledger.chain_count; i++)
        for (size_t k = 0; k < run->ledger.chains[i].count; k++)
            owners[run->ledger.chains[i].blocks[k] % WORDS]++;
    for (uint32_t b = 0; b < WORDS; b++)
        CHECK_U64(owners[b], b < blocks);
}

// What is true of some strategies alone.
static void check_strategy(const Shape *s, const DeviceRun *run,
                           DeviceStrategy strategy) {
    const LedgerTotals *t = &run->ledger.totals;
    uint64_t blocks = volume(s->grid);
    if (strategy == STRATEGY_ROUND_ROBIN || strategy == STRATEGY_ALL_STEAL)
        CHECK_U64(t->refused_pending, 0);
    if (strategy == STRATEGY_ALL_STEAL)
        CHECK(t->started <= run->resident);
    if (strategy == STRATEGY_NO_STEAL)
        CHECK_U64(t->granted, 0);
    if (strategy == STRATEGY_NO_STEAL && blocks > 2 * run->resident)
        CHECK(t->refused_pending > 0);
}

TEST(each_block_is_started_or_granted_and_processed_once) {
    Machine m;
    if (!machine_open(&m))
        return;
    for (size_t i = 0; i < COUNT_OF(SHAPES); i++)
        for (int strategy = 0; strategy < STRATEGY_COUNT; strategy++)
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                unsigned before = test_state->failures;
                DeviceRun run =
                    launch(&m, &SHAPES[i], (DeviceStrategy)strategy, seed);
                CHECK_INT(run.status, RUN_DONE);
                CHECK_U64(error_count(&run), 0);
                uint32_t blocks = volume(SHAPES[i].grid);
                for (uint32_t b = 0; b < WORDS; b++)
                    CHECK_U64(m.words[b], b < blocks);
                check_ledger(&SHAPES[i], &run);
                check_strategy(&SHAPES[i], &run, (DeviceStrategy)strategy);
                if (test_state->failures != before)
                    printf("# shape %zu, strategy %d, seed %u\n", i, strategy,
                           (unsigned)seed);
            }
    m.device->ops->close(m.device);
    arena_free(&m.arena);
}

TEST_MAIN(TESTCASE(each_block_is_started_or_granted_and_processed_once))
