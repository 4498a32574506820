// SPDX-License-Identifier: Apache-2.0
// Values that were loaded in vain (vm/decode/fate.h): one warp loads a word by
// name, as a compiler has it that moves the load out of a condition, and
// another one writes that word, with nothing that orders the two. It is a race
// if the value is used: before the write, or behind it.
//
// %r1 is the value, %r0 the lane, %p1 true in the first 16 lanes, %p2 and %p3
// in none and all of them, %rd2 the lane's word of a buffer.
#include "result/finding.h"
#include "tests/unit/test.h"
#include "vm/vm.h"

enum { LOAD = 30, WRITE = 40 }; // lines

typedef struct Case {
    const char *load, *behind; // behind: what the reader does behind the load
    const char *write;
    uint32_t late; // rounds of a loop in front of the write
} Case;

static Str program(Arena *arena, const Case *c) {
    return str_format(
        arena,
        ".version 9.0\n.target sm_100a\n.address_size 64\n"
        ".file 1 \"k.cu\"\n.global .align 8 .b8 g[64];\n"
        ".func f(.param .b32 a) { ret; }\n"
        ".visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %%r<40>; .reg .b64 %%rd<9>; .reg .pred %%p<9>;\n"
        ".reg .b128 %%q;\n"
        ".shared .align 16 .b8 x[64]; .shared .align 16 .b8 y[512];\n"
        ".loc 1 1 1\nld.param.u64 %%rd1, [p]; mov.u32 %%r9, %%tid.x;\n"
        "and.b32 %%r0, %%r9, 31; setp.lt.u32 %%p1, %%r0, 16;\n"
        "setp.gt.u32 %%p2, %%r0, 40; setp.lt.u32 %%p3, %%r0, 40;\n"
        "mul.wide.u32 %%rd2, %%r9, 4; add.s64 %%rd2, %%rd1, %%rd2;\n"
        "setp.eq.u32 %%p4, %%r9, 0; shl.b32 %%r7, %%r9, 2;\n"
        "@%%p4 st.shared.v4.u32 [x], {1, 1, 1, 1};\n"
        "mov.u32 %%r20, y; add.u32 %%r20, %%r20, %%r7; mov.u32 %%r21, x;\n"
        "st.shared.u32 [%%r20], 0; mov.u32 %%r3, 0; mov.u32 %%r8, 0;\n"
        "bar.sync 0; setp.lt.u32 %%p5, %%r9, 32; @%%p5 bra WRITER;\n"
        ".loc 1 %d 1\n%s\n.loc 1 2 1\n%s\nret;\n"
        "WRITER: setp.eq.u32 %%p6, %%r3, %u; add.u32 %%r3, %%r3, 1;\n"
        "@!%%p6 bra WRITER; @!%%p4 ret;\n.loc 1 %d 1\n%s\nret;\n}\n",
        LOAD, c->load, c->behind, c->late, WRITE, c->write);
}

// How many errors there are, all of them at the write; 99: others.
static size_t errors_of(const Case *c) {
    Arena arena = {0};
    Diags diags = diags_new(&arena);
    size_t count = 99;
    PtxModule *module =
        ptx_parse(&arena, STR("k.ptx"), program(&arena, c), &diags);
    Device *device = vm_open(vm_model_find(STR("mini")));
    uint32_t buffer;
    uint64_t address;
    DeviceRun run = {0};
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {64, 1, 1},
                           .args = &address,
                           .arg_bytes = sizeof address};
    if (!CHECK(module != NULL))
        printf("# %.*s\n# %s\n", STR_ARG(diags.items[0].what), c->behind);
    if (module && CHECK(device->ops->load(device, module, &diags)) &&
        CHECK(device->ops->alloc(device, 1024, &buffer, &address, &diags)) &&
        CHECK(device->ops->launch(device, &arena, &launch, &run)) &&
        CHECK_INT(run.status, RUN_DONE))
        count = run.finding_count;
    for (size_t i = 0; i < run.finding_count; i++)
        if (run.findings[i].rule != RULE_RACE001 ||
            run.findings[i].level != FINDING_ERROR ||
            run.findings[i].at.line != WRITE)
            count = 99;
    device->ops->close(device);
    arena_free(&arena);
    return count;
}

#define BY_NAME "ld.shared.u32 %r1, [x];"
#define WRITES "st.shared.u32 [x], 2;"
#define DELAY "D: add.u32 %r8, %r8, 1; setp.lt.u32 %p8, %r8, 900; @%p8 bra D;\n"
#define STORE(reg) "st.global.u32 [%rd2], " reg ";"

// The write comes before the value is used, and behind that.
static void check_body(const char *body, size_t expected) {
    Arena arena = {0};
    Str later = str_format(&arena, "%s\n%s%c", DELAY, body, '\0');
    const Case cases[] = {{BY_NAME, body, WRITES, 900},
                          {BY_NAME, later.ptr, WRITES, 100}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (!CHECK_INT(errors_of(&cases[i]), expected))
            printf("# %s: %s\n", i ? "written before" : "behind", body);
    arena_free(&arena);
}

TEST(a_value_that_is_used_was_read) {
    static const char *const bodies[] = {
        STORE("%r1"),
        "mov.u32 %r2, %r1; mov.u32 %r1, 0; " STORE("%r2"),
        "add.u32 %r1, %r1, %r1; " STORE("%r1"),
        "selp.u32 %r1, %r1, 0, %p1; " STORE("%r1"),
        "selp.u32 %r1, 0, %r1, %p2; " STORE("%r1"),
        "and.b32 %r1, %r1, 255; " STORE("%r1"),
        "setp.gt.u32 %p7, %r1, 0; @%p7 bra B; " STORE("0") " B:",
        "setp.gt.u32 %p7, %r1, 9; @%p7 bra B; " STORE("0") " B:",
        "setp.gt.u32 %p7, %r1, 9; and.pred %p7, %p7, %p3; @%p7 bra B; B:",
        "setp.gt.u32 %p7, %r1, 9; @%p7 " STORE("0"),
        "setp.gt.u32 %p7, %r1, 9; @%p7 mov.u32 %r2, 5; selp.u32 %r2, %r2, 0, "
        "%p3; " STORE("%r2"),
        "shl.b32 %r1, %r1, 2; add.u32 %r1, %r1, %r20; selp.u32 %r1, %r1, %r20, "
        "%p3; st.shared.u32 [%r1], 1;",
        "selp.u32 %r2, 5, 6, %p3; @%p2 bra B; { .param .b32 a; st.param.b32 "
        "[a], %r1; call f, (a); } B:",
        "selp.u32 %r1, %r1, 0, %p3; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;",
        "@%p1 " STORE("%r1"), // by half of the lanes
        "setp.eq.u32 %p7, %r0, 7; selp.u32 %r1, %r1, 0, %p7; " STORE("%r1"),
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++)
        check_body(bodies[i], 1);
}

TEST(a_value_that_is_dropped_was_not) {
    static const char *const bodies[] = {
        "selp.u32 %r1, %r1, 0, %p2; " STORE("%r1"),
        "selp.u32 %r1, 0, %r1, %p3; " STORE("%r1"),
        // nested, as of a condition in a condition
        "selp.u32 %r2, %r1, 0, %p3; selp.u32 %r2, 0, %r2, %p3; " STORE("%r2"),
        "selp.u32 %r2, 0, %r1, %p1; selp.u32 %r2, %r2, 0, %p1; " STORE("%r2"),
        "setp.gt.u32 %p7, %r1, 0; and.pred %p7, %p7, %p2; @%p7 bra B; " STORE(
            "0") " B:",
        "setp.gt.u32 %p7, %r1, 0; or.pred %p7, %p7, %p3; @%p7 bra B; " STORE(
            "0") " B:",
        "mov.u32 %r2, 0; and.b32 %r1, %r1, %r2; " STORE("%r1"),
        "@%p2 bra B; ret; B: " STORE("%r1"),
        "@%p2 " STORE("%r1"),
        "@%p2 bra B; bra C; B: " STORE("%r1") " C: mov.u32 %r1, 0; " STORE(
            "%r1"),
        "add.u32 %r2, %r1, 1; mov.u32 %r4, 5; " STORE(
            "%r4") " @%p2 bra B; ret; B: " STORE("%r2"),
        "@%p3 exit; " STORE("%r1"),
        "setp.gt.u32 %p7, %r1, 9; @%p7 mov.u32 %r2, 5; selp.u32 %r2, %r2, 0, "
        "%p2; " STORE("%r2"),
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++)
        check_body(bodies[i], 0);
}

// Each round loads anew. The values before the last were used, in front of the
// release that the writer waits for.
TEST(a_load_is_judged_by_its_own_value) {
    static const char rounds[] =
        "L: ld.shared.u32 %r1, [x]; setp.lt.u32 %p7, %r3, 3; @!%p7 bra E;\n"
        "add.u32 %r3, %r3, 1; st.global.u32 [%rd2], %r1; bar.warp.sync -1;\n"
        "setp.eq.u32 %p7, %r0, 0;\n"
        "@%p7 st.release.cta.shared.u32 [y+252], %r3;\nbra L; E:";
    static const char writes[] =
        "W: ld.acquire.cta.shared.u32 %r5, [y+252]; setp.lt.u32 %p7, %r5, 3;\n"
        "@%p7 bra W;\n.loc 1 40 1\nst.shared.u32 [x], 2;";
    const Case dropped = {rounds, "", writes, 0};
    const Case used = {rounds, STORE("%r1"), writes, 0};
    CHECK_INT(errors_of(&dropped), 0);
    CHECK_INT(errors_of(&used), 1);
}

TEST(elements_of_a_vector_are_judged_each) {
    static const struct {
        const char *load, *behind, *write;
        size_t errors;
    } cases[] = {
        {"ld.shared.v2.u32 {%r1, %r2}, [x];", STORE("%r1"), WRITES, 1},
        {"ld.shared.v2.u32 {%r1, %r2}, [x];", STORE("%r1"),
         "st.shared.u32 [x+4], 2;", 0},
        {"ld.shared.v2.u32 {%r1, %r2}, [x];", STORE("%r2"),
         "st.shared.u32 [x+4], 2;", 1},
        {"ld.shared.v2.u32 {%r1, %r2}, [x];", STORE("%r2"), WRITES, 0},
        {"ld.shared.v4.u32 {%r1, %r2, %r4, %r5}, [%r21];", STORE("%r4"),
         "st.shared.u32 [x+8], 2;", 1},
        {"ld.shared.v4.u32 {%r1, %r2, %r4, %r5}, [%r21];", STORE("%r4"),
         "st.shared.u32 [x+12], 2;", 0},
        {"ld.shared.v2.u64 {%rd3, %rd4}, [x];",
         "cvt.u32.u64 %r6, %rd3; " STORE("%r6"), "st.shared.u32 [x+4], 2;", 1},
        {"ld.shared.v2.u64 {%rd3, %rd4}, [x];",
         "cvt.u32.u64 %r6, %rd4; " STORE("%r6"), "st.shared.u32 [x+4], 2;", 0},
        {"ld.shared.v4.u8 {%r1, %r2, %r4, %r5}, [x];", STORE("%r2"),
         "st.shared.u8 [x+1], 2;", 1},
        {"ld.shared.v4.u8 {%r1, %r2, %r4, %r5}, [x];", STORE("%r2"),
         "st.shared.u8 [x+2], 2;", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Case c = {cases[i].load, cases[i].behind, cases[i].write, 900};
        if (!CHECK_INT(errors_of(&c), cases[i].errors))
            printf("# %s %s %s\n", c.load, c.behind, c.write);
    }
}

// A place in the source, and several loads that came of it.
TEST(a_line_with_two_loads_has_two_values) {
    static const struct {
        const char *behind;
        size_t errors;
    } cases[] = {
        {STORE("%r2") " @%p2 " STORE("%r1"), 0},
        {STORE("%r2") " " STORE("%r1"), 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Case c = {"ld.shared.u32 %r2, [x+4]; ld.shared.u32 %r1, [x];",
                  cases[i].behind, WRITES, 900};
        CHECK_INT(errors_of(&c), cases[i].errors);
    }
}

TEST(variables_in_global_memory_are_judged_alike) {
    static const char load[] = "ld.global.u32 %r1, [g];";
    const Case cases[] = {
        {load, STORE("%r1"), "st.global.u32 [g], 2;", 900},
        {load, DELAY STORE("%r1"), "st.global.u32 [g], 2;", 100},
        {load, "@%p2 " STORE("%r1"), "st.global.u32 [g], 2;", 900},
        {load, DELAY "@%p2 " STORE("%r1"), "st.global.u32 [g], 2;", 100}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(errors_of(&cases[i]), i < 2);
}

TEST_MAIN(TESTCASE(a_value_that_is_used_was_read),
          TESTCASE(a_value_that_is_dropped_was_not),
          TESTCASE(a_load_is_judged_by_its_own_value),
          TESTCASE(elements_of_a_vector_are_judged_each),
          TESTCASE(a_line_with_two_loads_has_two_values),
          TESTCASE(variables_in_global_memory_are_judged_alike))
