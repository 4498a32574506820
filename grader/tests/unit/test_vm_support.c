// SPDX-License-Identifier: Apache-2.0
// The VM's table of instructions, from which docs/instructions.md is made.
// (That it says one thing of each opcode, in their order, the compiler proves.)
#include "ptx/ptx.h"
#include "tests/unit/test.h"
#include "vm/code/support.h"

typedef struct SupportRow {
    const char *id, *family, *note;
    VmSupport status;
} SupportRow;

static const SupportRow rows[] = {
#define ROW(id, family, kind, status, note) \
    {#id, #family, note, VM_SUPPORT_##status},
    VM_INSTRUCTIONS(ROW)
#undef ROW
};

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

TEST_MAIN(TESTCASE(what_is_missing_has_a_note_and_what_is_done_has_none),
          TESTCASE(what_nobody_decodes_is_not_done))
