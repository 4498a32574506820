// SPDX-License-Identifier: Apache-2.0
// The VM's table of instructions: it must say something, and one thing, of
// each opcode, in the opcodes' own order; docs/instructions.md is made from it.
#include "ptx/ptx.h"
#include "tests/unit/test.h"
#include "vm/code/support.h"

typedef struct SupportRow {
    PtxOp op;
    const char *id, *family, *note;
    VmSupport status;
} SupportRow;

static const SupportRow rows[] = {
#define ROW(id, family, status, note) \
    {PTX_OP_##id, #id, #family, note, VM_SUPPORT_##status},
    VM_INSTRUCTIONS(ROW)
#undef ROW
};

TEST(each_opcode_has_one_row_in_the_opcodes_order) {
    CHECK_INT(COUNT_OF(rows), PTX_OP_COUNT - 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!CHECK_INT(rows[i].op, i + 1))
            printf("# row %zu is %s\n", i, rows[i].id);
}

TEST(what_is_missing_has_a_note_and_what_is_done_has_none) {
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool done = rows[i].status == VM_SUPPORT_DONE;
        if (!CHECK(done == (rows[i].note[0] == '\0')))
            printf("# row %s\n", rows[i].id);
    }
}

TEST(what_nobody_decodes_is_not_done) {
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool none = strcmp(rows[i].family, "none") == 0;
        if (!CHECK(!none || rows[i].status != VM_SUPPORT_DONE))
            printf("# row %s\n", rows[i].id);
    }
}

TEST_MAIN(TESTCASE(each_opcode_has_one_row_in_the_opcodes_order),
          TESTCASE(what_is_missing_has_a_note_and_what_is_done_has_none),
          TESTCASE(what_nobody_decodes_is_not_done))
