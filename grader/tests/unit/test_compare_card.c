// SPDX-License-Identifier: Apache-2.0
// What clclab compare does first on a GPU, with the fake driver: it gives the
// kernels their data and measures a copy, and says why where it cannot.
#include "cli/compare_card.h"
#include "tests/unit/gpu_fake.h"

#define HEAD ".version 9.0\n.target sm_100a\n.address_size 64\n"
#define SECRET ".const .align 4 .b8 clclab_secret[8];\n"
#define FIXED                                                             \
    ".visible .entry compare_fixed(.param .u64 data,\n"                   \
    "    .param .align 4 .b8 work[12]) { ret; }\n.func compute_scalar() " \
    "{ ret; }\n"

// Whether the first message, of a card that behaves so, holds `what`.
static void cannot_start(const char *ptx, const char *options,
                         const char *what) {
    SCOPED_GPU(gpu);
    gpu_open_fake(&gpu, "", &(GpuSettings){.deadline_s = 2, .is_plain = true});
    if (!CHECK(gpu.device != NULL))
        return;
    CompareCard card = {.plain = gpu.device, .module = gpu_parse(&gpu, ptx)};
    CompareSource source;
    gpu_behave(&gpu, options);
    CHECK(!compare_card_source(&card, &source, &gpu.diags));
    if (CHECK(gpu.diags.count > 0))
        CHECK_HOLDS(gpu.diags.items[0].what, what);
}

TEST(kernels_that_have_no_secret_are_told) {
    cannot_start(HEAD FIXED, "", "compare_fixed cannot be given its data");
}

TEST(a_card_without_room_for_the_copy_is_told) {
    cannot_start(HEAD SECRET FIXED, "memory=256", "out of memory");
}

TEST(a_card_that_fails_meanwhile_is_told) {
    cannot_start(HEAD SECRET FIXED, "fault=700",
                 "an access outside all memory");
}

TEST_MAIN(TESTCASE(kernels_that_have_no_secret_are_told),
          TESTCASE(a_card_without_room_for_the_copy_is_told),
          TESTCASE(a_card_that_fails_meanwhile_is_told))
