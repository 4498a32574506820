// SPDX-License-Identifier: Apache-2.0
// clclab compare, called through cli_main: its reports, and what it says where
// it cannot compare. The kernels are PTX that does the work of
// grader/compare/compare.cu without stealing, so that no compiler is needed.
#include "tests/unit/cli_room.h"

// ---- the kernels ---------------------------------------------------------

// compute_scalar and a unit of work: x = x * -0.96 + 2.9498, so often.
#define ROUND(x, count, label)                                 \
    label ": setp.le.s32 %p0, " count ", 0;\n"                 \
          "@%p0 bra " label "_done;\n"                         \
          "fma.rn.f32 " x ", " x ", 0fbf75c28f, 0f403cc986;\n" \
          "sub.s32 " count ", " count ", 1;\n"                 \
          "bra " label ";\n" label "_done:\n"

#define HEAD                                                \
    ".version 9.0\n.target sm_100a\n.address_size 64\n"     \
    ".const .align 4 .b8 clclab_secret[8];\n"               \
    ".func (.param .b32 result) compute_scalar() {\n"       \
    ".reg .f32 %f<1>; .reg .b32 %r<1>; .reg .pred %p<1>;\n" \
    "ld.const.f32 %f0, [clclab_secret];\n"                  \
    "ld.const.u32 %r0, [clclab_secret+4];\n" ROUND(         \
        "%f0", "%r0", "one") "st.param.f32 [result], %f0; ret; }\n"

// Every gridDim.x-th block index from its own on; `each` is done to each
// element's sum, %f1 (what was there) + %f0 (the scalar) * %f2 (the work).
#define KERNEL(name, cluster, each)                                          \
    ".visible .entry " name "(.param .u64 data,\n"                           \
    ".param .align 4 .b8 work[12]) " cluster " {\n"                          \
    ".reg .f32 %f<3>; .reg .b32 %r<10>; .reg .b64 %l<2>;\n"                  \
    ".reg .pred %p<2>; .param .b32 scalar;\n"                                \
    "call (scalar), compute_scalar;\n"                                       \
    "ld.param.f32 %f0, [scalar]; ld.param.u32 %r0, [work];\n"                \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;\n"    \
    "next: mad.lo.s32 %r4, %r1, %r3, %r2;\n"                                 \
    "setp.ge.s32 %p1, %r4, %r0; @%p1 bra end;\n"                             \
    "mul.lo.u32 %r5, %r1, 0x9e3779b9;\n"                                     \
    "shr.u32 %r6, %r5, 15; xor.b32 %r5, %r5, %r6;\n"                         \
    "mul.lo.u32 %r5, %r5, 0x2c1b3c6d;\n"                                     \
    "shr.u32 %r6, %r5, 13; xor.b32 %r5, %r5, %r6; or.b32 %r5, %r5, 16;\n"    \
    "neg.s32 %r6, %r5; and.b32 %r5, %r5, %r6;\n"                             \
    "ld.param.u32 %r6, [work+8]; setp.eq.u32 %p1, %r6, 0;\n"                 \
    "selp.u32 %r5, 3, %r5, %p1; ld.param.u32 %r6, [work+4];\n"               \
    "mul.lo.u32 %r5, %r5, %r6; mov.f32 %f2, 0f00000000;\n" ROUND(            \
        "%f2", "%r5",                                                        \
        "unit") "ld.param.u64 %l0, [data]; mul.wide.s32 %l1, %r4, 4;\n"      \
                "add.s64 %l0, %l0, %l1; ld.global.f32 %f1, [%l0];\n"         \
                "fma.rn.f32 %f1, %f0, %f2, %f1;\n" each                      \
                "st.global.f32 [%l0], %f1;\n"                                \
                "mov.u32 %r6, %nctaid.x; add.s32 %r1, %r1, %r6; bra next;\n" \
                "end: ret; }\n"

#define OTHERS                       \
    KERNEL("compare_fixed", "", "")  \
    KERNEL("compare_stride", "", "") \
    KERNEL("compare_cluster", ".reqnctapercluster 2, 1, 1", "")

static const char RIGHT[] = HEAD OTHERS KERNEL("compare_clc", "", "");
static const char WRONG[] =
    HEAD OTHERS KERNEL("compare_clc", "", "add.f32 %f1, %f1, %f1;\n");

// A course in the current folder, with these kernels.
static void open_course(Room *room, const char *ptx) {
    room_open(room);
    static const char *const folders[] = {"labs", "labs/common", "grader",
                                          "grader/compare"};
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        mkdir(folders[i], 0700);
    put("labs/common/lab.h", STR("// the header\n"));
    put("grader/compare/compare.cu", STR("// see above\n"));
    room_compiler(room, ptx);
}

// ---- reports -------------------------------------------------------------

TEST(the_table_is_printed) {
    Room room;
    open_course(&room, RIGHT);
    call(&room, "compare --size 1000");
    CHECK_INT(room.code, CLI_FULL_MARKS);
    CHECK_HOLDS(room.out, "cluster CLC");
    CHECK_STR(room.err, "");
    room_close(&room);
}

TEST(the_chart_is_written_besides) {
    Room room;
    open_course(&room, RIGHT);
    call(&room, "compare --size 300 --chart c.svg --format csv --out o.csv");
    CHECK_INT(room.code, CLI_FULL_MARKS);
    CHECK_STR(room.out, "");
    CHECK(str_ends(get(&room.arena, "c.svg"), STR("</svg>\n")));
    CHECK_HOLDS(get(&room.arena, "o.csv"), ",300,");
    room_close(&room);
}

TEST(a_chart_that_cannot_be_written_loses_nothing_else) {
    Room room;
    open_course(&room, RIGHT);
    call(&room, "compare --size 300 --chart no/such/c.svg --format json");
    CHECK_INT(room.code, CLI_USAGE);
    CHECK_HOLDS(room.out, "clclab/compare/v1");
    CHECK_HOLDS(room.err, "--chart: cannot write no/such/c.svg");
    call(&room, "compare --size 300 --chart c.svg --out no/such/o");
    CHECK_INT(room.code, CLI_USAGE);
    CHECK_HOLDS(room.err, "--out: cannot write no/such/o");
    CHECK(file_exists("c.svg"));
    room_close(&room);
}

// ---- what it cannot compare ----------------------------------------------

TEST(figures_are_of_the_model_alone) {
    Room room;
    open_course(&room, RIGHT);
    call_fails(&room, "compare --time-set nonsense=1", CLI_USAGE,
               "compare: --time-set: ");
    call_fails(&room, "compare --device gpu --time-set hold=1", CLI_USAGE,
               "leave out --device gpu");
    call_fails(&room, "compare --device gpu", CLI_MISSING, "GPU");
    call_fails(&room, "compare --gpu-model h100", CLI_USAGE, "h100");
    room_close(&room);
}

TEST(kernels_that_are_missing_or_do_not_build) {
    Room room;
    open_course(&room, "malformed\n");
    call_fails(&room, "compare", CLI_OURS,
               "grader/compare/compare.cu does not build");
    unlink("grader/compare/compare.cu");
    call_fails(&room, "compare", CLI_MISSING,
               "grader/compare/compare.cu is not there");
    room_close(&room);
}

TEST(kernels_that_compute_something_else_are_ours) {
    Room room;
    open_course(&room, WRONG);
    call_fails(&room, "compare --size 300", CLI_OURS,
               "CLC, even work: 300 of 300 elements are wrong");
    room_close(&room);
}

TEST_MAIN(TESTCASE(the_table_is_printed),
          TESTCASE(the_chart_is_written_besides),
          TESTCASE(a_chart_that_cannot_be_written_loses_nothing_else),
          TESTCASE(figures_are_of_the_model_alone),
          TESTCASE(kernels_that_are_missing_or_do_not_build),
          TESTCASE(kernels_that_compute_something_else_are_ours))
