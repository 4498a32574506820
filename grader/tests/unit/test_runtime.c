// SPDX-License-Identifier: Apache-2.0
// runtime/: the journal, and the memory that the devices of a program share.
#include "result/finding.h"
#include "runtime/core/journal.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

// ---- the journal ---------------------------------------------------------

static ExecFinding sample_finding(void) {
    return (ExecFinding){
        .kernel = STR("add"),
        .launch = 2,
        .schedule = 5,
        .cause = {.code = STR("RACE001"),
                  .what = STR("what"),
                  .help = STR("help"),
                  .context = STR("launch 2"),
                  .at = {STR("a.cu"), 7, 3},
                  .caller_count = 1,
                  .callers = {{STR("b.cu"), 9, 0}},
                  .related_count = 1,
                  .related = {{.at = {STR("c.cu"), 1, 0}, .what = STR("why")}},
                  .in_order = true}};
}

static void write_sample(Buf *journal) {
    ExecFinding finding = sample_finding();
    ExecCall call = {.name = STR("cudaMalloc"), .error = STR("full")};
    Diag message = {.level = DIAG_NOTE, .what = STR("note"), .help = STR("h")};
    ExecResult totals = {.launches = 5, .unchecked = 1, .instructions = 99};
    Buf parts[8] = {{0}};
    journal_begin(&parts[0], JOURNAL_BEGIN, 11);
    journal_end(&parts[0]);
    journal_finding(&parts[1], 11, 0, &finding);
    journal_again(&parts[2], 11, 0);
    journal_again(&parts[3], 12, 0); // of another process
    journal_call(&parts[4], 11, &call);
    journal_message(&parts[5], 11, &message);
    journal_counts(&parts[6], 11, &totals);
    journal_begin(&parts[7], JOURNAL_END, 11);
    journal_end(&parts[7]);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        buf_str(journal, buf_view(&parts[i]));
        buf_free(&parts[i]);
    }
}

TEST(journal_reads_what_was_written) {
    Arena arena = {0};
    Buf journal = {0};
    ExecResult result = {0};
    write_sample(&journal);
    journal_read(&arena, buf_view(&journal), &result);
    CHECK_U64(result.processes, 1);
    CHECK_U64(result.launches, 5);
    CHECK_U64(result.unchecked, 1);
    CHECK_U64(result.instructions, 99);
    CHECK(!result.is_incomplete);
    CHECK_U64(result.errors, 1);
    CHECK_U64(result.finding_count, 1);
    const ExecFinding *finding = &result.findings[0];
    CHECK_STR(finding->kernel, "add");
    CHECK_U64(finding->launch, 2);
    CHECK_U64(finding->launches, 2);
    CHECK_STR(finding->cause.code, "RACE001");
    CHECK_STR(finding->cause.context, "launch 2");
    CHECK_INT(finding->cause.at.line, 7);
    CHECK_STR(finding->cause.callers[0].file, "b.cu");
    CHECK_STR(finding->cause.related[0].what, "why");
    CHECK(finding->cause.in_order);
    CHECK_STR(result.calls[0].name, "cudaMalloc");
    CHECK_STR(result.messages[0].what, "note");
    buf_free(&journal);
    arena_free(&arena);
}

TEST(journal_that_is_cut_gives_what_is_whole) {
    Arena arena = {0};
    Buf journal = {0};
    write_sample(&journal);
    for (size_t len = 0; len < journal.len; len++) {
        ExecResult result = {0};
        journal_read(&arena, (Str){journal.ptr, len}, &result);
        CHECK_INT(result.is_incomplete, len > 12 || result.processes > 0);
        CHECK(result.launches == 0 || result.launches == 5);
    }
    for (size_t i = 0; i < journal.len; i++) { // no byte makes it crash
        ExecResult result = {0};
        journal.ptr[i] = (char)~journal.ptr[i];
        journal_read(&arena, buf_view(&journal), &result);
        journal.ptr[i] = (char)~journal.ptr[i];
    }
    buf_free(&journal);
    arena_free(&arena);
}

// ---- the memory of a program ---------------------------------------------

static const char COUNTS[] =
    ".version 8.7\n.target sm_100a\n.address_size 64\n"
    ".extern .func (.param .b64 at) malloc (.param .b64 bytes);\n"
    ".visible .global .align 4 .u32 counter = 40;\n"
    ".visible .entry takes(.param .u64 to) {\n"
    ".param .b64 bytes; .param .b64 at; .reg .u64 %l<2>;\n"
    "st.param.b64 [bytes], 64; call.uni (at), malloc, (bytes);\n"
    "ld.param.u64 %l0, [to]; ld.param.b64 %l1, [at];\n"
    "st.global.u64 [%l0], %l1; ret; }\n"
    ".visible .entry doubles(.param .u64 to) {\n"
    ".reg .u64 %l0; .reg .u32 %r0; ld.param.u64 %l0, [to];\n"
    "ld.global.u32 %r0, [%l0]; add.u32 %r0, %r0, %r0;\n"
    "st.global.u32 [%l0], %r0; ret; }\n"
    ".visible .entry doubles_if(.param .u64 to) {\n"
    ".reg .u64 %l0; .reg .u32 %r0; .reg .pred %p0; ld.param.u64 %l0, [to];\n"
    "ld.global.u32 %r0, [%l0]; setp.ne.u32 %p0, %r0, 0;\n"
    "@%p0 bra end; st.global.u32 [%l0], 2; end: ret; }\n"
    ".visible .entry copies(.param .u64 to) {\n"
    ".reg .u64 %l0; .reg .u32 %r0; ld.param.u64 %l0, [to];\n"
    "ld.global.u32 %r0, [%l0]; st.global.u32 [%l0 + 4], %r0; ret; }\n"
    ".visible .entry count(.param .u64 to) {\n"
    ".reg .u64 %l<3>; .reg .u32 %r<3>;\n"
    "ld.global.u32 %r0, [counter]; add.u32 %r0, %r0, 1;\n"
    "st.global.u32 [counter], %r0;\n"
    "ld.param.u64 %l0, [to]; st.global.u32 [%l0], %r0; ret; }\n";

typedef struct Two { // devices with the same module
    Arena arena;
    PtxModule *module;
    Device *devices[2];
} Two;

static Two two_open(void) {
    Two two = {0};
    Diags diags = diags_new(&two.arena);
    two.module = ptx_parse(&two.arena, STR("test"), str_from(COUNTS), &diags);
    for (uint32_t i = 0; i < 2; i++) {
        two.devices[i] = vm_open(vm_model_find(STR("mini")));
        vm_number(two.devices[i], VM_FIRST_NUMBER + 10 * (i + 1));
        CHECK(two.devices[i]->ops->load(two.devices[i], two.module, &diags));
        vm_keep(two.devices[i]);
    }
    return two;
}

static void two_close(Two *two) {
    for (size_t i = 0; i < 2; i++)
        two->devices[i]->ops->close(two->devices[i]);
    arena_free(&two->arena);
}

static DeviceRun launch_as(Two *two, size_t device, Str kernel, uint64_t to,
                           bool unwritten_is_error) {
    DeviceRun run;
    DeviceLaunch launch = {.kernel = kernel,
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .cluster = {1, 1, 1},
                           .args = &to,
                           .arg_bytes = sizeof to,
                           .keeps_variables = true,
                           .unwritten_is_error = unwritten_is_error};
    two->devices[device]->ops->launch(two->devices[device], &two->arena,
                                      &launch, &run);
    return run;
}

static DeviceRun launch(Two *two, size_t device, Str kernel, uint64_t to) {
    return launch_as(two, device, kernel, to, false);
}

static DeviceRun count(Two *two, size_t device, uint64_t to) {
    return launch(two, device, STR("count"), to);
}

TEST(variables_keep_their_values_and_have_a_place) {
    Two two = two_open();
    uint32_t out[8] = {0};
    VmVariable at;
    vm_map(two.devices[0], 5, out, sizeof out[0], NULL);
    CHECK_INT(count(&two, 0, 5 * VM_STRIDE).status, RUN_DONE);
    CHECK_INT(out[0], 41);
    CHECK_INT(count(&two, 0, 5 * VM_STRIDE).status, RUN_DONE);
    CHECK_INT(out[0], 42);
    CHECK(vm_variable(two.devices[0], two.module->vars[0], &at));
    CHECK_INT(at.number, VM_FIRST_NUMBER + 10);
    CHECK_U64(at.size, 4);
    CHECK_INT(at.bytes[0], 42);
    two_close(&two);
}

TEST(memory_of_a_program_is_the_same_for_all_devices) {
    Two two = two_open();
    uint32_t out[8] = {0};
    VmVariable at;
    for (size_t i = 0; i < 2; i++)
        vm_map(two.devices[i], 5, out, sizeof out[0], NULL);
    count(&two, 0, 5 * VM_STRIDE);
    count(&two, 0, 5 * VM_STRIDE);
    count(&two, 1, 5 * VM_STRIDE);
    CHECK_INT(out[0], 41);
    CHECK(vm_variable(two.devices[1], two.module->vars[0], &at));
    vm_map(two.devices[0], at.number, at.bytes, at.size, NULL);
    CHECK_INT(count(&two, 0, at.number * VM_STRIDE).status, RUN_DONE);
    CHECK_INT(at.bytes[0], 43);
    two_close(&two);
}

TEST(memory_that_is_unmapped_was_freed) {
    Two two = two_open();
    uint32_t out[8] = {0};
    vm_map(two.devices[0], 5, out, sizeof out[0], NULL);
    vm_unmap(two.devices[0], 5, sizeof out[0]);
    DeviceRun run = count(&two, 0, 5 * VM_STRIDE);
    CHECK_INT(run.status, RUN_FAULT);
    CHECK_INT(run.findings[0].which, CASE_MEM001_FREED);
    two_close(&two);
}

// ---- the heap ------------------------------------------------------------

// The address that a kernel of the first device gets from malloc.
static uint64_t take(Two *two, uint64_t *out) {
    CHECK_INT(launch(two, 0, STR("takes"), 5 * VM_STRIDE).status, RUN_DONE);
    return *out;
}

TEST(the_heap_of_kernels_is_put_back) {
    Two two = two_open();
    Device *device = two.devices[0];
    uint64_t out[8] = {0};
    vm_map(device, 5, out, sizeof out[0], NULL);
    VmHeapCopy *empty = vm_save_heap(device);
    uint64_t first = take(&two, out);
    CHECK_INT(count(&two, 0, first).status, RUN_DONE);
    VmHeapCopy *one = vm_save_heap(device);
    uint64_t second = take(&two, out);
    CHECK(first != second);
    for (int round = 0; round < 2; round++) {
        vm_restore_heap(device, one);
        CHECK_INT(count(&two, 0, second).status, RUN_FAULT);
        CHECK_U64(take(&two, out), second);
        CHECK_INT(launch(&two, 0, STR("doubles"), first).finding_count, 0);
        DeviceRun run = launch(&two, 0, STR("doubles"), second);
        CHECK_INT(run.findings[0].which, CASE_MEM003_HEAP);
    }
    vm_restore_heap(device, empty);
    CHECK_INT(count(&two, 0, first).status, RUN_FAULT);
    CHECK_U64(take(&two, out), first);
    vm_drop_heap(empty);
    vm_drop_heap(one);
    two_close(&two);
}

// ---- what nobody has written ---------------------------------------------

typedef struct Half { // a buffer of 8 bytes, of which nothing is written
    Two two;
    uint32_t bytes[8];
    ByteSet *written;
} Half;

static void half_open(Half *half) {
    *half = (Half){.two = two_open(), .written = byteset_new(8)};
    for (size_t i = 0; i < 2; i++)
        vm_map(half->two.devices[i], 5, half->bytes, 8, half->written);
}

static void half_close(Half *half) {
    two_close(&half->two);
    byteset_free(half->written);
}

static DeviceRun run_half(Half *half, Str kernel, bool unwritten_is_error) {
    return launch_as(&half->two, 0, kernel, 5 * VM_STRIDE, unwritten_is_error);
}

// The run goes on, and its one finding is of this level.
static void check_told(Half *half, Str kernel, bool unwritten_is_error,
                       FindingLevel level) {
    DeviceRun run = run_half(half, kernel, unwritten_is_error);
    CHECK_INT(run.status, RUN_DONE);
    CHECK_INT(run.finding_count, 1);
    CHECK_INT(run.findings[0].which, CASE_MEM003_BUFFER);
    CHECK_INT(run.findings[0].level, level);
}

TEST(computing_with_what_nobody_has_written_is_told_and_goes_on) {
    Half half;
    half_open(&half);
    check_told(&half, STR("doubles"), false, FINDING_ADVISORY);
    CHECK_U64(half.written->count, 4); // by the kernel
    CHECK_INT(run_half(&half, STR("doubles"), false).finding_count, 0);
    byteset_remove(half.written, 0, 4);
    check_told(&half, STR("doubles"), true, FINDING_ERROR);
    half_close(&half);
}

TEST(what_nobody_has_written_must_decide_nothing) {
    Half half;
    half_open(&half);
    check_told(&half, STR("doubles_if"), false, FINDING_ERROR);
    CHECK_INT(half.bytes[0], 2);
    half_close(&half);
}

TEST(what_nobody_has_written_may_be_copied) {
    Half half;
    half_open(&half);
    CHECK_INT(run_half(&half, STR("copies"), true).finding_count, 0);
    CHECK(byteset_has_all(half.written, 4, 4));
    CHECK(!byteset_has_any(half.written, 0, 4));
    half_close(&half);
}

TEST(another_device_sees_what_one_has_written) {
    Half half;
    half_open(&half);
    count(&half.two, 1, 5 * VM_STRIDE);
    CHECK_INT(run_half(&half, STR("doubles"), true).finding_count, 0);
    half_close(&half);
}

TEST_MAIN(TESTCASE(journal_reads_what_was_written),
          TESTCASE(journal_that_is_cut_gives_what_is_whole),
          TESTCASE(variables_keep_their_values_and_have_a_place),
          TESTCASE(memory_of_a_program_is_the_same_for_all_devices),
          TESTCASE(memory_that_is_unmapped_was_freed),
          TESTCASE(the_heap_of_kernels_is_put_back),
          TESTCASE(computing_with_what_nobody_has_written_is_told_and_goes_on),
          TESTCASE(what_nobody_has_written_must_decide_nothing),
          TESTCASE(what_nobody_has_written_may_be_copied),
          TESTCASE(another_device_sees_what_one_has_written))
