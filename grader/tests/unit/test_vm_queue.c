// SPDX-License-Identifier: Apache-2.0
// The order in which the virtual machine launches and grants clusters: kept in
// the plain schedule and where the caller asks for it, reversed or shuffled in
// others; and each cluster once, whatever the order.
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { GRID = 64, SEEDS = 48 };

// The CLC loop of one thread.
static const char TEXT[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k() {\n"
    ".reg .pred %p<9>; .reg .b32 %r<10>; .reg .b128 %q;\n"
    ".shared .align 16 .b8 slot[16]; .shared .align 8 .b64 bar;\n"
    "mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r9, 0;\n"
    "again: fence.proxy.async.shared::cta;\n"
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::"
    "bytes.b128 [slot], [bar];\n"
    "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], 16;\n"
    "wait: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], "
    "%r9;\n@!%p1 bra wait; xor.b32 %r9, %r9, 1;\n"
    "ld.shared.b128 %q, [slot];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"
    "@!%p2 ret;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q;\n"
    "setp.gt.u32 %p1, %r1, 99; @%p1 ret; bra again; }\n";

typedef struct Queue {
    Arena arena;
    Device *device;
} Queue;

static bool queue_open(Queue *q) {
    *q = (Queue){0};
    Diags diags = diags_new(&q->arena);
    PtxModule *module =
        ptx_parse(&q->arena, STR("text"), str_from(TEXT), &diags);
    q->device = vm_open(vm_model_find(STR("mini")));
    return CHECK(module != NULL) &&
           CHECK(q->device->ops->load(q->device, module, &diags));
}

static void queue_close(Queue *q) {
    q->device->ops->close(q->device);
    arena_free(&q->arena);
}

static DeviceRun queue_run(Queue *q, DeviceSchedule schedule) {
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {GRID, 1, 1},
                           .block = {1, 1, 1},
                           .schedule = schedule};
    DeviceRun run;
    CHECK(q->device->ops->launch(q->device, &q->arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    CHECK_INT(run.finding_count, 0);
    return run;
}

// ---- which order it was --------------------------------------------------

typedef struct Order {
    bool up, down; // nothing was seen that is not in, or against, the order
} Order;

static Order see(Order order, uint32_t before, uint32_t after) {
    return (Order){order.up && before < after, order.down && before > after};
}

static Order order_of_launches(const DeviceRun *run) {
    Order order = {true, true};
    const Ledger *ledger = &run->ledger;
    for (size_t i = 1; i < ledger->chain_count; i++)
        order = see(order, ledger->chains[i - 1].cta, ledger->chains[i].cta);
    return order;
}

// As far as it shows in what each block was granted.
static Order order_of_grants(const DeviceRun *run) {
    Order order = {true, true};
    for (size_t i = 0; i < run->ledger.chain_count; i++) {
        const LedgerChain *chain = &run->ledger.chains[i];
        for (size_t k = 2; k < chain->count; k++)
            order = see(order, chain->blocks[k - 1], chain->blocks[k]);
    }
    return order;
}

// Each block index once, in all chains together.
static void check_each_once(const DeviceRun *run) {
    uint32_t times[GRID] = {0};
    for (size_t i = 0; i < run->ledger.chain_count; i++)
        for (size_t k = 0; k < run->ledger.chains[i].count; k++)
            times[run->ledger.chains[i].blocks[k]]++;
    for (uint32_t block = 0; block < GRID; block++)
        CHECK_INT(times[block], 1);
}

// ---- tests ---------------------------------------------------------------

TEST(the_plain_schedule_keeps_the_order) {
    Queue q;
    if (!queue_open(&q))
        return;
    for (uint64_t seed = 0; seed < 4; seed++) {
        DeviceRun run = queue_run(&q, (DeviceSchedule){.seed = seed});
        CHECK(order_of_launches(&run).up);
        CHECK(order_of_grants(&run).up);
        CHECK(!run.out_of_order);
        CHECK_INT(run.ledger.chains[0].requests, run.ledger.chains[0].count);
    }
    queue_close(&q);
}

TEST(all_steal_launches_the_last_first_and_grants_block_0_first) {
    Queue q;
    if (!queue_open(&q))
        return;
    for (uint64_t seed = 0; seed < 8; seed++) {
        DeviceRun run = queue_run(
            &q, (DeviceSchedule){.seed = seed, .strategy = STRATEGY_ALL_STEAL});
        CHECK(order_of_launches(&run).down);
        CHECK(order_of_grants(&run).up);
        CHECK_INT(run.ledger.chains[0].cta, GRID - 1);
        CHECK_INT(run.ledger.entries[0].state, LEDGER_GRANTED);
        CHECK(run.out_of_order);
        check_each_once(&run);
    }
    queue_close(&q);
}

// Which of the three orders it was.
static int kind_of(Order order) {
    return order.up ? 0 : order.down ? 1 : 2;
}

// Counts seeds by the orders of launches and of grants.
static void count_orders(DeviceStrategy strategy, bool in_order,
                         unsigned seen[3][3]) {
    Queue q;
    if (!queue_open(&q))
        return;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        DeviceRun run = queue_run(&q, (DeviceSchedule){.seed = seed,
                                                       .strategy = strategy,
                                                       .depth = 2,
                                                       .steps = 100,
                                                       .in_order = in_order});
        int launches = kind_of(order_of_launches(&run));
        int grants = kind_of(order_of_grants(&run));
        CHECK_INT(run.out_of_order, launches > 0 || grants > 0);
        check_each_once(&run);
        seen[launches][grants]++;
    }
    queue_close(&q);
}

TEST(seeds_keep_reverse_and_shuffle_launches_and_grants_apart) {
    static const DeviceStrategy strategies[] = {STRATEGY_RANDOM, STRATEGY_PCT};
    for (size_t i = 0; i < COUNT_OF(strategies); i++) {
        unsigned seen[3][3] = {{0}};
        count_orders(strategies[i], false, seen);
        for (int launches = 0; launches < 3; launches++)
            for (int grants = 0; grants < 3; grants++)
                CHECK(seen[launches][grants] > 0);
    }
}

TEST(a_schedule_in_order_keeps_both) {
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        unsigned seen[3][3] = {{0}};
        count_orders((DeviceStrategy)i, true, seen);
        CHECK_INT(seen[0][0], SEEDS);
    }
}

TEST(refused_blocks_are_launched_in_every_order) {
    Queue q;
    unsigned seen[3] = {0};
    if (!queue_open(&q))
        return;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        DeviceRun run = queue_run(
            &q, (DeviceSchedule){.seed = seed, .strategy = STRATEGY_NO_STEAL});
        CHECK_INT(run.ledger.totals.started, GRID);
        seen[kind_of(order_of_launches(&run))]++;
    }
    for (int i = 0; i < 3; i++)
        CHECK(seen[i] > 0);
    queue_close(&q);
}

TEST_MAIN(TESTCASE(the_plain_schedule_keeps_the_order),
          TESTCASE(all_steal_launches_the_last_first_and_grants_block_0_first),
          TESTCASE(seeds_keep_reverse_and_shuffle_launches_and_grants_apart),
          TESTCASE(a_schedule_in_order_keeps_both),
          TESTCASE(refused_blocks_are_launched_in_every_order))
