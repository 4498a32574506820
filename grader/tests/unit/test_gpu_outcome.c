// SPDX-License-Identifier: Apache-2.0
// Tests of gpu/outcome.c: from tables that were filled in by hand to ledgers,
// and from ways to end to statuses.
#include "gpu/internal.h"
#include "tests/unit/sample.h"
#include "tests/unit/test.h"

enum { MOST = 64, THREADS = 4 }; // blocks

#define L GPU_CLAIM_LAUNCHED

// What a child leaves, without the child.
typedef struct Left {
    Arena arena;
    CaseBuffer buffers[2];
    uint32_t claims[MOST], orders[MOST], taken[MOST], calls[MOST * THREADS];
    GpuStart starts[MOST];
    uint64_t ends[1 + GPU_TABLE_SMS];
    CaseOutcome outcome;
    DeviceLaunch launch;
    SandboxResult child;
    GpuCase what;
    DeviceRun run;
} Left;

static void left_free(Left *left) {
    arena_free(&left->arena);
}

#define SCOPED_LEFT(name) __attribute__((cleanup(left_free))) Left name = {0}

static void set_size(uint32_t to[3], uint32_t x, uint32_t y, uint32_t z) {
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

// A kernel that came to its end; the table is still empty.
static void make_case(Left *left) {
    left->outcome.stage = CASE_DONE;
    left->outcome.has_control = true;
    left->buffers[1].count = 40;
    left->child.status = SANDBOX_EXITED;
    left->what = (GpuCase){.buffers = left->buffers,
                           .buffer_count = 2,
                           .sms = 4,
                           .has_table = true,
                           .has_ledger = true,
                           .deadline_s = 2.5,
                           .outcome = &left->outcome};
    left->what.ledgers = (Ledgers){.threads = THREADS,
                                   .claims = left->claims,
                                   .orders = left->orders,
                                   .taken = left->taken,
                                   .starts = left->starts,
                                   .calls = left->calls,
                                   .ends = left->ends,
                                   .calls_bytes = sizeof left->calls};
    set_size(left->what.grid, 8, 1, 1);
    set_size(left->what.cluster, 1, 1, 1);
}

static void claim(Left *left, uint32_t cluster, uint32_t owner,
                  uint32_t order) {
    left->claims[cluster] = 1 + owner;
    left->orders[cluster] = order;
    left->taken[cluster] = 1;
}

static void start(Left *left, uint32_t cta, uint32_t order, uint32_t sm) {
    left->starts[cta] = (GpuStart){order, sm};
}

static bool read_it(Left *left) {
    static const SandboxJob job = {0};
    GpuCase *what = &left->what;
    const uint32_t *grid = what->grid, *size = what->cluster;
    what->ledgers.blocks = grid[0] * grid[1] * grid[2];
    what->ledgers.clusters =
        what->ledgers.blocks / (size[0] * size[1] * size[2]);
    Ended ended = {&left->launch, what, &job, &left->child};
    left->run = (DeviceRun){0};
    return outcome_read(&left->arena, &ended, &left->run);
}

static void check_chain(const Left *left, size_t index, uint32_t sm,
                        const uint32_t *blocks, size_t count) {
    const Ledger *ledger = &left->run.ledger;
    if (!CHECK(index < ledger->chain_count))
        return;
    const LedgerChain *chain = &ledger->chains[index];
    CHECK_INT(chain->cta, blocks[0]);
    CHECK_INT(chain->sm, sm);
    if (!CHECK_INT(chain->count, count))
        return;
    for (size_t i = 0; i < count; i++)
        CHECK_INT(chain->blocks[i], blocks[i]);
}

#define CHAIN(left, index, sm, ...)                               \
    check_chain((left), (index), (sm), (uint32_t[]){__VA_ARGS__}, \
                COUNT_OF(((uint32_t[]){__VA_ARGS__})))

// ---- ledgers -------------------------------------------------------------

// Blocks 0, 5 and 3 started, in this order. 0 got 7, 1 and 6; 3 got 2; 4 is
// pending.
static void fill_line(Left *left) {
    make_case(left);
    left->claims[0] = left->claims[3] = left->claims[5] = L;
    start(left, 0, 1, 2);
    start(left, 5, 2, 0);
    start(left, 3, 3, 3);
    claim(left, 7, 0, 1);
    claim(left, 2, 3, 2);
    claim(left, 1, 0, 3);
    claim(left, 6, 0, 4);
    left->outcome.control = (GpuControl){.started = 3,
                                         .granted = 4,
                                         .requests = 9,
                                         .refused = 5,
                                         .refused_pending = 2};
}

TEST(chains_are_in_the_order_of_starts_and_grants) {
    SCOPED_LEFT(left);
    fill_line(&left);
    CHECK(read_it(&left));
    const Ledger *ledger = &left.run.ledger;
    CHECK_INT(left.run.status, RUN_DONE);
    CHECK_INT(ledger->totals.grid, 8);
    CHECK_INT(ledger->totals.started, 3);
    CHECK_INT(ledger->totals.granted, 4);
    CHECK_INT(ledger->totals.requests, 9);
    CHECK_INT(ledger->totals.refused, 5);
    CHECK_INT(ledger->totals.refused_pending, 2);
    CHECK_INT(ledger->totals.lost, 0);
    CHECK_INT(ledger->chain_count, 3);
    CHAIN(&left, 0, 2, 0, 7, 1, 6);
    CHAIN(&left, 1, 0, 5);
    CHAIN(&left, 2, 3, 3, 2);
    CHECK_INT(ledger->totals.shortest, 1);
    CHECK_INT(ledger->totals.longest, 4);
}

TEST(each_cluster_has_its_entry) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.taken[6] = 0;
    CHECK(read_it(&left));
    const LedgerEntry *entries = left.run.ledger.entries;
    if (!CHECK_INT(left.run.ledger.entry_count, 8))
        return;
    CHECK_INT(entries[0].state, LEDGER_LAUNCHED);
    CHECK_INT(entries[4].state, LEDGER_PENDING);
    CHECK_INT(entries[2].state, LEDGER_GRANTED);
    CHECK_INT(entries[2].by_cta, 3);
    CHECK(entries[2].taken && entries[2].asked);
    CHECK_INT(entries[6].by_cta, 0);
    CHECK(!entries[6].taken && !entries[6].asked);
}

TEST(a_grant_that_nobody_took_is_lost) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.taken[1] = left.taken[2] = 0;
    CHECK(read_it(&left));
    CHECK_INT(left.run.ledger.totals.lost, 2);
    CHAIN(&left, 0, 2, 0, 7, 6);
    CHAIN(&left, 2, 3, 3);
    CHECK_INT(left.run.ledger.totals.longest, 3);
}

TEST(what_is_not_listed_is_counted) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.taken[6] = 0;
    left.launch.ledger_most = 1;
    CHECK(read_it(&left));
    CHECK_INT(left.run.ledger.entry_count, 1);
    CHECK_INT(left.run.ledger.chain_count, 1);
    CHECK_INT(left.run.ledger.totals.lost, 1);
    CHECK_INT(left.run.ledger.totals.started, 3);
    CHECK_INT(left.run.ledger.totals.shortest, 1);
    CHECK_INT(left.run.ledger.totals.longest, 3);
}

TEST(the_thread_that_called_most_counts_for_its_block) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.calls[0 * THREADS + 3] = 1;
    left.calls[3 * THREADS + 0] = 1;
    left.calls[3 * THREADS + 2] = 5;
    CHECK(read_it(&left));
    CHECK_INT(left.run.ledger.chains[0].prologues, 1);
    CHECK_INT(left.run.ledger.chains[1].prologues, 0);
    CHECK_INT(left.run.ledger.chains[2].prologues, 5);
    left.what.ledgers.calls_bytes = 0; // not counted
    CHECK(read_it(&left));
    CHECK_INT(left.run.ledger.chains[2].prologues, 0);
}

// A grid of 4 x 4 x 2 blocks in clusters of 2 x 2 x 1: clusters 0 to 7 begin at
// blocks 0, 2, 8, 10, 16, 18, 24 and 26.
TEST(blocks_of_clusters_have_their_indices) {
    static const uint32_t ctas[] = {2, 3, 6, 7}; // of cluster 1
    SCOPED_LEFT(left);
    make_case(&left);
    set_size(left.what.grid, 4, 4, 2);
    set_size(left.what.cluster, 2, 2, 1);
    left.claims[1] = left.claims[6] = L;
    for (uint32_t i = 0; i < COUNT_OF(ctas); i++)
        start(&left, ctas[i], 1 + i, i);
    start(&left, 29, 5, 1); // rank 3 of cluster 6, first of its cluster
    start(&left, 24, 6, 0);
    start(&left, 25, 7, 0);
    start(&left, 28, 8, 0);
    claim(&left, 5, 1, 1);
    claim(&left, 2, 1, 2);
    claim(&left, 7, 6, 3);
    claim(&left, 0, 6, 4);
    left.taken[0] = 0;
    left.outcome.control = (GpuControl){.started = 8, .granted = 4};
    CHECK(read_it(&left));
    CHECK_INT(left.run.ledger.totals.grid, 32);
    CHECK_INT(left.run.ledger.totals.granted, 16);
    CHECK_INT(left.run.ledger.totals.lost, 4);
    CHECK_INT(left.run.ledger.chain_count, 8);
    CHAIN(&left, 0, 0, 2, 18, 8);
    CHAIN(&left, 1, 1, 3, 19, 9);
    CHAIN(&left, 2, 2, 6, 22, 12);
    CHAIN(&left, 3, 3, 7, 23, 13);
    CHAIN(&left, 4, 1, 29, 31);
    CHAIN(&left, 5, 0, 24, 26);
    CHECK_INT(left.run.ledger.entries[5].by_cta, 2);
    CHECK_INT(left.run.ledger.entries[7].by_cta, 24);
}

// The third axis of a cluster, and axes of different sizes.
TEST(clusters_may_be_boxes) {
    SCOPED_LEFT(left);
    make_case(&left);
    set_size(left.what.grid, 3, 4, 4);
    set_size(left.what.cluster, 1, 2, 4);
    left.claims[0] = L;
    start(&left, 36 + 3, 1, 0); // x = 0, y = 1, z = 3: rank 7
    claim(&left, 5, 0, 1);      // begins at x = 2, y = 2, z = 0
    start(&left, 12, 2, 0);     // x = 0, y = 0, z = 1: rank 2
    CHECK(read_it(&left));
    CHAIN(&left, 0, 0, 39, 36 + 11);
    CHAIN(&left, 1, 0, 12, 12 + 8);
}

TEST(ends_are_since_the_beginning) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.ends[0] = ~UINT64_C(5000);
    left.ends[1 + 2] = 5700;
    left.ends[1 + 0] = 6200;
    left.ends[1 + 3] = 4000; // a clock that went back: no time
    CHECK(read_it(&left));
    const DeviceTimeline *line = &left.run.timeline;
    CHECK_INT(line->sm_count, 4);
    CHECK_INT(line->clock_mhz, 1000);
    CHECK_INT(line->cycles, 1200);
    CHECK_INT(line->sms[0].end, 1200);
    CHECK_INT(line->sms[1].end, 0);
    CHECK_INT(line->sms[2].end, 700);
    CHECK_INT(line->sms[3].end, 0);
    CHECK(!left.run.is_timed);
    left.ends[0] = 0; // nothing began
    CHECK(read_it(&left));
    CHECK_INT(left.run.timeline.sm_count, 0);
    left.ends[0] = ~UINT64_C(5000);
    left.what.sms = GPU_TABLE_SMS + 1; // more than there is room for
    CHECK(read_it(&left));
    CHECK_INT(left.run.timeline.sm_count, 0);
}

TEST(a_grid_of_one_and_one_without_starts) {
    SCOPED_LEFT(left);
    make_case(&left);
    set_size(left.what.grid, 1, 1, 1);
    CHECK(read_it(&left));
    CHECK_INT(left.run.ledger.entry_count, 1);
    CHECK_INT(left.run.ledger.entries[0].state, LEDGER_PENDING);
    CHECK_INT(left.run.ledger.chain_count, 0);
    CHECK_INT(left.run.ledger.totals.shortest, 0);
    left.claims[0] = L;
    start(&left, 0, 1, 1);
    CHECK(read_it(&left));
    CHAIN(&left, 0, 1, 0);
}

// ---- ways to end ---------------------------------------------------------

TEST(what_else_is_known_is_told) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.outcome.resident = 264;
    left.outcome.resident_later = 300;
    left.outcome.ms = 1.5f;
    left.child.out = STR("printed");
    left.what.refuse_every = 3;
    CHECK(read_it(&left));
    CHECK_INT(left.run.resident, 264);
    CHECK_INT(left.run.resident_later, 300);
    CHECK_DOUBLE(left.run.card_ms, 1.5);
    CHECK_STR(left.run.output, "printed");
    CHECK(left.run.allow_refusals);
    left.what.refuse_every = 0;
    CHECK(read_it(&left));
    CHECK(!left.run.allow_refusals);
}

TEST(a_kernel_that_only_wrote_beyond_a_buffer_keeps_its_ledger) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.outcome.is_damaged = true;
    left.outcome.damaged = 1;
    left.outcome.damage = 44;
    CHECK(read_it(&left));
    CHECK_INT(left.run.status, RUN_FAULT);
    if (CHECK_INT(left.run.finding_count, 1)) {
        CHECK_INT(left.run.findings[0].rule, RULE_MEM001);
        CHECK_INT(left.run.findings[0].level, FINDING_ERROR);
        CHECK_STR(sample_text(&left.arena, &left.run.findings[0], WORDS_WHAT),
                  "The kernel wrote beyond the end of buffer 1: at byte 44 of "
                  "40.");
    }
    CHECK_INT(left.run.ledger.chain_count, 3);
}

TEST(a_kernel_that_did_not_end_has_no_ledger) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.outcome.stage = CASE_RUN;
    left.outcome.is_late = true;
    CHECK(read_it(&left));
    CHECK_INT(left.run.status, RUN_FAULT);
    CHECK_INT(left.run.ledger.totals.grid, 0);
    if (!CHECK_INT(left.run.finding_count, 1))
        return;
    CHECK_INT(left.run.findings[0].rule, RULE_TIMEOUT);
    CHECK_HOLDS(sample_text(&left.arena, &left.run.findings[0], WORDS_WHAT),
                "within 2.5 s");
    CHECK_STR(sample_text(&left.arena, &left.run.findings[0], WORDS_ACTUAL),
              "3 of 8 blocks had started, and 4 clusters had been granted to "
              "requests.");
}

TEST(a_question_has_no_ledger) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.what.is_asking = true;
    left.outcome.resident = 8;
    CHECK(read_it(&left));
    CHECK_INT(left.run.resident, 8);
    CHECK_INT(left.run.ledger.totals.grid, 0);
}

// Of every stage it is said what was being done.
TEST(a_child_that_ended_early_was_somewhere) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.child.status = SANDBOX_SIGNALLED;
    left.child.code = 11;
    for (int stage = CASE_START; stage < CASE_DONE; stage++) {
        left.outcome.stage = (CaseStage)stage;
        CHECK(!read_it(&left));
        CHECK_STR(left.run.error.code, "DEVICE");
        CHECK_HOLDS(left.run.error.what, case_stage_text((CaseStage)stage));
        CHECK_HOLDS(left.run.error.what, "was ended by signal 11");
        CHECK_INT(left.run.finding_count, 0);
    }
}

// The same number is the launch's fault while it launches, and no fault of a
// kernel's that runs.
TEST(the_stage_decides_whose_error_it_is) {
    SCOPED_LEFT(left);
    fill_line(&left);
    left.outcome.error = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    left.outcome.stage = CASE_LAUNCH;
    CHECK(read_it(&left));
    CHECK_INT(left.run.status, RUN_REFUSED);
    CHECK_STR(left.run.error.code, "LAUNCH");
    left.outcome.stage = CASE_RUN;
    CHECK(!read_it(&left));
    CHECK_STR(left.run.error.code, "DEVICE");
    left.outcome.error = CUDA_ERROR_ILLEGAL_ADDRESS;
    CHECK(read_it(&left));
    CHECK_INT(left.run.status, RUN_FAULT);
    left.outcome.stage = CASE_LOAD;
    CHECK(!read_it(&left));
    CHECK_STR(left.run.error.code, "DEVICE");
    left.outcome.error = CUDA_ERROR_OUT_OF_MEMORY;
    CHECK(!read_it(&left));
    CHECK_STR(left.run.error.code, "BUSY");
}

TEST_MAIN(TESTCASE(chains_are_in_the_order_of_starts_and_grants),
          TESTCASE(each_cluster_has_its_entry),
          TESTCASE(a_grant_that_nobody_took_is_lost),
          TESTCASE(what_is_not_listed_is_counted),
          TESTCASE(the_thread_that_called_most_counts_for_its_block),
          TESTCASE(blocks_of_clusters_have_their_indices),
          TESTCASE(clusters_may_be_boxes),
          TESTCASE(ends_are_since_the_beginning),
          TESTCASE(a_grid_of_one_and_one_without_starts),
          TESTCASE(what_else_is_known_is_told),
          TESTCASE(a_kernel_that_only_wrote_beyond_a_buffer_keeps_its_ledger),
          TESTCASE(a_kernel_that_did_not_end_has_no_ledger),
          TESTCASE(a_question_has_no_ledger),
          TESTCASE(a_child_that_ended_early_was_somewhere),
          TESTCASE(the_stage_decides_whose_error_it_is))
