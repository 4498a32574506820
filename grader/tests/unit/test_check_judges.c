// SPDX-License-Identifier: Apache-2.0
// The judges of check_grade at their limits, on the fake Device: the first
// block, the first size, n = 0, the next cluster, and blocks that two CTAs
// stored to.
#include "tests/unit/check_fake.h"

#include <sys/mman.h>
#include <unistd.h>

static void passes(Bench *bench) {
    CHECK_DOUBLE(bench_grade(bench)->score, 100);
    CHECK_LIST(bench, CHECK_FAIL, "");
    CHECK_LIST(bench, CHECK_SKIP, "");
}

// The bench with that change of what the kernel does.
static void open_spoilt(Bench *bench, LabTechnique technique, Spoil spoil) {
    bench_open(bench, technique);
    bench->fake.spoil = spoil;
}

// ---- signature -----------------------------------------------------------

TEST(a_plan_that_comes_first_in_the_module_must_be_defined_too) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_FIXED);
    PtxFunc *func =
        bench_add_entry(&bench, STR("_Z11launch_plan11LaunchQuery"));
    func->is_entry = func->has_body = false;
    func->is_extern = true;
    PtxFunc **funcs = bench.module.funcs;
    funcs[bench.module.func_count - 1] = funcs[0];
    funcs[0] = func;
    fails_alone(&bench, "signature");
    bench_close(&bench);
}

// A page ends behind the text, so that one byte more is a fault.
TEST(nothing_is_read_behind_the_text_of_a_submission) {
    static const char text[] = "#include \"lab.h\"\nMAKE_KERNEL";
    size_t page = (size_t)sysconf(_SC_PAGESIZE), len = sizeof text - 1;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(pages != MAP_FAILED))
        return;
    CHECK_INT(mprotect(pages + page, page, PROT_NONE), 0);
    memcpy(pages + page - len, text, len);
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.submission.source = (Str){pages + page - len, len};
    passes(&bench);
    bench_close(&bench);
    munmap(pages, 2 * page);
}

// ---- launch_plan ---------------------------------------------------------

// Whether launch_plan passes when it gives `off` more blocks for this n.
static bool plan_passes(LabTechnique technique, int n, int off) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.plan_n = n;
    spoil.plan_off = off;
    open_spoilt(&bench, technique, spoil);
    bench_grade(&bench);
    CheckStatus status = bench_check(&bench, "launch_plan")->status;
    bench_close(&bench);
    return status == CHECK_PASS;
}

TEST(no_block_and_one_are_right_for_no_elements) {
    CHECK(plan_passes(TECHNIQUE_FIXED, 0, 0));
    CHECK(plan_passes(TECHNIQUE_FIXED, 0, 1));
    CHECK(!plan_passes(TECHNIQUE_FIXED, 0, 2));
    CHECK(!plan_passes(TECHNIQUE_FIXED, 0, FAKE_RESIDENT));
    CHECK(plan_passes(TECHNIQUE_PERSISTENT, 0, 1));
    CHECK(!plan_passes(TECHNIQUE_PERSISTENT, 0, FAKE_RESIDENT));
    CHECK(!plan_passes(TECHNIQUE_PERSISTENT, 0, 2));
    CHECK(!plan_passes(TECHNIQUE_PERSISTENT, 127, FAKE_RESIDENT - 1));
}

TEST(one_element_needs_a_block) {
    CHECK(!plan_passes(TECHNIQUE_FIXED, 1, -1));
    CHECK(!plan_passes(TECHNIQUE_PERSISTENT, 1, -1));
}

TEST(launch_plan_is_asked_for_the_sizes_of_the_lab) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.plan_n = 20000; // the last one
    spoil.plan_off = 1;
    open_spoilt(&bench, TECHNIQUE_FIXED, spoil);
    fails_alone(&bench, "launch_plan");
    bench.lab.size_count--;
    bench.fake.spoil = spoil;
    passes(&bench);
    bench_close(&bench);
}

// ---- correct and exactly_once --------------------------------------------

TEST(the_only_size_is_evidence) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.wrong_element = 130;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    bench.lab.sizes[0] = (LabSize){{10240, 1, 1}};
    bench.lab.size_count = 1;
    fails_alone(&bench, "correct");
    bench_close(&bench);
}

TEST(a_wrong_value_in_a_block_of_two_writers_is_wrong_and_not_many_times) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.by_two = 11;
    spoil.wrong_element = 11 * 128;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    fails_alone(&bench, "correct");
    bench_close(&bench);
}

TEST(two_blocks_of_a_cluster_may_share_a_block_index) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.lost = 11; // of block 3
    spoil.second = 2;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    passes(&bench);
    bench_close(&bench);
}

TEST(two_clusters_that_store_to_a_block_index_process_it_twice) {
    for (uint32_t second = 0; second < FAKE_RESIDENT; second++) {
        if (second / 2 == 1) // the owner's cluster
            continue;
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.lost = 11;
        spoil.second = second;
        open_spoilt(&bench, TECHNIQUE_CLC, spoil);
        CHECK_HOLDS(fails_alone(&bench, "exactly_once").actual, "11 (2x)");
        bench_close(&bench);
    }
}

// ---- technique and prologue ----------------------------------------------

TEST(the_next_clusters_work_is_not_a_blocks_own) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.wrong_writer = 10; // block 2 took it, and block 1 does it
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    fails_alone(&bench, "technique");
    bench_close(&bench);
}

TEST(a_granted_index_belongs_to_the_cluster_that_asked) {
    for (int block = 8; block < 16; block++) {
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.wrong_writer = block; // block 1 does it
        open_spoilt(&bench, TECHNIQUE_CLC, spoil);
        if (block % FAKE_RESIDENT / 2 == 0) // its cluster asked
            passes(&bench);
        else
            fails_alone(&bench, "technique");
        bench_close(&bench);
    }
}

TEST(each_cluster_that_is_started_first_asks) {
    for (int cluster = 0; cluster < FAKE_RESIDENT / 2; cluster++) {
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.never_asks = cluster;
        open_spoilt(&bench, TECHNIQUE_CLC, spoil);
        Cause cause = fails_alone(&bench, "technique");
        Str what = str_format(&bench.arena, "cluster of block %d", 2 * cluster);
        CHECK_HOLDS(cause.what, what.ptr);
        bench_close(&bench);
    }
}

// In other schedules, a block may have heard from others that nothing is left.
TEST(a_block_need_not_ask_in_a_schedule_nor_in_a_small_grid) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.never_asks = 3;
    spoil.only_schedule = STRATEGY_RANDOM;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    passes(&bench);
    bench_close(&bench);
    spoil.only_schedule = NOBODY;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    bench.lab.sizes[0] = (LabSize){{14 * 128, 1, 1}}; // 16 are twice what fits
    bench.lab.size_count = 1;
    bench.options.max_size = 14 * 128; // so that no probe is larger either
    passes(&bench);
    bench_close(&bench);
}

// ---- technique in schedules ----------------------------------------------

// The cause of what one strategy's schedule shows.
static Cause fails_in_a_schedule(Bench *bench, Spoil spoil) {
    spoil.only_schedule = STRATEGY_RANDOM;
    open_spoilt(bench, TECHNIQUE_CLC, spoil);
    Cause cause = fails_alone(bench, "schedules");
    CHECK_HOLDS(cause.what, "In schedule 1 (random");
    return cause;
}

TEST(another_blocks_work_fails_a_schedule) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.wrong_writer = 10;
    Cause cause = fails_in_a_schedule(&bench, spoil);
    CHECK_HOLDS(cause.what, "lock index 10 was processed by block 1");
    CHECK_INT(cause.related_count, 0);
    bench_close(&bench);
}

TEST(a_schedule_without_early_refusals_shows_who_does_not_steal) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.no_steals = true;
    CHECK_HOLDS(fails_in_a_schedule(&bench, spoil).what, "was stolen");
    bench_close(&bench);
    spoil.early_refusals = 1;
    spoil.only_schedule = STRATEGY_RANDOM;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    passes(&bench);
    bench_close(&bench);
}

TEST(requests_in_flight_are_counted_in_the_plain_schedule_alone) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.one_at_a_time = true;
    spoil.only_schedule = STRATEGY_RANDOM;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    bench.lab.in_flight = 2;
    passes(&bench);
    bench_close(&bench);
}

// ---- the order of blocks -------------------------------------------------

TEST(a_schedule_that_passes_in_order_says_so) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.missed = 10;
    spoil.out_of_order = true;
    Cause cause = fails_in_a_schedule(&bench, spoil);
    bool said = false;
    for (uint32_t i = 0; i < cause.related_count; i++)
        said |= test_holds(cause.related[i].what, STR("no promise"));
    CHECK(said);
    bench_close(&bench);
}

// Its own schedule passes in order, and another does not: it needs luck.
TEST(the_order_is_not_blamed_for_what_shows_without_it) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.missed = 10;
    spoil.out_of_order = true;
    spoil.in_order_too = STRATEGY_SLOW_ANSWER;
    Cause cause = fails_in_a_schedule(&bench, spoil);
    for (uint32_t i = 0; i < cause.related_count; i++)
        CHECK(!test_holds(cause.related[i].what, STR("no promise")));
    bench_close(&bench);
}

TEST(the_ledger_shows_what_was_stored_to_block_0_instead) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.missed = 1;
    spoil.wrong_writer = 0; // block 1 does it
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    bench_grade(&bench);
    CHECK_HOLDS(bench.result.ledger.chains[1], "1 (stored to 0)");
    bench_close(&bench);
}

TEST(a_block_without_work_may_leave_out_the_prologue) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.no_idle_prologue = true;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    passes(&bench);
    bench_close(&bench);
}

TEST(the_prologue_of_the_first_block_counts) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.first_prologues = 1;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    fails_alone(&bench, "prologue");
    bench_close(&bench);
}

TEST_MAIN(
    TESTCASE(a_plan_that_comes_first_in_the_module_must_be_defined_too),
    TESTCASE(nothing_is_read_behind_the_text_of_a_submission),
    TESTCASE(no_block_and_one_are_right_for_no_elements),
    TESTCASE(one_element_needs_a_block),
    TESTCASE(launch_plan_is_asked_for_the_sizes_of_the_lab),
    TESTCASE(the_only_size_is_evidence),
    TESTCASE(
        a_wrong_value_in_a_block_of_two_writers_is_wrong_and_not_many_times),
    TESTCASE(two_blocks_of_a_cluster_may_share_a_block_index),
    TESTCASE(two_clusters_that_store_to_a_block_index_process_it_twice),
    TESTCASE(the_next_clusters_work_is_not_a_blocks_own),
    TESTCASE(a_granted_index_belongs_to_the_cluster_that_asked),
    TESTCASE(each_cluster_that_is_started_first_asks),
    TESTCASE(a_block_need_not_ask_in_a_schedule_nor_in_a_small_grid),
    TESTCASE(another_blocks_work_fails_a_schedule),
    TESTCASE(a_schedule_without_early_refusals_shows_who_does_not_steal),
    TESTCASE(requests_in_flight_are_counted_in_the_plain_schedule_alone),
    TESTCASE(a_schedule_that_passes_in_order_says_so),
    TESTCASE(the_order_is_not_blamed_for_what_shows_without_it),
    TESTCASE(the_ledger_shows_what_was_stored_to_block_0_instead),
    TESTCASE(a_block_without_work_may_leave_out_the_prologue),
    TESTCASE(the_prologue_of_the_first_block_counts))
