// SPDX-License-Identifier: Apache-2.0
// What the step limit counts: work that hardly any instruction shows. Each
// kernel does one kind of it without end, or does nothing beside a huge
// variable.
#include <sys/resource.h>

#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"

enum { LIMIT = 1000 * 1000, BLOCKS = 1000 };

typedef struct Machine {
    Arena arena;
    Device *device;
    uint64_t step_limit;
    DeviceRun run;
} Machine;

static bool machine_open(Machine *m, const char *text) {
    *m = (Machine){.step_limit = LIMIT};
    Diags diags = diags_new(&m->arena);
    PtxModule *module =
        ptx_parse(&m->arena, STR("text"), str_from(text), &diags);
    m->device = vm_open(vm_model_find(STR("mini")));
    return CHECK(module != NULL) &&
           CHECK(m->device->ops->load(m->device, module, &diags));
}

static void machine_close(Machine *m) {
    m->device->ops->close(m->device);
    arena_free(&m->arena);
}

static bool machine_run(Machine *m, uint32_t blocks, const uint64_t *arg) {
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {blocks, 1, 1},
                           .block = {64, 1, 1},
                           .args = arg,
                           .arg_bytes = arg ? sizeof *arg : 0,
                           .step_limit = m->step_limit};
    return CHECK(
        m->device->ops->launch(m->device, &m->arena, &launch, &m->run));
}

// The launch of `text` ends at its limit, having executed less than a fifth of
// the instructions: the rest went into `work`.
static void ends_by(const char *text, FactWord work) {
    Machine m;
    if (!machine_open(&m, text) || !machine_run(&m, BLOCKS, NULL))
        return;
    CHECK_INT(m.run.status, RUN_LIMIT);
    CHECK(m.run.counters.thread_instructions < LIMIT / 5);
    const Finding *last = &m.run.findings[m.run.finding_count - 1];
    CHECK_INT(last->which, CASE_LIMIT_WORK);
    const Fact *fact = fact_find(last->facts, FACT_WORK);
    CHECK(fact && fact->number == work);
    fact = fact_find(last->facts, FACT_RATIO);
    CHECK(fact && fact->number > 50 && fact->number <= 100);
    machine_close(&m);
}

TEST(printing_counts_by_its_bytes) {
    ends_by(HEAD
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 "
            "a);\n.global .align 1 .b8 text[7] = {37, 57, 57, 57, 100, 10, 0};"
            "\n.visible .entry k() {\n"
            ".reg .b32 %r<3>; .reg .b64 %l<5>; .local .align 8 .b8 a[8];\n"
            "mov.u64 %l1, text; cvta.global.u64 %l1, %l1;\n"
            "mov.u64 %l2, a; cvta.local.u64 %l2, %l2;\n"
            "mov.u32 %r1, 7; st.u32 [%l2], %r1;\n"
            "again: call (%r2), vprintf, (%l1, %l2);\n"
            "st.u32 [%l2], %r2; bra again; }\n",
            WORD_WORK_PRINT);
}

// One call prints no more than a bounded part of its strings.
TEST(a_single_printf_is_bounded) {
    Buf text = {0};
    Machine m;
    buf_printf(&text,
               HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, "
                    ".param .b64 a);\n.global .align 1 .b8 text[4001] = {");
    for (int i = 0; i < 4000; i++)
        buf_printf(&text, "%d,", i % 2 ? 's' : '%');
    buf_printf(&text, "0};\n.visible .entry k() {\n"
                      ".reg .pred %%p<2>; .reg .b32 %%r<3>;\n"
                      ".reg .b64 %%l<5>; .local .align 8 .b8 a[16000];\n"
                      "mov.u64 %%l1, text; cvta.global.u64 %%l1, %%l1;\n"
                      "mov.u64 %%l2, a; cvta.local.u64 %%l2, %%l2;\n"
                      "mov.u32 %%r1, 0;\n"
                      "fill: cvt.u64.u32 %%l3, %%r1; add.s64 %%l3, %%l3, %%l2;"
                      "\nst.u64 [%%l3], %%l1; add.s32 %%r1, %%r1, 8;\n"
                      "setp.lt.u32 %%p1, %%r1, 16000; @%%p1 bra fill;\n"
                      "call (%%r1), vprintf, (%%l1, %%l2); ret; }\n");
    buf_byte(&text, 0);
    if (machine_open(&m, text.ptr)) {
        // Each lane reads its format, 2,000 addresses and 64 KiB of strings, of
        // 8 MB.
        m.step_limit = 64 * 4 * (1 << 16);
        machine_run(&m, 1, NULL);
        CHECK_INT(m.run.status, RUN_DONE);
        CHECK_U64(m.run.output.len, 1 << 16);
        machine_close(&m);
    }
    buf_free(&text);
}

TEST(allocating_counts_by_its_bytes) {
    ends_by(HEAD ".extern .func (.param .b64 p) malloc(.param .b64 n);\n"
                 ".extern .func free(.param .b64 p);\n"
                 ".visible .entry k() {\n.reg .b64 %l<5>;\n"
                 "again: call (%l1), malloc, (100000); call free, (%l1);\n"
                 "bra again; }\n",
            WORD_WORK_CLEAR);
}

TEST(calls_count_by_their_local_arrays) {
    ends_by(HEAD ".func f() { .local .align 4 .b8 a[20000]; .reg .b64 %l<3>;\n"
                 "mov.u64 %l1, a; cvta.local.u64 %l1, %l1;\n"
                 "st.u32 [%l1], 1; ret; }\n"
                 ".visible .entry k() {\nagain: call f; bra again; }\n",
            WORD_WORK_CLEAR);
}

TEST(blocks_count_by_their_shared_memory) {
    ends_by(HEAD ".visible .entry k() { .shared .align 4 .b8 s[48000];\n"
                 ".reg .b32 %r<2>; mov.u32 %r1, s; ret; }\n",
            WORD_WORK_CLEAR);
}

TEST(bulk_stores_count_by_their_bytes) {
    ends_by(HEAD ".visible .entry k() { .shared .align 8 .b8 s[48000];\n"
                 ".reg .pred %p<2>; .reg .b32 %r<2>; mov.u32 %r1, %tid.x;\n"
                 "setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"
                 "again: st.bulk.weak.shared::cta [s], 48000, 0; bra again; "
                 "}\n",
            WORD_WORK_CLEAR);
}

TEST(atomics_count_by_what_threads_learn) {
    ends_by(HEAD ".global .align 4 .b8 words[16384];\n"
                 ".visible .entry k() {\n"
                 ".reg .b32 %r<5>; .reg .b64 %l<5>;\n"
                 "mov.u32 %r1, %tid.x; mov.u64 %l1, words;\n"
                 "mad.lo.u32 %r1, %r1, 7919, %ctaid.x;\n"
                 "again: mad.lo.u32 %r1, %r1, 1664525, 1013904223;\n"
                 "shr.u32 %r2, %r1, 8; and.b32 %r2, %r2, 4095;\n"
                 "mul.wide.u32 %l2, %r2, 4; add.s64 %l2, %l2, %l1;\n"
                 "atom.global.acq_rel.gpu.add.u32 %r3, [%l2], 1;\n"
                 "bra again; }\n",
            WORD_WORK_ORDER);
}

TEST(instructions_are_told_as_such) {
    Machine m;
    if (!machine_open(&m, HEAD ".visible .entry k() {\n.reg .b32 %r<2>;\n"
                               "mov.u32 %r1, 1;\n"
                               "again: mad.lo.u32 %r1, %r1, %r1, 3; bra again; "
                               "}\n") ||
        !machine_run(&m, 1, NULL))
        return;
    CHECK_INT(m.run.status, RUN_LIMIT);
    CHECK_INT(m.run.findings[0].which, CASE_LIMIT_STEPS);
    machine_close(&m);
}

static uint64_t resident_bytes(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (uint64_t)used.ru_maxrss * 1024;
}

// Launched again and again, a module costs only the pages that a kernel
// touches; what one has stored there is gone in the next launch.
TEST(an_unused_array_costs_nothing) {
    static const char text[] =
        HEAD ".global .align 8 .b8 huge[4000000000];\n"
             ".visible .entry k(.param .u64 out) {\n"
             ".reg .b32 %r<5>; .reg .b64 %l<5>;\n"
             "ld.param.u64 %l1, [out]; mov.u64 %l2, huge;\n"
             "add.s64 %l2, %l2, 3000000000;\n"
             "atom.global.add.u32 %r1, [%l2], 1;\n"
             "atom.global.max.u32 %r2, [%l1], %r1; ret; }\n";
    Machine m;
    uint32_t buffer, most = 0;
    uint64_t address, before = resident_bytes();
    if (!machine_open(&m, text))
        return;
    Diags diags = diags_new(&m.arena);
    CHECK(m.device->ops->alloc(m.device, 4, &buffer, &address, &diags));
    for (int i = 0; i < 3; i++) {
        if (!machine_run(&m, 1, &address))
            return;
        CHECK_INT(m.run.status, RUN_DONE);
        CHECK(m.device->ops->read(m.device, buffer, 0, &most, sizeof most));
        CHECK_U64(most, 63); // 64 threads have added 1 to what was 0
    }
    CHECK(resident_bytes() - before < 64 << 20);
    machine_close(&m);
}

TEST_MAIN(TESTCASE(printing_counts_by_its_bytes),
          TESTCASE(a_single_printf_is_bounded),
          TESTCASE(allocating_counts_by_its_bytes),
          TESTCASE(calls_count_by_their_local_arrays),
          TESTCASE(blocks_count_by_their_shared_memory),
          TESTCASE(bulk_stores_count_by_their_bytes),
          TESTCASE(atomics_count_by_what_threads_learn),
          TESTCASE(instructions_are_told_as_such),
          TESTCASE(an_unused_array_costs_nothing))
