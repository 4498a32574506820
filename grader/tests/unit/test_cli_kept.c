// SPDX-License-Identifier: Apache-2.0
// Reading a kept result: what verify takes from it, and what it refuses.
#include "cli/kept.h"
#include "tests/unit/test.h"

#define KEPT(numbers, provenance)                 \
    "{\"schema\": \"clclab/result/v1\", " numbers \
    ", \"gpu_model\": \"mini\", \"provenance\": " \
    "{\"submission_sha256\": \"0a\", \"whole\": true" provenance "}}"
#define NUMBERS "\"lab\": 3, \"seed\": 18446744073709551615, \"schedules\": 64"

TEST(result_says_how_it_was_made) {
    Arena arena = {0};
    Kept kept;
    Str text = STR(KEPT(NUMBERS, ", \"compile_flags\": [\"-DX\", \"-O\\u0033\"]"
                                 ", \"sandbox\": {\"untrusted\": true}"));
    CHECK_STR(kept_read(&arena, text, &kept), "");
    CHECK_INT(kept.lab, 3);
    CHECK(kept.seed == UINT64_MAX);
    CHECK_INT(kept.schedules, 64);
    CHECK(strcmp(kept.gpu_model, "mini") == 0);
    CHECK(kept.untrusted);
    CHECK_INT(kept.flags.count, 2);
    CHECK(strcmp(kept.flags.items[0], "-DX") == 0);
    CHECK(strcmp(kept.flags.items[1], "-O3") == 0);
    CHECK_STR(json_find_text(&arena, kept.json, "provenance.submission_sha256"),
              "0a");
    CHECK_STR(kept_read(&arena, STR(KEPT(NUMBERS, "")), &kept), "");
    CHECK(!kept.untrusted);
    CHECK_INT(kept.flags.count, 0);
    arena_free(&arena);
}

#define FLAGS_8 "\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\""

TEST(what_is_no_result_is_refused) {
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"", "byte 0: not JSON"},
        {"[1, 2", "byte 5: not JSON"},
        {"{\"schema\": 1}", "no result of clclab grade"},
        {"{\"schema\": \"clclab/result/v1\"}", "an older clclab wrote it"},
        {"{\"schema\": \"clclab/result/v1\", \"provenance\": "
         "{\"submission_sha256\": \"0\", \"whole\": \"true\"}}",
         "of one schedule alone"},
        {KEPT("\"lab\": 3, \"seed\": null", ""), "its seed was left out"},
        {KEPT("\"lab\": -3, \"seed\": 1, \"schedules\": 1", ""),
         "no such numbers"},
        {KEPT("\"lab\": 3, \"seed\": 1.5, \"schedules\": 1", ""),
         "no such numbers"},
        {KEPT("\"lab\": 3, \"seed\": 18446744073709551616, \"schedules\": 1",
              ""),
         "no such numbers"},
        {KEPT("\"lab\": 3, \"seed\": 1, \"schedules\": 100001", ""),
         "no such numbers"},
        {KEPT(NUMBERS, ", \"compile_flags\": [1]"), "no texts"},
        {KEPT(NUMBERS, ", \"compile_flags\": [" FLAGS_8 ", " FLAGS_8 ", \"\"]"),
         "too many compile_flags"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        Arena arena = {0};
        Kept kept;
        Str error = kept_read(&arena, str_from(wrong[i].text), &kept);
        CHECK_HOLDS(error, wrong[i].error);
        arena_free(&arena);
    }
}

TEST_MAIN(TESTCASE(result_says_how_it_was_made),
          TESTCASE(what_is_no_result_is_refused))
