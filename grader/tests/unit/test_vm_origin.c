// SPDX-License-Identifier: Apache-2.0
// Which lines the address or the value of an access comes from
// (vm/decode/origin.c), and which branches are apart (condition.c), read off a
// kernel whose statements have a line each.
#include "tests/unit/test.h"
#include "vm/decode/condition.h"
#include "vm/decode/origin.h"
#include "vm/vm.h"

#define SCOPED_ARENA(name) __attribute__((cleanup(arena_free))) Arena name = {0}

enum { FIRST = 11 }; // line of the first statement

typedef struct Code {
    Arena arena;
    Device *device;
    const Vm *vm;
    const VmFunc *func;
} Code;

// Launches a kernel of these statements, each at the next line from 11 on; one
// that begins with '!' is in another file.
static void code_open(Code *code, const char *const *statements, size_t count) {
    *code = (Code){.device = vm_open(vm_model_find(STR("mini")))};
    Buf text = {0};
    buf_printf(&text, ".version 9.0\n.target sm_100a\n.address_size 64\n"
                      ".file 1 \"k.cu\"\n.file 2 \"/usr/other.h\"\n"
                      ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                      ".reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n"
                      ".reg .pred %%p<3>;\n.shared .align 16 .b8 x[512];\n");
    for (size_t i = 0; i < count; i++) {
        bool is_other = statements[i][0] == '!';
        buf_printf(&text, ".loc %d %zu 1\n%s\n", is_other ? 2 : 1, FIRST + i,
                   statements[i] + is_other);
    }
    buf_printf(&text, ".loc 1 99 1\nret;\n}\n");
    Diags diags = diags_new(&code->arena);
    Str kept = str_copy(&code->arena, buf_view(&text));
    buf_free(&text);
    PtxModule *module = ptx_parse(&code->arena, STR("k.ptx"), kept, &diags);
    uint32_t buffer;
    struct {
        uint64_t address;
        uint32_t n;
    } args = {.n = 3};
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .args = &args,
                           .arg_bytes = 12};
    DeviceRun run;
    const DeviceOps *ops = code->device->ops;
    if (!CHECK(module != NULL)) {
        printf("# %.*s\n", STR_ARG(diags.items[0].what));
        return;
    }
    CHECK(ops->load(code->device, module, &diags));
    CHECK(ops->alloc(code->device, 64, &buffer, &args.address, &diags));
    CHECK(ops->launch(code->device, &code->arena, &launch, &run));
    code->vm = (const Vm *)code->device;
    code->func = code->vm->program->entry;
}

static void code_close(Code *code) {
    code->device->ops->close(code->device);
    arena_free(&code->arena);
}

// The instruction at this line.
static const PtxInstr *at_line(const Code *code, uint32_t line) {
    const PtxFunc *func = code->func->ptx;
    for (size_t i = 0; i < func->instr_count; i++)
        if (ptx_src(code->vm->module, func->instrs[i].loc).line == line)
            return &func->instrs[i];
    CHECK(false);
    return func->instrs;
}

typedef enum What { ADDRESS, VALUE } What;

static VmOrigin origin(const Code *code, What what, uint32_t line) {
    SrcLoc own = {STR("k.cu"), line, 1};
    const PtxInstr *in = at_line(code, line);
    return what == ADDRESS ? vm_origin_of_address(code->vm, code->func, in, own)
                           : vm_origin_of_value(code->vm, code->func, in, own);
}

// Of the last statement.
static void check_origin(What what, const char *const *statements, size_t count,
                         uint32_t first, uint32_t second) {
    Code code;
    code_open(&code, statements, count);
    if (code.func) {
        VmOrigin o = origin(&code, what, FIRST + (uint32_t)count - 1);
        if (!CHECK_INT(o.at[0].line, first) || !CHECK_INT(o.at[1].line, second))
            printf("# %s\n", statements[count - 1]);
    }
    code_close(&code);
}

#define CHECK_ORIGIN(what, first, second, ...)                          \
    check_origin(what, (const char *const[]){__VA_ARGS__},              \
                 COUNT_OF(((const char *const[]){__VA_ARGS__})), first, \
                 second)

#define POINTER "ld.param.u64 %rd1, [p];", "cvta.to.global.u64 %rd2, %rd1;"

TEST(an_address_comes_from_the_lines_that_compute_it) {
    CHECK_ORIGIN(ADDRESS, 16, 15, POINTER, "mov.u32 %r3, %tid.y;",
                 "mov.u32 %r1, %tid.x;", "mul.wide.u32 %rd3, %r1, 4;",
                 "add.s64 %rd4, %rd2, %rd3;", "st.global.u32 [%rd4], %r3;");
    CHECK_ORIGIN(ADDRESS, 0, 0, POINTER, "st.global.u32 [%rd2], 1;");
    CHECK_ORIGIN(ADDRESS, 13, 0, POINTER, "add.s64 %rd3, %rd2, 4;",
                 "st.global.u32 [%rd3], 1;");
}

TEST(a_value_comes_from_its_own_lines) {
    CHECK_ORIGIN(VALUE, 15, 14, POINTER, "mov.u64 %rd3, %rd2;",
                 "mov.u32 %r1, %tid.x;", "add.u32 %r2, %r1, 1;",
                 "st.global.u32 [%rd3], %r2;");
    CHECK_ORIGIN(VALUE, 0, 0, POINTER, "st.global.u32 [%rd2], 1;");
}

TEST(a_parameter_is_no_decision) {
    CHECK_ORIGIN(VALUE, 0, 0, POINTER, "ld.param.u32 %r1, [n];",
                 "st.global.u32 [%rd2], %r1;");
    CHECK_ORIGIN(VALUE, 14, 0, POINTER, "ld.param.u32 %r1, [n];",
                 "add.u32 %r2, %r1, 1;", "st.global.u32 [%rd2], %r2;");
    // A copy of something else is one.
    CHECK_ORIGIN(VALUE, 14, 13, POINTER, "mov.u32 %r1, %tid.x;",
                 "mov.u32 %r2, %r1;", "st.global.u32 [%rd2], %r2;");
}

TEST(what_is_loaded_comes_from_the_load) {
    CHECK_ORIGIN(VALUE, 15, 0, POINTER, "mov.u32 %r1, %tid.x;",
                 "add.s64 %rd3, %rd2, 4;", "ld.global.u32 %r2, [%rd3];",
                 "st.global.u32 [%rd2], %r2;");
}

TEST(all_definitions_count_and_the_closest_above_comes_first) {
    CHECK_ORIGIN(VALUE, 14, 13, POINTER, "mov.u32 %r1, 1;",
                 "mov.u32 %r1, %tid.x;", "st.global.u32 [%rd2], %r1;");
    Code code; // below the access, as in the round of a loop before
    static const char *const loop[] = {
        POINTER, "mov.u32 %r1, %tid.x;", "st.global.u32 [%rd2], %r1;",
        "add.u32 %r1, %r1, 2;", "add.u32 %r1, %r1, 3;"};
    code_open(&code, loop, COUNT_OF(loop));
    VmOrigin o = origin(&code, VALUE, 14);
    CHECK_INT(o.at[0].line, 13);
    CHECK_INT(o.at[1].line, 16);
    code_close(&code);
}

TEST(lines_of_other_files_are_left_out) {
    CHECK_ORIGIN(VALUE, 13, 0, POINTER, "mov.u32 %r1, %tid.x;",
                 "!add.u32 %r2, %r1, 1;", "st.global.u32 [%rd2], %r2;");
}

TEST(elements_of_a_vector_are_followed) {
    CHECK_ORIGIN(VALUE, 14, 13, POINTER, "mov.u32 %r1, %tid.x;",
                 "mov.u32 %r2, %tid.y;",
                 "st.global.v2.u32 [%rd2], {%r1, %r2};");
    CHECK_ORIGIN(VALUE, 13, 0, POINTER, "ld.global.v2.u32 {%r1, %r2}, [%rd2];",
                 "st.global.u32 [%rd2], %r2;");
}

TEST(an_address_may_name_a_variable) {
    Code code;
    static const char *const statements[] = {
        "mov.u32 %r1, x;",         "add.u32 %r2, %r1, 4;",
        "st.shared.u32 [%r2], 1;", "st.shared.u32 [x+8], 1;",
        "mov.u32 %r3, 5;",         "add.u32 %r4, %r3, 1;"};
    code_open(&code, statements, COUNT_OF(statements));
    for (uint32_t line = 13; line <= 14; line++) {
        VmOrigin o = origin(&code, ADDRESS, line);
        if (CHECK(o.var != NULL))
            CHECK_STR(o.var->name, "x");
    }
    SrcLoc own = {STR("k.cu"), 16, 1};
    VmOrigin o =
        vm_origin_of_operand(code.vm, code.func, at_line(&code, 16), own, 1);
    CHECK_INT(o.at[0].line, 15);
    CHECK(o.var == NULL);
    o = vm_origin_of_operand(code.vm, code.func, at_line(&code, 16), own, 3);
    CHECK_INT(o.at[0].line, 0); // it has no such operand
    PtxInstr elsewhere = *at_line(&code, 16);
    o = vm_origin_of_operand(code.vm, code.func, &elsewhere, own, 1);
    CHECK_INT(o.at[0].line, 0);
    code_close(&code);
}

// Whether the operand of the add at line 16 is one number.
static bool is_fixed(const char *first, const char *second) {
    Code code;
    const char *const statements[] = {first,         second,
                                      "bar.sync 0;", "bar.sync 0;",
                                      "bar.sync 0;", "add.u32 %r4, %r3, %r1;"};
    code_open(&code, statements, COUNT_OF(statements));
    SrcLoc own = {STR("k.cu"), 16, 1};
    bool fixed =
        vm_origin_of_operand(code.vm, code.func, at_line(&code, 16), own, 2)
            .is_fixed;
    code_close(&code);
    return fixed;
}

TEST(a_number_that_nothing_changes_is_fixed) {
    CHECK(is_fixed("mov.u32 %r1, 1;", "mov.u32 %r2, 0;"));
    CHECK(!is_fixed("mov.u32 %r1, 1;", "mov.u32 %r1, 0;"));
    CHECK(!is_fixed("mov.u32 %r1, 1;", "xor.b32 %r1, %r1, 1;"));
    CHECK(!is_fixed("@%p1 mov.u32 %r1, 1;", "mov.u32 %r2, 0;"));
    CHECK(!is_fixed("mov.u32 %r1, %tid.x;", "mov.u32 %r2, 0;"));
    Code code;
    static const char *const statements[] = {"add.u32 %r4, %r3, 7;"};
    code_open(&code, statements, COUNT_OF(statements));
    SrcLoc own = {STR("k.cu"), 11, 1};
    CHECK(vm_origin_of_operand(code.vm, code.func, at_line(&code, 11), own, 2)
              .is_fixed);
    code_close(&code);
}

TEST(copies_into_one_register_are_placed_where_the_compiler_likes) {
    Code code;
    static const char *const statements[] = {
        "mov.u32 %r1, 0;",       "L: @%p1 mov.u32 %r1, %r2;",
        "add.u32 %r2, %r1, 1;",  "@%p1 bra L;",
        "mov.u32 %r3, %tid.x;",  "@%p1 mov.u32 %r3, %tid.y;",
        "add.u32 %r4, %r3, %r1;"};
    code_open(&code, statements, COUNT_OF(statements));
    SrcLoc own = {STR("k.cu"), 17, 1};
    VmOrigin o =
        vm_origin_of_operand(code.vm, code.func, at_line(&code, 17), own, 2);
    CHECK_INT(o.at[0].line, 13); // neither 11 nor 12
    CHECK_INT(o.at[1].line, 0);
    o = vm_origin_of_operand(code.vm, code.func, at_line(&code, 17), own, 1);
    CHECK_INT(o.at[0].line, 16);
    CHECK_INT(o.at[1].line, 15);
    code_close(&code);
}

// ---- condition.c ---------------------------------------------------------

// Whether no thread goes from the access at line `other` to that at `in`.
static bool is_apart(const Code *code, uint32_t other, uint32_t in) {
    return vm_condition_apart(code->func, at_line(code, other)->loc,
                              at_line(code, in));
}

#define STORE "st.shared.u32 [x], 1;"

TEST(a_loop_is_left_by_the_first_branch_that_goes_out_of_it) {
    Code code;
    static const char *const statements[] = {"A: add.u32 %r1, %r1, 1;",
                                             "@%p1 bra A;",
                                             "B: @%p2 bra B;",
                                             "@%p0 ret;",
                                             "@%p1 bra A;",
                                             "add.u32 %r2, %r2, 1;"};
    code_open(&code, statements, COUNT_OF(statements));
    const PtxInstr *in = at_line(&code, 11);
    // Neither the inner loops (12, 13) nor the second way out (15).
    CHECK(vm_condition_again(code.func, in) == at_line(&code, 14));
    CHECK(vm_condition_again(code.func, at_line(&code, 15)) ==
          at_line(&code, 15));
    CHECK(vm_condition_again(code.func, at_line(&code, 16)) == NULL);
    PtxInstr elsewhere = *in;
    CHECK(vm_condition_again(code.func, &elsewhere) == NULL);
    code_close(&code);
}

TEST(loads_that_may_be_from_shared_memory_are_kept) {
    Code code;
    static const char *const statements[] = {POINTER,
                                             "ld.shared.u32 %r1, [x];",
                                             "ld.global.u32 %r2, [%rd2];",
                                             "mad.lo.u32 %r3, %r1, 4, %r2;",
                                             "cvt.u64.u32 %rd3, %r3;",
                                             "add.s64 %rd4, %rd2, %rd3;",
                                             "st.global.u32 [%rd2], %r3;"};
    code_open(&code, statements, COUNT_OF(statements));
    VmOrigin o = origin(&code, VALUE, 18);
    CHECK_INT(o.read[0].line, 13);
    CHECK_INT(o.read[1].line, 0);
    code_close(&code);
}

TEST(branches_of_different_threads_are_apart) {
    Code code;
    static const char *const statements[] = {
        "@%p1 bra B;", ("A: " STORE), "@%p2 bra A;", "add.u32 %r1, %r1, 1;",
        "ret;",        ("B: " STORE), STORE,         "@%p2 bra B;"};
    code_open(&code, statements, COUNT_OF(statements));
    CHECK(is_apart(&code, 12, 16));
    CHECK(is_apart(&code, 16, 12));
    CHECK(!is_apart(&code, 16, 17));
    CHECK(!is_apart(&code, 17, 16));
    CHECK(!is_apart(&code, 12, 12));
    CHECK(!is_apart(&code, 14, 16)); // which is no access
    PtxInstr elsewhere = *at_line(&code, 16);
    CHECK(!vm_condition_apart(code.func, at_line(&code, 12)->loc, &elsewhere));
    CHECK(!vm_condition_apart(code.func, 12345, at_line(&code, 16)));
    code_close(&code);
}

TEST(one_of_two_branches_has_to_be_a_loop) {
    Code code;
    static const char *const statements[] = {
        "@%p1 bra B;", ("A: " STORE), "@%p2 bra A;", "ret;",
        ("B: " STORE), "@%p2 ret;",   "ret;"};
    code_open(&code, statements, COUNT_OF(statements));
    CHECK(is_apart(&code, 12, 15));
    CHECK(is_apart(&code, 15, 12));
    code_close(&code);
    static const char *const plain[] = {"@%p1 bra B;", STORE, "ret;",
                                        (("B: " STORE))};
    code_open(&code, plain, COUNT_OF(plain));
    CHECK(!is_apart(&code, 12, 14));
    code_close(&code);
}

static bool share_loop(const Code *code, uint32_t a, uint32_t b) {
    return vm_condition_share_loop(code->func, at_line(code, a),
                                   at_line(code, b));
}

TEST(instructions_share_a_loop_if_each_leads_to_the_other) {
    Code code;
    static const char *const statements[] = {
        "D: @%p1 bra B;", ("A: " STORE), "@%p2 bra A;", "add.u32 %r1, %r1, 1;",
        ("B: " STORE),    "@%p2 bra B;", "@%p1 ret;",   "bra C;",
        "C: @%p2 ret;",   "bra C;"};
    code_open(&code, statements, COUNT_OF(statements));
    CHECK(share_loop(&code, 12, 13));
    CHECK(share_loop(&code, 13, 12));
    CHECK(share_loop(&code, 12, 12));
    CHECK(!share_loop(&code, 12, 15)); // one leads to the other
    CHECK(!share_loop(&code, 15, 12));
    CHECK(!share_loop(&code, 14, 14)); // in none
    CHECK(share_loop(&code, 19, 20));
    PtxInstr elsewhere = *at_line(&code, 12);
    CHECK(!vm_condition_share_loop(code.func, &elsewhere, at_line(&code, 12)));
    CHECK(!vm_condition_share_loop(code.func, at_line(&code, 12), &elsewhere));
    CHECK(vm_condition_access(code.func, at_line(&code, 15)->loc) ==
          at_line(&code, 15));
    CHECK(vm_condition_access(code.func, at_line(&code, 14)->loc) == NULL);
    CHECK(vm_condition_first(code.func, at_line(&code, 15)) ==
          at_line(&code, 15));
    CHECK(vm_condition_first(code.func, &elsewhere) == NULL);
    code_close(&code);
}

TEST(branches_that_meet_again_are_not_apart) {
    Code code;
    static const char *const statements[] = {("A: " STORE), "@%p2 bra A;",
                                             ("B: " STORE), "@%p2 bra B;"};
    code_open(&code, statements, COUNT_OF(statements));
    CHECK(!is_apart(&code, 11, 13));
    CHECK(!is_apart(&code, 13, 11));
    code_close(&code);
    static const char *const nested[] = {
        "C: @%p1 bra B;", ("A: " STORE), "@%p2 bra A;",   "bra D;",
        ("B: " STORE),    "@%p2 bra B;", "D: @%p2 bra C;"};
    code_open(&code, nested, COUNT_OF(nested));
    CHECK(!is_apart(&code, 12, 15));
    CHECK(!is_apart(&code, 15, 12));
    code_close(&code);
}

// Whether the instruction at line 14 is told to leave a register unset that
// decides the branch at line 16.
static bool is_left_unset(const char *guard, const char *in_front) {
    Code code;
    const char *statements[] = {".reg .b128 %q;\nbra E;",
                                guard,
                                in_front,
                                "@%p1 mov.u32 %r2, 5;",
                                "setp.eq.u32 %p2, %r2, 5;",
                                "@%p2 bra A;",
                                "E: add.u32 %r3, %r3, 1;"};
    code_open(&code, statements, COUNT_OF(statements));
    const PtxInstr *unset =
        vm_origin_unset(code.vm, code.func, at_line(&code, 16));
    CHECK(!unset || unset == at_line(&code, 14));
    CHECK(!vm_origin_unset(code.vm, code.func, at_line(&code, 14)));
    code_close(&code);
    return unset != NULL;
}

TEST(what_an_answer_guards_leaves_its_register_unset) {
    static const char answer[] =
        "A: clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q;";
    CHECK(is_left_unset(answer, "mov.u32 %r1, 0;"));
    CHECK(!is_left_unset(answer, "mov.u32 %r2, 0;"));
    CHECK(is_left_unset(answer, "@%p2 mov.u32 %r2, 0;"));
    CHECK(is_left_unset(answer, "mov.u32 %r2, 0;\nB:"));
    CHECK(!is_left_unset("A: setp.eq.u32 %p1, %r1, 0;", "mov.u32 %r1, 0;"));
}

TEST_MAIN(
    TESTCASE(an_address_comes_from_the_lines_that_compute_it),
    TESTCASE(a_value_comes_from_its_own_lines),
    TESTCASE(a_parameter_is_no_decision),
    TESTCASE(what_is_loaded_comes_from_the_load),
    TESTCASE(all_definitions_count_and_the_closest_above_comes_first),
    TESTCASE(lines_of_other_files_are_left_out),
    TESTCASE(elements_of_a_vector_are_followed),
    TESTCASE(an_address_may_name_a_variable),
    TESTCASE(a_number_that_nothing_changes_is_fixed),
    TESTCASE(copies_into_one_register_are_placed_where_the_compiler_likes),
    TESTCASE(a_loop_is_left_by_the_first_branch_that_goes_out_of_it),
    TESTCASE(loads_that_may_be_from_shared_memory_are_kept),
    TESTCASE(branches_of_different_threads_are_apart),
    TESTCASE(one_of_two_branches_has_to_be_a_loop),
    TESTCASE(instructions_share_a_loop_if_each_leads_to_the_other),
    TESTCASE(branches_that_meet_again_are_not_apart),
    TESTCASE(what_an_answer_guards_leaves_its_register_unset))
