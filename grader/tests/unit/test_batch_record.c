// SPDX-License-Identifier: Apache-2.0
// Records are read as they were written; what is none counts for nothing.
#include "batch/engine.h"
#include "tests/unit/test.h"

static BatchRow sample_row(void) {
    BatchRow row = {.id = STR("ana"),
                    .student = STR("=Ana \"A\" <b>"),
                    .account = STR("4711"),
                    .is_late = true,
                    .file = STR("block_clc.cu"),
                    .score = 42.5,
                    .most = 100,
                    .check = STR("rules"),
                    .code = STR("CLC006"),
                    .seconds = 1.25,
                    .seeds = {7, UINT64_MAX},
                    .seed_count = 2,
                    .results = {STR("r1"), STR("r2")},
                    .report = STR("t"),
                    .batch = 3,
                    .has_before = true,
                    .before = 30,
                    .changed = STR("lab.conf")};
    for (size_t i = 0; i < BATCH_PART_COUNT; i++)
        row.parts[i] = STR("part");
    row.parts[BATCH_PART_LAB] = STR("lab's");
    return row;
}

TEST(a_record_is_read_as_it_was_written) {
    Arena arena = {0};
    Buf out = {0};
    BatchRow row = sample_row(), read;
    batch_write_record(&row, &out);
    CHECK(batch_record_read(&arena, buf_view(&out), STR("ana"), &read));
    CHECK_STR(read.student, "=Ana \"A\" <b>");
    CHECK_STR(read.account, "4711");
    CHECK_STR(read.file, "block_clc.cu");
    CHECK_STR(read.code, "CLC006");
    CHECK_STR(read.parts[BATCH_PART_LAB], "lab's");
    CHECK_STR(read.parts[BATCH_PART_OPTIONS], "part");
    CHECK_STR(read.results[1], "r2");
    CHECK_STR(read.report, "t");
    CHECK_STR(read.changed, "lab.conf");
    CHECK_INT(read.batch, 3);
    CHECK(read.is_late && read.has_before && read.before == 30);
    CHECK(read.score == 42.5 && read.most == 100 && read.seconds == 1.25);
    CHECK(read.seed_count == 2 && read.seeds[1] == UINT64_MAX);
    CHECK(!batch_record_read(&arena, buf_view(&out), STR("ben"), &read));
    buf_free(&out);
    arena_free(&arena);
}

TEST(a_record_that_is_cut_or_another_counts_for_nothing) {
    Arena arena = {0};
    Buf out = {0};
    BatchRow row = sample_row(), read;
    batch_write_record(&row, &out);
    Str text = buf_view(&out);
    for (size_t len = 0; len + 3 < text.len; len += 7)
        CHECK(
            !batch_record_read(&arena, str_slice(text, 0, len), row.id, &read));
    row.status = BATCH_FAILED;
    out.len = 0;
    batch_write_record(&row, &out);
    CHECK_HOLDS(buf_view(&out), "\"score\": null");
    CHECK(!batch_record_read(&arena, buf_view(&out), row.id, &read));
    row = sample_row();
    row.seed_count = 0;
    out.len = 0;
    batch_write_record(&row, &out);
    CHECK(!batch_record_read(&arena, buf_view(&out), row.id, &read));
    buf_free(&out);
    arena_free(&arena);
}

TEST_MAIN(TESTCASE(a_record_is_read_as_it_was_written),
          TESTCASE(a_record_that_is_cut_or_another_counts_for_nothing))
