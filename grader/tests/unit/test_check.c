// SPDX-License-Identifier: Apache-2.0
// check_grade, on the fake Device: for each check a pass, its failures and
// what they say, and what is skipped then. test_check_errors.c has the errors
// that are not the learner's.
#include "tests/unit/check_fake.h"

// ---- all right -----------------------------------------------------------

static void passes(LabTechnique technique) {
    Bench bench;
    bench_open(&bench, technique);
    const Result *result = bench_grade(&bench);
    CHECK_LIST(&bench, CHECK_FAIL, "");
    CHECK_LIST(&bench, CHECK_SKIP, "");
    CHECK_LIST(&bench, CHECK_ERROR, "");
    CHECK_INT(result->verdict, VERDICT_PASS);
    CHECK_DOUBLE(result->score, 100);
    CHECK_DOUBLE(result->max_score, 100);
    static const int probes[] = {[TECHNIQUE_CLC] = 6 + 2, // long schedules
                                 [TECHNIQUE_FIXED] = 6,
                                 [TECHNIQUE_PERSISTENT] = 6 + 5};
    CHECK_INT(bench.fake.launches, 5 + probes[technique] + 16);
    bench_close(&bench);
}

TEST(right_clc_kernel_gets_full_marks) {
    passes(TECHNIQUE_CLC);
}

TEST(right_fixed_kernel_gets_full_marks) {
    passes(TECHNIQUE_FIXED);
}

TEST(right_persistent_kernel_gets_full_marks) {
    passes(TECHNIQUE_PERSISTENT);
}

TEST(result_describes_the_run) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    const Result *result = bench_grade(&bench);
    CHECK_STR(result->title, "Clusters that steal");
    CHECK_STR(result->file, "my/kernel.cu");
    CHECK_STR(result->device, "vm");
    CHECK_STR(result->gpu_model, "mini");
    CHECK_STR(result->compiler, "NVRTC 13.0");
    CHECK_INT(result->lab, 4);
    CHECK_INT(result->seed, 7);
    CHECK(result->has_ledger);
    CHECK_INT(result->ledger.n, 20000);
    CHECK_INT(result->ledger.totals.grid, 158);
    CHECK_INT(result->ledger.totals.started, 8);
    CHECK_INT(result->ledger.totals.granted, 150);
    CHECK_INT(result->ledger.chain_count, 8);
    CHECK_STR(result->ledger.schedule, "plain schedule");
    CHECK_HOLDS(result->ledger.chains[1], "block 1: 1 -> 9 -> 17");
    CHECK_HOLDS(result->ledger.chains[1], "(20 in all)");
    bench_close(&bench);
}

TEST(what_the_kernel_printed_is_kept) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.prints = "hello\n";
    CHECK_STR(bench_grade(&bench)->output, "hello\n");
    bench_close(&bench);
}

// ---- builds --------------------------------------------------------------

static Cause fails_to_build(Bench *bench) {
    Cause cause = fails_alone(bench, "builds");
    CHECK_LIST(bench, CHECK_SKIP,
               "signature correct exactly_once technique prologue rules "
               "schedules");
    CHECK_DOUBLE(bench->result.score, 0);
    CHECK(!bench->result.has_ledger);
    CHECK_INT(bench->fake.launches, 0);
    return cause;
}

TEST(compiler_errors_fail_builds) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    Diag messages[] = {
        {DIAG_WARNING, {STR("kernel.cu"), 1, 1}, {0}, STR("unused"), {0}},
        {DIAG_ERROR, {STR("kernel.cu"), 9, 4}, {0}, STR("expected a ;"), {0}},
        {DIAG_ERROR, {STR("kernel.cu"), 12, 1}, {0}, STR("too many"), {0}},
    };
    bench.submission.module = NULL;
    bench.submission.messages = messages;
    bench.submission.message_count = COUNT_OF(messages);
    Cause cause = fails_to_build(&bench);
    CHECK_STR(cause.what, "expected a ;");
    CHECK_INT(cause.at.line, 9);
    CHECK_INT(cause.at.col, 4);
    CHECK_INT(bench_check(&bench, "builds")->cause_count, 2);
    const Cause *skip = bench_check(&bench, "rules")->causes;
    CHECK_HOLDS(skip->what, "builds did not pass");
    CHECK(skip->help.len > 0);
    bench_close(&bench);
}

TEST(silent_compiler_fails_builds) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.submission.module = NULL;
    CHECK_HOLDS(fails_to_build(&bench).what, "does not compile");
    bench_close(&bench);
}

TEST(rejected_file_fails_builds) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.submission.reject = (Diag){.what = STR("The file is empty."),
                                     .at = {STR("my/kernel.cu"), 1, 1}};
    CHECK_STR(fails_to_build(&bench).what, "The file is empty.");
    bench_close(&bench);
}

TEST(undefined_function_fails_builds) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    PtxFunc *printer = bench_add_entry(&bench, STR("vprintf"));
    printer->is_entry = printer->has_body = false;
    CHECK_DOUBLE(bench_grade(&bench)->score, 100);
    PtxFunc *func = bench_add_entry(&bench, STR("_Z6helperf"));
    func->is_entry = func->has_body = false;
    CHECK_HOLDS(fails_alone(&bench, "builds").what, "_Z6helperf");
    bench_close(&bench);
}

// A bench whose file has one variable more.
static void open_with_variable(Bench *bench, PtxSpace space, uint64_t size) {
    bench_open(bench, TECHNIQUE_CLC);
    PtxVar *var = arena_new(&bench->arena, PtxVar, 1);
    *var = (PtxVar){
        .name = STR("_ZZ6kernelE5alpha"), .space = space, .size = size};
    PtxModule *module = &bench->module;
    arena_grow(&bench->arena, module->vars, module->var_count,
               module->var_capacity);
    module->vars[module->var_count++] = var;
}

TEST(variable_that_no_memory_holds_fails_builds) {
    static const struct {
        PtxSpace space;
        uint64_t most;
        const char *bound;
    } cases[] = {{PTX_SPACE_SHARED, 232448, "at most 232448 bytes"},
                 {PTX_SPACE_CONST, 65536, "at most 65536 bytes"},
                 {PTX_SPACE_GLOBAL, UINT64_C(1) << 32, "at most 4294967296"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench bench;
        open_with_variable(&bench, cases[i].space, cases[i].most);
        CHECK_DOUBLE(bench_grade(&bench)->score, 100);
        bench_close(&bench);
        open_with_variable(&bench, cases[i].space, cases[i].most + 1);
        Cause cause = fails_to_build(&bench);
        CHECK_STR(cause.what, "The variable alpha is too large.");
        CHECK_HOLDS(cause.expected, cases[i].bound);
        CHECK_INT(cause.at.line, 5); // FAKE_SOURCE: float alpha
        bench_close(&bench);
    }
}

TEST(variables_that_are_too_large_together_fail_builds) {
    static const PtxSpace spaces[] = {PTX_SPACE_CONST, PTX_SPACE_GLOBAL};
    for (size_t i = 0; i < COUNT_OF(spaces); i++) {
        Bench bench;
        open_with_variable(&bench, spaces[i], 40000);
        PtxVar huge = *bench.module.vars[0];
        huge.space = spaces[i];
        huge.size = i == 0 ? 25537 : UINT64_MAX;
        bench.module.vars[0] = &huge;
        CHECK_STR(fails_to_build(&bench).code, "");
        bench_close(&bench);
    }
}

TEST(local_variables_that_no_thread_holds_fail_builds) {
    for (uint64_t more = 0; more < 2; more++) {
        Bench bench;
        bench_open(&bench, TECHNIQUE_CLC);
        PtxVar a = {.space = PTX_SPACE_LOCAL, .size = 500 << 10};
        PtxVar b = {.space = PTX_SPACE_LOCAL, .size = (12 << 10) + more};
        PtxVar *vars[] = {&a, &b};
        bench.kernel->vars = vars;
        bench.kernel->var_count = 2;
        if (more)
            CHECK_HOLDS(fails_to_build(&bench).what, "of a thread in kernel");
        else
            CHECK_DOUBLE(bench_grade(&bench)->score, 100);
        bench_close(&bench);
    }
}

// ---- signature -----------------------------------------------------------

TEST(other_kernel_name_fails_signature) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.kernel->name = STR("kernle");
    Cause cause = fails_alone(&bench, "signature");
    CHECK_HOLDS(cause.what, "no kernel named kernel");
    CHECK_HOLDS(cause.actual, "kernle");
    CHECK_HOLDS(cause.help, "Rename kernle");
    CHECK_INT(cause.at.line, 4);
    CHECK_INT(bench.fake.launches, 0);
    bench_close(&bench);
}

TEST(mangled_kernel_name_asks_for_extern_c) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.kernel->name = STR("_Z6kernelPfi");
    CHECK_HOLDS(fails_alone(&bench, "signature").help, "extern \"C\"");
    bench_close(&bench);
}

TEST(file_without_kernel_fails_signature) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.kernel->is_entry = false;
    CHECK_HOLDS(fails_alone(&bench, "signature").actual, "no kernel");
    bench_close(&bench);
}

TEST(other_parameters_fail_signature) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench_add_param(&bench, bench.kernel, PTX_F32, 4);
    CHECK_HOLDS(fails_alone(&bench, "signature").actual, ".u64, .u32, .f32");
    bench.kernel->param_count = 2;
    bench.kernel->params[1]->type = PTX_F32;
    fails_alone(&bench, "signature");
    bench.kernel->param_count = 0;
    CHECK_HOLDS(fails_alone(&bench, "signature").actual, "no parameters");
    bench_close(&bench);
}

// A struct, or a parameter that is __grid_constant__.
static void make_bytes(PtxVar *param, uint64_t size, uint32_t align) {
    *param = (PtxVar){.type = PTX_B8,
                      .is_array = true,
                      .vector = 1,
                      .size = size,
                      .align = align};
}

TEST(parameters_of_bytes_pass_if_size_and_alignment_fit) {
    static const struct {
        uint64_t size[2];
        uint32_t align[2];
        bool fits;
    } cases[] = {
        {{8, 4}, {8, 4}, true},  {{8, 8}, {8, 8}, false},
        {{4, 8}, {4, 8}, false}, {{8, 4}, {4, 4}, false},
        {{8, 4}, {8, 2}, false}, {{16, 4}, {8, 4}, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench bench;
        bench_open(&bench, TECHNIQUE_CLC);
        for (size_t k = 0; k < 2; k++)
            make_bytes(bench.kernel->params[k], cases[i].size[k],
                       cases[i].align[k]);
        if (cases[i].fits) {
            bench_grade(&bench);
            CHECK_LIST(&bench, CHECK_FAIL, "");
        } else {
            Cause cause = fails_alone(&bench, "signature");
            CHECK_HOLDS(cause.expected, ".u64, .u32");
            CHECK_HOLDS(cause.actual,
                        str_format(&bench.arena,
                                   "a struct or "
                                   "__grid_constant__ of %llu bytes",
                                   (unsigned long long)cases[i].size[1])
                            .ptr);
        }
        bench_close(&bench);
    }
}

TEST(signed_and_bits_parameters_pass) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.kernel->params[0]->type = PTX_B64;
    bench.kernel->params[1]->type = PTX_S32;
    CHECK_DOUBLE(bench_grade(&bench)->score, 100);
    bench_close(&bench);
}

TEST(cluster_size_is_compared) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.kernel->req_cluster = (PtxDim3){4, 1, 1};
    Cause cause = fails_alone(&bench, "signature");
    CHECK_HOLDS(cause.expected, "__cluster_dims__(2, 1, 1)");
    CHECK_HOLDS(cause.actual, "__cluster_dims__(4, 1, 1)");
    bench.kernel->req_cluster = (PtxDim3){0};
    CHECK_HOLDS(fails_alone(&bench, "signature").what, "no cluster size");
    bench.kernel->req_cluster = (PtxDim3){2, 2, 1};
    fails_alone(&bench, "signature");
    bench_close(&bench);
}

TEST(cluster_of_one_may_be_written_or_not) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_FIXED);
    CHECK_DOUBLE(bench_grade(&bench)->score, 100);
    bench.kernel->req_cluster = (PtxDim3){0};
    CHECK_DOUBLE(bench_grade(&bench)->score, 100);
    bench.kernel->req_cluster = (PtxDim3){2, 1, 1};
    CHECK_HOLDS(fails_alone(&bench, "signature").help, "Remove");
    bench_close(&bench);
}

TEST(thread_limits_must_allow_the_launch) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.kernel->max_threads = (PtxDim3){64, 1, 1};
    CHECK_HOLDS(fails_alone(&bench, "signature").actual, "at most 64");
    bench.kernel->max_threads = (PtxDim3){1024, 1, 1};
    bench.kernel->req_threads = (PtxDim3){64, 2, 1};
    CHECK_HOLDS(fails_alone(&bench, "signature").actual, "64 x 2 x 1");
    bench.kernel->req_threads = (PtxDim3){128, 2, 1};
    CHECK_HOLDS(fails_alone(&bench, "signature").actual, "128 x 2 x 1");
    bench.kernel->req_threads = (PtxDim3){128, 1, 2};
    CHECK_HOLDS(fails_alone(&bench, "signature").actual, "128 x 1 x 2");
    bench.kernel->req_threads = (PtxDim3){128, 1, 1};
    CHECK_DOUBLE(bench_grade(&bench)->score, 100);
    bench_close(&bench);
}

TEST(lab_header_is_demanded) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.module.var_count = 0;
    CHECK_HOLDS(fails_alone(&bench, "signature").what, "lab.h");
    bench_close(&bench);
}

TEST(launch_plan_must_be_defined) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_FIXED);
    PtxFunc *func =
        bench_add_entry(&bench, STR("_Z11launch_plan11LaunchQuery"));
    func->is_entry = func->has_body = false;
    func->is_extern = true;
    CHECK_HOLDS(fails_alone(&bench, "signature").what, "not defined");
    bench_close(&bench);
}

// ---- launch_plan ---------------------------------------------------------

TEST(wrong_plan_fails_launch_plan_alone) {
    for (LabTechnique t = TECHNIQUE_FIXED; t <= TECHNIQUE_PERSISTENT; t++) {
        Bench bench;
        bench_open(&bench, t);
        bench.fake.spoil.plan_off = 1;
        Cause cause = fails_alone(&bench, "launch_plan");
        CHECK_HOLDS(cause.what, "2 blocks for n = 1");
        CHECK_HOLDS(cause.expected, "blocks = 1");
        CHECK_HOLDS(cause.help,
                    t == TECHNIQUE_PERSISTENT ? "Two numbers" : "One thread");
        CHECK_INT(cause.at.line, 11);
        CHECK_DOUBLE(bench.result.score, 90); // the kernel is right
        bench_close(&bench);
    }
}

TEST(rounding_down_fails_launch_plan) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_FIXED);
    bench.fake.spoil.plan_off = -1;
    CHECK_HOLDS(fails_alone(&bench, "launch_plan").help, "Round up");
    bench_close(&bench);
}

TEST(plan_that_traps_fails_launch_plan) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_FIXED);
    bench.fake.spoil.plan_traps = true;
    CHECK_STR(fails_alone(&bench, "launch_plan").code, "TRAP");
    bench_close(&bench);
}

// ---- correct and exactly_once --------------------------------------------

TEST(wrong_element_fails_correct_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.wrong_element = 130;
    Cause cause = fails_alone(&bench, "correct");
    CHECK_HOLDS(cause.what, "1 of 1000 elements");
    CHECK_HOLDS(cause.what, "data[130], of block 1");
    CHECK_HOLDS(cause.expected, "data[130] = ");
    CHECK_STR(cause.actual, "data[130] = 17");
    CHECK_HOLDS(cause.context, "n = 1000");
    CHECK_INT(cause.at.line, 9);
    CHECK_STR(cause.replay,
              "clclab grade 4 my/kernel.cu --seed 7 --schedules 16");
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "schedules");
    CHECK_INT(bench.result.ledger.n, 1000);
    bench_close(&bench);
}

TEST(nan_never_passes) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.nan_element = 3;
    CHECK_HOLDS(fails_alone(&bench, "correct").help, "not a number");
    bench_close(&bench);
}

TEST(smallest_size_that_fails_and_has_right_elements_is_shown) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.wrong_element = 0; // at n = 1 it is the only one
    CHECK_HOLDS(fails_alone(&bench, "correct").context, "n = 127,");
    bench_close(&bench);
}

TEST(missed_block_fails_exactly_once_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.missed = 17;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.what, "1 of 80 block indices was not processed");
    CHECK_STR(cause.actual, "never: 17");
    CHECK_STR(cause.expected, "each block index from 0 to 79 exactly once");
    CHECK_INT(cause.related_count, 1);
    CHECK_HOLDS(cause.related[0].what, "request of block 0");
    CHECK_INT(cause.at.line, 6); // the request
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "schedules");
    bench_close(&bench);
}

TEST(started_block_that_wrote_nothing_is_named) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.missed = 2;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what,
                "Block 2 was started, but stored nothing to its "
                "own elements.");
    CHECK_INT(cause.at.line, 4);
    bench_close(&bench);
}

TEST(block_beyond_a_persistent_grid_is_explained) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_PERSISTENT);
    bench.fake.spoil.missed = 20;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what, "beyond the grid of 8 blocks");
    bench_close(&bench);
}

TEST(block_processed_twice_fails_exactly_once_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.twice = 9;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_STR(cause.actual, "repeated: 9 (2x)");
    CHECK_HOLDS(cause.related[0].what,
                "2 times by block 1 alone, which took it from "
                "an answer.");
    CHECK_INT(cause.at.line, 9);
    bench_close(&bench);
}

TEST(block_processed_by_two_names_both) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.by_two = 11;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what, "by block 3, which took it from an "
                                       "answer, and by block 0, which no "
                                       "answer gave it to.");
    bench_close(&bench);
}

TEST(kernel_that_stores_nothing_fails_correct) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.leaves_data = true;
    Cause cause = fails_alone(&bench, "correct");
    CHECK_HOLDS(cause.what, "changed no element");
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "exactly_once schedules");
    bench_close(&bench);
}

// ---- technique and prologue ----------------------------------------------

TEST(kernel_that_does_not_steal_fails_technique_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.no_steals = true;
    Cause cause = fails_alone(&bench, "technique");
    CHECK_HOLDS(cause.what, "No block index was stolen");
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "prologue schedules");
    bench_close(&bench);
}

TEST(fewer_requests_in_flight_than_the_lab_asks_for_fail_technique) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.lab.in_flight = 2;
    bench_grade(&bench);
    CHECK_STR(bench_list(&bench, CHECK_FAIL), "");
    bench_close(&bench);
    bench_open(&bench, TECHNIQUE_CLC);
    bench.lab.in_flight = 2;
    bench.fake.spoil.one_at_a_time = true;
    Cause cause = fails_alone(&bench, "technique");
    CHECK_STR(cause.what,
              "No block had 2 requests in flight at once: at most 1.");
    bench_close(&bench);
}

TEST(work_taken_by_other_means_fails_technique_alone) {
    for (LabTechnique t = TECHNIQUE_FIXED; t <= TECHNIQUE_CLC; t++) {
        Bench bench;
        bench_open(&bench, t);
        bench.fake.spoil.wrong_writer = 4;
        Cause cause = fails_alone(&bench, "technique");
        CHECK_HOLDS(cause.what, "Block index 4 was processed by block 1");
        CHECK(cause.expected.len > 0);
        bench_close(&bench);
    }
}

TEST(requests_fail_technique_where_none_are_asked_for) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_PERSISTENT);
    bench.fake.spoil.requests = true;
    CHECK_HOLDS(fails_alone(&bench, "technique").what, "requests");
    bench_close(&bench);
}

TEST(repeated_prologue_fails_prologue_alone) {
    for (LabTechnique t = TECHNIQUE_FIXED; t <= TECHNIQUE_CLC; t++) {
        Bench bench;
        bench_open(&bench, t);
        bench.fake.spoil.prologues = 4;
        Cause cause = fails_alone(&bench, "prologue");
        CHECK_HOLDS(cause.what, "block 3 called compute_scalar() 5 times");
        CHECK_INT(cause.at.line, 5);
        CHECK_INT(cause.at.col, 19);
        bench_close(&bench);
    }
}

TEST(missing_prologue_fails_prologue_alone) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_PERSISTENT);
    bench.fake.spoil.no_prologue = true;
    CHECK_STR(fails_alone(&bench, "prologue").what,
              "Block 0 never called compute_scalar().");
    bench_close(&bench);
}

// ---- rules ---------------------------------------------------------------

TEST(finding_fails_rules_and_skips_the_rest) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC004;
    Cause cause = fails_alone(&bench, "rules");
    CHECK_STR(cause.code, "CLC004");
    CHECK_STR(cause.what,
              "Block 3 exits while the answer of its own request is on its "
              "way to its shared memory (2 times in this run).");
    CHECK_INT(cause.at.line, 7);
    CHECK_STR(cause.via.file, "/usr/include/barrier.h");
    CHECK_STR(cause.related[0].at.file, "my/kernel.cu");
    CHECK(cause.in_order);
    CHECK_STR(cause.who, "block 3, rank 1 of its cluster of 2, warp 1, lane 5; "
                         "at block index 17, its 3rd");
    CHECK_STR(cause.missing, "A wait for the answer before the exit.");
    CHECK_STR(cause.explain, "clclab explain CLC004");
    CHECK_HOLDS(cause.context, "n = 1,");
    CHECK_STR(bench_list(&bench, CHECK_SKIP),
              "correct exactly_once technique prologue schedules");
    CHECK_INT(bench.fake.launches, 1);
    bench_close(&bench);
}

// A race for the elements of block 11, with what the fake did to that block.
static void race(Bench *bench, uint32_t by, uint32_t other) {
    bench_open(bench, TECHNIQUE_CLC);
    bench->fake.spoil.rule = RULE_RACE001;
    bench->fake.spoil.race_block = 11;
    bench->fake.spoil.race_cta[0] = by;
    bench->fake.spoil.race_cta[1] = other;
}

TEST(race_of_two_blocks_over_double_work_is_exactly_once) {
    Bench bench;
    race(&bench, 0, 3);
    bench.fake.spoil.by_two = 11;
    bench.fake.spoil.only_schedule = STRATEGY_ROUND_ROBIN;
    bench.lab.sizes[0] = (LabSize){{10240, 1, 1}};
    bench.lab.size_count = 1;
    Cause cause = fails_alone(&bench, "exactly_once");
    CHECK_HOLDS(cause.related[0].what, "block 3");
    bench_close(&bench);
}

TEST(other_races_fail_rules) {
    static const struct {
        uint32_t by, other;
        int by_two;
    } cases[] = {
        {0, 3, NOBODY}, // nobody worked twice
        {0, 3, 12},     // on another block
        {3, 3, 11},     // in one block
        {0, 5, 11},     // 5 did not work on it
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench bench;
        race(&bench, cases[i].by, cases[i].other);
        bench.fake.spoil.by_two = cases[i].by_two;
        CHECK_STR(fails_alone(&bench, "rules").code, "RACE001");
        bench_close(&bench);
    }
}

TEST(race_in_another_buffer_fails_rules) {
    Bench bench;
    race(&bench, 0, 3);
    bench.fake.spoil.race_block = 0;
    bench.fake.spoil.by_two = 0;
    CHECK_STR(fails_alone(&bench, "rules").code, "RACE001");
    bench_close(&bench);
}

TEST(advisory_costs_nothing_and_is_told_once) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC006;
    bench.fake.spoil.level = FINDING_ADVISORY;
    const Result *result = bench_grade(&bench);
    CHECK_DOUBLE(result->score, 100);
    CHECK_INT(result->advisory_count, 1);
    CHECK_STR(result->advisories[0].code, "CLC006");
    bench_close(&bench);
}

TEST(run_that_does_not_end_fails_rules) {
    static const struct {
        RunStatus status;
        const char *code;
    } cases[] = {
        {RUN_LIMIT, "LIMIT"}, {RUN_DEADLOCK, "DEADLOCK"}, {RUN_FAULT, ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench bench;
        bench_open(&bench, TECHNIQUE_CLC);
        bench.fake.spoil.status = cases[i].status;
        CHECK_STR(fails_alone(&bench, "rules").code, cases[i].code);
        bench_close(&bench);
    }
}

TEST(block_that_fits_nowhere_fails_rules) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.fits_nowhere = true;
    CHECK_HOLDS(fails_alone(&bench, "rules").what, "No block of kernel fits");
    CHECK_INT(bench.fake.launches, 0);
    bench_close(&bench);
}

// ---- schedules -----------------------------------------------------------

enum { FIRST = 5 + 6 }; // sizes and probes are launched before the schedules

TEST(schedules_cover_every_strategy) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench_grade(&bench);
    for (int k = 0; k < 16; k++) {
        int expected = k < STRATEGY_PCT ? k
                       : k % 2 == 0     ? STRATEGY_PCT
                       : k % 16 == 9    ? STRATEGY_PATIENCE
                                        : STRATEGY_RANDOM;
        CHECK_INT(bench.fake.strategies[FIRST + k], expected);
        for (int other = 0; other < k; other++)
            CHECK(bench.fake.seeds[FIRST + k] !=
                  bench.fake.seeds[FIRST + other]);
    }
    bench_close(&bench);
}

TEST(failing_schedule_is_named) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.rule = RULE_CLC001;
    bench.fake.spoil.only_schedule = STRATEGY_REFUSE_EARLY;
    Cause cause = fails_alone(&bench, "schedules");
    CHECK_STR(cause.code, "CLC001");
    CHECK_HOLDS(cause.what, "In schedule 4 (refuse-early, 0 switches): Thread");
    CHECK_HOLDS(cause.context, "schedule 4 (refuse-early, 0 switches)");
    CHECK_STR(cause.replay, "clclab grade 4 my/kernel.cu --seed 7 "
                            "--only-schedule 4 --size 1 --switches 0");
    CHECK_STR(bench.result.ledger.schedule,
              "schedule 4 (refuse-early, 0 switches)");
    CHECK_DOUBLE(bench.result.score, 90);
    // Then the smallest size that has blocks, and no switch at all.
    CHECK_INT(bench.fake.launches, FIRST + 5 + 2);
    bench_close(&bench);
}

TEST(data_and_blocks_are_judged_in_schedules) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.only_schedule = STRATEGY_ONE_SM;
    bench.fake.spoil.missed = 20;
    CHECK_HOLDS(fails_alone(&bench, "schedules").what, "not processed");
    bench.fake.spoil.missed = NOBODY;
    bench.fake.spoil.wrong_element = 20;
    CHECK_HOLDS(fails_alone(&bench, "schedules").what, "elements is wrong");
    bench.fake.spoil.wrong_element = NOBODY;
    bench.fake.spoil.prologues = 1;
    CHECK_HOLDS(fails_alone(&bench, "schedules").what, "compute_scalar");
    bench_close(&bench);
}

TEST(unsupported_in_a_schedule_is_an_error_of_ours) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.fake.spoil.only_schedule = STRATEGY_ONE_SM;
    bench.fake.spoil.status = RUN_UNSUPPORTED;
    CHECK_INT(bench_grade(&bench)->verdict, VERDICT_ERROR);
    CHECK_LIST(&bench, CHECK_ERROR, "schedules");
    bench_close(&bench);
}

TEST(no_schedules_means_plain_runs_and_no_points_for_schedules) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.options.schedules = 0;
    CHECK(bench_grade(&bench)->score < 100);
    CHECK_STR(bench_list(&bench, CHECK_SKIP), "schedules");
    CHECK_INT(bench.fake.launches, FIRST);
    bench_close(&bench);
}

TEST(sizes_beyond_the_limit_are_left_out) {
    Bench bench;
    bench_open(&bench, TECHNIQUE_CLC);
    bench.options.max_size = 10240;
    bench_grade(&bench);
    CHECK_INT(bench.result.ledger.n, 10240);
    bench_close(&bench);
}

TEST(same_seed_same_result) {
    Bench a, b, c;
    bench_open(&a, TECHNIQUE_CLC);
    bench_open(&b, TECHNIQUE_CLC);
    bench_open(&c, TECHNIQUE_CLC);
    c.options.seed = 8;
    a.fake.spoil.wrong_element = b.fake.spoil.wrong_element = 300;
    c.fake.spoil.wrong_element = 300;
    Cause first = fails_alone(&a, "correct"),
          again = fails_alone(&b, "correct");
    Cause other = fails_alone(&c, "correct");
    CHECK(str_equal(first.expected, again.expected));
    CHECK(!str_equal(first.expected, other.expected));
    bench_close(&a);
    bench_close(&b);
    bench_close(&c);
}

TEST_MAIN(
    TESTCASE(right_clc_kernel_gets_full_marks),
    TESTCASE(right_fixed_kernel_gets_full_marks),
    TESTCASE(right_persistent_kernel_gets_full_marks),
    TESTCASE(result_describes_the_run),
    TESTCASE(what_the_kernel_printed_is_kept),
    TESTCASE(compiler_errors_fail_builds),
    TESTCASE(silent_compiler_fails_builds),
    TESTCASE(rejected_file_fails_builds),
    TESTCASE(undefined_function_fails_builds),
    TESTCASE(variable_that_no_memory_holds_fails_builds),
    TESTCASE(variables_that_are_too_large_together_fail_builds),
    TESTCASE(local_variables_that_no_thread_holds_fail_builds),
    TESTCASE(other_kernel_name_fails_signature),
    TESTCASE(mangled_kernel_name_asks_for_extern_c),
    TESTCASE(file_without_kernel_fails_signature),
    TESTCASE(other_parameters_fail_signature),
    TESTCASE(parameters_of_bytes_pass_if_size_and_alignment_fit),
    TESTCASE(signed_and_bits_parameters_pass),
    TESTCASE(cluster_size_is_compared),
    TESTCASE(cluster_of_one_may_be_written_or_not),
    TESTCASE(thread_limits_must_allow_the_launch),
    TESTCASE(lab_header_is_demanded), TESTCASE(launch_plan_must_be_defined),
    TESTCASE(wrong_plan_fails_launch_plan_alone),
    TESTCASE(rounding_down_fails_launch_plan),
    TESTCASE(plan_that_traps_fails_launch_plan),
    TESTCASE(wrong_element_fails_correct_alone), TESTCASE(nan_never_passes),
    TESTCASE(smallest_size_that_fails_and_has_right_elements_is_shown),
    TESTCASE(missed_block_fails_exactly_once_alone),
    TESTCASE(started_block_that_wrote_nothing_is_named),
    TESTCASE(block_beyond_a_persistent_grid_is_explained),
    TESTCASE(block_processed_twice_fails_exactly_once_alone),
    TESTCASE(block_processed_by_two_names_both),
    TESTCASE(kernel_that_stores_nothing_fails_correct),
    TESTCASE(kernel_that_does_not_steal_fails_technique_alone),
    TESTCASE(fewer_requests_in_flight_than_the_lab_asks_for_fail_technique),
    TESTCASE(work_taken_by_other_means_fails_technique_alone),
    TESTCASE(requests_fail_technique_where_none_are_asked_for),
    TESTCASE(repeated_prologue_fails_prologue_alone),
    TESTCASE(missing_prologue_fails_prologue_alone),
    TESTCASE(finding_fails_rules_and_skips_the_rest),
    TESTCASE(race_of_two_blocks_over_double_work_is_exactly_once),
    TESTCASE(other_races_fail_rules),
    TESTCASE(race_in_another_buffer_fails_rules),
    TESTCASE(advisory_costs_nothing_and_is_told_once),
    TESTCASE(run_that_does_not_end_fails_rules),
    TESTCASE(block_that_fits_nowhere_fails_rules),
    TESTCASE(schedules_cover_every_strategy),
    TESTCASE(failing_schedule_is_named),
    TESTCASE(data_and_blocks_are_judged_in_schedules),
    TESTCASE(unsupported_in_a_schedule_is_an_error_of_ours),
    TESTCASE(no_schedules_means_plain_runs_and_no_points_for_schedules),
    TESTCASE(sizes_beyond_the_limit_are_left_out),
    TESTCASE(same_seed_same_result))
