// SPDX-License-Identifier: Apache-2.0
// What a lab asks of the file itself (check/form.c): own asm statements, names
// that are forbidden, and no changes outside the regions.
#include "check/judge.h"
#include "tests/unit/test.h"

// clang-format off
#define REGION "TO" "DO"
// clang-format on

// File 1 is the submission, file 2 a header. Line 3 of the submission asks by
// an asm statement, line 4 by a call of the header's function.
#define HEAD                                              \
    ".version 9.0\n.target sm_100a\n.address_size 64\n"   \
    ".file 1 \"kernel.cu\"\n.file 2 \"/usr/include/h\"\n" \
    ".visible .entry kernel()\n{\n.reg .b32 %r<4>;\n"
#define ASKS                                                       \
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::" \
    "complete_tx::bytes.b128 [%r1], [%r2];\n"
#define OWN_LINE ".loc 1 3 5\n"
#define HEADER_LINE \
    ".loc 2 70 5, function_name $L__info_string0, inlined_at 1 4 9\n"
#define TAIL                                               \
    "ret;\n}\n.section .debug_str\n{\n$L__info_string0:\n" \
    ".b8 95,90,78,52,99,117,100,97,51,97,115,107,69,118,0\n}\n"

typedef struct Form {
    Arena arena;
    Lab lab;
    Submission submission;
    Result result;
    Grade grade;
} Form;

// `ptx`: the kernel's body, or NULL for an empty one.
static void form_open(Form *form, const char *source, const char *ptx) {
    *form = (Form){0};
    Diags diags = diags_new(&form->arena);
    Str text = str_format(&form->arena, "%s%s%s", HEAD, ptx ? ptx : "", TAIL);
    form->lab.file = STR("kernel.cu");
    form->submission = (Submission){
        .file = STR("mine/kernel.cu"),
        .source = str_from(source),
        .module = ptx_parse(&form->arena, STR("kernel.cu"), text, &diags)};
    CHECK_INT(diags.count, 0);
    form->grade = (Grade){.arena = &form->arena,
                          .lab = &form->lab,
                          .submission = &form->submission,
                          .result = &form->result,
                          .kernel_at = {form->submission.file, 1, 1}};
    if (CHECK(form->submission.module))
        form->grade.entry =
            ptx_find_func(form->submission.module, STR("kernel"));
}

static void passes(Form *form) {
    Cause cause;
    CHECK(judge_form(&form->grade, &cause));
    arena_free(&form->arena);
}

static void fails(Form *form, FindingCase which, uint32_t line) {
    Cause cause = {0};
    if (CHECK(!judge_form(&form->grade, &cause))) {
        CHECK_INT(cause.finding->which, which);
        CHECK_STR(cause.at.file, "mine/kernel.cu");
        CHECK_INT(cause.at.line, line);
    }
    arena_free(&form->arena);
}

// ---- own-asm -------------------------------------------------------------

TEST(own_asm_is_told_from_a_headers_by_its_place) {
    Form form;
    form_open(&form, "x", OWN_LINE ASKS);
    form.lab.own_asm = true;
    passes(&form);
    form_open(&form, "x", OWN_LINE ASKS HEADER_LINE ASKS);
    form.lab.own_asm = true;
    fails(&form, CASE_TECHNIQUE_NOT_OWN_ASM, 4);
    form_open(&form, "x", OWN_LINE ASKS HEADER_LINE ASKS);
    passes(&form);
}

TEST(waits_and_decoding_are_to_be_own_asm_and_nothing_else) {
    static const char *const theirs[] = {
        HEADER_LINE "{ .reg .pred p; .reg .b128 q; clusterlaunchcontrol."
                    "query_cancel.is_canceled.pred.b128 p, q; }\n",
        HEADER_LINE "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 "
                    "p, [%r1], %r2; }\n",
        HEADER_LINE "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 "
                    "p, [%r1], %r2; }\n"};
    Form form;
    for (size_t i = 0; i < COUNT_OF(theirs); i++) {
        form_open(&form, "x", theirs[i]);
        form.lab.own_asm = true;
        fails(&form, CASE_TECHNIQUE_NOT_OWN_ASM, 4);
    }
    form_open(&form, "x",
              HEADER_LINE "mbarrier.init.shared::cta.b64 [%r1], 1;\n"
                          "bar.sync 0;\n");
    form.lab.own_asm = true;
    passes(&form);
}

TEST(other_kernels_of_the_file_may_use_the_library) {
    Form form;
    form_open(&form, "x",
              OWN_LINE ASKS "ret;\n}\n.visible .entry other()\n{\n"
                            ".reg .b32 %r<4>;\n" HEADER_LINE ASKS);
    form.lab.own_asm = true;
    passes(&form);
    form_open(&form, "x",
              OWN_LINE ASKS "ret;\n}\n.func helper()\n{\n"
                            ".reg .b32 %r<4>;\n" HEADER_LINE ASKS);
    form.lab.own_asm = true;
    fails(&form, CASE_TECHNIQUE_NOT_OWN_ASM, 4);
}

// ---- forbid --------------------------------------------------------------

static void forbid(Form *form, const char *name) {
    form->lab.forbidden = arena_new(&form->arena, Str, 2);
    form->lab.forbidden[0] = STR("unused");
    form->lab.forbidden[1] = str_from(name);
    form->lab.forbidden_count = 2;
}

TEST(forbidden_names_are_found_in_code_and_not_in_comments) {
    Form form;
    form_open(&form, "int a;\n  foo();\n", NULL);
    forbid(&form, "foo");
    fails(&form, CASE_TECHNIQUE_FORBIDDEN, 2);
    form_open(&form, "// foo\n/* foo */ char s[] = \"foo\"; food(); afoo();\n",
              NULL);
    forbid(&form, "foo");
    passes(&form);
}

// "_ZN4cuda3askEv", whose call is at line 4.
TEST(a_name_that_a_macro_puts_together_is_found_in_the_ptx) {
    Form form;
    form_open(&form, "x", HEADER_LINE "bar.sync 0;\n");
    forbid(&form, "ask");
    fails(&form, CASE_TECHNIQUE_FORBIDDEN, 4);
    form_open(&form, "x", HEADER_LINE "bar.sync 0;\n");
    forbid(&form, "as");
    passes(&form);
    form_open(&form, "x",
              "ret;\n}\n.func _Z3barv()\n{\n.loc 1 6 1\nbar.sync 0;\n");
    forbid(&form, "bar");
    fails(&form, CASE_TECHNIQUE_FORBIDDEN, 6);
}

// ---- regions -------------------------------------------------------------

#define OPENS(n) "// BEGIN " REGION "(" #n "): do it.\n"
#define CLOSES(n) "// END " REGION "(" #n ")\n"
#define STARTER \
    "int a;\n" OPENS(1) CLOSES(1) "int b;\n" OPENS(2) CLOSES(2) "f();\n"

static void strict(const char *source, uint32_t line) {
    Form form;
    form_open(&form, source, NULL);
    form.lab.starter = STR(STARTER);
    form.lab.strict_regions = true;
    if (line)
        fails(&form, CASE_TECHNIQUE_OUTSIDE_REGIONS, line);
    else
        passes(&form);
}

TEST(changes_outside_the_regions_are_found) {
    strict(STARTER, 0);
    strict("int a;\n" OPENS(1) "x\ny\n" CLOSES(1) "int b;\n" OPENS(
               2) "z\n" CLOSES(2) "f();\n",
           0);
    strict("// more\nint a; /* and */\n\n" OPENS(1)
               CLOSES(1) "  int\tb;\n" OPENS(2) CLOSES(2) "f();\n",
           0);
    strict("int a;\n" OPENS(1) CLOSES(1) "int c;\n" OPENS(2) CLOSES(2) "f();\n",
           4);
    strict("int a;\n" OPENS(1) CLOSES(1) "int b;\n" OPENS(2)
               CLOSES(2) "f();\ng();\n",
           8);
    strict("int a;\n" OPENS(1) CLOSES(1) "int b;\n" OPENS(2) CLOSES(2), 7);
}

TEST(a_region_may_have_the_largest_number) {
    Arena arena = {0};
    CHECK_STR(region_outline(&arena, STR("a\n" OPENS(31) "x\n" CLOSES(31))),
              "a\n@31\n\n\n");
    CHECK_STR(region_outline(&arena, STR(OPENS(32) "x\n" CLOSES(32))),
              OPENS(32) "x\n" CLOSES(32));
    arena_free(&arena);
}

TEST(regions_that_are_not_the_labs_are_changes) {
    strict("int a;\nint b;\n" OPENS(2) CLOSES(2) "f();\n", 2);
    strict("int a;\n" OPENS(1) CLOSES(1)
               OPENS(1) "x\n" CLOSES(1) "int b;\n" OPENS(2) CLOSES(2) "f();\n",
           4);
    strict("int a;\n" OPENS(2) CLOSES(2) "int b;\n" OPENS(1) CLOSES(1) "f();\n",
           2);
    strict("int a;\n" OPENS(1) "x\n"
                               "int b;\n" OPENS(2) CLOSES(2) "f();\n",
           3);
}

// What form_advise adds for this source: the line of the advisory; 0: none.
static uint32_t advised(const char *source, bool is_strict, bool is_known) {
    Form form;
    form_open(&form, source, NULL);
    form.lab.starter = is_known ? STR(STARTER) : STR("");
    form.lab.strict_regions = is_strict;
    form_advise(&form.grade);
    uint32_t line =
        form.result.advisory_count ? form.result.advisories[0].at.line : 0;
    arena_free(&form.arena);
    return line;
}

TEST(a_lab_that_does_not_insist_gives_an_advisory) {
    const char *changed =
        "int c;\n" OPENS(1) CLOSES(1) "int b;\n" OPENS(2) CLOSES(2) "f();\n";
    CHECK_INT(advised(changed, false, true), 1);
    CHECK_INT(advised(changed, true, true), 0);
    CHECK_INT(advised(changed, false, false), 0);
    CHECK_INT(advised(STARTER, false, true), 0);
    CHECK_INT(advised("int c; // written anew\n", false, true), 0);
    Form form;
    form_open(&form, changed, NULL);
    form.lab.starter = STR(STARTER);
    passes(&form);
}

TEST_MAIN(TESTCASE(own_asm_is_told_from_a_headers_by_its_place),
          TESTCASE(waits_and_decoding_are_to_be_own_asm_and_nothing_else),
          TESTCASE(other_kernels_of_the_file_may_use_the_library),
          TESTCASE(forbidden_names_are_found_in_code_and_not_in_comments),
          TESTCASE(a_name_that_a_macro_puts_together_is_found_in_the_ptx),
          TESTCASE(changes_outside_the_regions_are_found),
          TESTCASE(a_region_may_have_the_largest_number),
          TESTCASE(regions_that_are_not_the_labs_are_changes),
          TESTCASE(a_lab_that_does_not_insist_gives_an_advisory))
