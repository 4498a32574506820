// SPDX-License-Identifier: Apache-2.0
// builds and signature, the checks that need no run, on the fake Device: what
// each lets pass, its failures and what they say.
#include "tests/unit/check_fake.h"

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

TEST_MAIN(TESTCASE(compiler_errors_fail_builds),
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
          TESTCASE(lab_header_is_demanded),
          TESTCASE(launch_plan_must_be_defined))
