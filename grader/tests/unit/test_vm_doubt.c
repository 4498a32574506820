// SPDX-License-Identifier: Apache-2.0
// Values that break a rule only if they are used (vm/decode/doubt.c): where a
// value that was read from uninitialised memory may go without being used, and
// what is a use. One warp runs a few instructions.
//
// In each kernel %r1 is doubtful, %r0 the thread's number, %p1 true in the
// first 16 threads, %rd1 the address of a buffer of 1 KiB of zeros; `x` is
// shared memory that nobody has written to, `y` of which the first word is
// written.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

#define SCOPED_ARENA(name) __attribute__((cleanup(arena_free))) Arena name = {0}

static PtxModule *parse(Arena *arena, const char *functions, const char *body) {
    Diags diags = diags_new(arena);
    Str text = str_format(
        arena,
        ".version 9.0\n.target sm_100a\n.address_size 64\n%s\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %%r<60>;\n.reg .b64 %%rd<9>;\n.reg .pred %%p<9>;\n"
        ".shared .align 16 .b8 x[512];\n.shared .align 16 .b8 y[512];\n"
        "ld.param.u64 %%rd1, [p];\ncvta.to.global.u64 %%rd1, %%rd1;\n"
        "mov.u32 %%r0, %%tid.x;\nsetp.lt.u32 %%p1, %%r0, 16;\n"
        "mul.wide.u32 %%rd2, %%r0, 4;\nadd.s64 %%rd2, %%rd1, %%rd2;\n"
        "setp.eq.u32 %%p2, %%r0, 0;\n@%%p2 st.shared.u32 [y], 7;\n"
        "bar.sync 0;\nld.shared.u32 %%r1, [x];\n"
        "%s\nret;\n}\n",
        functions, body);
    PtxModule *module = ptx_parse(arena, STR("k.ptx"), text, &diags);
    if (!CHECK(module != NULL))
        printf("# %.*s\n# %s\n", STR_ARG(diags.items[0].what), body);
    return module;
}

// How many findings the kernel makes; 99: it does not run.
static size_t findings_of(const char *functions, const char *body) {
    SCOPED_ARENA(arena);
    Diags diags = diags_new(&arena);
    size_t count = 99;
    PtxModule *module = parse(&arena, functions, body);
    Device *device = vm_open(vm_model_find(STR("mini")));
    uint32_t buffer;
    uint64_t address;
    DeviceRun run = {0};
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {32, 1, 1},
                           .args = &address,
                           .arg_bytes = sizeof address};
    static const char zeros[1024];
    if (module && CHECK(device->ops->load(device, module, &diags)) &&
        CHECK(device->ops->alloc(device, sizeof zeros, &buffer, &address,
                                 &diags)) &&
        CHECK(device->ops->write(device, buffer, 0, zeros, sizeof zeros)) &&
        CHECK(device->ops->launch(device, &arena, &launch, &run)))
        count = run.finding_count;
    for (size_t i = 0; i < run.finding_count; i++)
        if (run.findings[i].rule != RULE_MEM004 &&
            run.findings[i].rule != RULE_MEM003)
            printf("# rule %d of: %s\n", run.findings[i].rule, body);
    device->ops->close(device);
    return count;
}

static void check_used(const char *const *bodies, size_t count, bool is_used) {
    for (size_t i = 0; i < count; i++)
        if (!CHECK_INT(findings_of("", bodies[i]) > 0, is_used))
            printf("# %s\n", bodies[i]);
}

// ---- what is a use -------------------------------------------------------

TEST(memory_and_branches_use_a_value) {
    static const char *const used[] = {
        "st.global.u32 [%rd2], %r1;",
        "cvt.u64.u32 %rd3, %r1; add.s64 %rd3, %rd3, %rd1; "
        "ld.global.u32 %r2, [%rd3];",
        "setp.eq.u32 %p3, %r1, 5; @%p3 bra A; mov.u32 %r2, 1; A:",
        "setp.eq.u32 %p3, %r1, 5; @%p3 st.global.u32 [%rd2], 1;",
        "atom.global.add.u32 %r2, [%rd1], %r1;",
        "mov.u32 %r4, y; mad.lo.u32 %r4, %r0, 4, %r4; "
        "st.shared.u32 [%r4+128], %r1;",
        "add.u32 %r2, %r1, 5; mul.lo.u32 %r3, %r2, %r2; "
        "st.global.u32 [%rd2], %r3;",
        "setp.ge.u32 %p3, %r1, 1; selp.u32 %r2, 1, 2, %p3; "
        "st.global.u32 [%rd2], %r2;",
        "@%p1 st.global.u32 [%rd2], %r1;",
    };
    check_used(used, COUNT_OF(used), true);
}

TEST(a_value_may_be_read_and_left_alone) {
    static const char *const unused[] = {
        "",
        "add.u32 %r2, %r1, 5; mul.lo.u32 %r3, %r2, %r2;",
        "setp.eq.u32 %p3, %r1, 5;",
        "mov.u32 %r1, 4; st.global.u32 [%rd2], %r1;",
        "mov.u32 %r2, %r1; mov.u32 %r2, 4; st.global.u32 [%rd2], %r2;",
        "mov.u32 %r2, %r1; mov.u32 %r1, 4; st.global.u32 [%rd2], %r1;",
        "setp.eq.u32 %p3, %r1, 5; setp.eq.u32 %p3, %r0, 5; "
        "@%p3 st.global.u32 [%rd2], 1;",
        "setp.lt.u32 %p3, %r0, 99; @%p3 mov.u32 %r1, 4; "
        "st.global.u32 [%rd2], %r1;",
        "setp.gt.u32 %p3, %r0, 99; @%p3 st.global.u32 [%rd2], %r1;",
    };
    check_used(unused, COUNT_OF(unused), false);
}

TEST(a_guard_moves_a_value_in_its_lanes) {
    static const char *const used[] = {
        "@%p1 mov.u32 %r1, 4; st.global.u32 [%rd2], %r1;",
        "mov.u32 %r2, 4; @%p1 mov.u32 %r2, %r1; st.global.u32 [%rd2], %r2;",
        ("mov.u32 %r2, 4; setp.eq.u32 %p3, %r1, 5; @%p3 mov.u32 %r2, 6; "
         "st.global.u32 [%rd2], %r2;"),
    };
    static const char *const unused[] = {
        "@%p1 mov.u32 %r1, 4; @%p1 st.global.u32 [%rd2], %r1;",
        "mov.u32 %r2, 4; @%p1 mov.u32 %r2, %r1; "
        "@!%p1 st.global.u32 [%rd2], %r2;",
    };
    check_used(used, COUNT_OF(used), true);
    check_used(unused, COUNT_OF(unused), false);
}

TEST(a_select_takes_one_of_two) {
    static const char *const used[] = {
        "selp.u32 %r2, %r1, 4, %p1; st.global.u32 [%rd2], %r2;",
        "selp.u32 %r2, 4, %r1, %p1; st.global.u32 [%rd2], %r2;",
        "selp.u32 %r2, %r1, 4, %p1; @%p1 st.global.u32 [%rd2], %r2;",
        "selp.u32 %r2, 4, %r1, %p1; @!%p1 st.global.u32 [%rd2], %r2;",
        ("setp.eq.u32 %p3, %r1, 5; selp.u32 %r2, 3, 4, %p3; "
         "st.global.u32 [%rd2], %r2;"),
    };
    static const char *const unused[] = {
        "selp.u32 %r2, %r1, 4, %p1; @!%p1 st.global.u32 [%rd2], %r2;",
        "selp.u32 %r2, 4, %r1, %p1; @%p1 st.global.u32 [%rd2], %r2;",
    };
    check_used(used, COUNT_OF(used), true);
    check_used(unused, COUNT_OF(unused), false);
}

TEST(what_is_known_to_decide_an_and_or_an_or_drops_the_doubt) {
    static const char *const used[] = {
        "and.b32 %r2, %r1, 1; st.global.u32 [%rd2], %r2;",
        "and.b32 %r2, 1, %r1; st.global.u32 [%rd2], %r2;",
        "or.b32 %r2, %r1, 0; st.global.u32 [%rd2], %r2;",
        "or.b32 %r2, %r1, 0x7fffffff; st.global.u32 [%rd2], %r2;",
        "and.b32 %r2, %r1, %r1; st.global.u32 [%rd2], %r2;",
        "xor.b32 %r2, %r1, 0; st.global.u32 [%rd2], %r2;",
        "setp.eq.u32 %p3, %r1, 5; and.pred %p4, %p3, %p1; "
        "@%p4 st.global.u32 [%rd2], 1;",
        "setp.eq.u32 %p3, %r1, 5; or.pred %p4, %p3, %p1; "
        "@%p4 st.global.u32 [%rd2], 1;",
        "selp.u32 %r3, 0, 1, %p1; and.b32 %r2, %r1, %r3; "
        "@!%p1 st.global.u32 [%rd2], %r2;",
    };
    static const char *const unused[] = {
        "and.b32 %r2, %r1, 0; st.global.u32 [%rd2], %r2;",
        "and.b32 %r2, 0, %r1; st.global.u32 [%rd2], %r2;",
        "or.b32 %r2, %r1, 0xffffffff; st.global.u32 [%rd2], %r2;",
        "or.b32 %r2, -1, %r1; st.global.u32 [%rd2], %r2;",
        "setp.gt.u32 %p4, %r0, 99; setp.eq.u32 %p3, %r1, 5; "
        "and.pred %p5, %p3, %p4; @%p5 st.global.u32 [%rd2], 1;",
        "setp.lt.u32 %p4, %r0, 99; setp.eq.u32 %p3, %r1, 5; "
        "or.pred %p5, %p4, %p3; @%p5 st.global.u32 [%rd2], 1;",
        "selp.u32 %r3, 0, 1, %p1; and.b32 %r2, %r1, %r3; "
        "@%p1 st.global.u32 [%rd2], %r2;",
        "and.b32 %r2, %r0, 7; st.global.u32 [%rd2], %r2;",
    };
    check_used(used, COUNT_OF(used), true);
    check_used(unused, COUNT_OF(unused), false);
}

TEST(lanes_hand_a_value_to_each_other) {
    // %r2 is doubtful in the threads from 16 on alone.
    static const char *const used[] = {
        "mov.u32 %r2, 4; @!%p1 mov.u32 %r2, %r1; "
        "shfl.sync.idx.b32 %r3, %r2, 20, 31, -1; st.global.u32 [%rd2], %r3;",
        "mov.u32 %r2, 4; @!%p1 mov.u32 %r2, %r1; "
        "shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1; "
        "@%p1 st.global.u32 [%rd2], %r3;",
        "setp.eq.u32 %p3, %r1, 5; vote.sync.ballot.b32 %r2, %p3, -1; "
        "st.global.u32 [%rd2], %r2;",
        "mov.u32 %r2, 4; @!%p1 mov.u32 %r2, %r1; setp.eq.u32 %p3, %r2, 5; "
        "vote.sync.ballot.b32 %r3, %p3, -1; @%p1 st.global.u32 [%rd2], %r3;",
    };
    static const char *const unused[] = {
        "mov.u32 %r2, 4; @!%p1 mov.u32 %r2, %r1; "
        "shfl.sync.idx.b32 %r3, %r2, 3, 31, -1; st.global.u32 [%rd2], %r3;",
        "mov.u32 %r2, 4; @!%p1 mov.u32 %r2, %r1; "
        "shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1; "
        "@!%p1 st.global.u32 [%rd2], %r3;",
        "vote.sync.ballot.b32 %r2, %p1, -1; st.global.u32 [%rd2], %r2;",
    };
    check_used(used, COUNT_OF(used), true);
    check_used(unused, COUNT_OF(unused), false);
}

TEST(elements_of_a_vector_are_doubtful_each) {
    static const char *const used[] = {
        "ld.shared.v2.u32 {%r2, %r3}, [y]; st.global.u32 [%rd2], %r3;",
        "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [y]; "
        "st.global.u32 [%rd2], %r5;",
    };
    static const char *const unused[] = {
        "ld.shared.v2.u32 {%r2, %r3}, [y]; st.global.u32 [%rd2], %r2;",
        ("ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [y]; "
         "st.global.u32 [%rd2], %r2;"),
        "ld.shared.u32 %r2, [y]; st.global.u32 [%rd2], %r2;",
    };
    check_used(used, COUNT_OF(used), true);
    check_used(unused, COUNT_OF(unused), false);
}

static const char twice[] = ".func (.reg .b32 r) twice(.reg .b32 a)\n"
                            "{ add.u32 r, a, a; ret; }\n";
static const char reads[] = ".func (.reg .b32 r) reads()\n"
                            "{ .local .align 4 .b8 z[4]; .reg .b64 %rd<2>;\n"
                            "mov.u64 %rd1, z; ld.local.u32 r, [%rd1]; ret; }\n";

TEST(a_call_uses_its_arguments_and_a_return_its_results) {
    CHECK(findings_of(twice, "call (%r2), twice, (%r1);") > 0);
    CHECK_INT(findings_of(twice, "call (%r2), twice, (%r0);"), 0);
    CHECK_INT(findings_of(twice, "call (%r1), twice, (%r0); "
                                 "st.global.u32 [%rd2], %r1;"),
              0);
    CHECK(findings_of(reads, "call (%r2), reads, ();") > 0);
}

// However many there are: a value is used when it is used.
TEST(any_number_of_loads_is_followed) {
    for (int loads = 15; loads <= 40; loads++) {
        Buf body = {0};
        for (int i = 1; i < loads; i++) // %r1 is one already
            buf_printf(&body, "ld.shared.u32 %%r%d, [x+%d];\n", i + 10, 4 * i);
        buf_byte(&body, '\0');
        CHECK_INT(findings_of("", body.ptr), 0);
        body.len--;
        buf_str(&body, STR("st.global.u32 [%rd2], %r11;\n"));
        buf_byte(&body, '\0');
        CHECK_INT(findings_of("", body.ptr), 1);
        buf_free(&body);
    }
}

TEST(a_finding_is_made_once_for_a_load) {
    CHECK_INT(findings_of("", "st.global.u32 [%rd2], %r1; "
                              "st.global.u32 [%rd2], %r1;"),
              1);
}

TEST_MAIN(TESTCASE(memory_and_branches_use_a_value),
          TESTCASE(a_value_may_be_read_and_left_alone),
          TESTCASE(a_guard_moves_a_value_in_its_lanes),
          TESTCASE(a_select_takes_one_of_two),
          TESTCASE(what_is_known_to_decide_an_and_or_an_or_drops_the_doubt),
          TESTCASE(lanes_hand_a_value_to_each_other),
          TESTCASE(elements_of_a_vector_are_doubtful_each),
          TESTCASE(a_call_uses_its_arguments_and_a_return_its_results),
          TESTCASE(any_number_of_loads_is_followed),
          TESTCASE(a_finding_is_made_once_for_a_load))
