// SPDX-License-Identifier: Apache-2.0
// Inline asm in what a compiler made (asm.c): its forms, and which of them are
// known. What ptxas says of the others is in compile.bats.
#include "compile/internal.h"
#include "tests/unit/compile_folder.h"
#include "tests/unit/test.h"

#include <string.h>

static void check_forms(const char *asm_text, bool numbers,
                        const char *expected) {
    SCOPED_ARENA(arena);
    Buf forms = {0};
    Str ptx = str_format(&arena, "mov.u32 %%r1, 7;\n\t%s\n%s\n\t%s\nret;\n",
                         ASM_BEGINS, asm_text, ASM_ENDS);
    asm_print_forms(ptx, numbers, &forms);
    CHECK_STR(buf_view(&forms), expected);
    buf_free(&forms);
}

TEST(registers_have_classes_and_numbers_are_alike) {
    check_forms("mbarrier.init.shared::cta.b64 [%r10], 1;", false,
                "mbarrier.init.shared::cta.b64 [%r], #\n");
    check_forms("mov.b128 %rq12, {%rd1, %rd22};", false,
                "mov.b128 %rq, {%rd, %rd}\n");
    check_forms("add.u32 %r1, %r2, -5; mov.f32 %f1, 0f3F800000;", false,
                "add.u32 %r, %r, #\nmov.f32 %f, #f\n");
    check_forms("mov.u32 %r1, %smid;mov.u32 %r2, %ctaid.x;", false,
                "mov.u32 %r, %smid\nmov.u32 %r, %ctaid.x\n");
    check_forms("mov.u32 %r1, %envreg3;", false, "mov.u32 %r, %envreg3\n");
}

TEST(numbers_are_kept_where_they_are_asked_for_or_large) {
    check_forms("bar.sync 3, 64;", true, "bar.sync 3, 64\n");
    check_forms("add.u32 %r1, %r2, -5;", true, "add.u32 %r, %r, -5\n");
    check_forms("mov.b64 %rd1, 4294967296; mov.b64 %rd1, 4294967295;", false,
                "mov.b64 %rd, 4294967296\nmov.b64 %rd, #\n");
    check_forms("mov.b64 %rd1, 0x100000000; mov.b32 %r1, 0xffffffff;", false,
                "mov.b64 %rd, 0x100000000\nmov.b32 %r, #\n");
}

TEST(what_is_added_to_an_address_is_left_out_if_it_is_small) {
    check_forms("ld.shared.u32 %r1, [%r2+16];", false,
                "ld.shared.u32 %r, [%r]\n");
    check_forms("ld.shared.u32 %r1, [%r2+16];", true,
                "ld.shared.u32 %r, [%r+16]\n");
    check_forms("ld.shared.u32 %r1, [%r2+99999999999];", false,
                "ld.shared.u32 %r, [%r+99999999999]\n");
}

TEST(declared_registers_have_their_type_and_names_end_with_their_block) {
    check_forms("{ .reg .pred p, q; .reg .u32 t<4>;\n"
                "setp.eq.u32 p, t2, 0; @!q mov.u32 t0, %r1; }",
                false, "setp.eq.u32 %p, <u32>, #\nmov.u32 <u32>, %r\n");
    check_forms("{ .reg .b64 x; { .reg .pred x; and.pred x, x, x; } "
                "not.b64 x, x; }",
                false, "and.pred %p, %p, %p\nnot.b64 %rd, %rd\n");
}

TEST(labels_comments_and_lines_have_no_form) {
    check_forms("WAIT: // a label\n/* one; two */ bra.uni WAIT;", false,
                "bra.uni LABEL\n");
    check_forms(".loc 1 2 3\nfence.mbarrier_init.release.cluster;", false,
                "fence.mbarrier_init.release.cluster\n");
    check_forms("", false, "");
}

// ---- known forms ---------------------------------------------------------

static bool knows(const char *asm_text) {
    static const char *const known[] = {
        "bar.sync 1, 64",
        "bra LABEL",
        "fence.mbarrier_init.release.cluster",
        "mov.u32 %r, #",
        "setp.eq.u32 %p, %r, #",
    };
    SCOPED_ARENA(arena);
    Str ptx = str_format(&arena, "%s\n%s\n%s\nbogus;\n", ASM_BEGINS, asm_text,
                         ASM_ENDS);
    return asm_is_known(ptx, known, COUNT_OF(known));
}

TEST(asm_is_known_if_each_statement_is) {
    CHECK(knows(""));
    CHECK(knows("mov.u32 %r1, 77;"));
    CHECK(knows("{ .reg .pred done; AGAIN: setp.eq.u32 done, %r1, 3; "
                "@!done bra AGAIN; }"));
    CHECK(!knows("mov.u32 %r1, 77; mov.u32 %rd1, 7;"));
    CHECK(!knows("fence.mbarrier_init.release.cta;"));
    CHECK(!knows("fence.mbarrier_init.release.cluste;"));
    CHECK(!knows("fence.mbarrier_init.release.cluster.cluster;"));
}

TEST(a_number_that_matters_is_known_by_itself) {
    CHECK(knows("bar.sync 1, 64;"));
    CHECK(!knows("bar.sync 16, 64;"));
}

TEST(what_is_not_understood_is_not_known) {
    CHECK(!knows("mov.u32 %r1, 1"));                  // no end
    CHECK(!knows("} mov.u32 %r1, 1;"));               // no begin
    CHECK(!knows("@%r2 mov.u32 %r1, 1;"));            // no guard
    CHECK(!knows(".reg .pred p<4; mov.u32 %r1, 1;")); // no declaration
    CHECK(!knows(".reg pred p; mov.u32 %r1, 1;"));
    CHECK(!knows(".include \"x\"; mov.u32 %r1, 1;"));
}

TEST(more_names_and_blocks_than_fit_are_not_known) {
    Buf text = {0};
    for (int i = 0; i < 100; i++)
        buf_printf(&text, ".reg .b32 name%d; ", i);
    buf_printf(&text, "mov.u32 name1, 1;%c", 0);
    CHECK(!knows(text.ptr));
    text.len = 0;
    for (int i = 0; i < 40; i++)
        buf_printf(&text, "{ ");
    buf_printf(&text, "mov.u32 %%r1, 1;%c", 0);
    CHECK(!knows(text.ptr));
    buf_free(&text);
}

TEST(the_pieces_are_what_stands_between_the_marks) {
    AsmPieces pieces = asm_pieces(
        STR("a\n" ASM_BEGINS "\nb\n" ASM_ENDS "\nc\n" ASM_BEGINS "\nd"));
    Str piece;
    CHECK(asm_next(&pieces, &piece));
    CHECK_STR(piece, "\nb\n");
    CHECK(asm_next(&pieces, &piece));
    CHECK_STR(piece, "\nd");
    CHECK(!asm_next(&pieces, &piece));
}

TEST(the_list_of_known_forms_is_sorted) {
    CHECK(known_asm_count > 5000);
    for (size_t i = 1; i < known_asm_count; i++)
        CHECK(strcmp(known_asm[i - 1], known_asm[i]) < 0);
}

TEST_MAIN(
    TESTCASE(registers_have_classes_and_numbers_are_alike),
    TESTCASE(numbers_are_kept_where_they_are_asked_for_or_large),
    TESTCASE(what_is_added_to_an_address_is_left_out_if_it_is_small),
    TESTCASE(declared_registers_have_their_type_and_names_end_with_their_block),
    TESTCASE(labels_comments_and_lines_have_no_form),
    TESTCASE(asm_is_known_if_each_statement_is),
    TESTCASE(a_number_that_matters_is_known_by_itself),
    TESTCASE(what_is_not_understood_is_not_known),
    TESTCASE(more_names_and_blocks_than_fit_are_not_known),
    TESTCASE(the_pieces_are_what_stands_between_the_marks),
    TESTCASE(the_list_of_known_forms_is_sorted))
