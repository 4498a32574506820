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

// The text asks for none, so one is not passed over in silence.
TEST(one_block_for_no_elements_is_told) {
    for (int off = 0; off < 2; off++) {
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.plan_n = 0;
        spoil.plan_off = off;
        open_spoilt(&bench, TECHNIQUE_PERSISTENT, spoil);
        bench_grade(&bench);
        CHECK_DOUBLE(bench.result.score, 100);
        if (CHECK_INT(bench.result.advisory_count, off) && off)
            CHECK_HOLDS(bench.result.advisories[0].what,
                        "launch_plan chose 1 block for n = 0");
        bench_close(&bench);
    }
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

TEST(a_block_of_a_cluster_may_read_the_value_from_its_neighbour) {
    for (int rank = 0; rank < 2; rank++) {
        Bench bench;
        Spoil spoil = fake_spoil_nothing();
        spoil.no_prologue_in_rank_0 = rank == 0;
        spoil.no_prologue_in_rank_1 = rank == 1;
        open_spoilt(&bench, TECHNIQUE_CLC, spoil);
        passes(&bench);
        bench_close(&bench);
        open_spoilt(&bench, TECHNIQUE_PERSISTENT, spoil); // no clusters
        CHECK_HOLDS(fails_alone(&bench, "prologue").what,
                    rank ? "Block 1 never called" : "Block 0 never called");
        bench_close(&bench);
    }
}

TEST(one_block_of_each_cluster_calls_the_prologue) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.no_prologue = true;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    Cause cause = fails_alone(&bench, "prologue");
    CHECK_STR(cause.what,
              "No block of the cluster of block 0 called compute_scalar().");
    CHECK_HOLDS(cause.expected, "at least one of the 2 blocks");
    CHECK_INT(cause.at.line, 4);
    bench_close(&bench);
}

TEST(a_late_call_fails_prologue_at_its_line) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.late = 3;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    Cause cause = fails_alone(&bench, "prologue");
    CHECK_HOLDS(cause.what, "Block 0 called compute_scalar() again, after a "
                            "second block index had been taken.");
    CHECK_HOLDS(cause.actual, "3 calls after that");
    CHECK_STR(cause.at.file, "my/kernel.cu");
    CHECK_INT(cause.at.line, 6);
    bench_close(&bench);
}

// Each block calls the prologue late, or only the last one, which has less than
// an element for each of its threads.
static bool late_call_passes(bool in_last, uint32_t worked) {
    Bench bench;
    Spoil spoil = fake_spoil_nothing();
    spoil.late = 1;
    spoil.late_in_last = in_last;
    spoil.late_worked = worked;
    open_spoilt(&bench, TECHNIQUE_CLC, spoil);
    bench_grade(&bench);
    bool failed = bench_check(&bench, "prologue")->status == CHECK_FAIL;
    CHECK_LIST(&bench, CHECK_FAIL, failed ? "prologue" : "");
    bench_close(&bench);
    return !failed;
}

TEST(a_thread_may_call_the_prologue_at_its_first_element) {
    CHECK(!late_call_passes(false, 0));
    CHECK(late_call_passes(true, 0));
    CHECK(!late_call_passes(true, 1)); // it has had one
}

// ---- the prologue's secret -----------------------------------------------

// A module whose function `name` has an instruction with this operand.
static void open_with_operand(Bench *bench, const char *name,
                              PtxOperand *operand) {
    bench_open(bench, TECHNIQUE_CLC);
    PtxFunc *func = ptx_find_func(&bench->module, str_from(name));
    if (!func)
        func = bench_add_entry(bench, str_from(name));
    bench->module.locs = arena_new(&bench->arena, PtxLoc, 1);
    bench->module.files = arena_new(&bench->arena, Str, 1);
    func->instrs = arena_new(&bench->arena, PtxInstr, 2);
    func->instr_count = 2;
    func->instrs[1].operand_count = 1;
    func->instrs[1].operands = operand;
}

static PtxOperand address_of(PtxVar *var) {
    return (PtxOperand){.kind = PTX_OPND_ADDRESS,
                        .base = PTX_BASE_SYMBOL,
                        .symbol = {PTX_SYM_VAR, var, NULL}};
}

TEST(what_the_prologue_is_made_of_is_for_lab_h_alone) {
    static const char *const names[] = {"kernel", "clclab_prologue",
                                        "compute_scalar"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        Bench bench;
        PtxVar secret = {.name = STR("clclab_secret")};
        PtxOperand operand = address_of(&secret);
        PtxOperand vector = {
            .kind = PTX_OPND_VECTOR, .elems = &operand, .elem_count = 1};
        open_with_operand(&bench, names[i], i == 0 ? &vector : &operand);
        if (i > 0) {
            passes(&bench);
        } else {
            Cause cause = fails_alone(&bench, "prologue");
            CHECK_HOLDS(cause.what, "not through compute_scalar()");
            CHECK_INT(cause.at.line, 4); // the kernel's
        }
        bench_close(&bench);
    }
}

TEST(other_constants_may_be_read) {
    Bench bench;
    PtxVar other = {.name = STR("clclab_secret_")};
    PtxOperand operand = address_of(&other);
    open_with_operand(&bench, "kernel", &operand);
    passes(&bench);
    bench_close(&bench);
}

TEST(a_variable_may_not_hold_the_address_of_the_secret) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    PtxVar *secret = bench.module.vars[bench.module.var_count - 1];
    PtxReloc reloc = {.size = 8, .symbol = {PTX_SYM_VAR, secret, NULL}};
    PtxVar *pointer = arena_new(&bench.arena, PtxVar, 1);
    *pointer = (PtxVar){
        .name = STR("p"), .size = 8, .relocs = &reloc, .reloc_count = 1};
    arena_grow(&bench.arena, bench.module.vars, bench.module.var_count,
               bench.module.var_capacity);
    bench.module.vars[bench.module.var_count++] = pointer;
    bench.submission.source =
        STR("// clclab_secret\n__device__ const void *p = &clclab_secret;\n");
    Cause cause = fails_alone(&bench, "prologue");
    CHECK_INT(cause.at.line, 2);
    CHECK_INT(cause.at.col, 29);
    bench_close(&bench);
}

TEST_MAIN(
    TESTCASE(a_plan_that_comes_first_in_the_module_must_be_defined_too),
    TESTCASE(nothing_is_read_behind_the_text_of_a_submission),
    TESTCASE(no_block_and_one_are_right_for_no_elements),
    TESTCASE(one_block_for_no_elements_is_told),
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
    TESTCASE(the_prologue_of_the_first_block_counts),
    TESTCASE(a_block_of_a_cluster_may_read_the_value_from_its_neighbour),
    TESTCASE(one_block_of_each_cluster_calls_the_prologue),
    TESTCASE(a_late_call_fails_prologue_at_its_line),
    TESTCASE(a_thread_may_call_the_prologue_at_its_first_element),
    TESTCASE(what_the_prologue_is_made_of_is_for_lab_h_alone),
    TESTCASE(other_constants_may_be_read),
    TESTCASE(a_variable_may_not_hold_the_address_of_the_secret))
