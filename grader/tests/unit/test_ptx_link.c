// SPDX-License-Identifier: Apache-2.0
// ptx_link: modules that were compiled apart become one, which the virtual
// machine runs.
#include "tests/unit/test.h"
#include "vm/vm.h"

#define HEAD ".version 8.7\n.target sm_100a\n.address_size 64\n"

// Each has a file and a place of its own.
static const char FIRST[] = HEAD
    ".file 1 \"first.cu\"\n"
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".extern .global .align 4 .u32 factor;\n"
    ".weak .global .align 4 .u32 shared = 5;\n"
    ".global .align 4 .u32 own = 1;\n"
    ".visible .entry k(.param .u64 to) {\n"
    ".reg .u64 %l<2>; .reg .u32 %r<4>;\n"
    ".param .b32 a; .param .b32 b;\n"
    ".loc 1 7 3\n"
    "st.param.b32 [a], 4; call.uni (b), twice, (a); ld.param.b32 %r0, [b];\n"
    "ld.global.u32 %r1, [factor]; mul.lo.u32 %r0, %r0, %r1;\n"
    "ld.global.u32 %r1, [own]; add.u32 %r0, %r0, %r1;\n"
    "ld.global.u32 %r1, [shared]; add.u32 %r0, %r0, %r1;\n"
    "ld.param.u64 %l0, [to]; st.global.u32 [%l0], %r0; ret; }\n";
static const char SECOND[] =
    HEAD ".file 1 \"second.cu\"\n"
         ".visible .global .align 4 .u32 factor = 10;\n"
         ".weak .global .align 4 .u32 shared = 6;\n"
         ".global .align 4 .u32 own = 100;\n"
         ".visible .global .align 8 .u64 where = factor;\n"
         ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
         ".reg .u32 %r<3>;\n"
         ".loc 1 9 5\n"
         "ld.param.b32 %r0, [x]; ld.global.u32 %r1, [own];\n"
         "mad.lo.u32 %r0, %r0, 2, %r1; st.param.b32 [r], %r0; ret; }\n";

static PtxModule *parse(Arena *arena, const char *text) {
    Diags diags = diags_new(arena);
    PtxModule *module = ptx_parse(arena, STR("test"), str_from(text), &diags);
    CHECK(module != NULL);
    return module;
}

static PtxModule *link_two(Arena *arena, const char *a, const char *b) {
    PtxModule *const parts[] = {parse(arena, a), parse(arena, b)};
    return ptx_link(arena, parts, 2);
}

static uint32_t run_k(Arena *arena, const PtxModule *module) {
    Device *vm = vm_open(vm_model_find(STR("mini")));
    Diags diags = diags_new(arena);
    uint32_t buffer, value = 0;
    uint64_t to;
    DeviceRun run;
    CHECK(vm->ops->load(vm, module, &diags));
    CHECK(vm->ops->alloc(vm, 4, &buffer, &to, &diags));
    DeviceLaunch launch = {.kernel = STR("k"),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .cluster = {1, 1, 1},
                           .args = &to,
                           .arg_bytes = sizeof to};
    CHECK(vm->ops->launch(vm, arena, &launch, &run));
    CHECK_INT(run.status, RUN_DONE);
    vm->ops->read(vm, buffer, 0, &value, sizeof value);
    vm->ops->close(vm);
    return value;
}

// (2 * 4 + 100) * 10 + 1 + shared
TEST(declarations_find_their_definitions_in_either_order) {
    Arena arena = {0};
    CHECK_U64(run_k(&arena, link_two(&arena, FIRST, SECOND)), 1086);
    CHECK_U64(run_k(&arena, link_two(&arena, SECOND, FIRST)), 1087);
    arena_free(&arena);
}

TEST(places_keep_their_files) {
    Arena arena = {0};
    PtxModule *module = link_two(&arena, FIRST, SECOND);
    const PtxFunc *k = ptx_find_func(module, STR("k"));
    const PtxFunc *twice = ptx_find_func(module, STR("twice"));
    SrcLoc at = ptx_src(module, k->instrs[0].loc);
    CHECK_STR(at.file, "first.cu");
    CHECK_INT(at.line, 7);
    CHECK(twice->has_body);
    at = ptx_src(module, twice->instrs[0].loc);
    CHECK_STR(at.file, "second.cu");
    CHECK_INT(at.line, 9);
    arena_free(&arena);
}

TEST(every_variable_is_there_once) {
    Arena arena = {0};
    PtxModule *module = link_two(&arena, FIRST, SECOND);
    size_t owns = 0;
    CHECK_U64(module->var_count, 5); // factor, shared, where, and two own
    for (size_t i = 0; i < module->var_count; i++) {
        CHECK_INT(module->vars[i]->id, (int)i);
        CHECK(!module->vars[i]->is_extern);
        owns += str_equal(module->vars[i]->name, STR("own"));
    }
    CHECK_U64(owns, 2);
    const PtxVar *where = ptx_find_var(module, STR("where"));
    CHECK(where->relocs[0].symbol.var == ptx_find_var(module, STR("factor")));
    for (size_t i = 0; i < module->func_count; i++)
        CHECK_INT(module->funcs[i]->id, (int)i);
    arena_free(&arena);
}

TEST(what_none_defines_stays_declared) {
    Arena arena = {0};
    PtxModule *const parts[] = {parse(&arena, FIRST)};
    PtxModule *module = ptx_link(&arena, parts, 1);
    const PtxFunc *twice = ptx_find_func(module, STR("twice"));
    CHECK(twice && !twice->has_body && !twice->alias_of);
    CHECK(ptx_find_var(module, STR("factor"))->is_extern);
    arena_free(&arena);
}

TEST(the_first_module_says_what_they_are_for) {
    Arena arena = {0};
    PtxModule *module =
        link_two(&arena, FIRST,
                 ".version 8.1\n.target sm_90\n.address_size 64\n"
                 ".file 1 \"third.cu\"\n.global .align 4 .u32 other;\n");
    CHECK(module->version_major == 8 && module->version_minor == 7);
    CHECK_STR(module->target, "sm_100a");
    CHECK_INT(module->arch, 100);
    CHECK_INT(module->address_size, 64);
    CHECK_U64(module->file_count, 3); // with "none"
    CHECK_STR(module->files[2], "third.cu");
    arena_free(&arena);
}

static const char NOBODY[] =
    HEAD ".extern .func (.param .b32 r) one();\n"
         ".extern .global .align 4 .u32 x;\n"
         ".visible .entry k(.param .u64 to) {\n"
         ".reg .u64 %l0; .reg .u32 %r<2>; .param .b32 b;\n"
         "call.uni (b), one, (); ld.param.b32 %r0, [b];\n"
         "ld.global.u32 %r1, [x]; add.u32 %r0, %r0, %r1;\n"
         "ld.param.u64 %l0, [to]; st.global.u32 [%l0], %r0; ret; }\n",
                  WEAK[] = HEAD ".weak .global .align 4 .u32 x = 10;\n"
                                ".weak .func (.param .b32 r) one() {\n"
                                "st.param.b32 [r], 1; ret; }\n",
                  STRONG[] = HEAD ".visible .global .align 4 .u32 x = 20;\n"
                                  ".visible .func (.param .b32 r) one() {\n"
                                  "st.param.b32 [r], 2; ret; }\n",
                  COMMON[] = HEAD ".common .global .align 4 .u32 x;\n"
                                  ".visible .func (.param .b32 r) one() {\n"
                                  "st.param.b32 [r], 3; ret; }\n",
                  OWN[] = HEAD ".global .align 4 .u32 x = 50;\n"
                               ".func (.param .b32 r) one() {\n"
                               "st.param.b32 [r], 5; ret; }\n";

static uint32_t run_three(const char *a, const char *b, const char *c) {
    Arena arena = {0};
    PtxModule *const parts[] = {parse(&arena, a), parse(&arena, b),
                                parse(&arena, c)};
    uint32_t value = run_k(&arena, ptx_link(&arena, parts, 3));
    arena_free(&arena);
    return value;
}

TEST(a_weak_definition_gives_way_in_any_order) {
    CHECK_U64(run_three(NOBODY, WEAK, STRONG), 22);
    CHECK_U64(run_three(STRONG, WEAK, NOBODY), 22);
    CHECK_U64(run_three(WEAK, NOBODY, STRONG), 22);
    CHECK_U64(run_three(COMMON, NOBODY, OWN), 3);
    CHECK_U64(run_three(NOBODY, WEAK, OWN), 11); // what is a module's own is
    CHECK_U64(run_three(OWN, NOBODY, WEAK), 11); // nobody else's
    CHECK_U64(run_three(WEAK, COMMON, NOBODY), 13);
}

TEST_MAIN(TESTCASE(declarations_find_their_definitions_in_either_order),
          TESTCASE(places_keep_their_files),
          TESTCASE(every_variable_is_there_once),
          TESTCASE(what_none_defines_stays_declared),
          TESTCASE(the_first_module_says_what_they_are_for),
          TESTCASE(a_weak_definition_gives_way_in_any_order))
