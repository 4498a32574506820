// SPDX-License-Identifier: Apache-2.0
// Limits of what the virtual machine keeps about the order of accesses: of
// findings in a launch, and of times from launch to launch; and reads that
// nothing orders.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/machine/machine.h"
#include "vm/order/order.h"
#include "vm/vm.h"

enum { STORES = 70, FINDINGS_MOST = 64 };

typedef struct Machine {
    Arena arena;
    Device *device;
} Machine;

// With a kernel k of what `body` says.
static bool machine_open(Machine *m, Str body) {
    *m = (Machine){.device = vm_open(vm_model_find(STR("mini")))};
    Diags diags = diags_new(&m->arena);
    Str text = str_format(&m->arena,
                          ".version 9.0\n.target sm_100a\n.address_size 64\n"
                          ".file 1 \"k.cu\"\n"
                          ".global .align 4 .b8 g[512];\n"
                          ".visible .entry k() {\n.reg .b32 %%r<9>;\n"
                          ".reg .b64 %%l<9>;\n"
                          ".shared .align 4 .b8 x[512];\n%.*s\nret; }\n",
                          STR_ARG(body));
    PtxModule *module = ptx_parse(&m->arena, STR("k.ptx"), text, &diags);
    return CHECK(module != NULL) &&
           CHECK(m->device->ops->load(m->device, module, &diags));
}

static void machine_close(Machine *m) {
    m->device->ops->close(m->device);
    arena_free(&m->arena);
}

static DeviceRun launch(Machine *m) {
    DeviceLaunch launch = {
        .kernel = STR("k"), .grid = {1, 1, 1}, .block = {64, 1, 1}};
    DeviceRun run;
    CHECK(m->device->ops->launch(m->device, &m->arena, &launch, &run));
    return run;
}

// Each line stores a word, the same by all threads: an advisory.
static Str many_races(Arena *arena) {
    Buf out = {0};
    for (int i = 0; i < STORES; i++)
        buf_str(&out,
                str_format(arena, ".loc 1 %d 1\nst.shared.u32 [x+%d], 1;\n",
                           i + 1, 4 * i));
    Str body = str_copy(arena, buf_view(&out));
    buf_free(&out);
    return body;
}

TEST(the_last_finding_counts_for_those_that_have_no_room) {
    Arena arena = {0};
    Machine m;
    if (!machine_open(&m, many_races(&arena)))
        return;
    DeviceRun run = launch(&m);
    CHECK_INT(run.status, RUN_DONE);
    CHECK_INT(run.finding_count, FINDINGS_MOST);
    uint64_t one = run.findings[0].occurrences;
    CHECK(one > 0);
    for (size_t i = 0; i + 1 < run.finding_count; i++)
        CHECK_INT(run.findings[i].occurrences, one);
    CHECK_INT(run.findings[FINDINGS_MOST - 1].occurrences,
              (STORES - FINDINGS_MOST + 1) * one);
    machine_close(&m);
    arena_free(&arena);
}

// Times are numbered on from launch to launch. They begin anew before there are
// none left, and then nothing of the launch before may look like one of this.
TEST(times_do_not_run_out) {
    static const char ordered[] =
        "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, x;\n"
        "cvt.u64.u32 %l1, %r2; mov.u64 %l2, g; add.u64 %l1, %l1, %l2;\n"
        "add.u32 %r2, %r2, %r3; xor.b32 %r4, %r2, 128; xor.b64 %l3, %l1, 128;\n"
        "st.shared.u32 [%r2], %r1; st.global.u32 [%l1], %r1; bar.sync 0;\n"
        "ld.shared.u32 %r5, [%r4]; ld.global.u32 %r6, [%l3]; bar.sync 0;\n"
        "st.shared.u32 [%r4], %r6; st.global.u32 [%l3], %r5;\n";
    Machine m;
    if (!machine_open(&m, STR(ordered)))
        return;
    CHECK_INT(launch(&m).finding_count, 0);
    Vm *vm = (Vm *)m.device;
    if (!CHECK(vm->persistent.order != NULL))
        return;
    vm->persistent.order->time = VM_AGENT - 2;
    CHECK_INT(launch(&m).finding_count, 0);
    CHECK(vm->persistent.order->time < VM_AGENT / 2);
    machine_close(&m);
}

// ---- reads that nothing orders -------------------------------------------

// Warp 1 stores a word, and warp 0 loads it behind `between`.
static DeviceRun hand_over(Machine *m, const char *store, const char *between,
                           const char *load) {
    Arena arena = {0};
    Str body =
        str_format(&arena,
                   ".reg .pred %%p<2>; mov.u32 %%r1, %%tid.x;\n"
                   "setp.lt.u32 %%p1, %%r1, 32; @%%p1 bra R;\n"
                   ".loc 1 11 1\n%s [x], 1;\n%s ret;\n"
                   "R: %s nanosleep.u32 100000;\n.loc 1 12 1\n%s %%r2, [x];",
                   store, between, between, load);
    DeviceRun run = {0};
    if (machine_open(m, body))
        run = launch(m);
    arena_free(&arena);
    return run;
}

TEST(a_strong_read_that_nothing_orders_is_noted) {
    static const struct {
        const char *store, *between, *load;
        uint32_t count;
    } cases[] = {
        {"st.relaxed.cta.shared.u32", "", "ld.relaxed.cta.shared.u32", 1},
        {"st.volatile.shared.u32", "", "ld.volatile.shared.u32", 1},
        {"st.volatile.shared.u32", "bar.sync 0;", "ld.volatile.shared.u32", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Machine m;
        DeviceRun run =
            hand_over(&m, cases[i].store, cases[i].between, cases[i].load);
        if (CHECK_INT(run.loose_count, cases[i].count) && run.loose_count) {
            CHECK_INT(run.loose[0].written.line, 11);
            CHECK_INT(run.loose[0].read.line, 12);
        }
        CHECK_INT(run.finding_count, 0);
        machine_close(&m);
    }
}

TEST_MAIN(TESTCASE(a_strong_read_that_nothing_orders_is_noted),
          TESTCASE(the_last_finding_counts_for_those_that_have_no_room),
          TESTCASE(times_do_not_run_out))
